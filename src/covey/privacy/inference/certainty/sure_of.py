"""What posteriors along sampled paths say of one question, bounded.

`confidence` bounds means and shares of independent paths; the median is bounded by order
statistics. From when on the best guess is right as often as the level says is bounded by all
moments t that are not ruled out: at t the success is at least the level, and at the moment before
it is below. Two bounds are asked about the true moment, however many moments there are, so that
each fails with half of what the interval may.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from covey.dynamics.hmm.hidden_markov import Schedule
from covey.model.following import FollowedAs
from covey.model.hypothesis import Hypothesis
from covey.numbers import Floats
from covey.privacy.hypotheses import Star
from covey.privacy.prior import TEAM, name_of
from covey.privacy.stream.confidence import (
    Bounded,
    half_width,
    mean_between,
    share_between,
)
from covey.words import THIS_TEAM

_SHOWN = 3  # paths of every hypothesis in a picture


@dataclass(frozen=True, eq=False)
class SureOf:
    """What is believed of one question: the hypotheses that are told apart, all alike at first.

    Attributes:
        names: What the hypotheses are called, what is there first: types of a followed robot.
        among: The other robots, where one is followed; else empty.
        hypotheses: What it could be instead.
        bayes_success: How often the best guess is right after each number of snapshots shown.
        sure: How probably somebody has been sure by then.
        median: The time by which somebody is sure with probability ½; infinite where that is later
            than was looked at.
        reaches: The time from which on the best guess is right as often as the level says; infinite
            where that is later than was looked at.
        right: Of those who are sure, how many are right, as estimated; NaN where nobody is.
        success: How often the best guess is right after every snapshot: (snapshots,).
        paths: Some posteriors of every hypothesis along paths: (hypotheses, paths, hypotheses,
            snapshots), the first of which made the path.
    """

    names: tuple[str, ...]
    among: str
    hypotheses: tuple[Hypothesis, ...]
    bayes_success: tuple[Bounded, ...]
    sure: tuple[Bounded, ...]
    median: Bounded
    reaches: Bounded
    right: float
    success: Floats = field(repr=False)
    paths: Floats = field(repr=False)

    @property
    def question(self) -> str:
        """What has to be told apart, in a sentence."""
        if self.among:
            return f"{' or '.join(self.names)}, beside {self.among}"
        others = [f"the same with {one}" for one in self.hypotheses]
        return " or ".join([THIS_TEAM, *others])


def sure_of(star: Star, posterior: Floats, looks: Schedule, level: float, alpha: float) -> SureOf:
    """What posteriors along paths say.

    Args:
        star: The hypotheses that are told apart.
        posterior: Of the paths: (truths, paths, hypotheses, snapshots).
        looks: When there are snapshots.
        level: The probability from which on somebody is sure.
        alpha: The probability with which some bound may fail.
    """
    truths, paths, _, count = posterior.shape
    most = posterior.max(axis=2)  # (truths, paths, snapshots)
    sure = np.maximum.accumulate(most >= level, axis=2)
    first = np.where(sure[..., -1], sure.argmax(axis=2), count)  # count: never
    marks = [n - 1 for n in looks.marks]
    each = alpha / (2 * len(marks) + 2)
    # A path of every hypothesis makes one sample of the mean over all: those are independent.
    success = [mean_between(most[:, :, i].mean(axis=0), each) for i in marks]
    shares = [share_between(int(sure[..., i].sum()), truths * paths, each) for i in marks]
    then = np.minimum(first, count - 1)
    best = np.take_along_axis(posterior, then[:, :, None, None], axis=3)[..., 0].argmax(axis=2)
    right = (best == np.arange(truths)[:, None])[first < count]
    return SureOf(
        *_named(star),
        star.hypotheses,
        tuple(success),
        tuple(shares),
        _median(np.where(first < count, first * looks.every, np.inf).ravel(), each),
        _reaches(most.mean(axis=0), level, looks.every, each),
        float(right.mean()) if len(right) else math.nan,
        np.asarray(most.mean(axis=(0, 1))),
        posterior[:, :_SHOWN],
    )


def _reaches(samples: Floats, level: float, every: float, alpha: float) -> Bounded:
    """The first moment at which the mean is at least the level: of (samples, snapshots)."""
    mean = samples.mean(axis=0)
    widths = [half_width(float(v), len(samples), alpha) for v in samples.var(axis=0, ddof=1)]
    enough = np.append(mean + widths >= level, True)  # is it not ruled out? Last: not by the end
    before = np.append(True, mean - widths < level)
    times = np.append(np.arange(len(mean)) * every, math.inf)
    left = times[enough & before]
    found = times[np.append(mean >= level, True).argmax()]
    return Bounded(
        float(found), min(float(left[0]), float(found)), max(float(left[-1]), float(found))
    )


def _named(star: Star) -> tuple[tuple[str, ...], str]:
    """What the hypotheses are called, and among which others a followed robot is."""
    first = star.hypotheses[0]
    if isinstance(first, FollowedAs) and star.asked is not None:
        others = (one.to_type for one in star.hypotheses if isinstance(one, FollowedAs))
        return (first.from_type, *others), str(star.asked.team.without(first.from_type))
    return (TEAM, *map(name_of, star.hypotheses)), ""


def _median(times: Floats, alpha: float) -> Bounded:
    """The median, between two of the times that fail to hold it with probability at most alpha.

    Paths of several hypotheses are no sample of one distribution, but of each there are as many:
    how many are below the median of all is less spread than a binomial number (Hoeffding, 1956).
    """
    from scipy.special import bdtr  # noqa: PLC0415

    ordered, n = np.sort(times), len(times)
    below = bdtr(np.arange(n // 2), n, 0.5)  # of so many or fewer
    outside = int(np.searchsorted(below, alpha / 2, side="right"))  # that may be cut on each side
    if outside == 0:
        return Bounded(float(ordered[(n - 1) // 2]), 0.0, math.inf)
    return Bounded(
        float(ordered[(n - 1) // 2]), float(ordered[outside - 1]), float(ordered[n - outside])
    )
