"""The joint distribution of what is seen before a probe and after it, by filtering.

A probe takes a state x to B(x): what it adds is added, and of what it takes as much as there is.
With E(y) keeping the states that look like y, C(k) those of which it takes k, and the steps of
exp(Δ K) at the rates that hold meanwhile,

    P(y_1, k, y_2, …, y_m) = 1' E(y_m) exp(Δ_m K') ⋯ E(y_2) exp(Δ_2 K') B C(k) E(y_1) p(t_1).

After a probe a team is among other states: those that B(x) reaches for some x. For every k the map
B is one to one, and its images are put into as few chains as they are reached from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.distribution import Distribution
from covey.dynamics.hmm.joint_distribution import Filter, Vectors
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import TooLargeError
from covey.model.observation.adversary import Moment
from covey.model.observation.probe import Probe
from covey.model.observation.query import Query
from covey.numbers import SPACING, Floats, Ints, distinct_rows

Places = tuple[tuple[int, int], ...]  # species by their places in a state, and how many are added


@dataclass(frozen=True, eq=False)
class _Part:
    """States that go on in one chain after the probe, which took as much from each."""

    chain: Filter
    states: NDArray[np.intp]  # before the probe
    places: NDArray[np.intp]  # of the same, after it, in the chain
    taken: Ints


def probed_distribution(
    solver: Solver,
    start: Ints,
    query: Query,
    probe: Probe,
    places: Places,
    at: Moment,
    *,
    max_sequences: int,
    progress: Progress | None = None,
) -> Distribution:
    """P(y_1, k, y_2, …, y_m): a snapshot just before the probe, what it takes, and the looks after.

    Args:
        solver: Of the network as it is.
        start: How many there are of each species at time 0.
        query: What is seen.
        probe: What is done, and when somebody looks.
        places: Which species it changes, and by how much.
        at: When the probe is.
        max_sequences: How many sequences of observations may be followed.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    before = Filter(solver, start, query, progress)
    before.check_size(1, max_sequences)
    vectors = Vectors.first(before, at == "steady")
    time = 0.0 if at == "steady" else float(at)
    vectors.move(time)
    _, first = vectors.split(last=False)
    timetable = probe.timetable(solver.network.timetable, time)
    after = solver.at_rates(solver.network.with_timetable(timetable))
    rows, logs, error, lost, states = [], [], vectors.log_error, vectors.truncated_mass, 0
    for part in _parts(before, after, query, places, np.asarray(vectors.rows.any(axis=0))):
        begun, going_on = _begun(vectors, part)
        part.chain.check_size(len(probe.looks), max_sequences, len(begun))
        source, paths = going_on.watch(probe.looks)
        known = before.observations[first[begun[source]]]
        taken = np.broadcast_to(part.taken, (len(known), len(part.taken)))
        seen = [part.chain.observations[column] for column in paths.T]
        rows.append(np.concatenate([known, taken, *seen], axis=1))
        logs.append(going_on.log_weights)
        error = max(error, going_on.log_error)
        lost, states = lost + going_on.truncated_mass, states + len(part.chain.look)
    looks = len(probe.looks)
    return Distribution.merge(
        [
            *before.columns(1),
            *(f"{name.partition('.')[2]} taken" for name in probe.taken),
            *before.columns(looks, 2),
        ],
        np.concatenate(rows),
        np.concatenate(logs),
        log_error=error,
        truncated_mass=lost,
        method="filtering",
        why=f"a snapshot before the probe, and {looks} after it",
        states=states,
    )


def _parts(
    before: Filter, after: Solver, query: Query, places: Places, possible: NDArray[np.bool_]
) -> Iterator[_Part]:
    """Every possible state in one part: the start's image leads where most others do."""
    lattice = before.chain.lattice.states.astype(np.int64)
    moved = lattice.copy()
    for place, change in places:
        moved[:, place] = np.maximum(moved[:, place] + change, 0)
    losing = [place for place, change in places if change < 0]
    kinds, kind = distinct_rows((lattice - moved)[:, losing])
    states, start = 0, before.chain.lattice.start
    for number, taken in enumerate(kinds):
        left = np.flatnonzero(possible & (kind == number))
        while len(left):
            begin = start if start in left else left[0]
            chain = Filter(after, moved[begin], query, before.progress)
            states += len(chain.look)
            if states > after.max_states:
                raise TooLargeError(
                    f"after the probe there are more than {after.max_states:,} states: take a "
                    "smaller team, or probe it at a time soon after the start",
                    states=states,
                    larger=("max_states",),
                )
            index = chain.chain.lattice.index_of(moved[left])
            yield _Part(chain, left[index >= 0], index[index >= 0], taken)
            left = left[index < 0]


def _begun(vectors: Vectors, part: _Part) -> tuple[NDArray[np.intp], Vectors]:
    """Which sequences go on in a part, and their vectors there."""
    own = vectors.rows[:, part.states]
    totals = own.sum(axis=1)
    begun = np.flatnonzero(totals)
    rows: Floats = np.zeros((len(begun), len(part.chain.look)))
    rows[:, part.places] = own[begun] / totals[begun, None]
    return begun, Vectors(
        part.chain,
        rows,
        vectors.log_weights[begun] + np.log(totals[begun]),
        vectors.log_error + SPACING * (len(part.states) + 4),
        0.0,
    )
