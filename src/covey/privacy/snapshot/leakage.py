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
from typing import Any

from covey.dynamics.distribution import Distribution
from covey.dynamics.limits import Limits
from covey.dynamics.validation import Progress
from covey.model.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.team import Arrival, Neighbour, age_of
from covey.privacy.headline import DELTA, OverTime, Sentence, later_sentence, spoken, worst_sentence
from covey.privacy.snapshot.channel import Reporting, seen_through
from covey.privacy.snapshot.comparison import (
    Comparison,
    WorstOf,
    compare_distributions,
    severity,
)
from covey.privacy.snapshot.output_distributions import TeamDistributions, team_distributions
from covey.privacy.snapshot.profile import Profile, profile_of
from covey.showing import Showing
from covey.tabular import Tabular, columns_of
from covey.words import shown


@dataclass(frozen=True)
class PairLeakage(Comparison):
    """The leakage against one neighbour.

    Attributes:
        neighbour: The neighbour.
    """

    neighbour: Neighbour


@dataclass(frozen=True)
class Leakage(Showing, Tabular, WorstOf[PairLeakage]):
    """The leakage of a team at one moment.

    Attributes:
        at: The moment: a time, or "steady".
        smoothing: ν, which was added to every probability.
        pairs: The leakage against every neighbour in turn.
        method: How the distributions were computed.
        why: And why not in another way.
        states: How many states were computed for one distribution, at most.
        truncated_mass: The probability that was left out of one distribution, at most.
        distributions: What it was computed from.
    """

    at: Moment
    smoothing: float
    pairs: tuple[PairLeakage, ...]
    method: str
    why: str
    states: int | None  # of the largest Markov chain or lattice, where they were counted
    truncated_mass: float
    distributions: TeamDistributions = field(repr=False, compare=False)

    @property
    def table_columns(self) -> dict[str, list[Any]]:
        """A row for each pair that is compared."""
        return columns_of(
            {
                "against": str(pair.neighbour),
                "leakage": pair.value,
                "lower": pair.interval[0],
                "upper": pair.interval[1],
                "observation": shown(pair.observation),
            }
            for pair in self.pairs
        )

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
        return profile_of(self.distributions)

    def headline(self, delta: float = DELTA, over_time: OverTime | None = None) -> Headline:
        """What to say first.

        Args:
            delta: The probability at which ε is given.
            over_time: How often an observer is right after more snapshots, or why that is not
                known; `covey.headline` finds it.
        """
        return Headline(self, delta, over_time)

    def __str__(self) -> str:
        return str(self.headline())


@dataclass(frozen=True)
class Headline:
    """What to say first of a team.

    Attributes:
        leakage: What one snapshot gives away.
        delta: The δ at which ε is given.
        over_time: How often an observer is right after more snapshots; None where nobody asked.
    """

    leakage: Leakage
    delta: float = DELTA
    over_time: OverTime | None = None

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """All of it, the most telling first; what could not be told last."""
        leak, more = self.leakage, self.over_time
        guess, epsilon = leak.profile.sentences(self.delta)
        worst = worst_sentence(leak.worst, leak.interval, str(leak.neighbour), leak.smoothing)
        if more is None:
            return guess, epsilon, worst
        later = later_sentence(more)
        return (guess, epsilon, worst, later) if more.why else (guess, later, epsilon, worst)

    def __str__(self) -> str:
        return " ".join(spoken(sentence) for sentence in self.sentences)


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
    (distributions,) = team_distributions(
        scenario, None if at is None else [at], limits, progress=progress
    )
    distributions = seen_through(distributions, seen)
    return leakage_of(
        distributions, scenario.adversary.smoothing if smoothing is None else smoothing
    )


def leakage_of(distributions: TeamDistributions, smoothing: float = 0.0) -> Leakage:
    """The leakage of a team whose distributions are known.

    Args:
        distributions: The distributions of the team and of its neighbours, as `team_distributions`
            has them.
        smoothing: The paper's ν, added to every probability.
    """
    by = distributions.computed
    known: dict[tuple[int, int], Comparison] = {}  # alike neighbours share their distributions
    for _, ours, distribution in distributions.pairs:
        if (id(ours), id(distribution)) not in known:
            known[id(ours), id(distribution)] = compare_distributions(ours, distribution, smoothing)
    pairs = [
        _against(other, known[id(ours), id(distribution)])
        for other, ours, distribution in distributions.pairs
    ]
    return Leakage(
        distributions.at,
        smoothing,
        _over_ages(pairs, distributions),
        by.method,
        by.why,
        by.states,
        by.truncated_mass,
        distributions,
    )


def _over_ages(
    pairs: list[PairLeakage], distributions: TeamDistributions
) -> tuple[PairLeakage, ...]:
    """For every two types the age at which most is given away, of those that were looked at.

    In between nothing bounds the ratio of two probabilities.
    """
    if not distributions.others:
        return tuple(pairs)
    found: dict[tuple[str, str], list[PairLeakage]] = {}
    for pair in pairs:
        found.setdefault((pair.neighbour.from_type, pair.neighbour.to_type), []).append(pair)
    worst = [(max(each, key=severity), each) for each in found.values()]
    return tuple(
        replace(pair, interval=(max(p.interval[0] for p in each), math.inf))
        if isinstance(pair.neighbour, Arrival)
        else pair
        for pair, each in worst
    )


def compare(
    distribution: Distribution, other: Distribution, neighbour: Neighbour, smoothing: float = 0.0
) -> PairLeakage:
    """The leakage between the distributions of a team and of its neighbour."""
    return _against(neighbour, compare_distributions(distribution, other, smoothing))


def _against(neighbour: Neighbour, found: Comparison) -> PairLeakage:
    return PairLeakage(
        found.value, found.interval, found.observation, found.log_probability, neighbour
    )
