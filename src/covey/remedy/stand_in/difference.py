"""A coupling for teams of any size: by a potential of the difference of both states.

Pairs (x, w) of a large team are too many to list, but both stay close: the potential is taken to
depend on d = x − w alone. Differences move on a lattice, of as many dimensions as the network has
reactions that are independent; some thousand of them, those with the fewest robots elsewhere, are
listed. Their chain takes its rates from states w of the reference, drawn once by simulation: at
(w + d, w) both are coupled by the cheapest transport, and the mean over the drawn states says how
fast d changes (`kernels.difference_policy`). Policy iteration, as for listed pairs (`coupling`),
gives h(d). It costs the same for any number of robots.

On the way, the transport is solved anew at the pair's own rates, by this h (`kernels.
pair_coupling`): so the coupling is one of the pair, as safe as any. Only its price is not the least
there is: rates at equal differences differ, and a step to a difference that is not listed counts as
the largest among listed ones. Beyond them both are coupled greedily.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.ergodicity.relaxation_time import settling_time
from covey.dynamics.mean_field.rate_equations import equilibrium
from covey.dynamics.ssa.simulation import end_points
from covey.dynamics.ssa.tables import tables_of
from covey.dynamics.validation import Progress
from covey.errors import CoveyError
from covey.model.scenario import Scenario
from covey.numbers import Ints
from covey.remedy.mechanism.losses import Loss, losses_of
from covey.remedy.stand_in.coupling import NEAR
from covey.remedy.stand_in.poisson_equation import lies_ahead
from covey.remedy.stand_in.walk import shown

if TYPE_CHECKING:
    from covey.dynamics.kernels.coupling.pair_coupling import Differences

_MOST = 4_000  # differences
_MOST_REACTIONS = 64  # the transport of more takes longer than an event may
_STATES = 32  # of the reference
_SETTLED = 12.0  # relaxation times
_ROUNDS = 6
_STEADY = 1e-3  # of the potential: a round that changes less was the last
_LARGEST_KEY = 2**62


def difference_potential(
    real: Scenario, reference: Scenario, loss: Loss, progress: Progress | None = None
) -> Differences | None:
    """The potential of the difference of both; None where there is none to be had.

    Args:
        real: The real team.
        reference: What is published instead.
        loss: What an error costs.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    by_outcomes = isinstance(loss, Mapping) and any(isinstance(key, tuple) for key in loss)
    if by_outcomes or len(real.network.reactions) > _MOST_REACTIONS:
        return None
    try:
        states = _drawn(reference)
    except CoveyError:  # it does not settle, or runs away
        return None
    apart = _nearest(real.start - reference.start, real.network.changes.astype(np.int64))
    apart = apart[[bool((states + d >= 0).all(axis=1).any()) for d in apart]]
    found = _numbered(apart, real.network.changes.astype(np.int64))
    if found is None:
        return None
    return _improved(*found, states, (real, reference), loss, progress)


def _drawn(reference: Scenario) -> Ints:
    """States of the reference at its moment, simulated: (states, species)."""
    network, start, at = reference.network, reference.start, reference.adversary.at
    if at == "steady":
        at = settling_time(network, start, equilibrium(network, start), _SETTLED)
    return end_points(network, start, at, samples=_STATES, seed=1, cores=1).astype(np.int64)


def _nearest(first: Ints, changes: Ints) -> Ints:
    """Differences with few robots elsewhere, from one on: (differences, species)."""
    steps = {tuple(step) for step in np.vstack([changes, -changes]).tolist() if any(step)}
    begin = tuple(first.tolist())
    seen, waiting = {begin}, [(0, begin)]
    found: list[tuple[int, ...]] = []
    while waiting and len(found) < _MOST:
        d = heapq.heappop(waiting)[1]
        found.append(d)
        for step in steps:
            after = tuple(a + b for a, b in zip(d, step, strict=True))
            if after not in seen:
                seen.add(after)
                heapq.heappush(waiting, (sum(map(abs, after)), after))
    return np.array(found, dtype=np.int64)


def _numbered(apart: Ints, changes: Ints) -> tuple[Differences, Ints] | None:
    """Differences with their keys, and in their order; None where there are no such keys.

    The counts of as many species as the lattice has dimensions say which difference it is. They are
    the digits of its key, so that it is linear.
    """
    from covey.dynamics.kernels.coupling.pair_coupling import Differences  # noqa: PLC0415

    digits: list[int] = []
    for species in range(changes.shape[1]):
        more = [*digits, species]
        if np.linalg.matrix_rank(changes[:, more]) == len(more):
            digits = more
    if not len(apart) or not digits:
        return None
    far, step = np.abs(apart).max(axis=0), 2 * np.abs(changes).max(axis=0)
    strides = np.zeros(changes.shape[1], dtype=np.int64)
    reach = np.full(changes.shape[1], np.iinfo(np.int64).max)
    stride = 1
    for species in digits:
        strides[species], reach[species] = stride, far[species]
        stride *= 2 * int(far[species] + step[species]) + 1
        if stride > _LARGEST_KEY:
            return None
    keys = apart @ strides
    order = np.argsort(keys)
    found = Differences(keys[order], np.zeros(len(keys)), changes @ strides, strides, reach, 0.0)
    return found, apart[order]


def _improved(
    found: Differences, apart: Ints, states: Ints, both: tuple[Scenario, Scenario], loss: Loss,
    progress: Progress | None,
) -> Differences | None:  # fmt: skip
    """The potential by policy iteration, from that of the greedy coupling on.

    None where nothing moves, or a rate law gives no rate in some state that is no team's own.
    """
    from scipy.sparse import csr_array, diags_array  # noqa: PLC0415

    from covey.dynamics.kernels.coupling import difference_policy as kernels  # noqa: PLC0415
    from covey.dynamics.kernels.coupling.pair_coupling import room_for  # noqa: PLC0415

    ours, theirs = (tables_of(scenario.network) for scenario in both)
    room, leaving = room_for(ours, apart.shape[1]), np.empty(len(apart))
    seen = shown(both[0], apart)
    costs = losses_of(loss, tuple(both[0].query.groups(both[0].network)), seen, 0 * seen[:1])[:, 0]
    found = found._replace(values=costs + NEAR * np.abs(apart).sum(axis=1))
    for turn in range(_ROUNDS):
        if progress is not None:
            progress(turn, _ROUNDS, f"couplings of {len(apart):,} differences")
        sources, targets, rates = kernels.transitions(
            ours, theirs, found, apart, states, room, leaving
        )
        if not len(sources) or not np.isfinite(rates).all():
            return None
        onward = csr_array((rates, (sources, targets)), shape=(len(apart), len(apart)))
        exits = np.bincount(sources, rates, len(apart))
        generator = (onward - diags_array(exits)).tocsr()
        values = lies_ahead(generator, costs + found.fence * leaving, found.values)
        change = float(np.ptp(values - found.values))
        fence = found.fence
        if turn == 0:
            fence = float(np.abs(values[sources] - values[targets]).max())
        found = found._replace(values=values, fence=fence)
        if turn > 0 and change <= _STEADY * float(np.ptp(values)):
            break
    return found
