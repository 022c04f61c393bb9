"""Small teams, which most people have: search and rescue, 329 states, 13 distributions.

A user's script lists the states by a dictionary, fills a sparse matrix and has scipy solve it, for
the team and each neighbour. All figures are seconds of CPU, of all threads together, since that is
what a busy machine leaves unchanged: `covey` is asked from the prompt and in a warm process.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from scipy.sparse import csc_array
from scipy.sparse.linalg import expm_multiply, spsolve

from benchmarks.bench_unequal import TAU
from benchmarks.bench_unequal import team as task_team
from benchmarks.timing import least_cpu, markdown
from covey import Scenario, dump, leakage, load
from covey.dynamics.solver import Solver

AGAINST = "a user's script with scipy's `spsolve` or `expm_multiply`"
FILE = Path(__file__).parent.parent / "examples" / "search-and-rescue.toml"
LARGER = {"types.uav": 7, "types.ugv": 6, "types.relay": 4, "types.op": 4}
CELLS = ["--vary", "rates.meet=0.1:1:6", "--vary", "rates.join=0.2:0.8:4", "--workers", "1"]


def run() -> str:
    warm = ["leakage in a warm process", "states", "a user's script", "covey"]
    prompt = ["from the prompt", "CPU"]
    return "\n\n".join(
        [
            "### In a warm process",
            markdown(warm, [_warm(load(FILE)), _warm(load(FILE).with_(LARGER))]),
            "### From the prompt",
            markdown(prompt, _from_the_prompt()),
            f"### The task network (10,10,10), unequal rates, τ = {TAU:g}, from the prompt",
            markdown(["", "CPU", ""], _task_network()),
        ]
    )


def _warm(scenario: Scenario) -> list[str]:
    found = leakage(scenario)
    script = least_cpu(3, partial(_script, scenario))
    ours = least_cpu(5, partial(leakage, scenario))
    teams = len(found.pairs) + 1
    return [
        f"{scenario.team}: {teams} distributions", f"{found.states:,}", f"{script:.2f} s",
        f"{ours:.3f} s, **{script / ours:.1f} ×**",
    ]  # fmt: skip


def _script(scenario: Scenario) -> list[dict[tuple[int, ...], float]]:
    """The steady state of what is seen, of the team and of its neighbours."""
    teams = [scenario.team, *(neighbour.team for neighbour in scenario.team.neighbours())]
    return [_distribution(scenario, scenario.start_of(team).tolist()) for team in teams]


def _distribution(scenario: Scenario, start: list[int]) -> dict[tuple[int, ...], float]:
    network, seen = scenario.network, scenario.query
    reactions = list(
        zip(
            network.reactants.tolist(),
            network.changes.tolist(),
            network.rate_constants,
            strict=True,
        )
    )
    number, rows, columns, values = {tuple(start): 0}, [], [], []
    for state in (states := [tuple(start)]):
        at = number[state]
        for needs, change, constant in reactions:
            rate = constant
            for have, need in zip(state, needs, strict=True):
                for taken in range(need):
                    rate *= have - taken
            if rate > 0:
                after = tuple(have + more for have, more in zip(state, change, strict=True))
                if after not in number:
                    number[after] = len(states)
                    states.append(after)
                rows += [number[after], at]
                columns += [at, at]
                values += [rate, -rate]
    n = len(states)
    matrix = csc_array((values, (rows, columns)), shape=(n, n)).tolil()
    matrix[n - 1] = np.ones(n)
    probabilities = spsolve(csc_array(matrix), np.eye(1, n, n - 1)[0])
    found: dict[tuple[int, ...], float] = {}
    shown = seen.shown(np.array(states), network.index)
    for outcome, p in zip(map(tuple, shown.tolist()), probabilities, strict=True):
        found[outcome] = found.get(outcome, 0.0) + p
    return found


def _from_the_prompt() -> list[list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        jobs = {
            "covey leakage": ["leakage", str(FILE)],
            "covey sweep, 24 cells": ["sweep", str(FILE), *CELLS, "-o", f"{folder}/map.csv"],
            "covey report": ["report", str(FILE), "-o", f"{folder}/report.html"],
        }
        rows = []
        for name, arguments in jobs.items():
            if "report" not in arguments:  # which takes long, and compiles hardly anything more
                _prompt(arguments)  # compiled now, and bytes of Python written
            for path in Path(folder).iterdir():
                path.unlink()
            rows.append([name, f"{_prompt(arguments):.2f} s"])
    return rows


def _prompt(arguments: Sequence[str]) -> float:
    """CPU seconds of a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "covey", *arguments, "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _task_network() -> list[list[str]]:
    scenario = task_team(10)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "task.toml"
        dump(scenario, path)
        ours = min(_prompt(["leakage", str(path)]) for _ in range(2))
    teams = [scenario.team, *(neighbour.team for neighbour in scenario.team.neighbours())]
    script = 0.0
    for team in teams:
        chain = Solver(scenario.network).chain(scenario.start_of(team))
        matrix = chain.generator.csr() * TAU
        script += least_cpu(1, partial(expm_multiply, matrix, chain.start))
    return [
        [f"expm_multiply, {len(teams)} times", f"{script:.1f} s", ""],
        ["covey leakage", f"{ours:.1f} s", f"**{script / ours:.1f} ×**"],
    ]
