"""The chain of one team as snapshots a step apart see it: where it begins, and how it moves.

A large chain is watched on a truncation: the states that hold nearly all probability at the first
snapshot and after it. Whoever leaves it is lost, and the probability of that by the n-th snapshot
is computed by the truncation's own moves. The chain that is followed instead never leaves: its rows
are made to add up to one. It can be run beside the true one so that both make the same moves until
that leaves; so what n snapshots show differs by no more than that in total variation.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.chain import Chain
from covey.dynamics.ctmc.propagator import propagator
from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.phases import PhaseChains
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import TooLargeError, UnsupportedError
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.numbers import LOST, UNIT, Floats, Ints, distinct_rows

MAX_STATES = 12_000  # a matrix of 1.2 GB, or two while it is made
MAX_PHASED = 2_000  # under a timetable: a matrix for each kind of step
_MOST_PHASED = 2e8  # numbers in all of them: 1.6 GB
_HOPELESS = 100  # times so many states: the mass of nobody's fleet lies on so small a part of them
_ALL = 1_500  # up to here a truncation saves nothing
_LOOKS = 8  # moments, between the first snapshot and the last, that a truncation is chosen by
_WORTH_IT = 0.7  # of the states: a truncation with more of them saves little
_FEWER = 0.03  # outside, should a truncation lose too much


@dataclass(frozen=True, eq=False)
class WatchedChain:
    """A team's chain, or a truncation of it, with its states in the order of what they show.

    Attributes:
        outcomes: What can be seen, a row each.
        states_of: How many states show each of them.
        distribution: Of the state at the first snapshot.
        moves: From a state, the distribution of the state at the next snapshot: a matrix for every
            kind of step, (kinds, states, states). At constant rates there is one.
        steps: By which kind of step each snapshot is reached; the first says nothing.
        errors: After each number of snapshots, how far the distribution of what they show may be
            from the true one, in total variation.
    """

    outcomes: Ints
    states_of: Ints
    distribution: Floats
    moves: Floats
    steps: Ints
    errors: Floats

    def __len__(self) -> int:
        return len(self.distribution)


@dataclass(frozen=True)
class Schedule:
    """Snapshots of one trajectory, evenly apart.

    Attributes:
        at: When the first one is: a time, or "steady", once the team has settled.
        every: The time from one to the next.
        marks: After how many of them something is said, ascending; the last is all of them.
    """

    at: Moment
    every: float
    marks: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many there are."""
        return self.marks[-1]

    def times(self, snapshots: int) -> list[float]:
        """Of the first snapshots, from the start of the team, or from when it has settled."""
        begin = 0.0 if self.at == "steady" else self.at
        return [begin + i * self.every for i in range(snapshots)]


def watched_chain(
    solver: Solver,
    start: Ints,
    query: Query,
    snapshots: Schedule,
    *,
    tolerance: float = 1e-3,
    cores: int | None = None,
    progress: Progress | None = None,
) -> WatchedChain:
    """The chain of a start as snapshots see it.

    Args:
        solver: For the network; it holds the limit of states.
        start: How many there are of each species.
        query: What is seen.
        snapshots: When it is looked at.
        tolerance: The probability with which a path may leave the truncation, by the last snapshot.
        cores: Threads to compute on; by default one on each core.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    if solver.network.timetable:
        return _in_phases(PhaseChains(solver, start, progress), query, snapshots, cores)
    states = solver.reach(start).at_least
    if states > _HOPELESS * MAX_STATES:
        raise TooLargeError(
            "many snapshots are followed with the distribution of a step from every state that "
            f"matters: at most {MAX_STATES:,} of them, and the team has {states:,} or more. Take a "
            "smaller team; covey stream answers for a team of any size, by an approximation",
            states=states,
        )
    chain = solver.chain(start, progress=progress)
    distributions, error = _distributions(chain, snapshots, progress)
    # A path leaves about as often as it moves, times the probability of what is outside.
    moves = 1 + snapshots.every * float((distributions[0] * chain.generator.exits).sum())
    share = tolerance / (4 * snapshots.count * moves)
    while True:
        truncation = _truncation(distributions, share)
        part = chain.generator.restrict(truncation)
        step = propagator(part, snapshots.every, whole_rows=True, cores=cores, progress=progress)
        if step is None:
            raise UnsupportedError(
                f"a step of {snapshots.every:.3g} has some "
                f"{float(part.exits.max()) * snapshots.every:.0e} events, more than can be "
                "followed. Look more often, or leave out what is fastest or slowest"
            )
        if len(truncation) == distributions.shape[1]:
            lost = np.zeros(snapshots.count)  # there is nowhere to go
            break
        lost = _lost(distributions[0][truncation], step.matrix, snapshots.count)
        if lost[-1] <= tolerance:
            break
        share *= _FEWER
    kinds = np.zeros(snapshots.count, dtype=np.int64)
    return _watched(
        chain.seen(query)[truncation],
        distributions[0][truncation],
        [(step.matrix, step.error)],
        kinds,
        error + lost,
    )


def _watched(
    seen: Ints,
    distribution: Floats,
    matrices: Sequence[tuple[Floats, float]],
    kinds: Ints,
    errors: Floats,
) -> WatchedChain:
    """States in the order of what they show; `errors` are those besides the steps' own."""
    outcomes, look = distinct_rows(seen)
    order = np.argsort(look, kind="stable")
    distribution = distribution[order]
    moves = [matrix[np.ix_(order, order)] for matrix, _ in matrices]
    for rows in moves:
        np.divide(rows, rows.sum(axis=1, keepdims=True), out=rows)
    # A row that is made to add up to one.
    off = np.array([2 * (error + len(look) * UNIT) for _, error in matrices])[kinds]
    off[0] = 0.0
    rounding = np.arange(1, len(kinds) + 1) * (len(look) + 4) * UNIT  # of the filter, in ln P
    return WatchedChain(
        outcomes,
        np.bincount(look, minlength=len(outcomes)),
        distribution / distribution.sum(),
        moves[0][None] if len(moves) == 1 else np.stack(moves),
        kinds,
        errors + np.cumsum(off) + rounding,
    )


def _in_phases(
    phases: PhaseChains, query: Query, snapshots: Schedule, cores: int | None
) -> WatchedChain:
    """The chain under a timetable: a matrix for every kind of step through its phases."""
    states, times = len(phases.chain.lattice), snapshots.times(snapshots.count)
    if states > MAX_PHASED:
        raise TooLargeError(
            f"many snapshots under a timetable are followed on {MAX_PHASED:,} states at most, and "
            f"there are {states:,}: take a smaller team, or leave the phases out",
            states=states,
        )
    if snapshots.at == "steady":
        distribution, log_error, lost = phases.settled()
        off = float(np.expm1(log_error)) + lost
    else:
        distribution, log_error = phases.at(snapshots.at)
        off = float(np.expm1(log_error))
    known: dict[tuple[tuple[int, float], ...], int] = {}
    matrices: list[tuple[Floats, float]] = []
    kinds = np.zeros(snapshots.count, dtype=np.int64)
    for i, (begin, end) in enumerate(itertools.pairwise(times), start=1):
        spans = phases.timetable.segments(begin, end)
        key = tuple((phase, round(duration, 9)) for phase, duration in spans)
        if key not in known:
            known[key] = len(matrices)
            if len(known) * states**2 > _MOST_PHASED:
                raise TooLargeError(
                    f"snapshots every {snapshots.every:g} meet the phases in more than "
                    f"{len(matrices)} different ways: let phases begin at snapshots"
                )
            matrices.append(phases.step(begin, end, whole_rows=True, cores=cores))
        kinds[i] = known[key]
    if not matrices:
        matrices.append((np.eye(states), 0.0))
    return _watched(
        phases.chain.seen(query), distribution, matrices, kinds, np.full(snapshots.count, off)
    )


def _distributions(
    chain: Chain, snapshots: Schedule, progress: Progress | None
) -> tuple[Floats, float]:
    """The distribution at the first snapshot and some later ones; how far the first may be off."""
    if snapshots.at == "steady":
        stationary = chain.stationary(progress)
        off = float(np.expm1(stationary.log_error)) + stationary.lost * LOST
        return stationary.probabilities[None], off
    last = snapshots.every * (snapshots.count - 1)
    times = snapshots.at + last * np.concatenate([[0.0], 0.5 ** np.arange(_LOOKS)[::-1]])
    found = transient(chain.generator, chain.start, times, progress=progress)
    off = float(np.expm1(found.log_error[0]) + found.lost[0] * LOST)
    return found.probabilities, off


def _truncation(distributions: Floats, share: float) -> NDArray[np.intp]:
    """The states that hold all but a share of the probability, at all of some moments."""
    held = distributions.max(axis=0)
    order = np.argsort(held)
    outside = int(np.searchsorted(np.cumsum(held[order]), share, side="right"))
    if len(held) - outside > _WORTH_IT * len(held) or len(held) <= _ALL:
        outside = 0
    kept = len(held) - outside
    if kept > MAX_STATES:
        raise TooLargeError(
            "many snapshots are followed with the distribution of a step from every state that "
            "matters: "
            f"{kept:,} of {len(held):,} states would take {16 * kept**2 / 2**30:,.1f} GiB, and at "
            f"most {MAX_STATES:,} are allowed. Take a smaller team, fewer snapshots, or a network "
            "that leaves out what hardly matters",
            states=kept,
        )
    return np.sort(order[outside:])


def _lost(distribution: Floats, matrix: Floats, count: int) -> Floats:
    """The probability of having left the truncation, by each snapshot."""
    inside, now = np.empty(count), distribution
    for snapshot in range(count):
        inside[snapshot] = now.sum()
        now = now @ matrix
    return np.maximum(1 - inside, 0.0)
