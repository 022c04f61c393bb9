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

from covey.dynamics.distribution import Distribution
from covey.dynamics.question import Progress
from covey.dynamics.solve import Method, solve
from covey.errors import InputError
from covey.model.adversary import Steady
from covey.model.relabelling import relabellings, species_permutation
from covey.model.scenario import Scenario
from covey.model.team import Neighbour, Team
from covey.showing import Drawing

Moment = float | Steady


@dataclass(frozen=True)
class Limits:
    """How laws are to be computed: which method, on how many states, to which tolerance."""

    method: Method | None = None
    max_states: int | None = None
    tolerance: float = 1e-9
    progress: Progress | None = None


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


def team_laws(
    scenario: Scenario, at: Sequence[Moment] | None = None, limits: Limits | None = None
) -> list[TeamLaws]:
    """The laws at every moment; by default at the scenario's own."""
    neighbours = neighbours_of(scenario)
    moments = [scenario.adversary.at] if at is None else list(at)
    law_of = LawBook(scenario, moments, limits or Limits())
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


class LawBook:
    """The laws of a scenario's teams at given moments, each distinct one computed once."""

    def __init__(self, scenario: Scenario, moments: Sequence[Moment], limits: Limits) -> None:
        self.scenario, self.moments, self.limits = scenario, moments, limits
        self._symmetries = symmetries(scenario)
        self._known: dict[tuple[int, ...], list[Distribution]] = {}

    def __call__(self, team: Team) -> list[Distribution]:
        """The law of a team at every moment."""
        start = self.scenario.start_of(team)
        key = min(tuple(start[image].tolist()) for image in self._symmetries)
        if key not in self._known:
            self._known[key] = solve(
                self.scenario.network,
                np.array(key),
                self.moments,
                query=self.scenario.query,
                method=self.limits.method,
                max_states=self.limits.max_states,
                tolerance=self.limits.tolerance,
                progress=self.limits.progress,
            )
        return self._known[key]


def symmetries(scenario: Scenario) -> list[NDArray[np.intp]]:
    """The relabellings of the network that do not change what is seen, as permutations."""
    network = scenario.network
    seen_in = {
        network.index[species]: name
        for name, group in scenario.query.groups(network).items()
        for species in group
    }
    images = [species_permutation(network, sigma) for sigma in relabellings(network)]
    return [
        image
        for image in images
        if all(seen_in.get(int(i)) == seen_in.get(place) for place, i in enumerate(image))
    ]
