"""The steady state beyond the lattice: the task network with the rates of the paper's caption.

N robots of each type; the distribution of all states on a window, and what is proved to lie
outside. The peer is covey's own solver on every state, where they fit.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from benchmarks.bench_unequal import team
from benchmarks.timing import markdown
from covey import Distribution, Limits, Scenario, Solver

AGAINST = "covey's own solver on every state, where they fit"
WHOLE = (8, 12, 16)
SIZES = (8, 12, 1000)
LONG = (16, 30, 100)


def run() -> str:
    return table(SIZES)


def run_long() -> str:
    return table(LONG)


def table(sizes: tuple[int, ...]) -> str:
    header = ["N", "states", "drift condition", "window", "time", "proved to lie outside",
              "proved error of ln p", "every state", "largest difference"]  # fmt: skip
    return markdown(header, [row(n) for n in sizes])


def row(n: int) -> list[str]:
    scenario = team(n)
    distribution(team(6), "window")  # compiled now
    engine = Solver(scenario.network, Limits("window"))
    start = perf_counter()
    drift = engine.ergodicity(scenario.start).back.drift
    found = engine.distributions(scenario.start, ["steady"])[0]
    seconds = perf_counter() - start
    reached = engine.reach(scenario.start)
    more = "" if reached.states is not None else "more than "
    cells = [
        str(n), f"{more}{reached.at_least:,}", f"degree {drift.degree}, c = {drift.level:.1f}",
        f"{found.states:,}", f"**{seconds:.1f} s**", f"{found.truncated_mass:.0e}",
        f"{found.log_error:.0e}",
    ]  # fmt: skip
    if n not in WHOLE:
        return [*cells, "–", "–"]
    distribution(team(6), "stationary")  # compiled now
    start = perf_counter()
    whole = distribution(scenario, "stationary")
    other = perf_counter() - start
    place = {state: i for i, state in enumerate(map(tuple, whole.outcomes.tolist()))}
    same = [place[state] for state in map(tuple, found.outcomes.tolist())]
    apart = float(np.abs(whole.probabilities[same] - found.probabilities).max())
    return [*cells, f"{other:.1f} s ({other / seconds:.1f} ×)", f"{apart:.0e}"]


def distribution(scenario: Scenario, method: str) -> Distribution:
    limits = Limits("window") if method == "window" else Limits("stationary")
    return Solver(scenario.network, limits).distributions(scenario.start, ["steady"])[0]
