"""The second case study: tasks that need one robot of each type, at τ = 10."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from covey.dynamics.solve import distribution
from covey.paper.case_studies.task_claims import claims
from covey.paper.case_studies.task_distributions import KEPT, over_rates, over_teams
from covey.paper.scenarios import TASK_TIME, task_network
from covey.paper.workspace import Array, Part, Workspace

ROBOTS = 10  # of each type
ENCOUNTER, ABANDON = (0.2, 0.5, 0.8), (0.8, 0.5, 0.2)  # the caption's, of types 1, 2, 3
RATES, RATE_COUNT = (0.2, 2.0), 10
POPULATIONS = 20  # robots of types 2 and 3, at most
COARSE_POPULATIONS, COARSE_ROBOTS = 12, 4

Columns = Mapping[str, Sequence[Any] | Array]


def run(workspace: Workspace) -> Part:
    """The marginals, the map over populations, and both maps over rates."""
    counts = list(range(1, (POPULATIONS if workspace.full else COARSE_POPULATIONS) + 1))
    rates = np.linspace(*RATES, RATE_COUNT).round(10).tolist()
    cells = [(1.0, a, b) for a in rates for b in rates]  # of types 1, 2 and 3
    robots = ROBOTS if workspace.full else COARSE_ROBOTS
    team = [ROBOTS] * 3
    tables = {
        "marginals": workspace.table(
            "task-marginals",
            {"team": team, "encounter": ENCOUNTER, "abandon": ABANDON, "at": TASK_TIME},
            _marginals,
        ),
        "populations": workspace.table(
            workspace.name("task-populations"),
            {"n1": ROBOTS, "counts": counts, "rates": 1, "at": TASK_TIME},
            lambda: over_teams(
                workspace, [(ROBOTS, a, b) for a in counts for b in counts], "teams of tasks"
            ),
        ),
    }
    tables["balanced"] = workspace.table(
        "task-balanced",
        {"counts": [1, ROBOTS], "rates": 1, "at": TASK_TIME},
        lambda: over_teams(
            workspace, [(n, n, n) for n in range(1, ROBOTS + 1)], "teams with as many of each type"
        ),
    )
    for varied in ("encounter", "abandon"):
        tables[varied] = workspace.table(
            workspace.name(f"task-{varied}"),
            {"robots": robots, "rates": rates, "varied": varied, "at": TASK_TIME},
            partial(over_rates, workspace, robots, cells, varied, f"rates to {varied} tasks"),
        )
    workspace.forget(KEPT)
    return Part("tasks", tables, claims(tables, robots))


def _marginals() -> Columns:
    """The distribution of every count by itself: of the nine species, and of what is seen."""
    scenario = task_network((ROBOTS,) * 3, ENCOUNTER, ABANDON)
    states = distribution(scenario, states=True)
    names: list[str] = []
    counts: list[int] = []
    chances: list[float] = []
    for observed in (states, states.observe(scenario.query)):
        for name in observed.names:
            count, probability = observed.marginal(name)
            names += [name] * len(count)
            counts += count.tolist()
            chances += probability.tolist()
    return {"name": names, "count": counts, "probability": chances}
