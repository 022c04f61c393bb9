"""Unequal rates: no symmetry folds the chain, and it is not at rest. The hard case, first.

The task network with the rates of the paper's caption, N robots of each type, τ = 10. A user's
script is scipy's expm_multiply on covey's own generator; "plain" is covey without long steps.
"""

from __future__ import annotations

import math
from functools import partial
from unittest.mock import patch

import numpy as np
from scipy.sparse.linalg import expm_multiply

from benchmarks.timing import best_of, markdown
from covey import Scenario, leakage
from covey.dynamics import transient as solver
from covey.dynamics.chain import Chain
from covey.dynamics.engine import Engine
from covey.paper.scenarios import task_network

ENCOUNTER, ABANDON = (0.2, 0.5, 0.8), (0.8, 0.5, 0.2)
TAU = 10.0
SIZES = (6, 8, 10, 12)


def run() -> str:
    laws = ["N", "states", "expm_multiply", "plain", "covey", "products", "proved error of ln p",
            "largest difference to plain"]  # fmt: skip
    teams = ["leakage of (10,10,10), seven laws", "time", "leakage", "certain to within"]
    return markdown(laws, map(law, SIZES)) + "\n\n" + markdown(teams, [seven_laws()])


def team(n: int) -> Scenario:
    return task_network((n, n, n), ENCOUNTER, ABANDON)


def law(n: int) -> list[str]:
    scenario = team(n)
    chain = Engine(scenario.network).chain(scenario.start)
    matrix = chain.generator.csr() * TAU
    found, steps = solve(chain), plain(chain)  # both compiled now
    peer = best_of(1, partial(expm_multiply, matrix, chain.start))
    ours, theirs = best_of(3, partial(solve, chain)), best_of(1, partial(plain, chain))
    apart = np.abs(found.log_probabilities - steps.log_probabilities).max()
    return [
        str(n), f"{len(chain.lattice):,}", f"{peer:.2f} s",
        f"{theirs:.2f} s ({theirs / ours:.1f} ×)", f"{ours:.2f} s, **{peer / ours:.1f} ×**",
        f"{found.products:,} for {steps.products:,}", f"{found.log_error[0]:.0e}", f"{apart:.0e}",
    ]  # fmt: skip


def solve(chain: Chain) -> solver.TransientResult:
    return solver.transient(chain.generator, chain.start, [TAU])


def plain(chain: Chain) -> solver.TransientResult:
    with patch.object(solver, "_LONG_WAY", math.inf):
        return solve(chain)


def seven_laws() -> list[str]:
    scenario = team(10)
    found = leakage(scenario)
    seconds = best_of(2, partial(leakage, scenario))
    low, high = found.interval
    return ["covey, states and generators included", f"{seconds:.1f} s", f"{found.value:.10f}",
            f"{high - low:.0e}"]  # fmt: skip
