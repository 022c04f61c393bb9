"""Compiled: what crosses each edge of a spanning tree of a chain's states.

With NUMBA_DISABLE_JIT=1 the same function runs as plain Python and gives the same answers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.kernels.njit import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def crossing(
    ends: tuple[NDArray[np.int64], NDArray[np.int64]],
    flows: tuple[NDArray[np.float64], NDArray[np.int32]],
    tree: tuple[NDArray[np.int64], NDArray[np.int64]],
    units: tuple[NDArray[np.float64], NDArray[np.int32]],
    into: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Adds up what flows into each state's subtree and out of it, in units of the state's own.

    By compensated sums (Kahan), the second row having what is still to be taken off: a sum of n
    terms has a relative error of 2 u + O(n u²).

    ends: where each transition begins and leads. flows: m · 2^k, of each. tree: the parent of each
    state, and how far it is from the root. units: m · 2^k again. into, out: (2, states), zeros.
    """
    source, target = ends
    size, level = flows
    parent, distance = tree
    unit, unit_level = units
    for i in range(len(source)):
        x, y = source[i], target[i]
        while x != y:
            if distance[x] >= distance[y]:
                _add(out, x, math.ldexp(size[i] / unit[x], level[i] - unit_level[x]))
                x = parent[x]
            else:
                _add(into, y, math.ldexp(size[i] / unit[y], level[i] - unit_level[y]))
                y = parent[y]


@njit(cache=True, nogil=True)
def _add(sums: NDArray[np.float64], at: int, term: float) -> None:
    less = term - sums[1, at]
    total = sums[0, at] + less
    sums[1, at] = (total - sums[0, at]) - less
    sums[0, at] = total
