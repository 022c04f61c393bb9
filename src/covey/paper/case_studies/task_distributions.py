"""The task network over teams and over rates: no distribution is computed twice.

What is seen of the task network names no type. So its distribution depends on how many robots have
which rates, and not on what their types are called: types in any order, with their robots and
rates, have the same distribution. Maps over populations and over rates need many distributions of
teams and neighbours that differ in the order alone. Each is solved once, the largest first, and
only the distribution of what is seen is kept. States are the same at all rates: maps over rates
list those of their few teams once.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.solver import Solver
from covey.paper.readings import COLUMNS, worst_readings
from covey.paper.scenarios import TASK_TIME, Rates, task_network
from covey.paper.workspace import Array, Workspace

Counts = tuple[int, ...]
Columns = Mapping[str, Sequence[Any] | Array]

KEPT = "task-laws"  # distributions of teams, until all that needs them is done


class Kind(NamedTuple):
    """The robots of one type, and their rates."""

    robots: int
    encounter: float = 1.0
    abandon: float = 1.0


Team = tuple[Kind, ...]


def over_teams(workspace: Workspace, cells: Sequence[Counts], what: str) -> Columns:
    """Readings of every team in `cells`, with all rates 1."""
    named = dict(zip(("n1", "n2", "n3"), np.array(cells).T, strict=True))
    return {**named, **_readings(workspace, [tuple(map(Kind, cell)) for cell in cells], what)}


def over_rates(
    workspace: Workspace, robots: int, cells: Sequence[Rates], varied: str, what: str
) -> Columns:  # fmt: skip
    """Readings at each triple of rates to "encounter" or to "abandon", the others being 1."""
    both = [[(rate, 1.0) if varied == "encounter" else (1.0, rate) for rate in c] for c in cells]
    teams = [tuple(Kind(robots, *rates) for rates in cell) for cell in both]
    named = dict(zip(("type1", "type2", "type3"), np.array(cells).T, strict=True))
    return {"robots": [robots] * len(cells), **named, **_readings(workspace, teams, what)}


def _readings(workspace: Workspace, teams: Sequence[Team], what: str) -> dict[str, Array]:
    """Every reading of every team, over all its neighbours."""
    wanted = {_ordered(one) for team in teams for one in (team, *_neighbours(team))}
    jobs = sorted(wanted, key=lambda team: (-_size(team), team))
    found = workspace.map_kept(observed_distribution, jobs, what, KEPT)
    distributions = {
        team: _distribution(*distribution) for team, distribution in zip(jobs, found, strict=True)
    }
    known = {}
    for team in {_ordered(team) for team in teams}:
        others = {_ordered(other) for other in _neighbours(team)}
        known[team] = worst_readings(
            distributions[team], [distributions[other] for other in others]
        )
    rows = np.array([known[_ordered(team)] for team in teams])
    return dict(zip(COLUMNS, rows.T, strict=True))


def observed_distribution(team: Team) -> tuple[list[list[int]], list[float]]:
    """What is seen of a team of the task network at its time, and ln p of it."""
    counts, encounter, abandon = zip(*team, strict=True)
    scenario = task_network(counts, encounter, abandon)
    solver = _engine(counts).at_rates(scenario.network)
    (distribution,) = solver.distributions(scenario.start, [TASK_TIME], scenario.query)
    return distribution.outcomes.tolist(), distribution.log_probabilities.tolist()


@lru_cache(maxsize=2)
def _engine(counts: Counts) -> Solver:
    """Of the task network, for one team: it keeps the states, which are the same at all rates."""
    return Solver(task_network(counts).network)


def _distribution(outcomes: list[list[int]], logs: list[float]) -> Distribution:
    names = ("exploring", "waiting", "in_twos")
    return Distribution(names, np.array(outcomes), np.array(logs), log_error=0.0)


def _ordered(team: Team) -> Team:
    return tuple(sorted(team))


def _size(team: Team) -> int:
    """What the number of states grows with."""
    return int(np.prod([kind.robots + 1 for kind in team]))


def _neighbours(team: Team) -> list[Team]:
    """The teams with one robot of another type."""
    found = []
    for away, to in itertools.permutations(range(len(team)), 2):
        if team[away].robots > 0:
            kinds = list(team)
            kinds[away] = kinds[away]._replace(robots=kinds[away].robots - 1)
            kinds[to] = kinds[to]._replace(robots=kinds[to].robots + 1)
            found.append(tuple(kinds))
    return found
