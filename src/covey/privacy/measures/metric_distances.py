"""Hellinger's distance and the Jensen-Shannon divergence of a team and a neighbour, with bounds.

    H² = ½ Σ (√p − √q)²,      JS = ½ KL(p‖m) + ½ KL(q‖m),   m = (p + q)/2

H and √JS are metrics, and neither grows under post-processing. What was computed, with the lost
mass as outcomes of their own, is p̃ and q̃; the true p and q are made from them by spreading that
mass. So the distance of p̃ and q̃ is an upper bound, and by the triangle inequality the true one is
at most d(p, p̃) + d(q, q̃) below it, where with lost mass m

    H²(p, p̃) ≤ m,      JS(p, p̃) ≤ m ln 2.

Logarithms that are off by e move each distance by at most e^e − 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from covey.numbers import Floats
from covey.privacy.snapshot.pair_profile import DivergenceProfile, Interval

LN2 = math.log(2.0)


def hellinger_distance(log_p: Floats, log_q: Floats) -> float:
    """√(1 − Σ √(p q)), by terms that do not cancel."""
    with np.errstate(under="ignore"):
        apart = np.exp(log_p / 2) - np.exp(log_q / 2)
    return math.sqrt(min(float((apart**2).sum()) / 2, 1.0))


def jensen_shannon(log_p: Floats, log_q: Floats) -> float:
    """½ KL(p‖m) + ½ KL(q‖m) in nats, m = (p + q)/2: at most ln 2."""
    with np.errstate(under="ignore"):
        p, q = np.exp(log_p), np.exp(log_q)
    there = p + q > 0
    p, q = p[there], q[there]
    # With d = (p − q)/(p + q), each term is (p + q)/4 ((1 + d) ln(1 + d) + (1 − d) ln(1 − d)).
    d = (p - q) / (p + q)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [np.where(np.abs(s) < 1, (1 + s) * np.log1p(s), 0.0) for s in (d, -d)]
    bent = parts[0] + parts[1]
    near = np.abs(d) < 1e-3  # where both logarithms cancel: d² + d⁴/6 + …
    bent = np.where(near, d**2 * (1 + d**2 / 6), np.where(np.abs(d) >= 1, 2 * LN2, bent))
    return min(float(((p + q) * bent).sum()) / 4, LN2)


def hellinger_of(pair: DivergenceProfile) -> tuple[float, Interval]:
    """Hellinger's distance and its bounds."""
    return _bounded(pair, hellinger_distance, 1.0, 1.0)


def jensen_shannon_of(pair: DivergenceProfile) -> tuple[float, Interval]:
    """The Jensen-Shannon divergence and its bounds."""
    root, (low, high) = _bounded(pair, lambda p, q: math.sqrt(jensen_shannon(p, q)), LN2, LN2)
    return root**2, (low**2, high**2)


def _bounded(
    pair: DivergenceProfile, distance: Callable[[Floats, Floats], float], spread: float, most: float
) -> tuple[float, Interval]:
    """A metric, where mass m is at most √(spread m) away from wherever it belongs."""
    value = distance(*pair.directions[0])
    off = sum(math.expm1(error) for error in pair.errors)
    lost = sum(math.sqrt(spread * mass) for mass in pair.truncated_mass)
    return value, (max(value - off - lost, 0.0), min(value + off, math.sqrt(most)))
