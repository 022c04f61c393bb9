"""Windows that hold all but a small tail of a sum of independent robots, by Chernoff's bound.

Of n_k robots each is counted with probability p_k, and a Poisson number of mean m besides. With

    Λ(θ) = Σ_k n_k ln(1 + p_k (e^θ − 1)) + m (e^θ − 1),

P[Y ≥ y] ≤ exp(Λ(θ) − θ y) for every θ > 0, and P[Y ≤ y] ≤ the same for every θ < 0: whichever θ are
tried, the best of them gives a bound that holds.
"""

from __future__ import annotations

import math

import numpy as np

from covey.numbers import Floats, Ints

_ABOVE = np.geomspace(1e-7, 40.0, 400)
_BELOW = -np.geomspace(1e-7, 12.0, 400)  # further down 1 − p (1 − e^θ) would lose digits
_SLACK = 0.01  # in logarithms: far more than the roundings of Λ


def window(counts: Ints, seen: Floats, mean: float, log_tail: float) -> tuple[int, int]:
    """The least and the largest sum, but for a tail of at most e^log_tail at either end.

    Args:
        counts: How many robots there are of each kind, (kinds,).
        seen: With which probability each of them is counted, (kinds,).
        mean: Of the Poisson number.
        log_tail: Ln of what may be left out below, and as much above.
    """
    share = np.minimum(seen, 1.0)[:, None]

    def reach(theta: Floats) -> Floats:
        grown = np.expm1(theta)
        rate = counts @ np.log1p(share * grown) + mean * grown
        return np.asarray((rate - log_tail + _SLACK) / theta)

    low = max(math.ceil(float(reach(_BELOW).max())), 0)
    high = math.floor(float(reach(_ABOVE).min()))
    if mean == 0:
        robots = int(counts.sum())
        return min(low, robots), min(high, robots)
    return low, high
