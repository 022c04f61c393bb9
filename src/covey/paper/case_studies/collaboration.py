"""The first case study: three types that collaborate, over populations and over rates."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.dynamics.product_form.many_teams import family_of
from covey.dynamics.product_form.product_form import ProductForm
from covey.numbers import Floats
from covey.paper.case_studies.collaboration_claims import claims
from covey.paper.readings import BOUNDED, COLUMNS, bounded_readings, readings
from covey.paper.scenarios import three_types
from covey.paper.workspace import Array, Part, Workspace

Team = tuple[int, int, int]
Columns = Mapping[str, Sequence[Any] | Array]

POPULATIONS = (150, 300)
TEAM: Team = (220, 220, 200)
RATES = (0.1, 1.9)  # the paper does not say its range: that of the authors' data
RATE_COUNT = {False: 10, True: 19}  # along an axis; in a full run
_BLOCK = 100  # teams that share a list of states


@dataclass(frozen=True)
class _Job:
    teams: tuple[Team, ...]
    rates: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    exact: bool = False  # the exact leakage as well


def run(workspace: Workspace) -> Part:
    """Both maps over populations, both over rates, and the diagonal over all integers."""
    counts = list(range(POPULATIONS[0], POPULATIONS[1] + 1, 10))  # the authors' own cells
    rates = np.linspace(*RATES, RATE_COUNT[workspace.full]).round(10).tolist()
    diagonal = list(range(POPULATIONS[0], POPULATIONS[1] + 1))
    tables = {
        "n1_n2": workspace.table(
            "collaboration-n1-n2",
            {"counts": counts, "n3": TEAM[2], "rates": 1},
            lambda: over_teams(workspace, [(a, b, TEAM[2]) for a in counts for b in counts]),
        ),
        "n2_n3": workspace.table(
            "collaboration-n2-n3",
            {"counts": counts, "n1": TEAM[0], "rates": 1},
            lambda: over_teams(workspace, [(TEAM[0], b, c) for b in counts for c in counts]),
        ),
        "diagonal": workspace.table(
            "collaboration-diagonal",
            {"counts": diagonal, "n3": TEAM[2], "rates": 1},
            lambda: over_teams(workspace, [(n, n, TEAM[2]) for n in diagonal], exact=True),
        ),
        "initiate": workspace.table(
            workspace.name("collaboration-k1-k3"),
            {"team": TEAM, "k1 and k3": rates},
            lambda: over_rates(workspace, [(a, 1.0, b, 1.0) for a in rates for b in rates]),
        ),
        "terminate": workspace.table(
            workspace.name("collaboration-k2-k4"),
            {"team": TEAM, "k2 and k4": rates},
            lambda: over_rates(workspace, [(1.0, a, 1.0, b) for a in rates for b in rates]),
        ),
    }
    return Part("collaboration", tables, claims(tables, RATES))


def over_teams(workspace: Workspace, teams: Sequence[Team], exact: bool = False) -> Columns:
    """Readings of every team. Types 1 and 2 may be swapped: each pair is computed once."""
    distinct = sorted({_canonical(team) for team in teams}, key=sum)
    pieces = [tuple(distinct[i : i + _BLOCK]) for i in range(0, len(distinct), _BLOCK)]
    jobs = [_Job(piece, exact=exact) for piece in pieces]
    found = workspace.map(_readings, jobs, "teams")
    known = dict(zip(distinct, np.concatenate(found), strict=True))
    rows = np.array([known[_canonical(team)] for team in teams])
    named = dict(zip(("n1", "n2", "n3"), np.array(teams).T, strict=True))
    return {**named, **dict(zip(COLUMNS if exact else BOUNDED, rows.T, strict=True))}


def over_rates(workspace: Workspace, rates: Sequence[tuple[float, float, float, float]]) -> Columns:
    """Readings of `TEAM` at each κ1, κ2, κ3, κ4."""
    jobs = [_Job((TEAM,), four) for four in rates]
    rows = np.concatenate(workspace.map(_readings, jobs, "rates"))
    named = dict(zip(("k1", "k2", "k3", "k4"), np.array(rates).T, strict=True))
    return {**named, **dict(zip(BOUNDED, rows.T, strict=True))}


def _canonical(team: Team) -> Team:
    first, second, third = team
    return min(first, second), max(first, second), third


def _readings(job: _Job) -> Floats:
    """The readings of teams that share a list of states: (teams, readings)."""
    scenario = three_types(job.teams[0], job.rates)
    start = {team: three_types(team, job.rates).start for team in job.teams}
    unit = [three_types(one, job.rates).start for one in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    largest = np.max([*start.values()], axis=0) + sum(unit)
    family, totals_of, _ = family_of(ProductForm(scenario.network), largest, scenario.query)
    rows = []
    for team in job.teams:
        others = [
            start[team] + unit[to] - unit[away]
            for away, to in itertools.permutations(range(3), 2)
            if team[away] > 0
        ]
        distribution, read = (
            (family.log_distribution, readings)
            if job.exact
            else (family.distribution, bounded_readings)
        )
        own = distribution(start[team] @ totals_of)
        rows.append(
            np.max([read(own, distribution(other @ totals_of)) for other in others], axis=0)
        )
    return np.array(rows)
