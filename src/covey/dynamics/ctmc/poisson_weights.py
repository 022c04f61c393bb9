"""Poisson weights w_k(m) = e^-m m^k / k!, every one with relative accuracy [1].

They are computed from the mode outwards and brought to a sum of one, so that nothing overflows,
however large the mean.

[1] Fox, Glynn, Computing Poisson probabilities, Commun. ACM 31 (1988).
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from covey.numbers import Floats

SCALE = 2.0**400  # weights are kept this much larger, so that their tails survive

_LONGEST = 1e9  # beyond this mean the weights are not listed


class PoissonWeights:
    """Poisson weights of one mean, SCALE times as large; listed when they are first needed."""

    def __init__(self, mean: float) -> None:
        self.mean = mean
        self._width = int(46 * math.sqrt(mean)) + 500
        self._earliest = max(int(mean) - self._width, 0)

    @cached_property
    def _listed(self) -> tuple[int, Floats]:
        """The first k that is listed, and the weights from there on, up to a common factor."""
        if self.mean > _LONGEST:  # never reached step by step; closed at once or refused
            return int(self.mean), np.array([SCALE])
        mode = int(self.mean)
        with np.errstate(under="ignore"):
            up = _scaled_products(self.mean / np.arange(mode + 1, mode + self._width))
            down = _scaled_products(np.arange(mode, self._earliest, -1) / max(self.mean, 1.0))
        return mode - len(down), np.concatenate([down[::-1], [SCALE], up])

    @property
    def first(self) -> int:
        """The first k that is listed."""
        return self._listed[0]

    def begins_by(self, k: int) -> bool:
        """Whether some weight up to k is listed."""
        return self._earliest <= k and self.first <= k

    @cached_property
    def values(self) -> Floats:
        """The weights from `first` on."""
        listed = self._listed[1]
        return listed * (SCALE / float(listed.sum()))

    @cached_property
    def _tail(self) -> Floats:
        """The total weight from each place on, not enlarged."""
        return np.append(np.cumsum(self.values[::-1])[::-1] / SCALE, 0.0)

    @cached_property
    def dropped(self) -> float:
        """All weights that are not listed (they fall faster than geometrically)."""
        if self.mean > _LONGEST:
            return 0.0
        end = self.first + len(self.values)
        lost = float(self.values[-1]) * self.mean / (end - self.mean)
        if self.first > 0:
            lost += float(self.values[0]) * self.first / (self.mean - self.first)
        return lost

    def at(self, k: int) -> float:
        """The weight of k."""
        inside = self.first <= k < self.first + len(self.values)
        return float(self.values[k - self.first]) if inside else 0.0

    def beyond(self, k: int) -> float:
        """Total weight after k."""
        return float(self._tail[min(max(k + 1 - self.first, 0), len(self.values))])

    def rest(self, k: int, ratio: float) -> float:
        """At most sum_{j>0} w_{k+j} ratio^j."""
        if k < self.first:
            return math.inf
        past = k - self.first - len(self.values) + 1
        last = self.at(k) if past <= 0 else float(self.values[-1]) * (self.mean / k) ** past
        quotient = self.mean * ratio / (k + 1)
        return last * quotient / (1 - quotient) if quotient < 1 else math.inf


class PoissonRange:
    """The weights of a range that leaves out no more than a tail at either end; not enlarged."""

    def __init__(self, mean: float, tail: float) -> None:
        self.mean = mean
        weights = PoissonWeights(mean)
        values = weights.values / SCALE
        low = int(np.searchsorted(np.cumsum(values), tail, side="right"))
        high = len(values) - 1 - int(np.searchsorted(np.cumsum(values[::-1]), tail, side="right"))
        self.first, self.last = weights.first + low, weights.first + high
        self.values = values[low : high + 1]
        self._tails = np.append(np.cumsum(self.values[::-1])[::-1], 0.0)
        # Of the weights, from the mode outwards, of adding them up, and of the mean.
        self.roundings = 4 * len(values) + 2 * mean + 8

    def at(self, k: int) -> Floats:
        """The weight of the k-th term, 0 before the range: (1,)."""
        return self.values[k - self.first : k - self.first + 1] if k >= self.first else np.zeros(1)

    def between(self, k: int, end: int) -> Floats:
        """The weights from the k-th term up to, and without, another: (terms,)."""
        listed = np.zeros(end - k)
        first, last = max(k, self.first), min(end, self.last + 1)
        if first < last:
            listed[first - k : last - k] = self.values[first - self.first : last - self.first]
        return listed

    def beyond(self, k: int) -> float:
        """The weight of all terms after the k-th."""
        return float(self._tails[max(k + 1 - self.first, 0)])


def term_count(mean: float) -> float:
    """After how many terms Poisson weights are over for all purposes."""
    return mean + 9 * math.sqrt(mean) + 40


def _scaled_products(ratios: Floats) -> Floats:
    """SCALE times the cumulative products, as far as they stay normal numbers."""
    products: Floats = np.cumprod(np.concatenate([[SCALE], ratios]))[1:]
    return products[products > 1e-307]
