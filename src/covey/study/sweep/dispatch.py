"""Tasks out to workers, results in, cells done: any `concurrent.futures.Executor` will do.

Only a few tasks are out at a time, and a result is dropped when the last cell that needs it is
done; so whatever is lost in a crash is little, and memory stays small however large the sweep.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait

from covey.executors import a_few_at_a_time, result_of
from covey.files.journal import Record
from covey.study.sweep.cells import Distributions, Job, solve_cell, solve_distributions
from covey.study.sweep.sharing import Cell, Need, Sharing

Batch = list[tuple[int, Record]]

_KEPT = "Finished cells are kept where the sweep has an output: run it again to go on"
_HELD_BYTES = 2**30  # of distributions that later cells will need; beyond, they are computed again


def run(job: Job, cells: Sequence[int], executor: Executor, ahead: int) -> Iterator[Batch]:
    """Computes the cells and gives them as they are done, in any order; `ahead` tasks are out."""
    sharing = Sharing(job)
    if sharing.pays:
        return _Shared(sharing, cells, executor, ahead).run()
    return _one_by_one(job, cells, executor, ahead)


def _one_by_one(job: Job, cells: Sequence[int], executor: Executor, ahead: int) -> Iterator[Batch]:
    for batch in a_few_at_a_time(
        lambda cell: executor.submit(solve_cell, job.cell(cell)), cells, ahead
    ):
        yield [(cell, result_of(future, _KEPT)) for cell, future in batch]


class _Shared:
    """Cells that wait for distributions, and distributions that are kept for cells."""

    def __init__(
        self, sharing: Sharing, cells: Sequence[int], executor: Executor, ahead: int
    ) -> None:
        self.sharing, self.executor, self.ahead = sharing, executor, ahead
        self.waiting = deque(sharing.plan(cells))
        self.uses = Counter(need for cell in self.waiting for need in set(cell.needs))
        self.opened: list[Cell] = []
        self.out: dict[Future[Distributions], Need] = {}
        self.distributions: dict[Need, Distributions] = {}
        self.held = 0  # bytes of distributions

    def run(self) -> Iterator[Batch]:
        """Until every cell is done."""
        while self.waiting or self.opened:
            self._open()
            if self.out:
                done, _ = wait(self.out, return_when=FIRST_COMPLETED)
                for future in done:
                    self._keep(self.out.pop(future), result_of(future, _KEPT))
            if batch := self._finish():
                yield batch

    def _open(self) -> None:
        """Takes up cells, and sends out what they need and nobody has asked for."""
        asked = set(self.out.values())
        while self.waiting and (not self.opened or self._has_room()):
            cell = self.waiting.popleft()
            self.opened.append(cell)
            for need in dict.fromkeys(cell.needs):
                if need not in self.distributions and need not in asked:
                    future = self.executor.submit(solve_distributions, self.sharing.task(need))
                    self.out[future] = need
                    asked.add(need)

    def _has_room(self) -> bool:
        few = len(self.out) < self.ahead and len(self.opened) < 4 * self.ahead
        return few and self.held < _HELD_BYTES

    def _keep(self, task: Need, distributions: Distributions) -> None:
        self.distributions[task] = distributions
        self.held += _bytes(distributions)

    def _drop(self, task: Need) -> None:
        self.held -= _bytes(self.distributions.pop(task))

    def _finish(self) -> Batch:
        """Measures the cells that have all they need, and drops what nobody needs any more."""
        ready = [
            cell for cell in self.opened if all(need in self.distributions for need in cell.needs)
        ]
        batch = [(cell.index, self.sharing.measure(cell, self.distributions)) for cell in ready]
        done = {cell.index for cell in ready}
        self.opened = [cell for cell in self.opened if cell.index not in done]
        for cell in ready:
            for need in set(cell.needs):
                self.uses[need] -= 1
                if not self.uses[need]:
                    del self.uses[need]
                    self._drop(need)
        self._shed()
        return batch

    def _shed(self) -> None:
        """Drops the oldest that no opened cell needs, where all together are too large."""
        if self.held <= _HELD_BYTES:
            return
        needed = {need for cell in self.opened for need in cell.needs}
        for need in [need for need in self.distributions if need not in needed]:
            if self.held <= _HELD_BYTES:
                return
            self._drop(need)


def _bytes(distributions: Distributions) -> int:
    if isinstance(distributions, dict):
        return 0
    return sum(
        distribution.outcomes.nbytes + distribution.log_probabilities.nbytes
        for distribution in distributions
    )
