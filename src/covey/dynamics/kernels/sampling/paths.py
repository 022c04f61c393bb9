"""The compiled loops behind `propagator` and `likelihood_ratio`: arrays in, arrays out.

As in `kernels/sparse_rows`, threads are the caller's, and every row and every path is computed by
one of them, in one order. With NUMBA_DISABLE_JIT=1 the same functions run as plain Python and give
the same answers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.kernels.njit import njit
from covey.dynamics.kernels.sampling.path_tables import Reporting, Watched
from covey.numbers import Floats, Ints

if TYPE_CHECKING:
    from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def add_term(
    indptr: NDArray[np.unsignedinteger],
    indices: NDArray[np.uint32],
    rates: NDArray[np.floating],
    stay: Floats,
    term: Floats,
    weight: float,
    total: Floats,
    after: Floats,
) -> None:
    """Add the weight times a term to the total, and set the one after it: (states, starts) each.

    Several starts in one block, so that the inner loop runs over neighbouring numbers.
    """
    width, one = np.uint64(term.shape[1]), np.uint64(1)
    for row in range(np.uint64(len(stay))):
        keep = stay[row]
        for i in range(width):
            total[row, i] += weight * term[row, i]
            after[row, i] = keep * term[row, i]
        for k in range(indptr[row], indptr[row + one]):
            rate, source = rates[k], indices[k]
            for i in range(width):
                after[row, i] += rate * term[source, i]


@njit(cache=True, nogil=True)
def _drawn(chances: Floats, begin: int | np.int64, end: int | np.int64, target: float) -> int:
    """The first place at which the sum of the chances from `begin` on passes the target.

    By rounding the target may lie past the last that is possible: then that one is meant.
    """
    place = last = int(begin)
    for i in range(begin, end):
        if chances[i] > 0.0:
            last = i
            target -= chances[i]
            if target < 0.0:
                break
        place += 1
    return min(place, last)


@njit(cache=True, nogil=True)
def _look(
    moves: Floats,
    kind: int,
    begins: NDArray[np.uint64],
    z_begins: Ints,
    z_outcomes: Ints,
    report: int,
    earlier: int,
    now: Floats,
    belief: Floats,
) -> None:
    """Set the distribution of the states that show what may be reported so, a step after `now`.

    Only the states that the earlier report allows are read: the others have the probability 0.
    """
    for z in range(z_begins[report], z_begins[report + 1]):
        y = z_outcomes[z]
        begin, end = begins[y], begins[y + 1]
        for j in range(begin, end):
            belief[j] = 0.0
        for e in range(z_begins[earlier], z_begins[earlier + 1]):
            source = z_outcomes[e]
            for i in range(begins[source], begins[source + 1]):
                weight = now[i]
                if weight != 0.0:
                    for j in range(begin, end):
                        belief[j] += weight * moves[kind, i, j]


@njit(cache=True, nogil=True)
def draw_reports(
    team: Watched, reporting: Reporting, draws: Floats, out: NDArray[np.int32]
) -> None:
    """Fill out (paths, snapshots) with what paths of a team report.

    draws: (paths, snapshots, 2), between 0 and 1.
    """
    distribution, moves, shown, begins = team.distribution, team.moves, team.shows, team.begins
    y_begins, y_reports, y_chances = reporting.y_begins, reporting.y_reports, reporting.y_chances
    held, memory, outcomes = reporting.held, len(reporting.held) > 0, len(team.begins) - 1
    steps = team.steps
    for path in range(len(draws)):
        state, earlier = 0, -1
        for snapshot in range(draws.shape[1]):
            draw = draws[path, snapshot, 0]
            if snapshot == 0:
                state = _drawn(distribution, 0, len(distribution), draw)
                outcome = 0
                while begins[outcome + 1] <= state:
                    outcome += 1
            else:
                kind = steps[snapshot]
                shows = shown[kind, state]
                outcome = _drawn(shows, 0, outcomes, draw)
                for y in range(outcome):
                    draw -= shows[y]
                begin, end = np.int64(begins[outcome]), np.int64(begins[outcome + 1])
                state = _drawn(moves[kind, state], begin, end, draw)
            report = earlier
            if earlier < 0 or not memory or not held[outcome, earlier]:
                first, last = y_begins[outcome], y_begins[outcome + 1]
                report = y_reports[_drawn(y_chances, first, last, draws[path, snapshot, 1])]
            out[path, snapshot] = report
            earlier = report


@njit(cache=True, nogil=True)
def log_likelihoods(
    chain: Watched,
    reporting: Reporting,
    reported: NDArray[np.int32],
    marks: NDArray[np.int64],
    out: Floats,
) -> None:
    """Fill out (paths, marks) with ln P of what was reported, (paths, snapshots), by a chain.

    marks: After how many snapshots, ascending. Where the chain cannot report it, the logarithm is
    −∞ from then on. Tables are taken apart first: to reach into one takes as long as a snapshot.
    """
    distribution, moves, begins = chain.distribution, chain.moves, chain.begins
    steps = chain.steps
    z_begins, z_outcomes = reporting.z_begins, reporting.z_outcomes
    z_chances, held, memory = reporting.z_chances, reporting.held, len(reporting.held) > 0
    beliefs = np.empty((2, len(distribution)))  # before a snapshot and after it, in turn
    for path in range(len(reported)):
        log, earlier, mark = 0.0, -1, 0
        for snapshot in range(marks[-1]):
            if log > -math.inf:
                report = reported[path, snapshot]
                belief = beliefs[snapshot % 2]
                if earlier < 0:
                    belief[:] = distribution
                else:
                    now = beliefs[(snapshot + 1) % 2]
                    kind = steps[snapshot]
                    _look(moves, kind, begins, z_begins, z_outcomes, report, earlier, now, belief)
                total = 0.0
                for z in range(z_begins[report], z_begins[report + 1]):
                    y, chance = z_outcomes[z], z_chances[z]
                    if memory and earlier >= 0 and held[y, earlier]:
                        chance = 1.0 if report == earlier else 0.0
                    for j in range(begins[y], begins[y + 1]):
                        belief[j] *= chance
                        total += belief[j]
                if total > 0.0:
                    for z in range(z_begins[report], z_begins[report + 1]):
                        for j in range(begins[z_outcomes[z]], begins[z_outcomes[z] + 1]):
                            belief[j] /= total
                log += math.log(total) if total > 0.0 else -math.inf
                earlier = report
            if snapshot + 1 == marks[mark]:
                out[path, mark] = log
                mark += 1
