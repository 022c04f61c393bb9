"""Compiled: the chain of the difference of two coupled chains, coupled by a potential of it.

The difference d = x − w alone is no chain, since both rates depend on w. Taken for one, it goes
from d to d' at the mean rate over some states w of the reference where w + d is a state, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from covey.dynamics.kernels.coupling.pair_coupling import (
    Differences,
    Room,
    couple_by,
    lookup,
    rates_at,
)
from covey.dynamics.kernels.njit import njit
from covey.dynamics.ssa.tables import Tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from covey.numbers import Floats, Ints


@njit(cache=True, nogil=True)
def mean_rates(
    real: Tables,
    reference: Tables,
    differences: Differences,
    place: int,
    apart: Ints,
    states: Ints,
    room: Room,
    out: Floats,
) -> None:
    """How fast r and s happen together at a listed difference, `apart`, on average over states.

    `out` is (reactions + 1, reactions + 1); its last row and column are what each does alone.
    """
    n, used = differences.steps.shape[0], 0
    key, here = differences.keys[place], differences.values[place]
    out[:] = 0.0
    for k in range(states.shape[0]):
        x = states[k] + apart
        if x.min() < 0:
            continue
        used += 1
        rates_at(real, x, room, room.ours)
        rates_at(reference, states[k], room, room.theirs)
        couple_by(differences, key, here, room)
        out[:n, :n] += room.together
        out[n, :n] += room.alone
        for r in range(n):
            out[r, n] += max(room.ours[r] - room.together[r].sum(), 0.0)
    if used > 0:
        out /= used


@njit(cache=True, nogil=True)
def transitions(
    real: Tables,
    reference: Tables,
    differences: Differences,
    apart: Ints,
    states: Ints,
    room: Room,
    leaving: Floats,
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """From where to where the listed differences, (differences, species), go, and how fast.

    `leaving`, (differences,), becomes the rate at which each goes to one that is not listed.
    """
    n, found = differences.steps.shape[0], 0
    most = 8 * n * apart.shape[0]
    sources, targets = np.empty(most, np.int64), np.empty(most, np.int64)
    speeds, rates = np.empty(most), np.empty((n + 1, n + 1))
    for d in range(apart.shape[0]):
        mean_rates(real, reference, differences, d, apart[d], states, room, rates)
        leaving[d] = 0.0
        if found + rates.size > most:
            most = 2 * most + rates.size
            sources, targets = _longer(sources, most), _longer(targets, most)
            speeds = _longer(speeds, most)
        for r in range(n + 1):
            ours = differences.steps[r] if r < n else 0
            for s in range(n + 1):
                theirs = differences.steps[s] if s < n else 0
                if rates[r, s] <= 0.0 or ours == theirs:
                    continue
                into = lookup(differences, differences.keys[d] + ours - theirs)
                if into < 0:
                    leaving[d] += rates[r, s]
                else:
                    sources[found], targets[found], speeds[found] = d, into, rates[r, s]
                    found += 1
    return sources[:found], targets[:found], speeds[:found]


@njit(cache=True, nogil=True)
def _longer(array: NDArray[Any], length: int) -> NDArray[Any]:
    longer = np.empty(length, array.dtype)
    longer[: array.shape[0]] = array
    return longer
