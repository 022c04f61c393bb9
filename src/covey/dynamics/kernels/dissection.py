"""Compiled: breadth-first levels of a part of a graph, by which it is cut in two.

With NUMBA_DISABLE_JIT=1 the same function runs as plain Python and gives the same answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.kernels.njit import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def levels(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int64],
    part: NDArray[np.int64],
    number: int,
    start: int,
    level: NDArray[np.int64],
    queue: NDArray[np.int64],
) -> int:
    """Numbers the nodes of a part by their distance from one, -1 where none; how many are reached.

    part: (nodes,), of which part each is. level: (nodes,), those of the part are -1 at first.
    queue: (nodes,) or fewer, the nodes that are reached, the nearest first.
    """
    level[start] = 0
    queue[0] = start
    found, at = 1, 0
    while at < found:
        node = queue[at]
        at += 1
        for k in range(indptr[node], indptr[node + 1]):
            other = indices[k]
            if part[other] == number and level[other] < 0:
                level[other] = level[node] + 1
                queue[found] = other
                found += 1
    return found
