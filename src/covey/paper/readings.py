"""What the paper's studies read off two distributions: leakage, exact and smoothed, and δ.

- exact: max |ln p − ln q|, infinite where only one team can look so
- smoothed by ν: max |ln (p + ν) − ln (q + ν)|, ν being added wherever p or q is not 0
- tv, delta: Σ max(0, p − e^ε q) in both directions, at ε = 0 and at ε = `EPSILON`
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.numbers import Floats
from covey.privacy.snapshot.divergences import aligned

SMOOTHINGS = (1e-3, 1e-5, 1e-8, 1e-10)
EPSILON = 0.1
SEED, DRAWS = 2016, 1000  # of the bootstrap
_AT_ONCE = 50


def smoothed_by(nu: float) -> str:
    """The column of the leakage smoothed by one of `SMOOTHINGS`."""
    return f"leakage_nu_{nu:g}"


BOUNDED = (*(smoothed_by(nu) for nu in SMOOTHINGS), "tv", "delta")
COLUMNS = ("leakage", *BOUNDED)


# The paper does not say its ν. These are the ones in the authors' published data (`authors`).
NU = smoothed_by(1e-5)  # both case studies over populations, the first over rates
RATES_NU = smoothed_by(1e-3)  # the second over rates


def readings(log_p: Floats, log_q: Floats) -> Floats:
    """All `COLUMNS` of a team against one neighbour; ln p by outcome, −inf for never."""
    possible = np.isfinite(log_p) | np.isfinite(log_q)
    exact = float(np.abs(log_p[possible] - log_q[possible]).max())
    return np.array([exact, *bounded_readings(np.exp(log_p), np.exp(log_q))])


def worst_readings(distribution: Distribution, others: Iterable[Distribution]) -> Floats:
    """All `COLUMNS` of a team, each over all its neighbours."""
    found = [readings(*aligned(distribution, other)[1:]) for other in others]
    return np.asarray(np.max(found, axis=0))


def bounded_readings(p: Floats, q: Floats) -> Floats:
    """All but the exact leakage: what neither tails nor impossible outcomes make infinite."""
    smoothed = []
    for nu in SMOOTHINGS:
        ratio = (p + nu) / (q + nu)
        smoothed.append(max(math.log(ratio.max()), -math.log(ratio.min())))
    return np.array([*smoothed, _delta(p, q, 0.0), _delta(p, q, EPSILON)])


def pearson(x: Floats, y: Floats) -> float:
    """Their correlation coefficient."""
    return float(np.corrcoef(x, y)[0, 1])


def interval(x: Floats, y: Floats) -> tuple[float, float]:
    """Where `pearson` lies, with confidence 0.95: by the bootstrap, over cases drawn anew."""
    chance = np.random.default_rng(SEED)
    found = []
    for _ in range(DRAWS // _AT_ONCE):
        drawn = chance.integers(0, len(x), (_AT_ONCE, len(x)))
        a, b = (one[drawn] - one[drawn].mean(axis=1, keepdims=True) for one in (x, y))
        with np.errstate(invalid="ignore"):  # few cases, drawn all alike, have none
            found.append((a * b).sum(axis=1) / np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1)))
    low, high = np.nanquantile(np.concatenate(found), [0.025, 0.975]).tolist()
    return low, high


def correlation(x: Floats, y: Floats) -> str:
    """Their correlation coefficient with its interval, as text."""
    return "{:.3f} ({:.3f} to {:.3f})".format(pearson(x, y), *interval(x, y))


class SameSum(NamedTuple):
    """A map that is its own mirror image, along cells whose two coordinates have the same sum."""

    least: int  # of the sums: the least is in the middle
    sums: int
    rises: int  # of the steps away from the middle
    steps: int

    def __str__(self) -> str:
        return f"{self.least} of {self.sums} sums, {self.rises} of {self.steps} steps"


def along_same_sums(grid: Floats) -> SameSum:
    """Whether cells get larger away from the diagonal, among those with the same sum."""
    least = sums = rises = steps = 0
    for total in range(1, 2 * len(grid) - 2):
        first = np.arange(max(0, total - len(grid) + 1), total // 2 + 1)[::-1]
        line = grid[first, total - first]  # from the middle on
        up = line[1:] > line[:-1]
        least, sums = least + bool((line >= line[0]).all()), sums + 1
        rises, steps = rises + int(up.sum()), steps + len(up)
    return SameSum(least, sums, rises, steps)


def _delta(p: Floats, q: Floats, epsilon: float) -> float:
    factor = math.exp(epsilon)
    return float(max(np.maximum(p - factor * q, 0).sum(), np.maximum(q - factor * p, 0).sum()))
