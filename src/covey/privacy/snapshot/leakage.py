"""Leakage: how far one snapshot can shift the odds on any robot's type.

    L(D) = max over neighbours D' and observations y of |ln P(y|D) − ln P(y|D')|

It is infinite where some y is possible under one team and not under the other, however improbable:
that is read off what can be reached (`Distribution.support`), not off probabilities. Smoothing by ν
replaces every probability by p + ν, on the observations that are possible under either team; it
only ever makes leakage look smaller. Probabilities come with bounds (`Distribution`), and so does
the leakage: `interval` holds the true value.

L(D) speaks of the team D alone, of one snapshot, and of one robot. It does not add up over several
snapshots of one mission, and k·L(D) does not bound what k robots give away together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.limits import Limits
from covey.dynamics.validation import Progress
from covey.model.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.team import Arrival, Neighbour, age_of
from covey.numbers import SPACING, Bools, Floats
from covey.privacy.headline import DELTA, Headline, OverTime
from covey.privacy.snapshot.channel import Reporting, seen_through
from covey.privacy.snapshot.divergences import aligned, impossible
from covey.privacy.snapshot.output_distributions import TeamDistributions, team_distributions
from covey.privacy.snapshot.profile import Profile, profile_of
from covey.showing import Showing


@dataclass(frozen=True)
class Comparison:
    """How far two laws are apart, at the observation that shows most.

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


@dataclass(frozen=True)
class PairLeakage(Comparison):
    """The leakage against one neighbour.

    Attributes:
        neighbour: The neighbour.
    """

    neighbour: Neighbour


Compared = TypeVar("Compared", bound=Comparison)


def _severity(pair: Comparison) -> tuple[float, tuple[float, ...]]:
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
        return max(self.pairs, key=_severity)

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


@dataclass(frozen=True)
class Leakage(Showing, WorstOf[PairLeakage]):
    """The leakage of a team at one moment.

    Attributes:
        at: The moment: a time, or "steady".
        smoothing: ν, which was added to every probability.
        pairs: The leakage against every neighbour in turn.
        method: How the laws were computed.
        why: And why not in another way.
        states: How many states were computed for one law, at most.
        lost_mass: The probability that was left out of one law, at most.
        laws: What it was computed from.
    """

    at: Moment
    smoothing: float
    pairs: tuple[PairLeakage, ...]
    method: str
    why: str
    states: int | None  # of the largest Markov chain or lattice, where they were counted
    lost_mass: float
    laws: TeamDistributions = field(repr=False, compare=False)

    @property
    def protected(self) -> str:
        """Whose type: "team", a robot of the start, or "arriving", one that arrives later."""
        return "team" if self.age is None else "arriving"

    @property
    def age(self) -> float | None:
        """How long ago a robot arrived, where it is given away most; None for one of the start."""
        return age_of(self.neighbour)

    @property
    def neighbour(self) -> Neighbour:
        """The alternative team that differs most."""
        return self.worst.neighbour

    @property
    def exposed(self) -> dict[str, float]:
        """For each type, the most that is given away about one of its robots."""
        found: dict[str, float] = {}
        for pair in self.pairs:
            name = pair.neighbour.from_type
            found[name] = max(found.get(name, 0.0), pair.value)
        return found

    @cached_property
    def profile(self) -> Profile:
        """All that the same snapshot tells besides: (ε, δ), total variation, divergences."""
        return profile_of(self.laws)

    def headline(self, delta: float = DELTA, over_time: OverTime | None = None) -> Headline:
        """What to say first.

        Args:
            delta: The probability at which ε is given.
            over_time: How often an observer is right after more snapshots, where that is known.
        """
        return Headline(self, delta, over_time)

    def __str__(self) -> str:
        return str(self.headline())


def leakage(
    scenario: Scenario,
    at: Moment | None = None,
    *,
    smoothing: float | None = None,
    seen: Reporting | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Leakage:
    """How far one snapshot can shift the odds on any robot's type.

    Args:
        scenario: The team, its network, and what is seen of it.
        at: A time, or "steady"; by default when the adversary looks.
        smoothing: The paper's ν, added to every probability; by default the adversary's.
        seen: What is reported of what is there: the probability that a robot is seen, or a table,
            as `seen_through` takes them; by default all.
        limits: How to compute: which method, on how many states, to which tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    (laws,) = team_distributions(scenario, None if at is None else [at], limits, progress=progress)
    laws = laws if seen is None else seen_through(laws, seen)
    return leakage_of(laws, scenario.adversary.smoothing if smoothing is None else smoothing)


def leakage_of(laws: TeamDistributions, smoothing: float = 0.0) -> Leakage:
    """The leakage of a team whose laws are known.

    Args:
        laws: The laws of the team and of its neighbours, as `team_distributions` has them.
        smoothing: The paper's ν, added to every probability.
    """
    by = laws.computed
    known: dict[tuple[int, int], Comparison] = {}  # neighbours that are alike share their laws
    for _, ours, law in laws.pairs:
        if (id(ours), id(law)) not in known:
            known[id(ours), id(law)] = compare_laws(ours, law, smoothing)
    pairs = [_against(other, known[id(ours), id(law)]) for other, ours, law in laws.pairs]
    return Leakage(
        laws.at,
        smoothing,
        _over_ages(pairs, laws),
        by.method,
        by.why,
        by.states,
        by.lost_mass,
        laws,
    )


def _over_ages(pairs: list[PairLeakage], laws: TeamDistributions) -> tuple[PairLeakage, ...]:
    """For every two types the age at which most is given away, of those that were looked at.

    In between nothing bounds the ratio of two probabilities.
    """
    if not laws.others:
        return tuple(pairs)
    found: dict[tuple[str, str], list[PairLeakage]] = {}
    for pair in pairs:
        found.setdefault((pair.neighbour.from_type, pair.neighbour.to_type), []).append(pair)
    worst = [(max(each, key=_severity), each) for each in found.values()]
    return tuple(
        replace(pair, interval=(max(p.interval[0] for p in each), math.inf))
        if isinstance(pair.neighbour, Arrival)
        else pair
        for pair, each in worst
    )


def compare(
    law: Distribution, other: Distribution, neighbour: Neighbour, smoothing: float = 0.0
) -> PairLeakage:
    """The leakage between the laws of a team and of its neighbour."""
    return _against(neighbour, compare_laws(law, other, smoothing))


def _against(neighbour: Neighbour, found: Comparison) -> PairLeakage:
    return PairLeakage(
        found.value, found.interval, found.observation, found.log_probability, neighbour
    )


def compare_laws(law: Distribution, other: Distribution, smoothing: float = 0.0) -> Comparison:
    """The leakage between two laws of the same observations."""
    outcomes, ours, theirs = aligned(law, other)
    if len(outcomes) == 1 and law.lost_mass == other.lost_mass == 0.0:  # of both, for certain
        seen = dict(zip(law.names, outcomes[0].tolist(), strict=True))
        return Comparison(0.0, (0.0, 0.0), seen, (0.0, 0.0))
    never, never_other = impossible(law, other)
    bound, bound_other = _Bounds(law, smoothing), _Bounds(other, smoothing)
    low, high = bound.of(ours, never)
    low_other, high_other = bound_other.of(theirs, never_other)
    # What each observation shows at least and at most, whichever team it speaks for.
    least = np.maximum(np.maximum(_minus(low, high_other), _minus(low_other, high)), 0.0)
    least *= 1 - SPACING
    if not smoothing:
        least[never | never_other] = np.inf  # what the one never shows is possible for the other
    most = np.maximum(_minus(high, low_other), _minus(high_other, low)) * (1 + SPACING)
    shown = np.abs(_minus(bound.smooth(ours), bound_other.smooth(theirs)))
    complete = law.lost_mass == other.lost_mass == 0.0
    ranked = shown if complete else least
    most_ours, most_theirs = bound.at_most(ours, never), bound_other.at_most(theirs, never_other)
    worst = _telling(ranked, most_ours, most_theirs)
    value = float(ranked[worst])
    upper = max(float(most.max()), bound.unlisted, bound_other.unlisted)
    return Comparison(
        value,
        (min(float(least.max()), value), max(upper, value)),
        dict(zip(law.names, outcomes[worst].tolist(), strict=True)),
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
    law = ours if (ours[settling] > -np.inf).any() else theirs
    return int(settling[np.argmax(law[settling])])


class _Bounds:
    """Between which logarithms the smoothed probability of an outcome certainly lies.

    The roundings of finding them are counted: of ln ν and ln lost, of one sum of logarithms or two,
    each at most a rounding of the largest number that takes part, and a few.
    """

    def __init__(self, law: Distribution, smoothing: float) -> None:
        self.error, self.support_known = law.log_error, law.support_known
        self.log_lost = math.log(law.lost_mass) if law.lost_mass > 0 else -math.inf
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
