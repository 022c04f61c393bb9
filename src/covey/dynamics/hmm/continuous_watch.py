"""A chain that is watched without a break: every change of what is seen, with its time.

Between two changes the state moves as it may without anything to be seen, and at a change to y by
the transitions that lead there. With K₀ the generator without the rates of visible transitions,
and K₁(y) those rates into the states that show y, what a watcher carries along is

    v ← exp(Δ K₀) v   while nothing changes,      v ← K₁(y) v   at a change to y,

and the sum of v is the density of all changes so far, with their times [1]. Ratios of two such
sums weigh hypotheses. Paths are filtered side by side: exp(Δ K₀) v is summed by uniformisation,
Σ Poisson(n; ΛΔ) (I + K₀/Λ)ⁿ v, with a Δ for every path.

[1] Brémaud, Point Processes and Queues, Springer 1981, ch. IV: filtering by intensities.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.hmm.drawn_changes import Changes
from covey.dynamics.hmm.visible_chain import VisibleChain
from covey.dynamics.threads import one_blas_thread
from covey.numbers import Floats, rows_in

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_MATRIX_STATES = 1_500  # up to which a step is a matrix, and
_WORTH_A_MATRIX = 16  # paths from which on that pays
_LONGEST = 100.0  # mean of a Poisson distribution that is summed at once


@one_blas_thread
def log_densities(chain: VisibleChain, changes: Changes, times: Floats) -> Floats:
    """Ln of how densely a chain makes what paths show, up to each time: (paths, times).

    Densities of one path by several chains are to be compared with each other.

    Args:
        chain: That may have made them.
        changes: What the paths show.
        times: Up to when, ascending, from 0 on.
    """
    names = rows_in(chain.outcomes, changes.outcomes)  # −1: impossible for this chain
    paths = len(changes.first)
    watch = DensityFilter(chain, names[changes.first])
    out, now, done = np.empty((paths, len(times))), np.zeros(paths), np.zeros(paths, dtype=np.intp)
    before, quiet = 0.0, _Step(chain)
    for i, time in enumerate(times.tolist()):
        while len(due := np.flatnonzero(_next(changes, done) <= time)):
            at = changes.times[due, done[due]]
            watch.move(due, at - now[due])
            watch.change(due, names[changes.shown[due, done[due]]])
            now[due], done[due] = at, done[due] + 1
        still = now == before  # the most of them, and all for as long
        watch.step(np.flatnonzero(still), quiet, time - before)
        moved = np.flatnonzero(~still)
        watch.move(moved, time - now[moved])
        now[:] = before = time
        out[:, i] = watch.logs
    return out


class _Step:
    """exp(Δ K₀) as a matrix, kept for the last Δ; of small chains."""

    def __init__(self, chain: VisibleChain) -> None:
        self.chain, self._by, self._matrix = chain, math.nan, np.empty((0, 0))

    def over(self, by: float) -> Floats | None:
        """The matrix, where it is worth one: moments are as far apart as before."""
        if len(self.chain) > _MATRIX_STATES or by <= 0:
            return None
        if not math.isclose(by, self._by, rel_tol=1e-9):
            states = len(self.chain)
            every = DensityFilter.of_states(self.chain)
            every.move(np.arange(states), np.full(states, by))
            with np.errstate(under="ignore"):
                self._matrix = every.weights * np.exp(every.logs)
            self._by = by
        return self._matrix


class DensityFilter:
    """v of some paths, made to add up to one, and ln of what it added up to.

    Args:
        chain: That may have made them.
        first: Which of its outcomes each path shows at first; −1: what it cannot show.
    """

    def __init__(self, chain: VisibleChain, first: NDArray[np.intp]) -> None:
        self.chain, self.logs = chain, np.zeros(len(first))
        self.weights = np.where(chain.shows[:, None] == first, chain.begins[:, None], 0.0)
        self._scale(np.arange(len(first)))

    @classmethod
    def of_states(cls, chain: VisibleChain) -> DensityFilter:
        """A path from every state."""
        made = object.__new__(cls)
        made.chain, made.logs = chain, np.zeros(len(chain))
        made.weights = np.eye(len(chain))
        return made

    def move(self, which: NDArray[np.intp], by: Floats) -> None:
        """Lets time pass for some paths, in which nothing is seen to change."""
        which, by = which[by > 0], by[by > 0]
        if not len(which):
            return
        step, rate = self.chain.hidden_steps
        pieces = math.ceil(rate * float(by.max()) / _LONGEST)
        for _ in range(pieces):
            self._short_move(which, step, rate * by / pieces)

    def _short_move(self, which: NDArray[np.intp], step: csr_array, means: Floats) -> None:
        term = self.weights[:, which]
        chances = np.exp(-means)
        total = term * chances
        for n in range(1, _terms(float(means.max())) + 1):
            term = step @ term
            chances = chances * means / n
            total += term * chances
        self.weights[:, which] = total
        self._scale(which)

    def step(self, which: NDArray[np.intp], quiet: _Step, by: float) -> None:
        """Lets the same time pass for some paths."""
        matrix = quiet.over(by) if len(which) > _WORTH_A_MATRIX else None
        if matrix is None:
            self.move(which, np.full(len(which), by))
            return
        self.weights[:, which] = matrix @ self.weights[:, which]
        self._scale(which)

    def change(self, which: NDArray[np.intp], shown: NDArray[np.intp]) -> None:
        """What some paths show becomes something else."""
        arrived = self.chain.parts[1] @ self.weights[:, which]
        self.weights[:, which] = np.where(self.chain.shows[:, None] == shown, arrived, 0.0)
        self._scale(which)

    def _scale(self, which: NDArray[np.intp]) -> None:
        sums = self.weights[:, which].sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.logs[which] += np.log(sums)
            self.weights[:, which] = np.where(sums > 0, self.weights[:, which] / sums, 0.0)


def _terms(mean: float) -> int:
    """After how many terms the rest of a Poisson distribution is below 1e-17, up to `_LONGEST`."""
    return math.ceil(mean + 9 * math.sqrt(mean) + 18)


def _next(changes: Changes, done: NDArray[np.intp]) -> Floats:
    """When the next change of every path is."""
    return changes.times[np.arange(len(done)), done]
