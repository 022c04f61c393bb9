"""The tasks of a design, done by whoever is there; finished ones are kept in a journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from covey.dynamics.question import Progress
from covey.executors import a_few_at_a_time, result_of, workers_for
from covey.journal import Journal, Record
from covey.remedy.design.tasks import FIELDS, Task, solve

_KEPT = "Finished starts are kept where the design has an output: run it again to go on"


@dataclass(frozen=True)
class Work:
    """Who does the tasks, and where finished ones are kept."""

    path: str | Path | None
    executor: Executor | None
    workers: int | None
    progress: Progress | None

    def records(self, job: Mapping[str, object], tasks: Sequence[Task]) -> list[Record]:
        """What every task found, in their order; those of a journal are not done again."""
        opened = (
            nullcontext(None)
            if self.path is None
            else Journal(Path(self.path), job, {}, FIELDS, "design")
        )
        with opened as journal:
            found: dict[int, Record] = {} if journal is None else dict(journal.finished)
            missing = [i for i in range(len(tasks)) if i not in found]
            with workers_for(self.executor, self.workers, len(missing)) as force:
                submit = force.executor.submit
                for batch in a_few_at_a_time(
                    lambda number: submit(solve, tasks[number]), missing, force.ahead
                ):
                    done = {number: result_of(future, _KEPT) for number, future in batch}
                    found |= done
                    if journal is not None:
                        journal.append(done.items())
                    self._say(found, len(tasks))
            if journal is not None:
                journal.remove()
        return [found[i] for i in range(len(tasks))]

    def _say(self, found: Mapping[int, Record], total: int) -> None:
        if self.progress is None:
            return
        values = [float(record["value"]) for record in found.values() if "value" in record]
        best = f", best {abs(min(values)):.4g}" if values else ""
        self.progress(len(found), total, f"{len(found):,} of {total:,} starts{best}")
