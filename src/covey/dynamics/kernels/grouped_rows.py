"""Products of a chain with a vector, eight rows at a time: see `row_groups` for what is stored how.

As in `kernels/sparse_rows`: arrays in, arrays out, and the same as plain Python with
NUMBA_DISABLE_JIT=1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.kernels.njit import njit
from covey.dynamics.kernels.simd_sum import sum_row_group

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from covey.dynamics.kernels.rows import Groups, Rows

_CHUNK = 4096  # rows whose vectors stay in cache between a product and what is done with it


@njit(cache=True, nogil=True)
def product_rows(
    rows: Rows,
    groups: Groups,
    stay: NDArray[np.float64],
    scale: float,
    vector: NDArray[np.float64],
    less: float,
    before: NDArray[np.float64],
    out: NDArray[np.float64],
    begin: int,
    end: int,
) -> None:
    """Set out = scale * (incoming + stay * vector) - less * before, from row `begin` to `end`.

    A group writes eight rows: what it writes beyond its own is right after the next ones.
    """
    first, pointers, sources, numbers, rates, single = groups
    one = np.uint64(1)
    for g in range(_place(first, begin), _place(first, end)):
        low, high = np.uint64(pointers[g]), np.uint64(pointers[g + one])
        sum_row_group(low, high, sources, numbers, rates, stay, scale, vector, less, before, out,
                  np.uint64(first[g]))  # fmt: skip
    indptr, indices, kinds, table = rows
    for s in range(_place(single, begin), _place(single, end)):
        i = np.uint64(single[s])
        total = stay[i] * vector[i]
        for k in range(indptr[i], indptr[i + one]):
            total += table[kinds[k]] * vector[indices[k]]
        out[i] = total * scale - less * before[i]


@njit(cache=True, nogil=True)
def _place(ascending: NDArray[np.uint32], row: int) -> np.uint64:
    """Where the first that is not below `row` stands."""
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < row:
            low = middle + 1
        else:
            high = middle
    return np.uint64(low)


@njit(cache=True, nogil=True)
def step_rows(
    rows: Rows,
    groups: Groups,
    stay: NDArray[np.float64],
    scale: float,
    vector: NDArray[np.float64],
    out: NDArray[np.float64],
    weights: NDArray[np.float64],
    sums: NDArray[np.float64],
    begin: int,
    end: int,
) -> None:
    """Set out = scale * (incoming + stay * vector), and sums[a] += weights[a] * vector, at once."""
    for low in range(begin, end, _CHUNK):
        high = min(low + _CHUNK, end)
        product_rows(rows, groups, stay, scale, vector, 0.0, vector, out, low, high)
        for a in range(len(weights)):  # by themselves, several numbers at a time
            weight, total_of = weights[a], sums[a]
            for i in range(np.uint64(low), np.uint64(high)):
                total_of[i] += weight * vector[i]


@njit(cache=True, nogil=True)
def chebyshev_rows(
    rows: Rows,
    groups: Groups,
    stay: NDArray[np.float64],
    scale: float,
    recent: tuple[NDArray[np.float64], ...],
    weights: NDArray[np.float64],
    bounds: NDArray[np.float64],
    sums: NDArray[np.float64],
    sizes: NDArray[np.float64],
    begin: int,
    end: int,
) -> None:
    """Set out = scale * (incoming + stay * vector) - before, of the `recent` four vectors.

    Add the parts of all four to sums and sizes: four at once, for these are long.
    """
    older, before, vector, out = recent
    for low in range(begin, end, _CHUNK):
        high = min(low + _CHUNK, end)
        product_rows(rows, groups, stay, scale, vector, 1.0, before, out, low, high)
        for a in range(len(sums)):
            total_of, size_of = sums[a], sizes[a]
            w0, w1, w2, w3 = weights[a, 0], weights[a, 1], weights[a, 2], weights[a, 3]
            b0, b1, b2, b3 = bounds[a, 0], bounds[a, 1], bounds[a, 2], bounds[a, 3]
            for i in range(np.uint64(low), np.uint64(high)):
                x0, x1, x2, x3 = older[i], before[i], vector[i], out[i]
                total_of[i] += (w0 * x0 + w1 * x1) + (w2 * x2 + w3 * x3)
                size_of[i] += (b0 * abs(x0) + b1 * abs(x1)) + (b2 * abs(x2) + b3 * abs(x3))


@njit(cache=True, nogil=True)
def drift_rows(
    rows: Rows,
    groups: Groups,
    exits: NDArray[np.float64],
    vector: NDArray[np.float64],
    out: NDArray[np.float64],
    begin: int,
    end: int,
) -> tuple[float, float]:
    """The least and the largest of (incoming - exits * vector) / vector, which is positive.

    `exits` are negative here; `out` is room for the products.
    """
    least, most = np.inf, -np.inf
    for low in range(begin, end, _CHUNK):
        high = min(low + _CHUNK, end)
        product_rows(rows, groups, exits, 1.0, vector, 0.0, vector, out, low, high)
        for i in range(np.uint64(low), np.uint64(high)):
            change = out[i] / vector[i]
            if np.isnan(change):
                return np.nan, np.nan
            least, most = min(least, change), max(most, change)
    return least, most
