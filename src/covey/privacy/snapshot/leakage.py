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
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

from covey.dynamics.limits import Limits
from covey.dynamics.validation import Progress
from covey.model.hypothesis import Hypothesis
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.secret import TeamSet
from covey.model.team import Arrival, Neighbour, Team
from covey.privacy.cases import told_by_totals
from covey.privacy.headline import (
    DELTA,
    Level,
    OverTime,
    Sentence,
    comparison_sentence,
    later_sentence,
    level,
    snapshot_sentence,
    spoken,
    verdict_sentence,
    worst_sentence,
)
from covey.privacy.hypotheses import TOTALS, about
from covey.privacy.snapshot.channel import Reporting, seen_through
from covey.privacy.snapshot.comparison import (
    Comparison,
    OfTeams,
    WorstOf,
    compare_distributions,
    severity,
)
from covey.privacy.snapshot.output_distributions import TeamDistributions, team_distributions
from covey.privacy.snapshot.profile import Profile, profile_of
from covey.showing import Showing
from covey.tabular import Tabular, columns_of
from covey.words import shown

_CERTAIN = 1 - 1e-9


@dataclass(frozen=True)
class PairLeakage(Comparison):
    """The leakage against one hypothesis.

    Attributes:
        neighbour: The hypothesis.
        team: The team that it is compared with.
    """

    neighbour: Hypothesis
    team: Team


@dataclass(frozen=True)
class Leakage(Showing, Tabular, WorstOf[PairLeakage], OfTeams):
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

    #: Where its formulas are, and what proves them.
    proof: ClassVar[str] = "docs/theory/snapshot.md#leakage"

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
    def neighbour(self) -> Hypothesis:
        """The hypothesis that differs most."""
        return self.worst.neighbour

    @cached_property
    def told_by_totals(self) -> bool:
        """Whether the worst hypothesis is told by totals that never change, and differ.

        So it is where a robot is not there and every robot is counted. Not asked of neighbours.
        """
        if isinstance(self.neighbour, Neighbour) or not math.isinf(self.value):
            return False
        place = [(pair.team, pair.neighbour) for pair in self.profile.pairs].index(
            (self.team, self.neighbour)
        )
        if self.profile.pairs[place].delta(math.inf) < _CERTAIN:  # what is seen is not all counted
            return False
        scenario = self.distributions.scenario.with_(team=self.team, warn=False)
        return told_by_totals(scenario, self.neighbour)

    @property
    def exposed(self) -> dict[str, float]:
        """For each type, the most that is given away about one of its robots."""
        found: dict[str, float] = {}
        for pair in self.pairs:
            for name in about(pair.neighbour, self.relation):
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
    def level(self) -> Level:
        """The verdict in a word, by how often an observer of all snapshots is right."""
        if self.over_time is not None and self.over_time.bayes_success:
            return level(self.over_time.bayes_success[-1][1])
        return level(self.leakage.profile.bayes_success)

    @property
    def _nothing(self) -> bool:
        """Whether many snapshots tell nothing, of any neighbour."""
        more = self.over_time
        return more is not None and bool(more.bayes_success) and more.bayes_success[-1][1] == 0.5

    @property
    def verdict(self) -> Sentence:
        """The verdict in one line."""
        pair = self.leakage.profile.worst
        high = self.leakage.profile.total_variation_interval[1]
        return verdict_sentence(pair.neighbour.told, high, self.over_time)

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """All of it, the most telling first; what could not be told last."""
        leak, more = self.leakage, self.over_time
        profile = leak.profile
        many = "" if more is None or self._nothing else more.neighbour
        first = (
            self.verdict,
            comparison_sentence(str(profile.worst.neighbour), profile.whom, many),
            snapshot_sentence(profile.snapshot, profile.total_variation_interval[1]),
        )
        _, epsilon = profile.sentences(self.delta)
        worst = worst_sentence(
            leak.worst,
            leak.interval,
            str(leak.neighbour),
            leak.smoothing,
            leak.neighbour.whose,
            leak.relation.whom(leak.team),
        )
        if leak.told_by_totals:
            worst = (*worst, f" {TOTALS}")
        if more is None:
            return *first, epsilon, worst
        later = later_sentence(more)
        return (*first, epsilon, worst, later) if more.why else (*first, later, epsilon, worst)

    def __str__(self) -> str:
        return " ".join(spoken(sentence) for sentence in self.sentences)


def leakage(
    scenario: Scenario,
    at: Moment | None = None,
    *,
    smoothing: float | None = None,
    seen: Reporting | None = None,
    against: Sequence[Mapping[str, Any]] | None = None,
    teams: TeamSet | Mapping[str, object] | str | None = None,
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
        against: Other values that the scenario could have, each by dotted names, as
            [{"rates.meet": 0.1}]: what it is compared with, instead of its secret.
        teams: A public set of teams, {"A": (5, 7), "B": (3, 5)}: the worst over all pairs in it.
        limits: How to compute: which method, on how many states, to which tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    scenario = scenario.keeping(against, teams)
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
    pairs = []
    for part in distributions.every:
        for other, theirs in part.neighbours:
            both = id(part.team), id(theirs)
            if both not in known:
                known[both] = compare_distributions(part.team, theirs, smoothing)
            pairs.append(_against(other, part.scenario.team, known[both]))
    return Leakage(
        distributions.at,
        smoothing,
        _over_ages(pairs),
        by.method,
        by.why,
        by.states,
        by.truncated_mass,
        distributions,
    )


def _over_ages(pairs: list[PairLeakage]) -> tuple[PairLeakage, ...]:
    """For every two hypotheses the age at which most is given away, of those looked at.

    In between nothing bounds the ratio of two probabilities.
    """
    found: dict[Hashable, list[PairLeakage]] = {}
    for pair in pairs:
        found.setdefault((pair.team, pair.neighbour.key), []).append(pair)
    worst = [(max(each, key=severity), each) for each in found.values()]
    return tuple(
        replace(pair, interval=(max(p.interval[0] for p in each), math.inf))
        if isinstance(pair.neighbour, Arrival)
        else pair
        for pair, each in worst
    )


def _against(neighbour: Hypothesis, team: Team, found: Comparison) -> PairLeakage:
    return PairLeakage(
        found.value, found.interval, found.observation, found.log_probability, neighbour, team
    )
