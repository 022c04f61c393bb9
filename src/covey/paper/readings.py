"""What the paper's studies read off two distributions: leakage, exact and smoothed, and δ.

- exact: max |ln p − ln q|, infinite where only one team can look so
- smoothed by ν: max |ln (p + ν) − ln (q + ν)|, ν being added wherever p or q is not 0
- tv, delta: Σ max(0, p − e^ε q) in both directions, at ε = 0 and at ε = `EPSILON`
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from scipy.stats import rankdata

from covey.dynamics.distribution import Distribution
from covey.numbers import Floats
from covey.privacy.snapshot.divergences import aligned

SMOOTHINGS = (1e-3, 1e-5, 1e-8, 1e-10)
EPSILON = 0.1


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


def spearman(x: Floats, y: Floats) -> float:
    """The correlation of their ranks: how well one rises with the other, along whatever curve."""
    return pearson(rankdata(x), rankdata(y))


def _delta(p: Floats, q: Floats, epsilon: float) -> float:
    factor = math.exp(epsilon)
    return float(max(np.maximum(p - factor * q, 0).sum(), np.maximum(q - factor * p, 0).sum()))
