"""The laws that privacy compares: of a team, and of every team in which one robot has another type.

Every law is computed once. Teams that a relabelling of the types maps onto each other have the
same law, provided that it leaves the network and what is seen of it as they are: (10,10,10) in the
task network has six neighbours, and one distinct law among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.distribution import Computed, Distribution
from covey.dynamics.engine import Engine
from covey.dynamics.limits import Limits
from covey.dynamics.planning import Plan
from covey.dynamics.question import Progress
from covey.errors import InputError
from covey.model.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.team import Neighbour, Team
from covey.numbers import Floats, distinct_rows
from covey.showing import Drawing


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
    team = law_of(scenario.team)
    others = [law_of(neighbour.team) for neighbour in neighbours]
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


def aligned(law: Distribution, other: Distribution) -> tuple[NDArray[np.int64], Floats, Floats]:
    """All outcomes of either law, and ln p of each under both; −inf where it is impossible."""
    outcomes, place = distinct_rows(np.concatenate([law.outcomes, other.outcomes]))
    logs = np.full((2, len(outcomes)), -np.inf)
    logs[0, place[: len(law)]] = law.log_probabilities
    logs[1, place[len(law) :]] = other.log_probabilities
    return outcomes, logs[0], logs[1]


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
        key = self._symmetries.least(self.scenario.start_of(team))
        if key not in self._known:
            self._known[key] = self.engine.laws(
                key, self.moments, self.scenario.query, progress=self._said
            )
        return self._known[key]

    @property
    def _said(self) -> Progress | None:
        """Progress on one law, with how many there are already."""
        said, done = self.progress, len(self._known)
        if said is None:
            return None
        return lambda part, whole, text: said(part, whole, f"law {done + 1:,}: {text}")


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
