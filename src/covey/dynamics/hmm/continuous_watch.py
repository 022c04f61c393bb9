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
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.solver import Solver
from covey.dynamics.threads import one_blas_thread
from covey.dynamics.validation import Progress
from covey.errors import TooLargeError
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.numbers import Floats, Ints, distinct_rows, rows_in

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_STATES = 4_000
_MOST_EVENTS = 1_000_000  # of a path
_MOST_CHANGES = 50_000_000  # of all paths together
_MATRIX_STATES = 1_500  # up to which a step is a matrix, and
_WORTH_A_MATRIX = 16  # paths from which on that pays
_LONGEST = 100.0  # mean of a Poisson distribution that is summed at once


@dataclass(frozen=True, eq=False)
class VisibleChain:
    """A chain, and what each of its states shows.

    Attributes:
        outcomes: What can be seen, a row each.
        shows: Which of them each state shows.
        begins: The distribution of the state when the watch begins.
        moves: K without its diagonal: from a column to a row.
        exits: The total rate out of each state.
    """

    outcomes: Ints
    shows: NDArray[np.intp]
    begins: Floats
    moves: csr_array
    exits: Floats

    def __len__(self) -> int:
        return len(self.begins)

    @cached_property
    def parts(self) -> tuple[csr_array, csr_array]:
        """The rates of hidden transitions, and of those that show."""
        from scipy.sparse import csr_array  # noqa: PLC0415

        pairs = self.moves.tocoo()
        hidden = self.shows[pairs.row] == self.shows[pairs.col]

        def some(kept: NDArray[np.bool_]) -> csr_array:
            where = pairs.row[kept], pairs.col[kept]
            return csr_array((pairs.data[kept], where), shape=self.moves.shape)

        return some(hidden), some(~hidden)

    @cached_property
    def hidden_steps(self) -> tuple[csr_array, float]:
        """I + K₀/Λ, and Λ."""
        from scipy.sparse import csr_array, diags_array  # noqa: PLC0415

        rate = float(self.exits.max()) or 1.0
        return csr_array(diags_array(1 - self.exits / rate) + self.parts[0] / rate), rate


def visible_chain(
    solver: Solver, start: Ints, query: Query, at: Moment, progress: Progress | None = None
) -> VisibleChain:
    """The chain of a start, watched from a moment on.

    Args:
        solver: For the network; it holds the limit of states.
        start: How many there are of each species.
        query: What is seen.
        at: When the watch begins: a time, or "steady".
        progress: Called as progress(done, total, text) while the work goes on.
    """
    reached = solver.reach(start)
    if reached.states is None or reached.states > MAX_STATES:
        raise TooLargeError(
            f"a watch without a break is followed on every state, and {reached.at_least:,} or more "
            f"of them are too many: at most {MAX_STATES:,} are allowed. Take a smaller team, or "
            "look at moments (without continuous)",
            states=reached.at_least,
        )
    chain = solver.chain(start, progress=progress)
    if at == "steady":
        begins = chain.stationary(progress).probabilities
    else:
        begins = transient(chain.generator, chain.start, [at], progress=progress).probabilities[0]
    outcomes, shows = distinct_rows(chain.seen(query))
    return VisibleChain(
        outcomes, shows, begins / begins.sum(), chain.generator.moves(), chain.generator.exits
    )


@dataclass(frozen=True, eq=False)
class Changes:
    """What paths show: what each begins with, and every change.

    Attributes:
        outcomes: What can be seen, a row each.
        first: Which of them each path shows at first.
        times: Of the changes of each path, ascending; after its last one infinite: (paths, most).
        shown: Which outcome each of them leads to: (paths, most).
    """

    outcomes: Ints
    first: NDArray[np.intp]
    times: Floats
    shown: NDArray[np.intp]


def draw_changes(chain: VisibleChain, until: float, paths: int, seed: int) -> Changes:
    """Paths of a chain, jump by jump, side by side.

    Args:
        chain: Whose paths are drawn.
        until: How long they are.
        paths: How many.
        seed: Which ones.
    """
    if (events := float(chain.exits.max()) * until) > _MOST_EVENTS:
        raise TooLargeError(
            f"a path of {until:g} has up to {events:.1e} events, and at most {_MOST_EVENTS:,} are "
            "followed: watch for a shorter time, or look at moments (without continuous)",
            states=len(chain),
        )
    random = np.random.default_rng(seed)
    targets, cumulative = _jumps(chain)
    state = random.choice(len(chain), size=paths, p=chain.begins)
    first, now = chain.shows[state], np.zeros(paths)
    found: list[tuple[NDArray[np.intp], Floats, NDArray[np.intp]]] = []
    alive, total = np.arange(paths), 0
    while len(alive):
        with np.errstate(divide="ignore"):
            now[alive] += random.exponential(size=len(alive)) / chain.exits[state[alive]]
        alive = alive[now[alive] < until]
        draws = random.random(len(alive))[:, None]
        column = (draws >= cumulative[state[alive]]).sum(axis=1)
        before, state[alive] = chain.shows[state[alive]], targets[state[alive], column]
        seen = chain.shows[state[alive]]
        changed = seen != before
        found.append((alive[changed], now[alive[changed]], seen[changed]))
        total += int(changed.sum())
        if total > _MOST_CHANGES:
            raise TooLargeError(
                f"the paths show more than {_MOST_CHANGES:,} changes: draw fewer paths, or watch "
                "for a shorter time",
                states=len(chain),
            )
    return Changes(chain.outcomes, first, *_arranged(found, paths))


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


def _jumps(chain: VisibleChain) -> tuple[NDArray[np.intp], Floats]:
    """Where each state leads, and the cumulative probabilities of that: (states, most)."""
    by_source = chain.moves.tocsc()
    sizes = np.diff(by_source.indptr)
    most = int(sizes.max(initial=1)) or 1
    targets = np.zeros((len(chain), most), dtype=np.intp)
    chances = np.zeros((len(chain), most))
    place = np.arange(by_source.nnz) - np.repeat(by_source.indptr[:-1], sizes)
    source = np.repeat(np.arange(len(chain)), sizes)
    targets[source, place], chances[source, place] = by_source.indices, by_source.data
    cumulative = np.cumsum(chances, axis=1)
    ends = cumulative[:, -1:]
    shares = np.divide(cumulative, ends, out=np.ones_like(cumulative), where=ends > 0)
    shares[np.arange(len(chain)), np.maximum(sizes, 1) - 1] = (
        math.inf
    )  # the last takes what is left
    return targets, shares


def _arranged(
    found: list[tuple[NDArray[np.intp], Floats, NDArray[np.intp]]], paths: int
) -> tuple[Floats, NDArray[np.intp]]:
    """Changes by path, one more than the most there are."""
    which, times, shown = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.argsort(which, kind="stable")  # they came in the order of time
    counts = np.bincount(which, minlength=paths)
    place = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = paths, int(counts.max(initial=0)) + 1
    all_times, all_shown = np.full(shape, np.inf), np.zeros(shape, dtype=np.intp)
    all_times[which[order], place] = times[order]
    all_shown[which[order], place] = shown[order]
    return all_times, all_shown
