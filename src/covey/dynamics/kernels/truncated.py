"""Compiled code for truncated chains: products that are as good as exact.

As in `kernels/sparse_rows`: arrays in, arrays out, the same as plain Python with
NUMBA_DISABLE_JIT=1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.kernels.njit import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


_SPLIT = 2.0**27 + 1  # cuts a double into two halves whose products are exact


def product(
    indptr: NDArray[np.unsignedinteger],
    indices: NDArray[np.uint32],
    values: NDArray[np.floating],
    exits: NDArray[np.float64],
    vector: NDArray[np.float64],
    shift: float,
) -> NDArray[np.float64]:
    """`K v + shift v`, each entry rounded once.

    Sums are kept in two doubles, so that only about u² of each term is lost, with u = 2⁻⁵³.
    """
    out = np.empty_like(vector)
    _product(indptr, indices, values, exits, vector, shift, out)
    return out


@njit(cache=True, nogil=True)
def _product(
    indptr: NDArray[np.unsignedinteger],
    indices: NDArray[np.uint32],
    values: NDArray[np.floating],
    exits: NDArray[np.float64],
    vector: NDArray[np.float64],
    shift: float,
    out: NDArray[np.float64],
) -> None:
    """Error-free sums and products after Knuth and Dekker."""
    for i in range(np.uint64(0), np.uint64(len(exits))):
        high, low = _add_product(0.0, 0.0, shift, vector[i])
        high, low = _add_product(high, low, -exits[i], vector[i])
        for k in range(indptr[i], indptr[i + np.uint64(1)]):
            high, low = _add_product(high, low, values[k], vector[indices[k]])
        out[i] = high + low


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
