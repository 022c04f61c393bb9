"""The distributions that privacy compares: of a team, and of each team one robot away.

Every distribution is computed once. Teams that a relabelling of the types maps onto each other have
the same distribution, provided that it leaves the network and what is seen of it as they are:
(10,10,10) in the task network has six neighbours, and one distinct distribution among them.

Where the scenario's [release] has a mechanism, they are the distributions of what is *published*:
whoever looks knows the mechanism, and sees nothing else.

Where robots come and go, and have settled, the question is another one (`arriving`): then the
distribution of the team is that of the fleet with a robot of one type that arrived some time ago,
its neighbours have one of another type, and there are such distributions for every type and age.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from covey.dynamics.distribution import Computed, Distribution
from covey.dynamics.limits import Limits
from covey.dynamics.methods.method import Plan
from covey.dynamics.monomolecular.arriving_robot import arrived
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import UnsupportedError
from covey.model.frozen import FrozenMap
from covey.model.hypothesis import Hypothesis
from covey.model.observation.adversary import Moment
from covey.model.observation.release_table import ReleaseTable
from covey.model.scenario import Scenario
from covey.model.structure.arrivals import goes
from covey.model.team import Arrival, Team
from covey.privacy.cases import case_of, cases_of, team_of
from covey.privacy.distribution_cache import DistributionCache
from covey.privacy.hypotheses import Relation, Star, check_types_only, solver_of, stars_of
from covey.privacy.snapshot.arriving import arriving_types, is_open, nobody, remaining, staying
from covey.privacy.snapshot.divergences import aligned, total_variation
from covey.privacy.snapshot.published import released, with_coin
from covey.showing import Drawing
from covey.words import rounded


@dataclass(frozen=True)
class TeamDistributions(Drawing):
    """At one moment: the distribution of the team, and that of each hypothesis.

    Attributes:
        scenario: Whose distributions they are.
        at: The moment: a time, or "steady".
        team: The distribution of the team as it is.
        neighbours: Each hypothesis that it is compared with, with its distribution.
        age: How long ago the robot arrived that is protected; None where it is one of the start.
            These distributions are those of the age at which an observer is right most often.
        others: The distributions of the same question at other ages, for a robot of another
            type, or for the other teams of a set.
        between: By how much the probability of an event may exceed what it is at the ages beside.
        still_there: Of types whose robots leave: how probably one of the start has not, where that
            is known.
        asked: The scenario that was asked about, where these are of another team of its set, or of
            one robot that is followed.
    """

    scenario: Scenario
    at: Moment
    team: Distribution
    neighbours: tuple[tuple[Hypothesis, Distribution], ...]
    age: float | None = None
    others: tuple[TeamDistributions, ...] = ()
    between: float = 0.0
    still_there: FrozenMap[str, float] = field(default_factory=FrozenMap)
    asked: Scenario | None = None

    @property
    def own(self) -> Scenario:
        """The scenario that was asked about, with its own team."""
        return self.scenario if self.asked is None else self.asked

    @property
    def every(self) -> tuple[TeamDistributions, ...]:
        """These, and those of other ages or teams: what is given away is the most of all."""
        return (self, *self.others)

    @property
    def relation(self) -> Relation:
        """Which scenarios are compared."""
        return Relation.of(self.own)

    @property
    def pairs(self) -> list[tuple[Hypothesis, Distribution, Distribution]]:
        """Every two distributions that are compared: of a team, and of a hypothesis."""
        return [
            (n, distributions.team, distribution)
            for distributions in self.every
            for n, distribution in distributions.neighbours
        ]

    @property
    def computed(self) -> Computed:
        """By what all of these distributions were computed."""
        teams = [distributions.team for distributions in self.every]
        return Computed.of([*teams, *(distribution for _, _, distribution in self.pairs)])

    @property
    def about(self) -> str:
        """Whose type is protected, in a sentence, where robots come and go; else empty."""
        ages = [distributions.age for distributions in self.every if distributions.age is not None]
        if ages:
            return (
                "Robots come and go: this is about one that arrives at the settled fleet, at the "
                f"worst of {len(set(ages))} ages up to {rounded(max(ages), '.3g', 'up')}; at any "
                "other age the "
                f"probability of an event is at most {rounded(self.between, '.2g', 'up')} beyond "
                "what it is beside."
            )
        network = self.scenario.network
        leaving = any(goes(network, name) for name in self.scenario.protected)
        if self.at == "steady" or not leaving:
            return ""
        there = ", ".join(f"a {name} {p:.3g}" for name, p in self.still_there.items())
        return "Robots leave: this is about those of the start" + (
            f", who are still there with probability: {there}." if there else "."
        )

    def shown_by(self, look: Callable[[Distribution], Distribution]) -> TeamDistributions:
        """The distributions of what is shown of it: by a coarser query, or a noisy observer.

        Args:
            look: From distribution to distribution; it is asked once for distributions that are
                shared.
        """
        return self._each(lambda distribution, _: look(distribution))

    def published(self, table: ReleaseTable) -> TeamDistributions:
        """The distributions of what is published through a table, of each team through its own.

        Args:
            table: What is published instead of what is there.
        """
        known = {team: table.for_team(team) for team in table.teams}
        return self._each(
            lambda distribution, team: released(distribution, known.get(team.types, table)),
            one_each=bool(known),
        )

    def _each(
        self, look: Callable[[Distribution, Team], Distribution], *, one_each: bool = False
    ) -> TeamDistributions:
        """Every distribution by a look at it, once; once for each team where that matters."""
        known: dict[tuple[int, object], Distribution] = {}

        def shown(distribution: Distribution, team: Team) -> Distribution:
            key = id(distribution), team.types if one_each else None
            if key not in known:
                known[key] = look(distribution, team)
            return known[key]

        def part(distributions: TeamDistributions) -> TeamDistributions:
            neighbours = tuple(
                (one, shown(distribution, team_of(distributions.scenario, one)))
                for one, distribution in distributions.neighbours
            )
            team = shown(distributions.team, distributions.scenario.team)
            return replace(distributions, team=team, neighbours=neighbours)

        return worst_first(
            tuple(replace(part(distributions), others=()) for distributions in self.every)
        )


def team_distributions(
    scenario: Scenario,
    at: Sequence[Moment] | None = None,
    limits: Limits | None = None,
    *,
    progress: Progress | None = None,
) -> list[TeamDistributions]:
    """The distributions of a scenario's team and of its neighbours, at every moment.

    Args:
        scenario: The team, its network, and what is seen of it, or published.
        at: Times, or "steady"; by default when the adversary looks.
        limits: How to compute: which method, on how many states, to which tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    return distributions_by(Solver(scenario.network, limits), scenario, at, progress)


def distributions_by(
    solver: Solver,
    scenario: Scenario,
    at: Sequence[Moment] | None = None,
    progress: Progress | None = None,
) -> list[TeamDistributions]:
    """The same, by a solver that is prepared for the scenario's network already."""
    moments = [scenario.adversary.at] if at is None else list(at)
    left = is_open(scenario) and bool(scenario.secret.kinds)
    if left and scenario.release.stand_in is not None:
        raise UnsupportedError(
            "what a stand-in publishes is compared for teams that nobody joins or leaves"
        )
    of_start = [moment for moment in moments if not (left and moment == "steady")]
    found: dict[Moment, TeamDistributions] = {}
    if of_start:
        stars = stars_of(scenario)
        by = solver_of(solver, scenario, stars)
        distributions = star_distributions(by, stars, of_start, progress)
        found |= zip(of_start, distributions, strict=True)
    if len(of_start) < len(moments):
        found["steady"] = _settled(solver, scenario, progress)
    if (table := scenario.release.of_one_snapshot) is None:
        return [found[moment] for moment in moments]
    return [found[moment].published(table) for moment in moments]


def star_distributions(
    solver: Solver, stars: Sequence[Star], moments: list[Moment], progress: Progress | None
) -> list[TeamDistributions]:
    """About the robots of the start, at every moment: of every star in turn."""
    cache = DistributionCache(solver, stars[0].scenario.query, moments, progress)
    cache.several(  # all of them at once
        [case for star in stars for case in cases_of(star.scenario.watched, star.hypotheses)]
    )
    by_star = [published_cases(cache, star.scenario, [None, *star.hypotheses]) for star in stars]
    return [
        worst_first(
            tuple(
                TeamDistributions(
                    star.scenario,
                    moment,
                    team[i],
                    tuple(
                        (one, theirs[i])
                        for one, theirs in zip(star.hypotheses, others, strict=True)
                    ),
                    still_there=FrozenMap(remaining(solver, star.scenario, moment)),
                    asked=star.asked,
                )
                for star, (team, *others) in zip(stars, by_star, strict=True)
            )
        )
        for i, moment in enumerate(moments)
    ]


def published_cases(
    cache: DistributionCache, scenario: Scenario, supposed: Sequence[Hypothesis | Team | None]
) -> list[list[Distribution]]:
    """What is published at every moment of the cache, under each; a table is not looked at.

    With a stand-in that is one distribution for all, but for the coin by which the truth shows.
    """
    shown = scenario.release.stand_in
    watched = scenario.watched
    found = cache.several([case_of(watched, one) for one in supposed])
    if shown is None or not shown.truth:
        return found
    plain = scenario.unpublished()
    real = cache.several([case_of(plain, one) for one in supposed])
    return [
        [with_coin(*pair, shown.truth) for pair in zip(*both, strict=True)]
        for both in zip(found, real, strict=True)
    ]


def _settled(solver: Solver, scenario: Scenario, progress: Progress | None) -> TeamDistributions:
    """About a robot that arrives at a settled fleet, and those of the start that never leave."""
    check_types_only(scenario, "an open fleet at steady state")
    if scenario.secret.teams is not None:
        raise UnsupportedError(
            "robots come and go: at steady state those of the start have left, and a set of teams "
            "says nothing of who arrives. Leave the set out, or ask for a time"
        )
    types, stay = arriving_types(scenario), staying(scenario)
    if not types and not stay:
        raise nobody(scenario)
    parts: list[TeamDistributions] = []
    if types:
        robots = arrived(solver, scenario.start, scenario.query, types, progress)
        for i, age in enumerate(robots.ages):
            for own in types:
                neighbours = tuple(
                    (Arrival(own, other, scenario.team.joined_by(other), age), distributions[i])
                    for other, distributions in robots.distributions.items()
                    if other != own
                )
                distribution = robots.distributions[own][i]
                parts.append(
                    TeamDistributions(
                        scenario, "steady", distribution, neighbours, age, between=robots.between
                    )
                )
    if stay:
        parts += star_distributions(solver, [Star(scenario, tuple(stay))], ["steady"], progress)
    return worst_first(tuple(parts))


def worst_first(parts: tuple[TeamDistributions, ...]) -> TeamDistributions:
    """Of those of one question, the ones that are told apart most easily, with all others."""
    if len(parts) == 1:
        return parts[0]

    def apart(distributions: TeamDistributions) -> float:
        pairs = (
            aligned(distributions.team, distribution)[1:]
            for _, distribution in distributions.neighbours
        )
        return max(total_variation(*pair) for pair in pairs)

    worst = max(range(len(parts)), key=lambda i: apart(parts[i]))
    return replace(parts[worst], others=(*parts[:worst], *parts[worst + 1 :]))


def plans_of(solver: Solver, scenario: Scenario, at: Moment) -> list[Plan]:
    """How the distributions of a scenario and of its hypotheses will be computed, each once.

    The first that is refused ends the list: the question is refused then.
    """
    cases, query = [case_of(scenario.watched)], scenario.query  # first of all the team's own
    if scenario.protected[1:] or not scenario.secret.is_default:
        stars = stars_of(scenario)
        if scenario.adversary.follow is not None:
            solver, query, cases = solver_of(solver, scenario, stars), stars[0].scenario.query, []
        cases += [
            case for star in stars for case in cases_of(star.scenario.watched, star.hypotheses)
        ]
    cache = DistributionCache(solver, query, [at])
    plans: list[Plan] = []
    for by, start, moments in dict.fromkeys(map(cache.key, cases)):
        plans.append(by.plan(start, moments[0], query))
        if plans[-1].refusal is not None:
            break
    return plans
