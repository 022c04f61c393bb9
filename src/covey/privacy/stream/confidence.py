"""What a mean of samples proves of the true mean, with nothing assumed of their distribution.

For n independent samples in [0, 1] with the sample variance V, the true mean is at most

    mean + √(2 V ln(2/α) / n) + 7 ln(2/α) / 3(n − 1)

with probability 1 − α at least: the empirical Bernstein bound [1]. From below it is the same, by
1 − x. Samples that hardly vary need few of them.

Of a share, which is a mean of zeros and ones, Clopper and Pearson's limits are exact [2].

[1] Maurer, Pontil, Empirical Bernstein bounds and sample variance penalization, COLT 2009, th. 4.
[2] Clopper, Pearson, The use of confidence or fiducial limits, Biometrika 26 (1934).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from covey.errors import InputError
from covey.numbers import Floats, Ints


class Bounded(NamedTuple):
    """A figure, and what it certainly, or with the confidence that is said, lies between.

    Attributes:
        value: The figure.
        lower: It is at least this.
        upper: It is at most this.
    """

    value: float
    lower: float
    upper: float

    def widened(self, by: float) -> Bounded:
        """The same with more room on both sides, but never beyond 0 and 1.

        Args:
            by: How much more.
        """
        return Bounded(self.value, max(self.lower - by, 0.0), min(self.upper + by, 1.0))

    def within(self, other: Bounded) -> Bounded:
        """The figure, and what both bounds of it leave.

        Args:
            other: Of the same figure; where it fails, its bound from below is what counts.
        """
        lower = max(self.lower, other.lower)
        upper = max(lower, min(self.upper, other.upper))
        return Bounded(min(max(self.value, lower), upper), lower, upper)


def mean_between(samples: Floats, alpha: float) -> Bounded:
    """The mean of samples in [0, 1], and bounds that fail with probability at most alpha."""
    mean = min(max(float(samples.mean()), 0.0), 1.0)
    width = half_width(float(samples.var(ddof=1)), len(samples), alpha)
    return Bounded(mean, max(mean - width, 0.0), min(mean + width, 1.0))


def half_width(variance: float, samples: int, alpha: float) -> float:
    """How far a mean of so many samples may be off, either way; fails with probability alpha."""
    log = math.log(4 / alpha)  # of each side: alpha / 2
    return math.sqrt(2 * variance * log / samples) + 7 * log / (3 * (samples - 1))


def samples_needed(variance: float, width: float, alpha: float) -> int:
    """How many samples of such a variance make the half width at most `width`."""
    log = math.log(4 / alpha)
    root = (
        math.sqrt(2 * variance * log) + math.sqrt(2 * variance * log + 28 / 3 * log * width)
    ) / (2 * width)  # of width n = √(2 V log) √n + 7/3 log
    return math.ceil(root**2) + 2


def check_confidence(confidence: float) -> float:
    """1 − confidence, where that is a probability."""
    if isinstance(confidence, bool) or not 0 < confidence < 1:
        raise InputError(
            f"the confidence is {confidence!r:.40}: a number between 0 and 1 is expected"
        )
    return 1 - confidence


def confidence_of_try(confidence: float, number: int) -> float:
    """That of one of several tries, counted from 1, of which all hold with the confidence together.

    Of the probability to fail the first may take half, the next a quarter, and so on: however many
    tries there are, and whatever made them end, they add up to no more.
    """
    return 1.0 - check_confidence(confidence) / 2.0**number


def share_between(hits: int, trials: int, alpha: float) -> Bounded:
    """A share of trials, and bounds that fail with probability at most alpha."""
    listed = np.array([hits])
    lower, upper = least_share(listed, trials, alpha / 2), most_share(listed, trials, alpha / 2)
    return Bounded(hits / trials, float(lower[0]), float(upper[0]))


def least_share(hits: Ints, trials: int, alpha: float) -> Floats:
    """The least that each share can be: the alpha-quantile of Beta(k, n − k + 1) for k hits."""
    from scipy.special import betaincinv  # noqa: PLC0415

    quantiles = betaincinv(np.maximum(hits, 1), trials - hits + 1, alpha)
    return np.where(hits > 0, quantiles, 0.0)


def most_share(hits: Ints, trials: int, alpha: float) -> Floats:
    """The most that each can be: the (1 − alpha)-quantile of Beta(k + 1, n − k)."""
    return 1 - least_share(trials - hits, trials, alpha)


def largest(figures: Sequence[Bounded]) -> Bounded:
    """The largest of several figures, with what is known of it."""
    return Bounded(*(max(column) for column in zip(*figures, strict=True)))
