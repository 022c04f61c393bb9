"""How far two distributions of the same observations are apart: the largest |ln P(y) − ln Q(y)|.

Probabilities come with bounds (`Distribution`), and so does what is made of them: of every
observation, what it shows at least and at most, whichever of the two it speaks for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.model.team import Team, age_of
from covey.numbers import SPACING, Bools, Floats
from covey.privacy.hypotheses import Relation
from covey.privacy.snapshot.divergences import aligned, impossible
from covey.privacy.snapshot.output_distributions import TeamDistributions


@dataclass(frozen=True)
class Comparison:
    """How far two distributions are apart, at the observation that shows most.

    Attributes:
        value: The shift; where probability mass was left out (a projection), the largest that is
            proved.
        interval: Bounds on it; where mass was left out the upper one may be infinite.
        observation: What has to be seen.
        log_probability: Of that observation, under the team and under the other; where it is
            possible but too improbable to be computed, the most that it can be.
    """

    value: float
    interval: tuple[float, float]
    observation: dict[str, int]
    log_probability: tuple[float, float]

    @property
    def probability(self) -> tuple[float, float]:
        """Of the observation, under the team and under the other."""
        return math.exp(self.log_probability[0]), math.exp(self.log_probability[1])

    @property
    def speaks_for(self) -> str:
        """Which of the two the observation makes more likely: "team" or "neighbour"."""
        return "team" if self.log_probability[0] >= self.log_probability[1] else "neighbour"


Compared = TypeVar("Compared", bound=Comparison)


def severity(pair: Comparison) -> tuple[float, tuple[float, ...]]:
    """By which pairs are ordered: where a type can be settled, by how often the team shows it."""
    return pair.value, pair.log_probability if math.isinf(pair.value) else ()


class WorstOf(Generic[Compared]):
    """The leakage over several comparisons is that of the worst of them."""

    pairs: tuple[Compared, ...]

    @property
    def worst(self) -> Compared:
        """The pair that gives away most.

        Of several that can be settled, the one that the team itself shows most often.
        """
        return max(self.pairs, key=severity)

    @property
    def value(self) -> float:
        """The leakage; may be infinite."""
        return self.worst.value

    @property
    def interval(self) -> tuple[float, float]:
        """Bounds that the true leakage certainly keeps."""
        lower = max(pair.interval[0] for pair in self.pairs)
        return lower, max(pair.interval[1] for pair in self.pairs)

    @property
    def observation(self) -> dict[str, int]:
        """What has to be seen for it."""
        return self.worst.observation

    @property
    def probability(self) -> tuple[float, float]:
        """Of that observation, under the team and under the other."""
        return self.worst.probability


class OfTeams:
    """Whom a result is about where it is that of the worst pair: of which team, and which robot."""

    distributions: TeamDistributions

    @property
    def worst(self) -> Any:
        """The pair that tells most: its `team`, and the `neighbour` that it is compared with."""
        raise NotImplementedError

    @property
    def protected(self) -> str:
        """Whose type: "team", a robot of the start, or "arriving", one that arrives later."""
        return "team" if self.age is None else "arriving"

    @property
    def age(self) -> float | None:
        """How long ago a robot arrived, where it is told best; None for one of the start."""
        return age_of(self.worst.neighbour)

    @property
    def team(self) -> Team:
        """The team that gives away most: the scenario's, or one of its set."""
        return cast(Team, self.worst.team)

    @property
    def relation(self) -> Relation:
        """Which scenarios are compared."""
        return self.distributions.relation


def compare_distributions(
    distribution: Distribution, other: Distribution, smoothing: float = 0.0
) -> Comparison:
    """The leakage between two distributions of the same observations."""
    outcomes, ours, theirs = aligned(distribution, other)
    if len(outcomes) == 1 and distribution.truncated_mass == other.truncated_mass == 0.0:
        # of both, for certain
        seen = dict(zip(distribution.names, outcomes[0].tolist(), strict=True))
        return Comparison(0.0, (0.0, 0.0), seen, (0.0, 0.0))
    never, never_other = impossible(distribution, other)
    bound, bound_other = _Bounds(distribution, smoothing), _Bounds(other, smoothing)
    low, high = bound.of(ours, never)
    low_other, high_other = bound_other.of(theirs, never_other)
    # What each observation shows at least and at most, whichever team it speaks for.
    least = np.maximum(np.maximum(_minus(low, high_other), _minus(low_other, high)), 0.0)
    least *= 1 - SPACING
    if not smoothing:
        least[never | never_other] = np.inf  # what the one never shows is possible for the other
    most = np.maximum(_minus(high, low_other), _minus(high_other, low)) * (1 + SPACING)
    shown = np.abs(_minus(bound.smooth(ours), bound_other.smooth(theirs)))
    complete = distribution.truncated_mass == other.truncated_mass == 0.0
    ranked = shown if complete else least
    most_ours, most_theirs = bound.at_most(ours, never), bound_other.at_most(theirs, never_other)
    worst = _telling(ranked, most_ours, most_theirs)
    value = float(ranked[worst])
    upper = max(float(most.max()), bound.unlisted, bound_other.unlisted)
    return Comparison(
        value,
        (min(float(least.max()), value), max(upper, value)),
        dict(zip(distribution.names, outcomes[worst].tolist(), strict=True)),
        (float(most_ours[worst]), float(most_theirs[worst])),
    )


def _telling(ranked: Floats, ours: Floats, theirs: Floats) -> int:
    """The observation that shows most.

    Where several settle it, the most probable one: of those that the team itself can show, if any.
    """
    worst = int(np.argmax(ranked))
    if ranked[worst] < np.inf:
        return worst
    settling = np.flatnonzero(np.isposinf(ranked))
    distribution = ours if (ours[settling] > -np.inf).any() else theirs
    return int(settling[np.argmax(distribution[settling])])


class _Bounds:
    """Between which logarithms the smoothed probability of an outcome certainly lies.

    The roundings of finding them are counted: of ln ν and ln lost, of one sum of logarithms or two,
    each at most a rounding of the largest number that takes part, and a few.
    """

    def __init__(self, distribution: Distribution, smoothing: float) -> None:
        self.error, self.support_known = distribution.log_error, distribution.support_known
        self.log_lost = (
            math.log(distribution.truncated_mass) if distribution.truncated_mass > 0 else -math.inf
        )
        self.log_smoothing = math.log(smoothing) if smoothing > 0 else -math.inf
        added = [abs(log) for log in (self.log_lost, self.log_smoothing) if log > -math.inf]
        self.rounding = SPACING * (2 * sum(added) + 8)

    def smooth(self, logs: Floats) -> Floats:
        """Every p as p + ν."""
        return np.logaddexp(logs, self.log_smoothing)

    def of(self, logs: Floats, never: Bools) -> tuple[Floats, Floats]:
        """The least and the most that each smoothed probability can be; ν where never seen."""
        size = np.abs(np.where(np.isneginf(logs), 0.0, logs))
        slack = self.rounding + 2 * SPACING * (size + self.error)
        low = self.smooth(logs - self.error) - slack
        lost = np.where(never, -np.inf, self.log_lost)
        return low, self.smooth(np.logaddexp(logs + self.error, lost)) + slack

    def at_most(self, logs: Floats, never: Bools) -> Floats:
        """Every ln p; of what is possible and lost, the most that it can be."""
        if not self.support_known:
            return logs
        return np.where(np.isneginf(logs) & ~never, self.log_lost, logs)

    @property
    def unlisted(self) -> float:
        """The most that an outcome outside both lists can show: only lost mass can be there."""
        if self.support_known:
            return 0.0
        most = float(np.logaddexp(self.log_lost, self.log_smoothing)) - self.log_smoothing
        return most + self.rounding


def _minus(a: Floats, b: Floats) -> Floats:
    """A difference of logarithms, where impossible minus impossible is nothing."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(a) & np.isneginf(b), 0.0, a - b)
