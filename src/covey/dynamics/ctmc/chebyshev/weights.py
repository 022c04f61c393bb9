"""The weights of Chebyshev polynomials in a long step, and bounds on them all along a segment.

    e^{−x + x cos θ} = Σ_k a_k(x) cos kθ,    a_k(x) = (2 − δ_k0) e^−x I_k(x)

√x a_k(x) increases for k ≥ 1, and a_0 falls (from x R' = x + k²/x − R − x R², R = I_k'/I_k).

Over a time from 0 to x they add up to

    ∫ a_k = (2 − δ_k0) Σ_{j > k} (j − k) a_j(x),

for e^−x I_k =: b_k has b_k' = (b_{k−1} + b_{k+1}) / 2 − b_k: the integrals have 2 b_k as their
second differences, from k = 1 on, and vanish as k grows.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from covey.numbers import Floats

_GRID = 1.2  # ratio of the times at which coefficients are bounded


def coefficients(ends: Floats, terms: int) -> tuple[Floats, Floats]:
    """a_k at every end, and bounds on a_k all along the segment that ends there: (ends, terms)."""
    grids = [_grid(begin, end) for begin, end in itertools.pairwise([0.0, *ends.tolist()])]
    values = bessel(np.concatenate([[0.0], ends, *grids]), terms)
    weights = values[1 : len(ends) + 1]
    falling = values[: len(ends), 0]  # a_0 where each segment begins
    bounds = np.empty_like(weights)
    first = len(ends) + 1
    for row, grid in enumerate(grids):
        step = math.sqrt(float(grid[1] / grid[0])) if len(grid) > 1 else 1.0
        # Up to x = 1 every a_k with k > 0 rises.
        bounds[row] = step * values[first : first + len(grid)].max(axis=0) * (1 + 1e-9)
        first += len(grid)
    bounds[:, 0] = falling * (1 + 1e-9)
    # At the last end every term that is taken weighs more than 1e-30: what is left out at the
    # others, below, is less than 1e-18 of its Z, which the rounding of sums is counted by.
    bounds[:-1][bounds[:-1] < 1e-50] = 0.0
    return np.where(bounds > 0, weights, 0.0), bounds


def _grid(begin: float, end: float) -> Floats:
    """Where the coefficients of a segment are evaluated; below 1 they rise."""
    first = min(max(begin, 1.0), end)
    return np.geomspace(first, end, 1 + math.ceil(math.log(end / first) / math.log(_GRID)))


def bessel(x: Floats, terms: int) -> Floats:
    """(2 − δ_k0) e^−x I_k(x) for k < terms, by the recurrence downwards; x is 0 or above 1e-6.

    (x, terms)

    I_{k−1} = I_{k+1} + (2k/x) I_k has no differences, and Σ_k a_k = 1: each is off by at most five
    roundings for every step from where the recurrence began, far beyond the last term.
    """
    from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

    rows = np.zeros((len(x), beginning(float(x.max(initial=1.0)), terms) + 2))
    sparse_rows.bessel_rows(x, rows)
    rows[:, 1:] *= 2
    rows /= rows.sum(axis=1, keepdims=True)
    return rows[:, :terms]


def integrals(x: float, terms: int) -> Floats:
    """∫ a_k from 0 to x for k < terms; all that is added up is positive: (terms,)."""
    beyond = int(4 * math.sqrt(x)) + 60  # after so many more the rest is nothing beside each
    listed = bessel(np.array([x]), terms + beyond)[0]
    left = np.cumsum(listed[::-1])[::-1]  # from k on
    found = np.append(np.cumsum(left[::-1])[::-1], 0.0)[1:]
    found[1:] *= 2
    return np.asarray(found[:terms])


def beginning(x: float, terms: int) -> int:
    """Where the recurrence begins."""
    return terms + 60 + int(6 * math.sqrt(x))
