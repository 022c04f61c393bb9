"""The linear program with all of its entries, by HiGHS.

A solver's tolerance is absolute, and what is published in the tails is far below it: so the row of
z is divided by the probability of z, which makes the tolerance relative to what is published.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from covey.numbers import Floats
from covey.remedy.mechanism.program.linear_program import TIE, NotSolvedError, Prices, Program

_TOLERANCE = 1e-9  # of the solver
_NOTHING = 1e-9  # an entry below this is its tolerance


def solved_whole(program: Program) -> tuple[Floats, Prices]:
    """A channel (outcomes, published) and the prices behind it."""
    y, z = np.nonzero(np.isfinite(program.losses))
    pairs, published = len(program.pairs), program.losses.shape[1]
    size, slacks = len(y), pairs * published if any(program.deltas) else 0
    several = len(program.weights) > 1  # of which the largest is the last variable
    rows = [np.arange(pairs)[:, None] * published + z[None, :]]
    columns = [np.broadcast_to(np.arange(size), (pairs, size))]
    values = [program.excess[:, y] / program.scale[z]]
    at_most = np.zeros(pairs * published)
    if slacks:
        every = np.arange(slacks)
        rows += [every, pairs * published + every // published]
        columns += [size + every, size + every]
        budget = np.repeat(np.maximum(program.deltas, 1e-300), published)
        values += [-np.ones(slacks), np.tile(program.scale, pairs) / budget]
        at_most = np.concatenate([at_most, np.ones(pairs)])
    width = size + slacks + several
    with np.errstate(invalid="ignore"):
        paid = program.weights[:, y] * program.losses[y, z]  # (losses, entries)
    costs = np.zeros(width)
    if several:
        which = np.arange(len(paid))[:, None] + len(at_most)
        rows += [np.broadcast_to(which, paid.shape), which]
        columns += [np.broadcast_to(np.arange(size), paid.shape), np.full(len(paid), width - 1)]
        values += [paid, -np.ones(len(paid))]
        at_most = np.concatenate([at_most, np.zeros(len(paid))])
        costs[:size], costs[-1] = TIE * paid.mean(axis=0), 1.0
    else:
        costs[:size] = paid[0]
    limits = _matrix(rows, columns, values, (len(at_most), width))
    sums = sparse.csr_array((np.ones(size), (y, np.arange(size))), (len(program.losses), width))
    answer, prices = _optimum(costs, limits, at_most, sums)
    channel = np.zeros(program.losses.shape)
    channel[y, z] = np.where(answer[:size] < _NOTHING, 0.0, answer[:size])
    by_pair = prices[: pairs * published].reshape(pairs, published) / program.scale
    if not several:
        return channel, Prices(by_pair, np.ones(1))
    shares = prices[-len(paid) :] + TIE / len(paid)
    total = float(shares.sum())
    return channel, Prices(by_pair / total, shares / total)


def _optimum(
    costs: Floats, limits: sparse.csr_array, at_most: Floats, sums: sparse.csr_array
) -> tuple[Floats, Floats]:
    """What costs least, and the multipliers of its limits, by HiGHS.

    Where ε is large, the entries of a row are so far apart that the solver gives up: then every row
    is divided by its largest. Its tolerance is no longer relative to what is published by then; but
    what comes out is evaluated in any case. Limits of what is not in the program limit nothing, and
    are left out.
    """
    there = np.diff(limits.indptr) > 0
    limits, at_most, prices = limits[there], at_most[there], np.zeros(len(there))
    largest = np.asarray(abs(limits).max(axis=1).toarray()).ravel()
    for rows in (np.ones(len(at_most)), 1 / np.where(largest > 0, largest, 1.0)):
        found = linprog(
            costs, sparse.diags_array(rows) @ limits, rows * at_most, sums, np.ones(sums.shape[0]),
            (0, None), method="highs",
            options={
                "primal_feasibility_tolerance": _TOLERANCE,
                "dual_feasibility_tolerance": _TOLERANCE,
            },
        )  # fmt: skip
        if found.x is not None and found.status == 0:
            prices[there] = np.maximum(-found.ineqlin.marginals, 0.0) * rows
            return np.asarray(found.x), prices
    raise NotSolvedError(f"the solver gave up: {found.message[:200]}")


def _matrix(
    rows: list[NDArray[np.int64]],
    columns: list[NDArray[np.int64]],
    values: list[Floats],
    shape: tuple[int, int],
) -> sparse.csr_array:
    every = [
        np.concatenate([np.ravel(part) for part in parts]) for parts in (rows, columns, values)
    ]
    return sparse.csr_array((every[2], (every[0], every[1])), shape)
