"""Designs: the paper's task network at its unequal rates, steady state, throughput kept.

The peer is what a user would write by hand: scipy's SLSQP with finite differences of
`covey.leakage`, in the logarithms of the same six rates, from the same starts. Its leakage is that
of the last point; where it broke the floor that is said.

The depot has 120 robots of three classes and a closed form; there the total variation is made
small, for the leakage is infinite. `covey sensitivity` of the paper's task network is measured
against a loop of `covey.leakage` over the same changes.
"""

from __future__ import annotations

import time

import numpy as np
from scipy.optimize import NonlinearConstraint, minimize

from benchmarks.depot import depot
from benchmarks.timing import markdown
from covey import Network, Scenario, design, leakage, load, performance, sensitivity
from covey.dynamics.solver import Solver
from covey.paper.scenarios import task_network
from covey.privacy.snapshot.leakage import leakage_of
from covey.privacy.snapshot.output_distributions import distributions_by
from covey.remedy.design.descent import descend
from covey.remedy.design.evaluation import Evaluator
from covey.remedy.design.objective import read_objective
from covey.remedy.design.variables import read_variables
from covey.remedy.performance import performance_by
from covey.study.sensitivity.changes import changes_of

AGAINST = "scipy's SLSQP on finite differences of `covey.leakage`, and a loop of `covey.leakage`"
ENCOUNTER, ABANDON = (0.2, 0.5, 0.8), (0.8, 0.5, 0.2)
SCRIPTED, ALONE = 4, (7,)
LONG_ALONE = (10,)  # robots of each type
SAMPLES = 500


def run() -> str:
    best = sampled(SCRIPTED)
    return (
        table("as it is", None, ALONE)
        + f"\n\nThe best of {SAMPLES:,} random settings of {SCRIPTED} robots that keep the "
        f"throughput leaks {best:.4f}.\n\n{changes_said()}"
    )


def run_long() -> str:
    """From another start, of more robots, and of a fleet."""
    return f"{table('all 0.5', 0.5, LONG_ALONE)}\n\n{depot_said()}"


def table(start: str, begin: float | None, alone: tuple[int, ...]) -> str:
    """Beside the script from one start; and larger teams, from where they are, without it."""
    header = ["robots of each type", "start", "hand-made SLSQP", "covey", "faster"]
    script, ours = by_hand(SCRIPTED, begin), by_covey(SCRIPTED, begin)
    rows = [[str(SCRIPTED), start, said(*script), said(*ours), f"**{script[1] / ours[1]:.1f} ×**"]]
    rows += [[str(n), "as it is", "–", said(*by_covey(n, None)), ""] for n in alone]
    return markdown(header, rows)


def depot_said() -> str:
    team = depot()
    rates = {f"rates.{name}": (rate / 2, rate * 2) for name, rate in team.network.rates.items()}
    began = time.perf_counter()
    found = design(team, rates, keep={"tasks": 1, "charged": 1}, minimise="total_variation")
    seconds = time.perf_counter() - began
    before, after, apart = found.before.measures, found.after.measures, "total_variation"
    kept = ", ".join(
        f"{name} {after[name]:.4g} for {before[name]:.4g}" for name in team.performance
    )
    return (
        f"The depot of 120 robots, every rate up to a factor 2 from now, {found.starts} starts: "
        f"total variation {after[apart]:.5f} instead of {before[apart]:.5f} "
        f"({kept}) in **{seconds:.0f} s**, {found.evaluations} evaluations."
    )


def changes_said() -> str:
    """The paper's task network as it stands in examples/, at time 10."""
    team = load("examples/task-network.toml")
    began = time.perf_counter()
    found = sensitivity(team, workers=1)
    ours = time.perf_counter() - began
    changes = changes_of(team)
    began = time.perf_counter()
    values = [leakage(change.scenario).value for change in changes]
    theirs = time.perf_counter() - began
    apart = max(abs(e.after.leakage - v) for e, v in zip(found.effects, values, strict=True))
    return (
        f"`covey.sensitivity` of examples/task-network.toml, {len(changes)} changes and the "
        f"derivatives: {ours:.1f} s; a loop of `covey.leakage` over the same changes: "
        f"{theirs:.1f} s (**{theirs / ours:.1f} ×**), at most {apart:.0e} apart."
    )


def said(found: float, seconds: float, evaluations: int, short: float) -> str:
    missed = f", {short:.1%} below the floor" if short > 1e-6 else ""
    return f"{found:.4f} in {seconds:.1f} s, {evaluations} evaluations{missed}"


def scenario(n: int) -> Scenario:
    plain = task_network((n, n, n), ENCOUNTER, ABANDON)
    lines = [
        f"done: {line}" if "-> e{1} + e{2} + e{3}" in line else line
        for line in str(plain.network).split("\n")
    ]
    return Scenario(
        Network("\n".join(lines)),
        plain.team,
        plain.query,
        initial={name: str(place) for name, place in plain.initial.items()},
        performance={"throughput": "rate(done)"},
    )


def by_covey(n: int, begin: float | None) -> tuple[float, float, int, float]:
    team = scenario(n)
    variables = read_variables(["rates.*=0.1:1"], team)
    began = time.perf_counter()
    evaluator = Evaluator(team, Solver(team.network), 0.0)
    now = evaluator({}).performance["throughput"]
    objective = read_objective("leakage", None, {"throughput": 1.0}, {}, 0.0, {"throughput": now})
    starts = [v.now(team) if begin is None else begin for v in variables]
    found = descend(evaluator, variables, starts, {}, objective)
    seconds = time.perf_counter() - began
    short = 1 - found.performance["throughput"] / now
    return found.privacy("leakage"), seconds, evaluator.evaluations, short


def by_hand(n: int, begin: float | None) -> tuple[float, float, int, float]:
    team = scenario(n)
    names = list(team.network.rates)
    count = 0

    def at(logs: np.ndarray) -> Scenario:
        rates = {f"rates.{name}": x for name, x in zip(names, np.exp(logs), strict=True)}
        return team.with_(rates)

    def leaks(logs: np.ndarray) -> float:
        nonlocal count
        count += 1
        return leakage(at(logs)).value

    def gets_done(logs: np.ndarray) -> float:
        return performance(at(logs))["throughput"]

    began = time.perf_counter()
    now = performance(team)["throughput"]
    first = np.log([team.network.rates[name] if begin is None else begin for name in names])
    found = minimize(
        leaks, first, method="SLSQP", bounds=[(np.log(0.1), 0.0)] * len(names),
        constraints=[NonlinearConstraint(gets_done, now, np.inf)], options={"maxiter": 60},
    )  # fmt: skip
    seconds = time.perf_counter() - began
    return leaks(found.x), seconds, count, 1 - gets_done(found.x) / now


def sampled(n: int) -> float:
    """The least leakage of random settings that keep the throughput."""
    team = scenario(n)
    engine = Solver(team.network)
    now = performance(team)["throughput"]
    names = [f"rates.{name}" for name in team.network.rates]
    best = np.inf
    for logs in np.random.default_rng(1).uniform(np.log(0.1), 0.0, (SAMPLES, len(names))):
        other = team.with_(dict(zip(names, np.exp(logs).tolist(), strict=True)), warn=False)
        prepared = engine.at_rates(other.network)
        if performance_by(prepared, other)["throughput"] >= now:
            (distributions,) = distributions_by(prepared, other)
            best = min(best, leakage_of(distributions).value)
    return best
