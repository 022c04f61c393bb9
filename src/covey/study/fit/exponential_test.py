"""Whether the events of a Poisson process in expected time come as they should.

Of n events at s_1 < … < s_n in [0, E], E being what was expected, three things may be wrong:

    rate    n itself: Poisson with mean E, both tails
    drift   given n, the s_i / E are n sorted uniform numbers: Kolmogorov and Smirnov's exact test
    shape   given n, the gaps are those of uniform numbers. Each over E / n, they are held against
            the exponential distribution, D = sup |F_n − F|

As E / n is found in the same log, D is less than Kolmogorov's (Lilliefors [1]): its distribution,
which depends on n alone, is simulated, for large n at n = 1000 after Stephens's scaling
(D − 0.2/n)(√n + 0.26 + 0.5/√n) [2].

The last two do not depend on the rate. All are exact for a given E, and to first order where E is
what a given time brought (as in `fit`).

[1] Lilliefors, On the Kolmogorov–Smirnov test for the exponential distribution with mean unknown,
    J. Amer. Statist. Assoc. 64 (1969).
[2] Stephens, EDF statistics for goodness of fit, J. Amer. Statist. Assoc. 69 (1974).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from covey.numbers import Floats

_SIMULATED = 4999
_LARGE = 1000
_CHUNK = 1000


def rate_chance(events: int, expected: float) -> float:
    """How odd so many events are, where so many are expected."""
    from scipy.special import gammainc, gammaincc  # noqa: PLC0415

    most = float(gammaincc(events + 1, expected))  # P(N ≤ n)
    least = float(gammainc(events, expected)) if events else 1.0  # P(N ≥ n)
    return min(1.0, 2 * min(most, least))


def drift_chance(places: Floats) -> float:
    """How odd it is for events to lie at these shares of what was expected."""
    from scipy.stats import kstwo  # noqa: PLC0415

    n = len(places)
    ranks = np.arange(n)
    off = max(float((places - ranks / n).max()), float(((ranks + 1) / n - places).max()))
    return float(kstwo.sf(off, n))


def shape_chance(gaps: Floats, expected: float) -> float:
    """How odd gaps are that add up to at most what was expected of all."""
    scaled = np.sort(gaps) * len(gaps) / expected
    found = float(_distance(scaled[None])[0])
    null = _null(min(len(gaps), _LARGE))
    return (1 + int((null >= found - 1e-12).sum())) / (1 + len(null))


def holm(chances: Sequence[float]) -> list[float]:
    """Holm's p-values: those of several tests, so that any wrong one comes at the level."""
    found, worst = [0.0] * len(chances), 0.0
    for rank, i in enumerate(sorted(range(len(chances)), key=lambda i: chances[i])):
        worst = max(worst, min(1.0, (len(chances) - rank) * chances[i]))
        found[i] = worst
    return found


def _distance(scaled: Floats) -> Floats:
    """Stephens's form of D, of sorted gaps in each row."""
    n = scaled.shape[1]
    shares = -np.expm1(-scaled)
    ranks = np.arange(n) / n
    off = np.maximum((shares - ranks).max(axis=1), (ranks + 1 / n - shares).max(axis=1))
    return np.asarray((off - 0.2 / n) * (math.sqrt(n) + 0.26 + 0.5 / math.sqrt(n)))


@cache
def _null(n: int) -> Floats:
    """The distances of gaps between n uniform numbers, the last gap left out."""
    random = np.random.default_rng(n)
    parts = []
    for first in range(0, _SIMULATED, _CHUNK):
        count = min(_CHUNK, _SIMULATED - first)
        raw = random.standard_exponential((count, n + 1))
        gaps = raw[:, :n] / raw.sum(axis=1, keepdims=True) * n
        parts.append(_distance(np.sort(gaps, axis=1)))
    return np.concatenate(parts)
