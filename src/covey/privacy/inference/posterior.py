"""What an adversary believes after one snapshot: the posterior over teams, and over a robot's type.

With the prior π over the team D and its neighbours, an observation y and side information z,

    P(D' | y, z)  ∝  π(D') · P(y, z | D').

z is given as further counts that the adversary knows, each of a species or of a sum of them, as
`{"{A}": 1, "{B}": 1}`: they hold in the same state that y is seen of, so P(y, z | D') is the
probability of all states with both. It is computed on the coarsest query that tells y and z.

**Which type is this robot?** The adversary knows all robots but one, which in truth is of type s.
That it is of type t instead is the neighbour s->t, so the posterior over its type is the one over
the team and the neighbours s->t alone, and likewise the prior.

In the paper's first example, (2 A, 1 B) with y = (2 free, 1 busy), such a robot of type A is A with
probability 7/16 and B with 9/16. Whoever knows besides that the free ones are one A and one B has
narrowed "this robot" down to the busy one: it is A if and only if the team is (2 A, 1 B), with
probability 5/8, and B with 3/8.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from covey.dynamics.distribution import Computed
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import UnsupportedError
from covey.model.frozen import FrozenMap
from covey.model.hypothesis import Hypothesis
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.team import Neighbour, Team
from covey.numbers import SPACING
from covey.privacy.distribution_cache import DistributionCache
from covey.privacy.inference.evidence import read_evidence
from covey.privacy.prior import Supposed, all_supposed, prior_over
from covey.privacy.snapshot.arriving import check_start
from covey.privacy.snapshot.published import surely_watched
from covey.showing import Showing
from covey.tabular import Tabular, columns_of
from covey.words import shown, when

_TOLD = 3  # robots, and types of each, that the sentence speaks of
_UNCERTAIN = "; this is not certain, as a probability of {:.1g} in all was not computed."


@dataclass(frozen=True)
class Belief:
    """One hypothesis: how probable before and after.

    Attributes:
        name: `team`, or `A->B` for one A turned B; `A` for a followed robot that is an A.
        team: The team that it supposes.
        neighbour: That team as a neighbour; None for the team as it is.
        prior: Its probability before the snapshot.
        posterior: Its probability after it.
        interval: Bounds that the true posterior keeps.
        log_likelihood: Ln of how probable what was seen and known is for this team.
    """

    name: str
    team: Team
    neighbour: Hypothesis | None
    prior: float
    posterior: float
    interval: tuple[float, float]
    log_likelihood: float


@dataclass(frozen=True)
class Inference(Showing, Tabular):
    """The adversary's beliefs over the team and its neighbours, after one snapshot.

    Attributes:
        at: The moment: a time, or "steady".
        observed: What was seen.
        knowing: What was known besides.
        beliefs: The hypotheses: the team first, then its neighbours.
        method: How the distributions were computed.
        why: And why not in another way.
        states: How many states were computed for one distribution, at most.
        truncated_mass: The probability that was left out of one distribution, at most.
        unit: The unit of time, where it is known.
    """

    at: Moment
    observed: FrozenMap[str, int]
    knowing: FrozenMap[str, int]
    beliefs: tuple[Belief, ...]
    method: str
    why: str
    states: int | None
    truncated_mass: float
    unit: str | None = field(default=None, kw_only=True)

    @property
    def table_columns(self) -> dict[str, list[Any]]:
        """A row for each hypothesis."""
        return columns_of(
            {
                "hypothesis": one.name,
                "prior": one.prior,
                "posterior": one.posterior,
                "lower": one.interval[0],
                "upper": one.interval[1],
            }
            for one in self.beliefs
        )

    @property
    def posterior(self) -> dict[str, float]:
        """The probability of each hypothesis: `team`, and `A->B` for one A turned B."""
        return {belief.name: belief.posterior for belief in self.beliefs}

    @property
    def robots(self) -> dict[str, dict[str, float]]:
        """For a robot of each type: the probability that it is of that type, or of another.

        A type is left out where neither it nor another allows what was seen.
        """
        return self._by_robot([belief.posterior for belief in self.beliefs])

    @property
    def robots_before(self) -> dict[str, dict[str, float]]:
        """The same, before anything was seen."""
        return self._by_robot([belief.prior for belief in self.beliefs])

    def _by_robot(self, weights: list[float]) -> dict[str, dict[str, float]]:
        found: dict[str, dict[str, float]] = {}
        as_it_is = 0.0
        for belief, weight in zip(self.beliefs, weights, strict=True):
            if belief.neighbour is None:
                as_it_is = weight
            if isinstance(belief.neighbour, Neighbour):
                own = belief.neighbour.from_type
                found.setdefault(own, {own: as_it_is})[belief.neighbour.to_type] = weight
        totals = {own: math.fsum(types.values()) for own, types in found.items()}
        return {
            own: {name: weight / totals[own] for name, weight in types.items()}
            for own, types in found.items()
            if totals[own] > 0
        }

    @property
    def _seen(self) -> str:
        knows = f" and knowing {shown(self.knowing)}" if self.knowing else ""
        return f"After {shown(self.observed)} {when(self.at, self.unit)}{knows}"

    def __str__(self) -> str:
        after, before = self.robots, self.robots_before

        def learnt(own: str) -> float:
            return max(abs(p - before[own][name]) for name, p in after[own].items())

        parts = []
        for own in sorted(after, key=learnt, reverse=True)[:_TOLD]:
            likely = sorted(after[own], key=lambda name: after[own][name], reverse=True)
            types = ", ".join(
                f"{name} with probability {after[own][name]:.4g} ({before[own][name]:.3g} before)"
                for name in likely[:_TOLD]
            )
            parts.append(f"a robot of type {own} is taken for {types}")
        parts += [
            f"{one.neighbour} has probability {one.posterior:.4g} ({one.prior:.3g} before)"
            for one in self.beliefs
            if one.neighbour is not None and not isinstance(one.neighbour, Neighbour)
        ][:_TOLD]
        return (
            f"{self._seen}, all {'other robots' if after else 'else'} being known, "
            + "; ".join(parts)
            + ("." if self.certain else _UNCERTAIN.format(self.truncated_mass))
        )

    @property
    def certain(self) -> bool:
        """Whether every posterior is known to three digits, whatever mass was lost."""
        return all(high - low <= 1e-3 for low, high in (b.interval for b in self.beliefs))


def infer(
    scenario: Scenario,
    observed: Mapping[str, int],
    *,
    prior: Mapping[str, float] | None = None,
    knowing: Mapping[str, int] | None = None,
    at: Moment | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Inference:
    """What an observer believes after seeing `observed`, given what is known besides.

    Raises `InputError` where no team that the prior allows can look like this.

    Args:
        scenario: The team, its network, and what is seen of it.
        observed: Counts of the query's sums; those that it leaves out may be anything.
        prior: What was believed before: over types, as {"A": 3, "B": 1}, or over teams, as
            {"team": 1, "A->B": 1}, or of a robot that is followed {"A": 1, "A->B": 1}; by default
            all alike.
        knowing: Counts that are known besides, of sums or species.
        at: A time, or "steady"; by default when the adversary looks.
        limits: How to compute: which method, on how many states, to which tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    moment = scenario.adversary.at if at is None else at
    check_start(scenario, moment, "a posterior")
    if knowing and scenario.release.stand_in is not None:
        raise UnsupportedError(
            "a stand-in is published: nothing is promised of somebody who knows more than the feed "
            "tells; leave out what is known"
        )
    if knowing and scenario.adversary.follow is not None:
        raise UnsupportedError(
            "whoever follows one robot knows what that one does, and nothing besides: leave out "
            "what is known",
            key="adversary.follow",
        )
    types = scenario.protected
    supposed = {one.name: one for one in all_supposed(surely_watched(scenario, "a posterior"))}
    scenario = next(iter(supposed.values())).scenario
    evidence = read_evidence(scenario, observed, knowing or {})
    weights = prior_over({name: one.hypothesis for name, one in supposed.items()}, prior, types)
    solver = Solver(scenario.network, limits)
    query = evidence.refined(scenario).query
    distribution_of = DistributionCache(solver, query, [moment], progress)
    possible = [name for name, weight in weights.items() if weight > 0]
    found = distribution_of.several([supposed[name].case for name in possible])
    distributions = {
        name: distribution[0] for name, distribution in zip(possible, found, strict=True)
    }
    seen = {name: evidence.for_team(supposed[name].team) for name in possible}
    likelihoods = {
        name: seen[name].log_likelihood(distribution)
        for name, distribution in distributions.items()
    }
    if max(likelihoods.values()) == -math.inf:
        evidence.refuse(distributions.values(), when(moment, scenario.unit))
    bounds = {name: seen[name].bounds(distributions[name]) for name in possible}
    by = Computed.of(list(distributions.values()))
    return Inference(
        moment,
        FrozenMap(evidence.observed),
        FrozenMap(evidence.known),
        beliefs_of(supposed.values(), weights, likelihoods, bounds),
        by.method,
        by.why,
        by.states,
        by.truncated_mass,
        unit=scenario.unit,
    )


def beliefs_of(
    supposed: Iterable[Supposed],
    weights: Mapping[str, float],
    likelihoods: Mapping[str, float],
    bounds: Mapping[str, tuple[float, float]],
) -> tuple[Belief, ...]:
    """Bayes' rule, from ln of how probable what was seen is for each team, and bounds on that."""
    return tuple(
        Belief(
            one.name,
            one.team,
            one.hypothesis,
            weights[one.name],
            _posterior(one.name, likelihoods, weights),
            _interval(one.name, bounds, weights),
            likelihoods.get(one.name, -math.inf),
        )
        for one in supposed
    )


def _posterior(name: str, likelihoods: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Bayes' rule, relative to the likeliest so that tails do not underflow."""
    if name not in likelihoods:
        return 0.0
    peak = max(likelihoods.values())
    joint = {n: weights[n] * math.exp(log - peak) for n, log in likelihoods.items()}
    return joint[name] / math.fsum(joint.values())


def _interval(
    name: str, bounds: Mapping[str, tuple[float, float]], weights: Mapping[str, float]
) -> tuple[float, float]:
    """The least and the most, with every other hypothesis at its most and its least.

    Rounding is counted: of the weights, of ln p relative to the likeliest, which matters only while
    e to its power is a number, of a sum and a division.
    """
    if name not in bounds:
        return 0.0, 0.0
    low = {n: high for n, (_, high) in bounds.items()} | {name: bounds[name][0]}
    high = {n: low for n, (low, _) in bounds.items()} | {name: bounds[name][1]}
    rounding = SPACING * (len(weights) + max(map(_size, (*low.values(), *high.values()))) + 8)
    least, most = _posterior(name, low, weights), _posterior(name, high, weights)
    return least * (1 - rounding), min(most * (1 + rounding), 1.0)


def _size(log: float) -> float:
    return 0.0 if math.isinf(log) else abs(log)
