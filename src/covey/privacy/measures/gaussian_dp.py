"""μ of Gaussian differential privacy [1]: as easy to tell apart as N(0, 1) and N(μ, 1), or harder.

μ is the least number with T(a) ≥ Φ(Φ⁻¹(1 − a) − μ) for every a, where T(a) is the least type II
error of a test whose type I error is a. T is straight between its corners and the right side is
convex, so only corners count:

    μ = max over corners (a, b), 0 < a < 1, of −Φ⁻¹(a) − Φ⁻¹(b);      ∞ where T(0) < 1.

Both errors are summed from the small end, in logarithms. The lower bound where mass was lost is
what total variation needs: TV = 2 Φ(μ/2) − 1.

[1] Dong, Roth, Su, Gaussian differential privacy, J. R. Stat. Soc. B 84 (2022).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri, ndtri_exp

from covey.numbers import Floats
from covey.privacy.snapshot.divergences import log_ratios
from covey.privacy.snapshot.pair_profile import DivergenceProfile, Interval

_LOG_HALF = math.log(0.5)
_ROUNDING = 1e-12  # of Φ⁻¹, relatively


def gaussian_mu(log_p: Floats, log_q: Floats, error: float = 0.0) -> float:
    """μ of two distributions whose logarithms are `error` further apart than they are here."""
    ratios = log_ratios(log_p, log_q)
    possible = np.isfinite(log_p) | np.isfinite(log_q)
    if np.isinf(ratios[possible]).any():
        return math.inf
    order = np.argsort(ratios[possible], kind="stable")
    p, q = log_p[possible][order], log_q[possible][order]
    if len(p) < 2:
        return 0.0
    # Corner k rejects the first k outcomes: a is their p, b the q of the others.
    rejected, kept = _from_both_ends(p), _from_both_ends(q)
    a = _quantile(rejected[0], rejected[1], error)
    b = _quantile(kept[1], kept[0], error)
    return max(float((-a - b).max()), 0.0)


def gaussian_mu_of(pair: DivergenceProfile) -> tuple[float, Interval]:
    """μ and its bounds."""
    p, q = pair.directions[0]
    error = sum(pair.errors)
    value = gaussian_mu(p, q)
    low, high = (gaussian_mu(p, q, side) for side in (-error, error))
    if any(pair.truncated_mass):
        sure = math.isinf(pair.epsilon_interval(0.0)[0])
        apart = pair.delta_interval(0.0)[0]
        low = math.inf if sure else 2 * float(ndtri((1 + min(apart, 1.0)) / 2))
    rounding = _ROUNDING * (1 + value) if math.isfinite(value) else 0.0
    return value, (max(low - rounding, 0.0), high + rounding)


def _from_both_ends(logs: Floats) -> tuple[Floats, Floats]:
    """`ln` of the sums of the first k, and of all others, k = 1 … n − 1."""
    first = np.logaddexp.accumulate(logs)
    last = np.logaddexp.accumulate(logs[::-1])[::-1]
    return first[:-1], last[1:]


def _quantile(log_part: Floats, log_rest: Floats, error: float) -> Floats:
    """Φ⁻¹ of a probability, less by an error: by itself where small, else by the rest of 1."""
    small = log_part <= _LOG_HALF
    below = ndtri_exp(np.minimum(np.where(small, log_part - error, _LOG_HALF), 0.0))
    above = -ndtri_exp(np.minimum(np.where(small, _LOG_HALF, log_rest + error), 0.0))
    return np.asarray(np.where(small, below, above))
