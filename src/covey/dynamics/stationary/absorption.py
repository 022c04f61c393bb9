"""Where a chain ends: its closed classes and the probability of ending in each.

A class is closed when nothing leaves it. With s >= 0 the expected time spent in each transient
state, -K_TT s = p_T(0), the probability of ending in class C is p_C(0) plus the flow K_CT s. These
times are the law of an irreducible chain: the one that begins again whenever it has ended.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.generator import Generator, offsets
from covey.dynamics.stationary.irreducible import StationarySolver
from covey.numbers import UNIT, Floats


def closed_classes(generator: Generator, initial: Floats) -> tuple[NDArray[np.intp], ...]:
    """The closed communicating classes that can be reached from `initial`."""
    reached = _reached_from(generator, initial > 0)
    if reached.all() and _leading_to(generator, int(np.argmax(initial))).all():
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
    closed &= np.bincount(label, reached, count) > 0
    return tuple(np.flatnonzero(label == c) for c in np.flatnonzero(closed))


def _reached_from(generator: Generator, start: NDArray[np.bool_]) -> NDArray[np.bool_]:
    reached = start.copy()
    if generator.compiled:
        from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

        sparse_rows.spread(generator.indptr, generator.indices, reached)
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
        from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

        stack = np.full(len(generator), target, dtype=np.uint32)
        sparse_rows.trace_back(generator.indptr, generator.indices, found, stack)
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


@dataclass(frozen=True)
class Ending:
    """The ln of the probability of ending in each class; `log_error` bounds the error of each."""

    log_weights: Floats  # (classes,)
    log_error: float = 0.0


def class_weights(
    generator: Generator, initial: Floats, classes: tuple[NDArray[np.intp], ...]
) -> Ending:
    """Where the chain ends, from the sojourn times of the transient states."""
    if len(classes) == 1:
        return Ending(np.zeros(1))
    begins = np.array([initial[members].sum() for members in classes])
    transient = _reached_from(generator, initial > 0)
    for members in classes:
        transient[members] = False
    with np.errstate(divide="ignore"):
        at_once = np.log(begins)
    if not transient.any():
        return Ending(at_once)
    again = _beginning_again(generator, initial, transient)
    solver = StationarySolver(again, np.zeros(len(again)), tolerance=1e-13)
    logs = solver.solve(len(again) - 1)
    sojourn = np.full(len(generator), -np.inf)
    sojourn[transient] = logs[:-1] - logs[-1] - np.log(again.exits[-1] / initial[transient].sum())
    rounding = UNIT * (int(generator.lengths.max()) + max(map(len, classes)) + 8)
    rounding += 4 * UNIT * float(np.abs(sojourn[transient]).max())
    log_weights = np.logaddexp(at_once, _log_flows(generator, sojourn, classes))
    return Ending(log_weights, 2 * solver.error + rounding)


def _log_flows(
    generator: Generator, log_sojourn: Floats, classes: tuple[NDArray[np.intp], ...]
) -> Floats:
    """The ln of what flows into each class, from the ln of the times in the transient states."""
    into = np.full(len(generator), -1)
    for number, members in enumerate(classes):
        into[members] = number
    entered = np.repeat(into, generator.lengths)
    flows = np.log(generator.rates) + log_sojourn[generator.indices]
    kept = (entered >= 0) & np.isfinite(flows)
    entered, flows = entered[kept], flows[kept]
    highest = np.full(len(classes), -np.inf)
    np.maximum.at(highest, entered, flows)
    with np.errstate(under="ignore", divide="ignore", invalid="ignore"):
        total = np.bincount(entered, np.exp(flows - highest[entered]), len(classes))
        return np.where(np.isfinite(highest), highest + np.log(total), -np.inf)


def _beginning_again(
    generator: Generator, initial: Floats, transient: NDArray[np.bool_]
) -> Generator:
    """The transient states and, last, one more: what ends goes there, and begins again from there.

    In its law each transient state has its sojourn time s, up to a factor: both are solutions of
    exits * s = inflow(s) + a multiple of p_T(0).
    """
    outside = np.flatnonzero(transient)
    n, part = len(outside), generator.restrict(outside)
    ends = ~transient[np.repeat(np.arange(len(generator)), generator.lengths)]
    all_leaving = np.bincount(generator.indices[ends], generator.rates[ends], len(generator))
    leaving, fresh = all_leaving[outside], initial[outside] * part.exits.mean()
    last, first = np.flatnonzero(leaving), np.flatnonzero(fresh)
    rows = np.concatenate([np.repeat(np.arange(n), part.lengths), first, np.full(len(last), n)])
    columns = np.concatenate([part.indices, np.full(len(first), n), last])
    rates = np.concatenate([part.rates, fresh[first], leaving[last]])
    order = np.argsort(rows, kind="stable")
    return Generator(
        offsets(np.bincount(rows, minlength=n + 1)),
        columns[order].astype(np.uint32),
        rates[order],
        np.append(part.exits, fresh.sum()),
    )
