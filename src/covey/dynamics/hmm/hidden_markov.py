"""The chain of one team as snapshots a step apart see it: its law at the first, and how it moves.

A large chain is watched on a window: the states that hold nearly all probability at the first
snapshot and after it. Whoever leaves the window is lost, and the probability of that by the n-th
snapshot is computed by the window's own moves. The chain that is followed instead never leaves: its
rows are made to add up to one. It can be run beside the true one so that both make the same moves
until that leaves; so what n snapshots show differs by no more than that in total variation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.chain import Chain
from covey.dynamics.ctmc.propagator import Propagator, among, propagator
from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import TooLargeError
from covey.model.adversary import Moment
from covey.model.query import Query
from covey.numbers import LOST, UNIT, Floats, Ints, distinct_rows

MAX_STATES = 12_000  # a matrix of 1.2 GB, or two while it is made
_ALL = 1_500  # up to here a window saves nothing
_LOOKS = 8  # moments, between the first snapshot and the last, that a window is chosen by
_WORTH_IT = 0.7  # of the states: a window with more of them saves little
_FEWER = 0.03  # outside, should a window lose too much


@dataclass(frozen=True, eq=False)
class WatchedChain:
    """A team's chain, or a window of it, with its states in the order of what they show.

    Attributes:
        outcomes: What can be seen, a row each.
        states_of: How many states show each of them.
        law: Of the state at the first snapshot.
        moves: From a state, the law of the state at the next snapshot.
        errors: After each number of snapshots, how far the law of what they show may be from the
            true one, in total variation.
    """

    outcomes: Ints
    states_of: Ints
    law: Floats
    moves: Floats
    errors: Floats

    def __len__(self) -> int:
        return len(self.law)


@dataclass(frozen=True)
class Snapshots:
    """When a chain is looked at.

    Attributes:
        at: Of the first snapshot: a time, or "steady".
        step: From one to the next.
        count: How many there are.
    """

    at: Moment
    step: float
    count: int


def watched_chain(
    solver: Solver,
    start: Ints,
    query: Query,
    snapshots: Snapshots,
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
        tolerance: The probability with which a path may leave the window, by the last snapshot.
        cores: Threads to compute on; by default one on each core.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    chain = solver.chain(start, progress=progress)
    laws, error = _laws(chain, snapshots, progress)
    # A path leaves about as often as it moves, times the probability of what is outside.
    moves = 1 + snapshots.step * float((laws[0] * chain.generator.exits).sum())
    share = tolerance / (4 * snapshots.count * moves)
    while True:
        window = _window(laws, share)
        moved = propagator(
            among(chain.generator, window), snapshots.step, cores=cores, progress=progress
        )
        lost = _lost(laws[0][window], moved, snapshots.count)
        if lost[-1] <= tolerance or len(window) == laws.shape[1]:
            break
        share *= _FEWER
    outcomes, look = distinct_rows(chain.seen(query)[window])
    order = np.argsort(look, kind="stable")
    law = laws[0][window][order]
    numbers = np.arange(snapshots.count)
    rounding = (numbers + 1) * (len(window) + 4) * UNIT  # of the filter, in ln P
    return WatchedChain(
        outcomes,
        np.bincount(look, minlength=len(outcomes)),
        law / law.sum(),
        moved.laws[np.ix_(order, order)],
        error + numbers * moved.error + lost + rounding,
    )


def _laws(chain: Chain, snapshots: Snapshots, progress: Progress | None) -> tuple[Floats, float]:
    """The law at the first snapshot, and at some after it; and how far the first may be off."""
    if snapshots.at == "steady":
        settled = chain.settled(progress)
        off = float(np.expm1(settled.log_error)) + settled.lost * LOST
        return settled.probabilities[None], off
    last = snapshots.step * (snapshots.count - 1)
    times = snapshots.at + last * np.concatenate([[0.0], 0.5 ** np.arange(_LOOKS)[::-1]])
    found = transient(chain.generator, chain.start, times, progress=progress)
    off = float(np.expm1(found.log_error[0]) + found.lost[0] * LOST)
    return found.probabilities, off


def _window(laws: Floats, share: float) -> NDArray[np.intp]:
    """The states that hold all but a share of the probability, at all of some moments."""
    held = laws.max(axis=0)
    order = np.argsort(held)
    outside = int(np.searchsorted(np.cumsum(held[order]), share, side="right"))
    if len(held) - outside > _WORTH_IT * len(held) or len(held) <= _ALL:
        outside = 0
    kept = len(held) - outside
    if kept > MAX_STATES:
        raise TooLargeError(
            f"many snapshots are followed with the law of a step from every state that matters: "
            f"{kept:,} of {len(held):,} states would take {16 * kept**2 / 2**30:,.1f} GiB, and at "
            f"most {MAX_STATES:,} are allowed. Take a smaller team, fewer snapshots, or a network "
            "that leaves out what hardly matters",
            states=kept,
        )
    return np.sort(order[outside:])


def _lost(law: Floats, moved: Propagator, count: int) -> Floats:
    """The probability of having left the window, by each snapshot."""
    inside = np.empty(count)
    now = law
    for snapshot in range(count):
        inside[snapshot] = now.sum()
        if (moved.stayed == 1).all():
            inside[snapshot:] = inside[snapshot]
            break
        now = (now * moved.stayed) @ moved.laws
    return np.maximum(1 - inside, 0.0)
