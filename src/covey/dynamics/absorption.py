"""Where a chain ends: its closed classes and the probability of ending in each.

A class is closed when nothing leaves it. With s >= 0 the expected time spent in each transient
state, -K_TT s = p_T(0), the probability of ending in class C is p_C(0) plus the flow K_CT s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from covey.errors import CoveyError
from covey.numbers import Floats

if TYPE_CHECKING:
    from covey.dynamics.generator import Generator


_MOST_SWEEPS = 100_000
_DENSE = 600  # transient states up to which they are eliminated one by one


def closed_classes(generator: Generator, initial: Floats) -> tuple[NDArray[np.intp], ...]:
    """The closed communicating classes that can be reached from `initial`."""
    start = int(np.argmax(initial))
    if _reached_from(generator, initial > 0).all() and _leading_to(generator, start).all():
        return (np.arange(len(generator)),)
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    n = len(generator)
    indices, indptr = generator.indices.astype(np.int64), generator.indptr.astype(np.int64)
    moves = csr_array((np.ones(len(indices), dtype=np.int8), indices, indptr), shape=(n, n))
    count, label = connected_components(moves, directed=True, connection="strong")
    rows = np.repeat(np.arange(n), generator.lengths)
    closed = np.ones(count, dtype=np.bool_)
    closed[label[indices][label[rows] != label[indices]]] = False
    closed &= np.bincount(label, _reached_from(generator, initial > 0), count) > 0
    return tuple(np.flatnonzero(label == c) for c in np.flatnonzero(closed))


def _reached_from(generator: Generator, start: NDArray[np.bool_]) -> NDArray[np.bool_]:
    reached = start.copy()
    if generator.compiled:
        from covey.dynamics import _kernels  # noqa: PLC0415

        _kernels.spread(generator.indptr, generator.indices, reached)
        return reached
    while True:
        grown = reached | (generator.inflow(reached.astype(np.float64)) > 0)
        if (grown == reached).all():
            return reached
        reached = grown


def _leading_to(generator: Generator, target: int) -> NDArray[np.bool_]:
    """States from which `target` can be reached, back along the incoming transitions."""
    found = np.zeros(len(generator), dtype=np.bool_)
    found[target] = True
    if generator.compiled:
        from covey.dynamics import _kernels  # noqa: PLC0415

        stack = np.full(len(generator), target, dtype=np.uint32)
        _kernels.trace_back(generator.indptr, generator.indices, found, stack)
        return found
    frontier = np.array([target])
    indptr = generator.indptr.astype(np.int64)
    while len(frontier):
        begin, length = indptr[frontier], indptr[frontier + 1] - indptr[frontier]
        offset = np.repeat(begin - np.concatenate([[0], np.cumsum(length)[:-1]]), length)
        before = generator.indices[np.arange(length.sum()) + offset]
        fresh = np.zeros(len(generator), dtype=np.bool_)
        fresh[before] = True
        frontier = np.flatnonzero(fresh & ~found)
        found[frontier] = True
    return found


def class_weights(
    generator: Generator, initial: Floats, classes: tuple[NDArray[np.intp], ...]
) -> Floats:
    """Probability of ending in each class, from the sojourn times of the transient states."""
    weights = np.array([initial[members].sum() for members in classes])
    if len(classes) == 1:
        return weights / weights.sum() if weights.sum() > 0 else np.ones(1)
    transient = np.ones(len(generator), dtype=np.bool_)
    for members in classes:
        transient[members] = False
    outside = np.flatnonzero(transient)
    if len(outside) == 0:
        return weights
    sojourn = np.zeros(len(generator))
    rows = np.repeat(np.arange(len(generator)), generator.lengths)
    leaving = np.zeros(len(generator))
    np.add.at(leaving, generator.indices, generator.rates * ~transient[rows])
    part = generator.restrict(outside)
    if len(outside) <= _DENSE:
        sojourn[outside] = _eliminated_sojourn(part, initial[outside], leaving[outside])
    else:
        sojourn[outside] = _swept_sojourn(part, initial[outside])
    inflow = generator.inflow(sojourn)
    ends: Floats = weights + np.array([inflow[members].sum() for members in classes])
    return ends


def _eliminated_sojourn(part: Generator, initial: Floats, leaving: Floats) -> Floats:
    """Times s >= 0 with exits * s = inflow(s) + initial, by elimination without subtractions."""
    rates, mass, out = part.dense_rates(), initial.copy(), leaving.copy()
    n = len(mass)
    exits = np.empty(n)
    for k in range(n - 1, -1, -1):
        exits[k] = rates[k, :k].sum() + out[k]
        share = rates[k, :k] / exits[k]
        mass[:k] += mass[k] * share
        out[:k] += rates[:k, k] * (out[k] / exits[k])
        rates[:k, :k] += np.outer(rates[:k, k], share)
    sojourn = np.zeros(n)
    for k in range(n):
        sojourn[k] = (mass[k] + sojourn[:k] @ rates[:k, k]) / exits[k]
    return sojourn


def _swept_sojourn(part: Generator, initial: Floats) -> Floats:
    """The same by Gauss-Seidel sweeps from zero: they rise to the solution, all terms positive."""
    from covey.dynamics import _kernels  # noqa: PLC0415

    sojourn, last = np.zeros(len(part)), np.inf
    for _ in range(_MOST_SWEEPS):
        before = sojourn.copy()
        _kernels.sweep_rows(part.rows, part.exits, initial, sojourn, 0, len(part))
        positive = sojourn > 0
        change = float((1 - before[positive] / sojourn[positive]).max(initial=0.0))
        if change < 0.9 and change / max(1 - change / last, 1e-3) < 1e-13:
            return sojourn
        last = change
    raise CoveyError(
        f"Where the chain ends is not settled after {_MOST_SWEEPS:,} sweeps: the last one still "
        f"changed a sojourn time by {change:.1e}. Rates very far apart do this: bring "
        "them nearer to each other, or leave out what is slowest or fastest."
    )
