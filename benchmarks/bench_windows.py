"""Large teams at a time: the states that carry the mass, where the chain has far too many.

The task network with the rates of the paper's caption, N robots of each type, τ = 10, all but 1e-9
of the mass. "Plain" is uniformisation on the same window, every product of it: estimated from the
products it needs and the time that one takes, for it would take an hour at N = 1,000.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from benchmarks.bench_unequal import TAU, team
from benchmarks.timing import best_of, markdown
from covey.dynamics.projection.finite_state_projection import project
from covey.dynamics.solver import Solver
from covey.dynamics.state_space.truncated_chain import TruncatedChain

AGAINST = "plain uniformisation on the same window, estimated from one product"
SIZES = (50, 1000)
PRODUCTS = 10  # timed


def run() -> str:
    header = ["N", "states of the chain", "states of the window", "lost", "time", "products",
              "largest exit rate", "plain, on the same window"]  # fmt: skip
    return markdown(header, map(distribution, SIZES))


def distribution(n: int) -> list[str]:
    scenario = team(n)
    network, start = scenario.network, scenario.start
    project(network, start, 1e-3)  # compiled now
    began = perf_counter()
    found = project(network, start, TAU)
    seconds = perf_counter() - began
    window = TruncatedChain.of(network, found.states)
    products = 1.02 * window.rate * TAU
    stay, vector = window.rate - window.generator.exits, np.ones(len(window))

    def some() -> None:
        for _ in range(PRODUCTS):
            window.generator.advance(vector, stay, 1 / window.rate)

    plain = products * best_of(3, some) / PRODUCTS
    states = Solver(network).reach(start).at_least
    return [
        f"{n:,}", f"{states:,}" + ("" if n <= 50 else " or more"), f"{len(found):,}",
        f"{found.truncated_mass:.1e}", f"**{seconds:.0f} s**", f"{found.products:,}",
        f"{window.rate:,.0f}", f"{products:,.0f} products, {plain:,.0f} s "
        f"({plain / seconds:.1f} ×)",
    ]  # fmt: skip
