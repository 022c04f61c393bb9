"""The task network over teams and over rates: no law is computed twice.

With all rates equal the types are exchangeable, and so is what is seen of them: teams with the same
counts in another order have the same law. A map over populations solves each such team once, the
largest first, and keeps only the law of what is seen. In a map over the rates of types 2 and 3,
with as many robots of each, the two may be swapped: half of the map is computed.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.solve import distribution
from covey.numbers import Floats
from covey.paper.desk import Array, Desk
from covey.paper.readings import COLUMNS, worst_readings
from covey.paper.scenarios import Rates, task_network
from covey.privacy.laws import team_laws

Counts = tuple[int, ...]

KEPT = "task-laws"  # laws of teams and cells of maps, until all that needs them is done


class RateCell(NamedTuple):
    """One cell of a map over rates: robots of each type, and the rates of all three."""

    robots: int
    encounter: Rates
    abandon: Rates


def population_map(
    desk: Desk, first: int, counts: Sequence[int], what: str
) -> Mapping[str, Sequence[Any] | Array]:
    """Readings of every team (first, n2, n3), n2 and n3 in `counts`, with all rates 1."""
    return over_teams(desk, [(first, a, b) for a in counts for b in counts], what)


def balanced_teams(
    desk: Desk, counts: Sequence[int], what: str
) -> Mapping[str, Sequence[Any] | Array]:
    """Readings of every team (n, n, n), with all rates 1."""
    return over_teams(desk, [(n, n, n) for n in counts], what)


def over_teams(
    desk: Desk, cells: Sequence[Counts], what: str
) -> Mapping[str, Sequence[Any] | Array]:
    """Readings of every team in `cells`, with all rates 1."""
    wanted = {tuple(sorted(team)) for cell in cells for team in (cell, *_neighbours(cell))}
    teams = sorted(wanted, key=lambda team: -int(np.prod(np.array(team) + 1)))
    found = desk.map_kept(observed_law, teams, what, KEPT)
    laws = {team: _law(*law) for team, law in zip(teams, found, strict=True)}
    known: dict[Counts, Floats] = {}
    for cell in {tuple(sorted(cell)) for cell in cells}:
        others = {tuple(sorted(other)) for other in _neighbours(cell)}
        known[cell] = worst_readings(laws[cell], [laws[other] for other in others])
    rows = np.array([known[tuple(sorted(cell))] for cell in cells])
    named = dict(zip(("n1", "n2", "n3"), np.array(cells).T, strict=True))
    return {**named, **dict(zip(COLUMNS, rows.T, strict=True))}


def observed_law(team: Counts) -> tuple[list[list[int]], list[float]]:
    """What is seen of a team of the task network at its time, all rates being 1, and ln p of it."""
    law = distribution(task_network(team))
    return law.outcomes.tolist(), law.log_probabilities.tolist()


def rate_map(
    desk: Desk, robots: int, rates: Sequence[float], varied: str, what: str
) -> Mapping[str, Sequence[Any] | Array]:
    """Readings with the rates of types 2 and 3 varied: those to "encounter" or to "abandon"."""
    cells = [(1.0, a, b) for a in rates for b in rates]
    return over_rates(desk, robots, cells, varied, what)


def over_rates(
    desk: Desk, robots: int, cells: Sequence[Rates], varied: str, what: str
) -> Mapping[str, Sequence[Any] | Array]:
    """Readings at each triple of rates to "encounter" or to "abandon", the others being 1."""
    one = (1.0, 1.0, 1.0)
    half = sorted({_swapped(cell) for cell in cells})
    jobs = [
        RateCell(robots, cell, one) if varied == "encounter" else RateCell(robots, one, cell)
        for cell in half
    ]
    found = dict(zip(half, desk.map_kept(cell_readings, jobs, what, KEPT), strict=True))
    rows = np.array([found[_swapped(cell)] for cell in cells])
    named = dict(zip(("type1", "type2", "type3"), np.array(cells).T, strict=True))
    return {"robots": [robots] * len(cells), **named, **dict(zip(COLUMNS, rows.T, strict=True))}


def _swapped(cell: Rates) -> Rates:
    """The cell with the rates of types 2 and 3 in order: as many robots have either."""
    first, second, third = cell
    return first, min(second, third), max(second, third)


def cell_readings(cell: RateCell) -> list[float]:
    """Every reading of one cell, over all neighbours."""
    scenario = task_network((cell.robots,) * 3, cell.encounter, cell.abandon)
    (laws,) = team_laws(scenario)
    return list(map(float, worst_readings(laws.team, [law for _, law in laws.neighbours])))


def _law(outcomes: list[list[int]], logs: list[float]) -> Distribution:
    names = ("exploring", "waiting", "in_twos")
    return Distribution(names, np.array(outcomes), np.array(logs), log_error=0.0)


def _neighbours(team: Counts) -> list[Counts]:
    """The teams with one robot of another type."""
    found = []
    for away, to in itertools.permutations(range(len(team)), 2):
        if team[away] > 0:
            counts = list(team)
            counts[away] -= 1
            counts[to] += 1
            found.append(tuple(counts))
    return found
