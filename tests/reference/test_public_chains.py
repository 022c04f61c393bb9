"""Queues of the Quantitative Verification Benchmark Set, and the values published with them.

Its models `kanban` and `tandem` as reaction networks; the values are those of its result files
(github.com/ahartmanns/qcomp, benchmarks/ctmc/NAME/results): "Storm.exact.*" by rational arithmetic,
"Storm.*" in doubles to Storm's own tolerance, which stops where steps are small. Those are off by
1e-4 at kanban 2 and tandem 63, where an LU factorisation says what is right, and by 2e-3 at tandem 255, where
elimination does.

[1] A. Hartmanns, M. Klauck, D. Parker, T. Quatmann, E. Ruijters, The Quantitative Verification
    Benchmark Set, TACAS 2019.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_array, diags_array
from scipy.sparse.linalg import splu

from covey import Scenario
from covey.dynamics.chain import Chain
from covey.dynamics.solver import Solver
from covey.dynamics.stationary.elimination import elimination_error
from covey.dynamics.stationary.fronts import eliminated, order_of
from covey.numbers import Ints
from covey.remedy.performance import performance_by


def kanban(tokens: int) -> Scenario:
    """Four cells, each with so many tokens; parts are made again and again until they are good."""
    lines = ["in: f1 -> x1 @ [1.0 * (f1 > 0)]"]
    for cell, (redo, good) in enumerate(
        ((0.36, 0.84), (0.42, 0.98), (0.39, 0.91), (0.33, 0.77)), 1
    ):
        lines += [
            f"redo{cell}: x{cell} -> y{cell} @ [{redo} * (x{cell} > 0)]",
            f"good{cell}: x{cell} -> z{cell} @ [{good} * (x{cell} > 0)]",
            f"back{cell}: y{cell} -> x{cell} @ [0.3 * (y{cell} > 0)]",
        ]
    lines += [
        "split: z1 + f2 + f3 -> f1 + x2 + x3 @ [0.4 * (z1 > 0) * (f2 > 0) * (f3 > 0)]",
        "join: z2 + z3 + f4 -> f2 + f3 + x4 @ [0.5 * (z2 > 0) * (z3 > 0) * (f4 > 0)]",
        "out: z4 -> f4 @ [0.9 * (z4 > 0)]",
    ]
    start = {f"f{cell}": tokens for cell in range(1, 5)}
    return _scenario(lines, start, {"throughput": "rate(in)"})


def tandem(capacity: int) -> Scenario:
    """A queue whose server has two phases, and one after it."""
    lines = [
        f"arrive: free1 -> q1 @ [{4 * capacity} * (free1 > 0)]",
        "route: q1 + ph1 + free2 -> ph1 + free1 + q2 @ [1.8 * (q1 > 0) * ph1 * (free2 > 0)]",
        "phase: q1 + ph1 -> q1 + ph2 @ [0.2 * (q1 > 0) * ph1]",
        "late: q1 + ph2 + free2 -> ph1 + free1 + q2 @ [2 * (q1 > 0) * ph2 * (free2 > 0)]",
        "serve: q2 -> free2 @ [4 * (q2 > 0)]",
    ]
    start = {"free1": capacity, "free2": capacity, "ph1": 1}
    measures = {"customers": "mean(q1) + mean(q2)", "early": "mean(q1) + mean(q2) at 0.2"}
    return _scenario(lines, start, measures)


def _scenario(lines: list[str], start: dict[str, int], measures: dict[str, str]) -> Scenario:
    return Scenario.from_document(
        {
            "network": {"reactions": "\n".join(lines)},
            "initial": start,
            "observe": {"seen": next(iter(start))},
            "performance": measures,
        }
    )


def chain_of(scenario: Scenario) -> Chain:
    return Solver(scenario.network).chain(scenario.start)


def customers(chain: Chain) -> Ints:
    """How many are in both queues, in every state."""
    index = {str(species): i for species, i in chain.network.index.items()}
    return np.asarray(chain.lattice.states[:, [index["q1"], index["q2"]]].sum(axis=1))


def achieved(scenario: Scenario, measure: str) -> float:
    solver = Solver(scenario.network)
    return performance_by(solver, scenario, names=[measure]).measures[measure].value


@pytest.mark.parametrize(
    ("scenario", "measure", "states", "published", "within"),
    [
        (kanban(1), "throughput", 160, 0.0925846346333826, 1e-13),  # exact
        (kanban(2), "throughput", 4_600, 0.1739051212, 2e-4),
        (tandem(31), "customers", 2_016, 31.81500388515128, 1e-13),  # exact
        (tandem(63), "customers", 8_128, 63.81543494, 2e-4),
        (tandem(63), "early", 8_128, 50.18088283, 1e-6),
    ],
)
def test_published_values(
    scenario: Scenario, measure: str, states: int, published: float, within: float
) -> None:
    assert len(chain_of(scenario).lattice) == states
    assert achieved(scenario, measure) == pytest.approx(published, rel=within)


def test_tandem_63_by_a_factorisation() -> None:
    scenario = tandem(63)
    chain = chain_of(scenario)
    matrix = csc_array(chain.generator.moves() - diags_array(chain.generator.exits))
    likely = int(np.argmax(chain.stationary().log_probabilities))
    away = np.arange(len(chain.lattice)) != likely
    rest = splu(csc_array(-matrix[away][:, away])).solve(matrix[away][:, [likely]].toarray()[:, 0])
    p = np.insert(rest, likely, 1.0) / (1.0 + rest.sum())
    expected = float(customers(chain) @ p)
    assert expected == pytest.approx(63.82261574454, rel=1e-11)
    found = achieved(scenario, "customers")
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("capacity", "states", "published", "within"),
    [
        (127, 32_640, 127.8242553, 2e-5),
        pytest.param(255, 130_816, 256.2767809, 2e-3, marks=pytest.mark.study),
    ],
)
def test_large_tandems_are_certain(
    capacity: int, states: int, published: float, within: float
) -> None:
    """By sweeps with a certificate, and by elimination, which share no step."""
    chain = chain_of(tandem(capacity))
    found = chain.stationary()
    assert len(chain.lattice) == states
    assert found.log_error < 1e-10
    order = order_of(chain.generator, int(np.argmax(found.log_probabilities)))
    assert order is not None
    logs = eliminated(chain.generator, order).distribution()
    logs -= np.logaddexp.reduce(logs)
    bound = found.log_error + elimination_error(order.neighbours)
    assert np.abs(logs - found.log_probabilities).max() <= bound
    assert float(customers(chain) @ found.probabilities) == pytest.approx(published, rel=within)
