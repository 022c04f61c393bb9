"""Leakage of the task network beside the straightforward script, and of every example.

The script does what a reader of the paper would write: for the team and each neighbour the states
by breadth-first search (covey's own, so that only the solutions differ), scipy's expm_multiply,
and the largest log-ratio.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
from scipy.sparse.linalg import expm_multiply

from benchmarks.task_network import scenario
from benchmarks.timing import best_of, markdown
from covey import leakage
from covey.dynamics.ctmc.transitions import build
from covey.dynamics.state_space.enumeration import explore
from covey.model.team import Team

AGAINST = "scipy's `expm_multiply`, once per team"
SIZE = 8  # robots of each type
EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.toml"))


def run() -> str:
    team = scenario(SIZE)
    value = leakage(team).value  # compiles, and is the answer
    ours = best_of(3, partial(leakage, team))
    script: list[float] = []
    peer = best_of(1, lambda: script.append(_script(team.team.types["1"])))
    header = [f"task network ({SIZE},{SIZE},{SIZE}), τ = 10, six neighbours", "time", "leakage"]
    rows = [
        ["scipy expm_multiply, once per team", f"{peer:.1f} s", f"{script[0]:.7f}"],
        ["covey", f"{ours:.2f} s, **{peer / ours:.0f} ×**", f"{value:.7f}"],
    ]
    shell = [[path.stem, f"{_from_the_shell(path):.2f} s"] for path in EXAMPLES]
    return (
        markdown(header, rows)
        + "\n\n`covey leakage` on every example, process start included:\n\n"
        + markdown(["example", "time"], shell)
    )


def _script(n: int) -> float:
    whole = scenario(n)
    distributions = [
        _distribution(team) for team in (whole.team, *(x.team for x in whole.team.neighbours()))
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        return max(
            float(np.nanmax(np.abs(np.log(distributions[0] / other))))
            for other in distributions[1:]
        )


def _distribution(team: Team) -> np.ndarray:
    whole = scenario(SIZE)
    lattice = explore(whole.network, whole.start_of(team), max_states=10**6)
    distribution = expm_multiply(build(whole.network, lattice).csr() * 10.0, lattice.point_mass())
    observed = lattice.states.astype(np.int64) @ whole.query.matrix(whole.network).T
    grid = np.zeros((31, 31, 16))
    np.add.at(grid, tuple(observed.T), distribution)
    return grid


def _from_the_shell(path: Path) -> float:
    command = [sys.executable, "-m", "covey", "leakage", str(path), "--json"]
    return best_of(2, partial(subprocess.run, command, capture_output=True, check=True))
