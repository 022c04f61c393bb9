"""Poisson weights w_k(m) = e^-m m^k / k!, every one with relative accuracy [1].

They are computed from the mode outwards and brought to a sum of one, so that nothing overflows,
however large the mean.

[1] Fox, Glynn, Computing Poisson probabilities, Commun. ACM 31 (1988).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

SCALE = 2.0**400  # weights are kept this much larger, so that their tails survive

_LONGEST = 1e9  # beyond this mean the weights are not listed


class PoissonWeights:
    """Poisson weights of one mean, SCALE times as large, from the mode outwards."""

    def __init__(self, mean: float) -> None:
        self.mean = mean
        if mean > _LONGEST:  # never reached step by step; closed at once or refused
            self.first, self.values = int(mean), np.array([SCALE])
            self.tail, self.dropped = np.array([1.0, 0.0]), 0.0
            return
        width, mode = int(46 * math.sqrt(mean)) + 500, int(mean)
        below = np.arange(mode, max(mode - width, 0), -1)
        above = np.arange(mode + 1, mode + width)
        with np.errstate(under="ignore"):
            up = _scaled_products(mean / above)
            down = _scaled_products(below / max(mean, 1.0))
        self.first = mode - len(down)
        values = np.concatenate([down[::-1], [SCALE], up])
        total = float(values.sum())
        self.tail = np.append(np.cumsum(values[::-1])[::-1] / total, 0.0)  # weight from here on
        self.values = values * (SCALE / total)
        # Weights that are not listed, all together (they fall faster than geometrically).
        end = self.first + len(values)
        self.dropped = float(self.values[-1]) * mean / (end - mean)
        if self.first > 0:
            self.dropped += float(self.values[0]) * self.first / (mean - self.first)

    def at(self, k: int) -> float:
        """The weight of k."""
        inside = self.first <= k < self.first + len(self.values)
        return float(self.values[k - self.first]) if inside else 0.0

    def beyond(self, k: int) -> float:
        """Total weight after k."""
        return float(self.tail[np.clip(k + 1 - self.first, 0, len(self.values))])

    def rest(self, k: int, ratio: float) -> float:
        """At most sum_{j>0} w_{k+j} ratio^j."""
        if k < self.first:
            return math.inf
        past = k - self.first - len(self.values) + 1
        last = self.at(k) if past <= 0 else float(self.values[-1]) * (self.mean / k) ** past
        quotient = self.mean * ratio / (k + 1)
        return last * quotient / (1 - quotient) if quotient < 1 else math.inf


def _scaled_products(ratios: Vector) -> Vector:
    """SCALE times the cumulative products, as far as they stay normal numbers."""
    products: Vector = np.cumprod(np.concatenate([[SCALE], ratios]))[1:]
    return products[products > 1e-307]
