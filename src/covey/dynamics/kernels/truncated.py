"""Compiled code for windows: where transitions lead, and products that are as good as exact.

As in `kernels/sparse_rows`: arrays in, arrays out, the same as plain Python with
NUMBA_DISABLE_JIT=1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    _F = TypeVar("_F", bound=Callable[..., Any])

    def njit(**options: object) -> Callable[[_F], _F]: ...
else:
    from numba import njit

_SPLIT = 2.0**27 + 1  # cuts a double into two halves whose products are exact


def find(
    keys: NDArray[np.uint64],
    needles: NDArray[np.uint64],
    states: NDArray[np.int64],
    sources: NDArray[np.intp],
    change: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Places of `needles` in sorted `keys` where the rows match too, -1 where there are none."""
    out = np.empty(len(needles), dtype=np.int64)
    _find(keys, needles, states, sources, np.ascontiguousarray(change), out)
    return out


@njit(cache=True, nogil=True)
def _find(
    keys: NDArray[np.uint64],
    needles: NDArray[np.uint64],
    states: NDArray[np.int64],
    sources: NDArray[np.intp],
    change: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """Merge two sequences that ascend, but for a wrap of the second."""
    place = 0
    for i in range(len(needles)):
        if i > 0 and needles[i] < needles[i - 1]:
            place = 0
        while place < len(keys) and keys[place] < needles[i]:
            place += 1
        out[i] = -1
        if place < len(keys) and keys[place] == needles[i]:
            same = True
            for s in range(len(change)):
                if states[place, s] != states[sources[i], s] + change[s]:
                    same = False
            if same:
                out[i] = place


def advance(
    indptr: NDArray[np.unsignedinteger],
    indices: NDArray[np.uint32],
    values: NDArray[np.floating],
    exits: NDArray[np.float64],
    vector: NDArray[np.float64],
    rate: float,
) -> NDArray[np.float64]:
    """V + K v / rate, each entry rounded twice and no more."""
    out = np.empty_like(vector)
    _advance(indptr, indices, values, exits, vector, rate, out)
    return out


@njit(cache=True, nogil=True)
def _advance(
    indptr: NDArray[np.unsignedinteger],
    indices: NDArray[np.uint32],
    values: NDArray[np.floating],
    exits: NDArray[np.float64],
    vector: NDArray[np.float64],
    rate: float,
    out: NDArray[np.float64],
) -> None:
    """As `_fastest_fall`, and the vector itself."""
    for i in range(np.uint64(0), np.uint64(len(exits))):
        high, low = _add_product(0.0, 0.0, rate, vector[i])
        high, low = _add_product(high, low, -exits[i], vector[i])
        for k in range(indptr[i], indptr[i + np.uint64(1)]):
            high, low = _add_product(high, low, values[k], vector[indices[k]])
        out[i] = (high + low) / rate


def fastest_fall(
    indptr: NDArray[np.unsignedinteger],
    indices: NDArray[np.uint32],
    values: NDArray[np.floating],
    exits: NDArray[np.float64],
    vector: NDArray[np.float64],
) -> float:
    """The largest of −(K v)_x / v_x over the states with v_x > 0.

    Sums are kept in two doubles, so that only about u² of each term is lost, with u = 2⁻⁵³.
    """
    return float(_fastest_fall(indptr, indices, values, exits, vector))


@njit(cache=True, nogil=True)
def _fastest_fall(
    indptr: NDArray[np.unsignedinteger],
    indices: NDArray[np.uint32],
    values: NDArray[np.floating],
    exits: NDArray[np.float64],
    vector: NDArray[np.float64],
) -> float:
    """Error-free sums and products after Knuth and Dekker."""
    worst = -np.inf
    for i in range(np.uint64(0), np.uint64(len(exits))):
        if vector[i] <= 0.0:
            continue
        high, low = _add_product(0.0, 0.0, -exits[i], vector[i])
        for k in range(indptr[i], indptr[i + np.uint64(1)]):
            high, low = _add_product(high, low, values[k], vector[indices[k]])
        worst = max(worst, -(high + low) / vector[i])
    return worst


@njit(cache=True, nogil=True, inline="always")
def _add_product(high: float, low: float, a: float, b: float) -> tuple[float, float]:
    """(high + low) + a b."""
    product = a * b
    cut = _SPLIT * a
    a1 = cut - (cut - a)
    a2 = a - a1
    cut = _SPLIT * b
    b1 = cut - (cut - b)
    b2 = b - b1
    error = ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2
    total = high + product
    shifted = total - high
    low += (high - (total - shifted)) + (product - shifted) + error
    return total, low
