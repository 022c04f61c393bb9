"""Unequal rates: no symmetry folds the chain. The hard case, first.

The task network with the rates of the paper's caption, N robots of each type, τ = 10. A user's
script is scipy's expm_multiply on covey's own generator. "Plain" is covey's uniformisation without
long steps: every step of it, and with the proved stop where the chain comes to rest early.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
from scipy.sparse.linalg import expm_multiply

from benchmarks.growth import Line, draw
from benchmarks.timing import best_of, markdown
from covey import Scenario, leakage
from covey.dynamics import threads
from covey.dynamics.chain import Chain
from covey.dynamics.ctmc import uniformization as solver
from covey.dynamics.ctmc import uniformized_chain
from covey.dynamics.ctmc.row_groups import ungrouped
from covey.dynamics.kernels.grouped_rows import product_rows
from covey.dynamics.kernels.rows import Groups
from covey.dynamics.solver import Solver
from covey.paper.scenarios import task_network

AGAINST = "scipy's `expm_multiply`, plain uniformisation by covey itself, and scipy's `csr_array`"
ENCOUNTER, ABANDON = (0.2, 0.5, 0.8), (0.8, 0.5, 0.2)
TAU = 10.0
SIZES = (6, 8, 10, 12, 14)
PRODUCTS = (10, 14, 18)
SCRIPTED = 12  # robots of each type up to which expm_multiply is asked
TIMES = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
AT_TIMES = 10  # robots of each type

Times = dict[str, float]


def run() -> str:
    distributions = ["N", "states", "expm_multiply", "plain, every step", "plain, stopped at rest",
            "covey, one core", "covey", "products", "proved error of ln p",
            "largest difference to plain"]  # fmt: skip
    teams = ["leakage of (10,10,10), seven teams, states and generators too", "time", "leakage",
             "certain to within"]  # fmt: skip
    products = ["N", "transitions", "scipy's csr_array", "covey, row by row", "covey, eight rows",
                "entries of those"]  # fmt: skip
    header = ["τ", "expm_multiply", "plain, stopped at rest", "covey", "products"]
    return "\n\n".join(
        [
            f"### One distribution at τ = {TAU:g}",
            markdown(distributions, [distribution(n)[1] for n in SIZES]),
            "### Leakage",
            markdown(teams, seven_distributions()),
            f"### One distribution of (10,10,10), {len(chain_of(AT_TIMES).lattice):,} states, "
            "over time",
            markdown(header, [at_time(tau)[1] for tau in TIMES]),
            "### One product, one core",
            markdown(products, [product(n) for n in PRODUCTS]),
        ]
    )


def pictures(folder: Path) -> list[str]:
    """Growth with N and with τ, of what `run` measured."""
    by_size = {n: distribution(n)[0] for n in SIZES}
    by_time = {tau: at_time(tau)[0] for tau in TIMES}
    states = {n: len(chain_of(n).lattice) for n in SIZES}
    draw(
        folder / "unequal-states.svg", f"One distribution at τ = {TAU:g}, unequal rates", "states",
        _lines({states[n]: times for n, times in by_size.items()}),
    )  # fmt: skip
    draw(
        folder / "unequal-time.svg", f"One distribution of {AT_TIMES} robots of each type", "τ",
        _lines(by_time),
    )  # fmt: skip
    return [
        "![time over states](benchmarks/unequal-states.svg)",
        "![time over τ](benchmarks/unequal-time.svg)",
    ]


def _lines(measured: dict[float, Times] | dict[int, Times]) -> list[Line]:
    names = dict.fromkeys(name for times in measured.values() for name in times)
    return [
        Line(name, [(float(x), times[name]) for x, times in measured.items() if name in times])
        for name in names
    ]


def team(n: int) -> Scenario:
    return task_network((n, n, n), ENCOUNTER, ABANDON)


@cache
def chain_of(n: int) -> Chain:
    scenario = team(n)
    return Solver(scenario.network).chain(scenario.start)


@cache
def distribution(n: int) -> tuple[Times, list[str]]:
    chain = chain_of(n)
    found, steps, every = solve(chain), plain(chain), without_rest(chain)  # compiled now
    times = {
        "covey": best_of(3, partial(solve, chain)),
        "covey, one core": best_of(2, partial(on_one_core, partial(solve, chain))),
        "plain, stopped at rest": best_of(1, partial(plain, chain)),
        "plain, every step": best_of(1, partial(without_rest, chain)),
    }
    ours = times["covey"]
    script = "–"
    if n <= SCRIPTED:
        matrix = chain.generator.csr() * TAU
        times["expm_multiply"] = best_of(1, partial(expm_multiply, matrix, chain.start))
        script = f"{times['expm_multiply']:.2f} s"
    apart = np.abs(found.log_probabilities - steps.log_probabilities).max()
    ratio = f", **{times['expm_multiply'] / ours:.1f} ×**" if n <= SCRIPTED else ""
    row = [str(n), f"{len(chain.lattice):,}", script]
    row += [
        f"{times[name]:.2f} s ({times[name] / ours:.1f} ×)"
        for name in ("plain, every step", "plain, stopped at rest")
    ]
    row += [
        f"{times['covey, one core']:.2f} s", f"{ours:.2f} s{ratio}",
        f"{found.products:,} for {every.products:,} and {steps.products:,}",
        f"{found.log_error[0]:.0e}", f"{apart:.0e}",
    ]  # fmt: skip
    return times, row


@cache
def at_time(tau: float) -> tuple[Times, list[str]]:
    chain = chain_of(AT_TIMES)
    found, steps = solve(chain, tau), plain(chain, tau)
    times = {
        "covey": best_of(2, partial(solve, chain, tau)),
        "plain, stopped at rest": best_of(1, partial(plain, chain, tau)),
    }
    script = "–"
    if tau <= TAU:
        matrix = chain.generator.csr() * tau
        times["expm_multiply"] = best_of(1, partial(expm_multiply, matrix, chain.start))
        script = f"{times['expm_multiply']:.2f} s"
    row = [f"{tau:g}", script]
    row += [f"{times[name]:.2f} s" for name in ("plain, stopped at rest", "covey")]
    row.append(f"{found.products:,} for {steps.products:,}")
    return times, row


def product(n: int) -> list[str]:
    generator = chain_of(n).generator
    count, matrix = len(generator), generator.moves()
    rows, groups, single = generator.rows, generator.groups, ungrouped(count)
    vector, out, stay = np.ones(count), np.empty(count), np.zeros(count)

    def by(found: Groups) -> None:
        product_rows(rows, found, stay, 1.0, vector, 0.0, vector, out, 0, count)

    theirs = best_of(20, partial(matrix.dot, vector))
    row = [str(n), f"{matrix.nnz:,}", f"{1e3 * theirs:.2f} ms"]
    for found, shown in ((single, ""), (groups, " ({:.1f} ×)")):  # what is compared is the second
        by(found)  # compiled now
        ours = best_of(20, partial(by, found))
        row.append(f"{1e3 * ours:.2f} ms" + shown.format(theirs / ours))
    return [*row, f"{len(groups.sources):,}"]


def solve(chain: Chain, tau: float = TAU) -> solver.TransientResult:
    return solver.transient(chain.generator, chain.start, [tau])


def plain(chain: Chain, tau: float = TAU) -> solver.TransientResult:
    with patch.object(solver, "_LONG_WAY", math.inf):
        return solve(chain, tau)


def without_rest(chain: Chain) -> solver.TransientResult:
    """Every step of plain uniformisation: no fit of the rest is tried."""
    with patch.object(uniformized_chain, "_PROMISING", 0.0):
        return plain(chain)


def on_one_core(job: Callable[[], object]) -> object:
    with _one_core():
        return job()


@contextmanager
def _one_core() -> Iterator[None]:
    with patch.dict(os.environ, {threads.SETTING: "1"}):
        alone = threads._Helpers()
    with patch.object(threads, "_helpers", alone):
        yield


def seven_distributions() -> list[list[str]]:
    scenario = team(10)
    found = leakage(scenario)
    seconds = best_of(2, partial(leakage, scenario))
    alone = best_of(1, partial(on_one_core, partial(leakage, scenario)))
    script = best_of(1, partial(_script, scenario))
    low, high = found.interval
    value, width = f"{found.value:.10f}", f"{high - low:.0e}"
    return [
        ["expm_multiply, once per team", f"{script:.1f} s", "", ""],
        ["covey, one core", f"{alone:.1f} s, {script / alone:.1f} ×", value, width],
        ["covey", f"{seconds:.1f} s, **{script / seconds:.1f} ×**", value, width],
    ]


def _script(scenario: Scenario) -> None:
    """The distributions of the team and of its neighbours, as a user would have them."""
    teams = [scenario.team, *(neighbour.team for neighbour in scenario.team.neighbours())]
    for one in teams:
        chain = Solver(scenario.network).chain(scenario.start_of(one))
        expm_multiply(chain.generator.csr() * TAU, chain.start)
