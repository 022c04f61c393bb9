"""Which states of a chain lead to which: reachability, and the closed communicating classes.

States communicate when each leads to the other. A class of them is closed when nothing leaves it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.generator import Generator
from covey.numbers import Floats


def reached_from(generator: Generator, start: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which states some lead to, themselves included: (states,)."""
    reached = start.copy()
    if not generator.compiled:
        return _spread(reached, generator.indices.astype(np.intp), generator.targets)
    from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

    sparse_rows.spread(generator.indptr, generator.indices, reached)
    return reached


def leading_to(generator: Generator, target: int) -> NDArray[np.bool_]:
    """Which states lead to one, itself included, back along the incoming transitions: (states,)."""
    found = np.zeros(len(generator), dtype=np.bool_)
    found[target] = True
    if not generator.compiled:
        return _spread(found, generator.targets, generator.indices.astype(np.intp))
    from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

    stack = np.full(len(generator), target, dtype=np.uint32)
    sparse_rows.trace_back(generator.indptr, generator.indices, found, stack)
    return found


def _spread(
    found: NDArray[np.bool_], begins: NDArray[np.intp], ends: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Marks all that what is marked leads to by steps from `begins` to `ends`."""
    while (steps := found[begins]).any():
        found[ends[steps]] = True
        left = ~found[ends]
        begins, ends = begins[left], ends[left]
    return found


def closed_classes(generator: Generator, initial: Floats) -> tuple[NDArray[np.intp], ...]:
    """The closed communicating classes that can be reached from `initial`."""
    likely = int(np.argmax(initial))
    onward = reached_from(generator, np.arange(len(generator)) == likely)
    if onward.all() and leading_to(generator, likely).all():
        return (np.arange(len(generator)),)
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    n, reached = len(generator), reached_from(generator, initial > 0)
    indices, indptr = generator.indices.astype(np.int64), generator.indptr.astype(np.int64)
    moves = csr_array((np.ones(len(indices), dtype=np.int8), indices, indptr), shape=(n, n))
    count, label = connected_components(moves, directed=True, connection="strong")
    closed = np.ones(count, dtype=np.bool_)
    closed[label[indices][label[generator.targets] != label[indices]]] = False
    closed &= np.bincount(label, reached, count) > 0
    return tuple(np.flatnonzero(label == c) for c in np.flatnonzero(closed))
