"""The privacy profile: all that one snapshot can tell of two teams, not only the worst ratio.

For a team D and a neighbour D', with the distributions p and q of what is seen, the largest of
`divergences` in both directions and over all neighbours:

    delta(ε)     the least δ with P(S|D) ≤ e^ε P(S|D') + δ for every event S, and the reverse;
                 decreasing, 0 from the leakage on. It says something even where the leakage is
                 infinite. Differential privacy would ask it of every two adjacent teams
    epsilon(δ)   its exact inverse
    renyi(α)     Rényi divergence, α = 1 being KL and α = ∞ the leakage
    type_two(a)  the least type II error of a test whose type I error is at most a

**Bounds.** Where a distribution has lost mass, everything here is from the adversary's best side.
The true pair (p, q) comes from the pair that has two more outcomes, one of probability lost(p)
under p and 0 under q, one the other way round, by telling what happened there; and telling less
never separates better [1]. So delta, epsilon, total variation and Rényi divergences are upper
bounds, error rates lower bounds. Where p has lost mass, epsilon(δ) for δ < lost and every Rényi
divergence of order ≥ 1 is infinite: nothing rules it out. It is certainly so, and the intervals say
so, where the outcomes that q makes impossible have more than δ under p (`Distribution.support`).

Apart from that, ln p and ln q are known up to `log_error` each. The `*_interval`s hold the true
value with this counted: δ(ε) of the true distributions is at most e^a δ(ε − a − b) + lost(p), a and
b being the two errors, and at least e^−a δ(ε + a + b) − e^ε lost(q).

Where a robot that arrives is protected (`arriving`), δ and ε are the largest over all ages that
were looked at; the intervals hold for every age, whatever happens in between.

All of this is about this team, at these rates: none of it is a guarantee for another team.

[1] Dong, Roth, Su, Gaussian differential privacy, J. R. Stat. Soc. B 84 (2022), theorem 2.10.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from covey.dynamics.limits import Limits
from covey.dynamics.validation import Progress
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.secret import TeamSet
from covey.numbers import Floats
from covey.privacy.headline import DELTA, Sentence, epsilon_sentence, guess_sentence, spoken
from covey.privacy.snapshot.bayes_success import Guess, best_guess, binary_success
from covey.privacy.snapshot.channel import Reporting, seen_through
from covey.privacy.snapshot.comparison import OfTeams
from covey.privacy.snapshot.output_distributions import TeamDistributions, team_distributions
from covey.privacy.snapshot.pair_profile import (
    DivergenceProfile,
    Interval,
    PairProfile,
    divergence_profile,
)
from covey.showing import Drawing
from covey.tabular import Tabular
from covey.words import rounded, when

_LONG = 5.0  # odds of 150
_TRIED = 101  # values of ε, where the inverse has to be searched for
_NEGLIGIBLE = 1e-6  # of the total variation


@dataclass(frozen=True, eq=False)
class Profile(Drawing, Tabular, OfTeams):
    """The profile of a team at one moment: the worst of all neighbours.

    Attributes:
        at: The moment: a time, or "steady".
        pairs: The profile against every neighbour in turn.
        distributions: What it was computed from.
        others: Where a robot that arrives is protected: the same at all other ages.
    """

    #: Where its formulas are, and what proves them.
    proof: ClassVar[str] = "docs/theory/snapshot.md#the-profile"

    at: Moment
    pairs: tuple[PairProfile, ...]
    distributions: TeamDistributions
    others: tuple[PairProfile, ...] = ()

    @cached_property
    def distinct(self) -> tuple[PairProfile, ...]:
        """One of those that have the same distributions: types that are alike have many."""
        known = {id(pair.log_probabilities): pair for pair in self.pairs + self.others}
        return tuple(known.values())

    @cached_property
    def _deltas(self) -> dict[float, Interval]:
        """What was asked for: a sentence and a table ask for the same."""
        return {}

    @cached_property
    def _epsilons(self) -> dict[float, Interval]:
        return {}

    @property
    def table_columns(self) -> dict[str, Any]:
        """ε and δ(ε) along the curve, with the bounds on δ."""
        epsilons, deltas = self.curve()
        bounds = [self.delta_interval(epsilon) for epsilon in epsilons.tolist()]
        lower, upper = (list(side) for side in zip(*bounds, strict=True))
        return {"epsilon": epsilons, "delta": deltas, "lower": lower, "upper": upper}

    def delta(self, epsilon: float) -> float:
        """δ(ε): by how much an event can be more probable than e^ε times what it is for the other.

        Args:
            epsilon: ε ≥ 0, as a difference of logarithms.
        """
        return max(pair.delta(epsilon) for pair in self.distinct)

    def delta_interval(self, epsilon: float) -> Interval:
        """Bounds on δ(ε) that count rounding and lost mass: the upper one is certain.

        Args:
            epsilon: ε ≥ 0, as a difference of logarithms.
        """
        if epsilon not in self._deltas:
            self._deltas[epsilon] = _envelope(p.delta_interval(epsilon) for p in self.distinct)
        low, high = self._deltas[epsilon]
        # Between the ages that were looked at: see monomolecular.ages.
        unseen = self.distributions.between * (1 + math.exp(min(epsilon, 700.0)))
        return low, min(high + unseen, 1.0)

    def epsilon(self, delta: float) -> float:
        """The exact inverse, ε(δ); at δ = 0 the leakage, or inf where mass was lost.

        Args:
            delta: δ, from 0 to 1.
        """
        return max(pair.epsilon(delta) for pair in self.distinct)

    def epsilon_interval(self, delta: float) -> Interval:
        """Bounds on ε(δ) that count rounding and lost mass.

        Args:
            delta: δ, from 0 to 1.
        """
        if delta not in self._epsilons:
            self._epsilons[delta] = _envelope(p.epsilon_interval(delta) for p in self.distinct)
        low, high = self._epsilons[delta]
        if self.distributions.between > 0:  # any ε serves at which δ(ε) is small enough for certain
            listed = np.linspace(low, low + _LONG, _TRIED).tolist()
            kept = (e for e in listed if self.delta_interval(e)[1] <= delta)
            high = next(kept, math.inf)
        return low, high

    @property
    def total_variation(self) -> float:
        """How much more probable an event can be for the team than for a neighbour, or less."""
        return self.worst.total_variation

    @property
    def total_variation_interval(self) -> Interval:
        """Bounds on it that count rounding and lost mass."""
        return self.delta_interval(0.0)

    @property
    def kl(self) -> float:
        """The largest Kullback-Leibler divergence, in nats."""
        return self.renyi(1.0)

    def renyi(self, alpha: float) -> float:
        """The largest Rényi divergence of order α > 0, in nats.

        Args:
            alpha: The order; 1 is Kullback and Leibler's.
        """
        return max(pair.renyi(alpha) for pair in self.distinct)

    def renyi_interval(self, alpha: float) -> Interval:
        """Bounds on it that count rounding.

        Args:
            alpha: The order.
        """
        low, high = _envelope(pair.renyi_interval(alpha) for pair in self.distinct)
        return low, math.inf if self.distributions.between > 0 else high

    def type_two(self, type_one: float) -> float:
        """The least type II error of any test of the team against a neighbour, or the reverse.

        Args:
            type_one: The type I error that is allowed, from 0 to 1.
        """
        return min(pair.type_two(type_one) for pair in self.distinct)

    def best_guess(self, prior: Mapping[str, float] | None = None) -> Guess:
        """How well the team is guessed among its neighbours, all at once.

        Args:
            prior: A weight for each type, {"A": 3, "B": 1}, or for each hypothesis, {"team": 3,
                "A->B": 1}; by default all hypotheses weigh the same.
        """
        return best_guess(self.distributions, prior)

    @property
    def whom(self) -> str:
        """The team that is told best, in a sentence."""
        return self.relation.whom(self.team)

    @property
    def worst(self) -> PairProfile:
        """The pair that is told apart most easily: that of the largest total variation."""
        return max(self.pairs, key=lambda pair: pair.total_variation)

    def curve(self, epsilons: Iterable[float] | None = None) -> tuple[Floats, Floats]:
        """ε and δ(ε), as two arrays of equal length.

        Args:
            epsilons: Where to take it; by default at 21 points, from 0 to where δ has fallen as far
                as it will.
        """
        if epsilons is None:
            top = self.epsilon(0.0)
            if top > _LONG:  # the last stretch of it is about nothing but far tails
                floor = self.delta(math.inf)
                top = self.epsilon(floor + _NEGLIGIBLE * (self.total_variation - floor))
            epsilons = np.linspace(0.0, top if 0 < top < math.inf else 1.0, 21)
        listed = np.array([float(epsilon) for epsilon in epsilons])
        return listed, np.array([self.delta(epsilon) for epsilon in listed.tolist()])

    @property
    def bayes_success(self) -> float:
        """How often an observer is right who tells the team from a neighbour: (1 + TV) / 2.

        Of the neighbour that is told apart most easily, and from above.
        """
        return binary_success(self.total_variation_interval[1])

    @property
    def distinguishing_mass(self) -> float:
        """The probability of what is possible for one of two teams only, from above.

        The largest over neighbours and directions; what was left out of the computation counts.
        """
        return self.delta_interval(math.inf)[1]

    @property
    def snapshot(self) -> str:
        """When it is taken, in a sentence: "One snapshot at steady state"."""
        return f"One snapshot {when(self.at, self.distributions.own.unit)}"

    def sentences(self, delta: float) -> tuple[Sentence, Sentence]:
        """How often an observer is right after one snapshot, and ε at δ.

        Args:
            delta: Where ε is wanted.
        """
        neighbour, high = str(self.worst.neighbour), self.total_variation_interval[1]
        low, epsilon = self.epsilon_interval(delta)
        sure = math.isinf(low)  # whatever was left out, what the other team never shows is enough
        return (
            guess_sentence(self.snapshot, neighbour, high, self.whom),
            epsilon_sentence(
                epsilon,
                self.distinguishing_mass,
                0.0 if sure else self.distributions.computed.truncated_mass,
                delta,
                self.distributions.between,
            ),
        )

    def says(self, epsilons: Iterable[float] = (), delta: float = DELTA) -> str:
        """How often an observer is right, ε at δ, and δ at every ε that is asked for.

        Args:
            epsilons: Where δ is wanted.
            delta: Where ε is wanted.
        """
        said = self.sentences(delta)
        deltas = [
            f"{rounded(self.delta_interval(epsilon)[1], '.3g', 'up')} at ε = {epsilon:g}"
            for epsilon in epsilons
        ]
        return " ".join([*map(spoken, said), *([f"δ is {', '.join(deltas)}."] if deltas else [])])

    def __str__(self) -> str:
        return self.says((0.1, 0.5, 1.0))


def profile(
    scenario: Scenario,
    at: Moment | None = None,
    *,
    seen: Reporting | None = None,
    against: Sequence[Mapping[str, Any]] | None = None,
    teams: TeamSet | Mapping[str, object] | str | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Profile:
    """All that one snapshot tells of a scenario's team: (ε, δ), total variation, divergences.

    Args:
        scenario: The team, its network, and what is seen of it.
        at: A time, or "steady"; by default when the adversary looks.
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
    return profile_of(distributions)


def profile_of(distributions: TeamDistributions) -> Profile:
    """The profile of a team whose distributions are known.

    Args:
        distributions: The distributions of the team and of its neighbours, as `team_distributions`
            has them.
    """
    found: dict[Hashable, list[PairProfile]] = {}
    known: dict[tuple[int, int], DivergenceProfile] = {}  # alike neighbours share distributions
    for part in distributions.every:
        team = part.scenario.team
        for one, theirs in part.neighbours:
            both = id(part.team), id(theirs)
            if both not in known:
                known[both] = divergence_profile(part.team, theirs)
            found.setdefault((team, one.key), []).append(known[both].against(one, team))
    if (
        distributions.age is not None
    ):  # of two types the age at which they are told apart best first
        for each in found.values():
            each.sort(key=lambda pair: pair.total_variation, reverse=True)
    first = tuple(each[0] for each in found.values())
    others = tuple(pair for each in found.values() for pair in each[1:])
    return Profile(distributions.at, first, distributions, others)


def _envelope(intervals: Iterable[Interval]) -> Interval:
    listed = list(intervals)
    return max(low for low, _ in listed), max(high for _, high in listed)
