"""The tasks of a design, done by whoever is there; finished ones are kept in a journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from covey.dynamics.validation import Progress
from covey.executors import Workers, a_few_at_a_time, result_of, workers_for
from covey.journal import Journal, Record
from covey.remedy.design.step import FEASIBILITY_TOLERANCE
from covey.remedy.design.tasks import FIELDS, Task, solve

_KEPT = "Finished starts are kept where the design has an output: run it again to go on"


class Work:
    """Who does the tasks, and where finished ones are kept: in one journal until all is done."""

    def __init__(
        self,
        path: str | Path | None,
        job: Mapping[str, object],
        executor: Executor | None,
        workers: int | None,
        progress: Progress | None,
    ) -> None:
        self.executor, self.workers, self.progress = executor, workers, progress
        self._journal = None if path is None else Journal(Path(path), job, {}, FIELDS, "design")
        self._asked = 0  # tasks so far: the same design asks for the same ones in the same order
        self._hired: Workers | None = None
        self._open = ExitStack()

    def __enter__(self) -> Work:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._open.__exit__(kind, error, trace)
        finally:
            if self._journal is not None and kind is None:
                self._journal.remove()
            elif self._journal is not None:
                self._journal.__exit__(kind, error, trace)

    def records(self, tasks: Sequence[Task], later: int = 0) -> list[Record]:
        """What every task found, in their order; those of a journal are not done again.

        `later` is how many more will be asked for: workers are hired once, for all of them.
        """
        begin, self._asked = self._asked, self._asked + len(tasks)
        kept = {} if self._journal is None else self._journal.finished
        found = {i: kept[begin + i] for i in range(len(tasks)) if begin + i in kept}
        missing = [i for i in range(len(tasks)) if i not in found]
        force = self._force(len(missing) + later)
        for batch in a_few_at_a_time(
            lambda number: force.executor.submit(solve, tasks[number]), missing, force.ahead
        ):
            done = {number: result_of(future, _KEPT) for number, future in batch}
            found |= done
            if self._journal is not None:
                self._journal.append((begin + i, record) for i, record in done.items())
            if self.progress is not None:
                said = f"{len(found):,} of {len(tasks):,} starts{_best(tasks, found)}"
                self.progress(len(found), len(tasks), said)
        return [found[i] for i in range(len(tasks))]

    def _force(self, tasks: int) -> Workers:
        if self._hired is None:
            hired = workers_for(self.executor, self.workers, tasks)
            self._hired = self._open.enter_context(hired)
        return self._hired


def _best(tasks: Sequence[Task], found: Mapping[int, Record]) -> str:
    """The best so far of what holds all that has to; along a front they are of several levels."""
    aims = tasks[0].aims
    answers = [record for record in found.values() if "value" in record]
    if not answers or tasks[-1].aims != aims:
        return ""
    held = [float(one["value"]) for one in answers if float(one["held"]) <= FEASIBILITY_TOLERANCE]
    if not held:
        return ", none of which holds all that has to"
    if aims.maximise is not None:
        return f", best {aims.maximise} {-aims.scale * min(held):.4g}"
    return f", best {aims.minimise} {min(held):.4g}"
