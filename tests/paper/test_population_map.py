"""Maps over populations: the paper's first figure, and the same by the law of every single team."""

from __future__ import annotations

import math

import numpy as np
import pytest

from covey import InputError, Network, Query, Scenario, Team, UnsupportedError
from covey.dynamics.closed_form.product_form import ProductForm
from covey.paper.population_map import population_map

THREE = Network("{1} + {2} <-> {1,2} @ 1, 1\n{1,2} + {3} <-> {1,2,3} @ 1, 1")
SIZES = Query(alone="{1} + {2} + {3}", pairs="{1,2}", triples="{1,2,3}")
PAPER = Scenario(THREE, Team({"1": 220, "2": 220, "3": 200}), SIZES)


@pytest.mark.parametrize(("smoothing", "value"), [(1e-10, 13.254008), (1e-6, 4.061047)])
def test_the_papers_minimum(smoothing: float, value: float) -> None:
    found = population_map(PAPER, {"1": [220], "2": [220]}, smoothing=smoothing)
    assert found.item() == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("smoothing", [1e-3, 1e-10, 1e-20])
def test_along_the_diagonal_it_is_at_220(smoothing: float) -> None:
    diagonal = [
        population_map(PAPER, {"1": [n], "2": [n]}, smoothing=smoothing).item()
        for n in range(150, 301, 10)
    ]
    assert 150 + 10 * int(np.argmin(diagonal)) == 220


def test_over_all_integers_it_is_at_222() -> None:
    near = [
        population_map(PAPER, {"1": [n], "2": [n]}, smoothing=1e-10).item() for n in range(219, 226)
    ]
    assert 219 + int(np.argmin(near)) == 222


def test_exact_leakage_is_infinite_on_the_whole_map() -> None:
    assert np.isinf(population_map(PAPER, {"1": [5, 9], "3": [3]})).all()


def single(network: Network, team: list[int], query: Query, nu: float) -> float:
    """The same for one team, from the laws of `ProductForm`, outcome by outcome."""
    form, start = ProductForm(network), np.zeros(len(network.species), dtype=int)
    start[: len(team)] = team

    def law(state: np.ndarray) -> dict[tuple[int, ...], float]:
        found = form.observe(state, query)
        return dict(zip(map(tuple, found.outcomes.tolist()), found.probabilities, strict=True))

    ours, worst = law(start), 0.0
    for i in range(2):
        moved = start.copy()
        moved[i] -= 1
        moved[1 - i] += 1
        if moved.min() >= 0:
            theirs = law(moved)
            for y in ours.keys() | theirs.keys():
                ratio = (ours.get(y, 0) + nu) / (theirs.get(y, 0) + nu)
                worst = max(worst, abs(math.log(ratio)))
    return worst


def test_it_agrees_with_single_laws_where_outcomes_hold_many_states() -> None:
    network = Network("{A} + {R} <-> {A,R} @ 3, 1\n{B} + {R} <-> {B,R} @ 1, 1")
    query = Query(free="{A} + {B}", busy="{A,R} + {B,R}")
    scenario = Scenario(network, Team({"A": 2, "B": 1}, resources={"R": 2}), query)
    found = population_map(scenario, {"A": range(4), "B": [1, 3]}, smoothing=1e-4)
    expected = [[single(network, [a, b, 2], query, 1e-4) for b in (1, 3)] for a in range(4)]
    assert found == pytest.approx(np.array(expected), rel=1e-10)
    exact = population_map(scenario, {"A": [2], "B": [1]}, smoothing=0.0)
    assert exact.item() == pytest.approx(math.log(1.8), rel=1e-12)


def test_refusals() -> None:
    with pytest.raises(InputError, match="Z is not a type"):
        population_map(PAPER, {"Z": [1]})
    apart = Query(ones="{1} + {1,2}", others="{2} + {3}")
    with pytest.raises(UnsupportedError, match="one 1 turned 2 changes what is seen"):
        population_map(Scenario(THREE, PAPER.team, apart), {"1": [3]}, smoothing=1e-3)
