"""The tasks of a design, done by whoever is there; finished ones are kept in a journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path

from covey.dynamics.validation import Progress
from covey.executors import Workers, a_few_at_a_time, result_of, workers_for
from covey.files.journal import Journal, Record
from covey.remedy.design.step import FEASIBILITY_TOLERANCE
from covey.remedy.design.tasks import FIELDS, Task, solve

_KEPT = "Finished starts are kept where the design has an output: run it again to go on"


@contextmanager
def work_on(
    job: Mapping[str, object],
    path: str | Path | None,
    executor: Executor | None,
    workers: int | None,
    progress: Progress | None,
) -> Iterator[Work]:
    """The work of a design; its journal goes once all is done, and stays where that fails."""
    opened = nullcontext() if path is None else Journal(Path(path), job, {}, FIELDS, "design")
    with opened as journal:
        with ExitStack() as stack:
            hire = partial(workers_for, executor, workers)
            yield Work(journal, lambda tasks: stack.enter_context(hire(tasks)), progress)
        if journal is not None:
            journal.remove()


class Work:
    """Who does the tasks, and where finished ones are kept: in one journal until all is done."""

    def __init__(
        self, journal: Journal | None, hire: Callable[[int], Workers], progress: Progress | None
    ) -> None:
        self._journal, self._hire, self._progress = journal, hire, progress
        self._asked = 0  # tasks so far: the same design asks for the same ones in the same order
        self._hired: Workers | None = None

    def records(self, tasks: Sequence[Task], later: int = 0) -> list[Record]:
        """What every task found, in their order; those of a journal are not done again.

        `later` is how many more will be asked for: workers are hired once, for all of them.
        """
        begin, self._asked = self._asked, self._asked + len(tasks)
        kept = {} if self._journal is None else self._journal.finished
        found = {i: kept[begin + i] for i in range(len(tasks)) if begin + i in kept}
        missing = [i for i in range(len(tasks)) if i not in found]
        force = self._hired = self._hired or self._hire(len(missing) + later)
        for batch in a_few_at_a_time(
            lambda number: force.executor.submit(solve, tasks[number]), missing, force.ahead
        ):
            done = {number: result_of(future, _KEPT) for number, future in batch}
            found |= done
            if self._journal is not None:
                self._journal.append((begin + i, record) for i, record in done.items())
            if self._progress is not None:
                said = f"{len(found):,} of {len(tasks):,} starts{_best(tasks, found)}"
                self._progress(len(found), len(tasks), said)
        return [found[i] for i in range(len(tasks))]


def _best(tasks: Sequence[Task], found: Mapping[int, Record]) -> str:
    """The best so far of what holds all that has to; along a front they are of several levels."""
    objective = tasks[0].objective
    answers = [record for record in found.values() if "value" in record]
    if not answers or tasks[-1].objective != objective:
        return ""
    held = [float(one["value"]) for one in answers if float(one["held"]) <= FEASIBILITY_TOLERANCE]
    if not held:
        return ", none of which holds all that has to"
    if objective.maximise is not None:
        return f", best {objective.maximise} {-objective.scale * min(held):.4g}"
    return f", best {objective.minimise} {min(held):.4g}"
