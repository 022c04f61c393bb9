"""The laws that privacy compares: of a team, and of every team in which one robot has another type.

Every law is computed once. Teams that a relabelling of the types maps onto each other have the
same law, provided that it leaves the network and what is seen of it as they are: (10,10,10) in the
task network has six neighbours, and one distinct law among them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from covey.dynamics.cores import core_count, side_by_side
from covey.dynamics.distribution import Computed, Distribution
from covey.dynamics.engine import Engine
from covey.dynamics.limits import Limits
from covey.dynamics.planning import Plan
from covey.dynamics.question import Progress
from covey.errors import CoveyError, InputError
from covey.model.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.team import Neighbour, Team
from covey.showing import Drawing

_BY_STATES = ("transient", "stationary")  # methods that compiled code does the most of
_SMALLEST = 10_000  # states: below, laws beside each other wait for Python's lock
_LARGEST = 250_000  # states: above, the products of one law keep all cores busy


@dataclass(frozen=True)
class TeamLaws(Drawing):
    """At one moment: the law of the team, and that of each neighbour.

    Attributes:
        scenario: Whose laws they are.
        at: The moment: a time, or "steady".
        team: The law of the team as it is.
        neighbours: Each neighbour with its law.
    """

    scenario: Scenario
    at: Moment
    team: Distribution
    neighbours: tuple[tuple[Neighbour, Distribution], ...]

    @property
    def computed(self) -> Computed:
        """By what all of these laws were computed."""
        return Computed.of([self.team, *(law for _, law in self.neighbours)])


def team_laws(
    scenario: Scenario,
    at: Sequence[Moment] | None = None,
    limits: Limits | None = None,
    *,
    progress: Progress | None = None,
) -> list[TeamLaws]:
    """The laws of a scenario's team and of its neighbours, at every moment.

    Args:
        scenario: The team, its network, and what is seen of it.
        at: Times, or "steady"; by default when the adversary looks.
        limits: How to compute: which method, on how many states, to which tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    return laws_by(Engine(scenario.network, limits), scenario, at, progress)


def laws_by(
    engine: Engine,
    scenario: Scenario,
    at: Sequence[Moment] | None = None,
    progress: Progress | None = None,
) -> list[TeamLaws]:
    """The same, by an engine that is prepared for the scenario's network already."""
    neighbours = neighbours_of(scenario)
    moments = [scenario.adversary.at] if at is None else list(at)
    law_of = LawBook(engine, scenario, moments, progress)
    team, *others = law_of.several([scenario.team, *(n.team for n in neighbours)])
    return [
        TeamLaws(
            scenario,
            moment,
            team[i],
            tuple((n, laws[i]) for n, laws in zip(neighbours, others, strict=True)),
        )
        for i, moment in enumerate(moments)
    ]


def neighbours_of(scenario: Scenario) -> list[Neighbour]:
    """The scenario's neighbours; `InputError` where there is nothing to protect."""
    if len(scenario.protected) < 2:
        found = "is one type" if scenario.team.types else "are no types"
        raise InputError(
            f"there {found} in [types]: leakage needs at least two, between which a robot could "
            "be confused",
            key="types",
        )
    neighbours = scenario.team.neighbours(scenario.protected)
    if not neighbours:
        raise InputError(
            "there are no robots of the protected types: at least one is expected", key="types"
        )
    return neighbours


class LawBook:
    """The laws of a scenario's teams at given moments, each distinct one computed once."""

    def __init__(
        self,
        engine: Engine,
        scenario: Scenario,
        moments: Sequence[Moment],
        progress: Progress | None = None,
    ) -> None:
        self.engine, self.scenario, self.moments = engine, scenario, moments
        self.progress = progress
        self._symmetries = engine.symmetries.keeping(scenario.query)
        self._known: dict[tuple[int, ...], list[Distribution]] = {}

    def __call__(self, team: Team) -> list[Distribution]:
        """The law of a team at every moment."""
        return self.several([team])[0]

    def several(self, teams: Sequence[Team]) -> list[list[Distribution]]:
        """The laws of teams, in their order; several at once where cores are idle otherwise."""
        starts = [self._symmetries.least(self.scenario.start_of(team)) for team in teams]
        new = [start for start in dict.fromkeys(starts) if start not in self._known]
        while new:
            # One tells what the others will be like.
            now, new = (new, []) if self._worth_a_core_each() else (new[:1], new[1:])
            self._known |= zip(now, self._computed(now), strict=True)
        return [self._known[start] for start in starts]

    def _worth_a_core_each(self) -> bool:
        """Whether laws like those known are large enough for a core, and too small for two."""
        sizes = [
            law.states if law.method in _BY_STATES and law.states is not None else 0
            for laws in self._known.values()
            for law in laws
        ]
        most = min(_LARGEST, self.engine.max_states // core_count())  # each has its own memory
        return bool(sizes) and _SMALLEST <= max(sizes) <= most

    def _computed(self, starts: list[tuple[int, ...]]) -> list[list[Distribution]]:
        """The laws of these starts. Only the thread that asks is told how far they are."""
        asking, stopped = threading.current_thread(), threading.Event()
        said, before = self.progress, len(self._known)

        def law(i: int) -> list[Distribution]:
            def progress(part: float, whole: float, text: str) -> None:
                if stopped.is_set():
                    raise CoveyError("stopped")
                if said is not None and threading.current_thread() is asking:
                    said(part, whole, f"law {before + i + 1:,}: {text}")

            try:
                return self.engine.laws(
                    starts[i], self.moments, self.scenario.query, progress=progress
                )
            except KeyboardInterrupt:
                stopped.set()
                raise

        return side_by_side(law, len(starts))


def plans_of(engine: Engine, scenario: Scenario, at: Moment) -> list[Plan]:
    """How the laws of a scenario's team and of its neighbours will be computed, each once.

    The first that is refused ends the list: the question is refused then.
    """
    teams = [scenario.team]
    if len(scenario.protected) > 1:
        teams += [neighbour.team for neighbour in scenario.team.neighbours(scenario.protected)]
    alike = engine.symmetries.keeping(scenario.query)
    starts = dict.fromkeys(alike.least(scenario.start_of(team)) for team in teams)
    plans: list[Plan] = []
    for start in starts:
        plans.append(engine.plan(start, at, scenario.query))
        if plans[-1].refusal is not None:
            break
    return plans
