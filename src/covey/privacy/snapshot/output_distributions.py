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

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from covey.dynamics.distribution import Computed, Distribution
from covey.dynamics.limits import Limits
from covey.dynamics.methods.method import Plan
from covey.dynamics.monomolecular.arriving_robot import arrived
from covey.dynamics.solver import Solver
from covey.dynamics.threads import core_count, side_by_side
from covey.dynamics.validation import Progress
from covey.errors import CoveyError, InputError, UnsupportedError
from covey.model.adversary import Moment
from covey.model.arrivals import goes
from covey.model.frozen import FrozenMap
from covey.model.release_table import ReleaseTable
from covey.model.scenario import Scenario
from covey.model.team import Arrival, Neighbour, Team
from covey.privacy.snapshot.arriving import arriving_types, is_open, nobody, remaining, staying
from covey.privacy.snapshot.divergences import aligned, total_variation
from covey.privacy.snapshot.published import released, with_coin
from covey.showing import Drawing
from covey.words import rounded

_BY_STATES = ("transient", "stationary")  # methods that compiled code does the most of
_SMALLEST = 10_000  # states: below, distributions beside each other wait for Python's lock
_LARGEST = 250_000  # states: above, the products of one distribution keep all cores busy


@dataclass(frozen=True)
class TeamDistributions(Drawing):
    """At one moment: the distribution of the team, and that of each neighbour.

    Attributes:
        scenario: Whose distributions they are.
        at: The moment: a time, or "steady".
        team: The distribution of the team as it is.
        neighbours: Each neighbour with its distribution.
        age: How long ago the robot arrived that is protected; None where it is one of the start.
            These distributions are those of the age at which an observer is right most often.
        others: The distributions of the same question at other ages, and for a robot of another
            type.
        between: By how much the probability of an event may exceed what it is at the ages beside.
        still_there: Of types whose robots leave: how probably one of the start has not, where that
            is known.
    """

    scenario: Scenario
    at: Moment
    team: Distribution
    neighbours: tuple[tuple[Neighbour, Distribution], ...]
    age: float | None = None
    others: tuple[TeamDistributions, ...] = ()
    between: float = 0.0
    still_there: FrozenMap[str, float] = field(default_factory=FrozenMap)

    @property
    def every(self) -> tuple[TeamDistributions, ...]:
        """These, and those of other ages: what is given away is the most of all of them."""
        return (self, *self.others)

    @property
    def pairs(self) -> list[tuple[Neighbour, Distribution, Distribution]]:
        """Every two distributions that are compared: of a team, and of its neighbour."""
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
                (neighbour, shown(distribution, neighbour.team))
                for neighbour, distribution in distributions.neighbours
            )
            team = shown(distributions.team, distributions.scenario.team)
            return replace(distributions, team=team, neighbours=neighbours)

        return _worst_first(
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
    left = is_open(scenario)
    if left and scenario.release.stand_in is not None:
        raise UnsupportedError(
            "what a stand-in publishes is compared for teams that nobody joins or leaves"
        )
    of_start = [moment for moment in moments if not (left and moment == "steady")]
    found: dict[Moment, TeamDistributions] = {}
    if of_start:
        distributions = _of_start(solver, scenario, neighbours_of(scenario), of_start, progress)
        found |= zip(of_start, distributions, strict=True)
    if len(of_start) < len(moments):
        found["steady"] = _settled(solver, scenario, progress)
    if (table := scenario.release.of_one_snapshot) is None:
        return [found[moment] for moment in moments]
    return [found[moment].published(table) for moment in moments]


def _of_start(
    solver: Solver,
    scenario: Scenario,
    neighbours: list[Neighbour],
    moments: list[Moment],
    progress: Progress | None,
) -> list[TeamDistributions]:
    """About the robots of the start, at every moment."""
    distribution_of = DistributionCache(solver, scenario, moments, progress)
    team, *others = distribution_of.several([scenario.team, *(n.team for n in neighbours)])
    return [
        TeamDistributions(
            scenario,
            moment,
            team[i],
            tuple(
                (n, distributions[i]) for n, distributions in zip(neighbours, others, strict=True)
            ),
            still_there=FrozenMap(remaining(solver, scenario, moment)),
        )
        for i, moment in enumerate(moments)
    ]


def _settled(solver: Solver, scenario: Scenario, progress: Progress | None) -> TeamDistributions:
    """About a robot that arrives at a settled fleet, and those of the start that never leave."""
    _check_types(scenario)
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
        parts += _of_start(solver, scenario, stay, ["steady"], progress)
    return _worst_first(tuple(parts))


def _worst_first(parts: tuple[TeamDistributions, ...]) -> TeamDistributions:
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


def neighbours_of(scenario: Scenario) -> list[Neighbour]:
    """The scenario's neighbours; `InputError` where there is nothing to protect."""
    _check_types(scenario)
    neighbours = scenario.team.neighbours(scenario.protected)
    table = scenario.release.mechanism
    if table is not None and table.teams:
        table.for_team(scenario.team.types)  # says where there is none
        # Whoever knows the mechanism knows that the team is one of its set.
        neighbours = [neighbour for neighbour in neighbours if table.has(neighbour.team.types)]
    if not neighbours:
        raise InputError(
            "there are no robots of the protected types: at least one is expected", key="types"
        )
    return neighbours


def _check_types(scenario: Scenario) -> None:
    if scenario.secret.kinds != ("type",) or scenario.secret.against:
        raise UnsupportedError(
            "only the type of a robot can be the secret here: leave secret.protect and "
            "[[secret.against]] out"
        )
    if len(scenario.protected) < 2:
        found = "is one type" if scenario.team.types else "are no types"
        raise InputError(
            f"there {found} in [types]: leakage needs at least two, between which a robot could "
            "be confused",
            key="types",
        )


class DistributionCache:
    """What is there of a scenario's teams at given moments, each distribution computed once.

    With a stand-in, what is published: one distribution for every team, but for the coin by which
    the truth shows.
    """

    def __init__(
        self,
        solver: Solver,
        scenario: Scenario,
        moments: Sequence[Moment],
        progress: Progress | None = None,
    ) -> None:
        shown, self.scenario = scenario.release.stand_in, scenario.watched
        self.solver = solver if shown is None else solver.at_rates(shown.network)
        self.moments, self.progress = moments, progress
        self._coin = 0.0 if shown is None else shown.truth
        self._real = (
            DistributionCache(solver, scenario.unpublished(), moments, progress)
            if self._coin
            else None
        )
        self._symmetries = solver.symmetries.keeping(scenario.query)
        self._known: dict[tuple[int, ...], list[Distribution]] = {}

    def __call__(self, team: Team) -> list[Distribution]:
        """The distribution of a team at every moment."""
        return self.several([team])[0]

    def several(self, teams: Sequence[Team]) -> list[list[Distribution]]:
        """Those of teams, in their order; several at once where cores are idle otherwise."""
        starts = [self._symmetries.least(self.scenario.start_of(team)) for team in teams]
        new = [start for start in dict.fromkeys(starts) if start not in self._known]
        while new:
            # One tells what the others will be like.
            now, new = (new, []) if self._worth_a_core_each() else (new[:1], new[1:])
            self._known |= zip(now, self._computed(now), strict=True)
        found = [self._known[start] for start in starts]
        if self._real is None:
            return found
        return [
            [with_coin(*pair, self._coin) for pair in zip(shown, real, strict=True)]
            for shown, real in zip(found, self._real.several(teams), strict=True)
        ]

    def _worth_a_core_each(self) -> bool:
        """Whether those like the known ones are large enough for a core, and too small for two."""
        sizes = [
            distribution.states
            if distribution.method in _BY_STATES and distribution.states is not None
            else 0
            for distributions in self._known.values()
            for distribution in distributions
        ]
        most = min(_LARGEST, self.solver.max_states // core_count())  # each has its own memory
        return bool(sizes) and _SMALLEST <= max(sizes) <= most

    def _computed(self, starts: list[tuple[int, ...]]) -> list[list[Distribution]]:
        """The distributions of these starts. Only the thread that asks is told how far they are."""
        asking, stopped = threading.current_thread(), threading.Event()
        said, before = self.progress, len(self._known)

        def distribution(i: int) -> list[Distribution]:
            def progress(part: float, whole: float, text: str) -> None:
                if stopped.is_set():
                    raise CoveyError("stopped")
                if said is not None and threading.current_thread() is asking:
                    said(part, whole, f"distribution {before + i + 1:,}: {text}")

            try:
                progress(0, 1, "begins")  # small ones say nothing more, and there may be many
                return self.solver.distributions(
                    starts[i], self.moments, self.scenario.query, progress=progress
                )
            except KeyboardInterrupt:
                stopped.set()
                raise

        return side_by_side(distribution, len(starts))


def plans_of(solver: Solver, scenario: Scenario, at: Moment) -> list[Plan]:
    """How the distributions of a scenario's team and of its neighbours will be computed, each once.

    The first that is refused ends the list: the question is refused then.
    """
    teams = [scenario.team]
    if len(scenario.protected) > 1:
        teams += [neighbour.team for neighbour in scenario.team.neighbours(scenario.protected)]
    alike = solver.symmetries.keeping(scenario.query)
    starts = dict.fromkeys(alike.least(scenario.watched.start_of(team)) for team in teams)
    plans: list[Plan] = []
    for start in starts:
        plans.append(solver.plan(start, at, scenario.query))
        if plans[-1].refusal is not None:
            break
    return plans
