"""Drift conditions: what is claimed of every state is held against the states themselves."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey import Network
from covey.dynamics.ctmc.propensity import propensity
from covey.dynamics.ergodicity.falling_polynomials import evaluate, generated, monomials, times
from covey.dynamics.ergodicity.lyapunov import DriftProblem
from covey.dynamics.mean_field.rate_equations import equilibrium
from covey.model.structure.structure import Structure
from covey.numbers import Floats, Ints
from covey.paper.scenarios import task_network

QUEUE = "0 -> A @ {arrive}\nA + S -> B @ 4\nB -> S @ 1"


def problem(
    network: Network, start: list[int], few: list[int], usual: Floats | None = None
) -> DriftProblem:
    laws = Structure(network).conservation_matrix
    usual = np.ones(len(network.species)) if usual is None else usual
    return DriftProblem(network, laws, np.array(start), usual, few)


def slope(network: Network, values: dict[tuple[int, ...], Fraction], states: Ints) -> Floats:
    """(L g)(x), straight from the reactions."""
    total = np.zeros(len(states))
    for r, change in enumerate(network.changes):
        rate = propensity(network, r, states.T)
        happens = rate > 0
        after, before = (evaluate(values, s[happens]) for s in (states + change, states))
        total[happens] += rate[happens] * (after - before)
    return total


@given(st.lists(st.integers(0, 6), min_size=2, max_size=2))
def test_products_of_falling_factorials(counts: list[int]) -> None:
    state = np.array([counts])
    for one in monomials(2, 3):
        for other in monomials(2, 2):
            product = {m: Fraction(n) for m, n in times(one, other).items()}
            separate = evaluate({one: Fraction(1)}, state) * evaluate({other: Fraction(1)}, state)
            assert evaluate(product, state) == pytest.approx(separate)


def test_the_generator_of_a_polynomial_is_that_of_the_chain() -> None:
    network = Network("0 -> A @ 2\n2 A -> B @ 0.5\nA + B -> 3 B @ 0.1\nB -> 0 @ 1")
    states = np.array([[a, b] for a in range(6) for b in range(5)])
    for monomial in monomials(2, 3):
        expected = slope(network, {monomial: Fraction(1)}, states)
        found = evaluate(generated(network, monomial), states)
        np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "start", "few", "degree"),
    [
        ("0 -> X @ 4\nX -> 0 @ 0.5", [0], [0], 1),
        ("0 -> X @ 4\n2 X -> 0 @ 0.5", [0], [0], 1),  # squares pay for what is linear
        ("X -> 2 X @ 2\n2 X -> X @ 0.1\n0 -> X @ 1", [0], [0], 1),
        (QUEUE.format(arrive=0.9), [0, 0, 1], [0, 1], 2),  # no linear potential shows it
        ("0 -> {A} @ 3\n0 -> {B} @ 2\n{A} + {B} -> 0 @ 1\n{A} -> 0 @ .1\n{B} -> 0 @ .1",
         [0, 0], [0, 1], 1),
    ],
)  # fmt: skip
def test_the_condition_holds_in_every_state(
    text: str, start: list[int], few: list[int], degree: int
) -> None:
    network = Network(text)
    drift = problem(network, start, few, equilibrium(network, start)).find(degree)
    assert drift is not None
    laws = Structure(network).conservation_matrix
    grid = np.array(np.meshgrid(*[np.arange(40)] * len(start))).reshape(len(start), -1).T
    states = grid[(grid @ laws.T == laws @ np.array(start)).all(axis=1)]
    falls = slope(network, dict(drift.potential), states)
    assert (falls <= drift.level - states @ drift.weights + 1e-9).all()
    assert min(drift.potential.values()) >= 0


def test_the_condition_of_the_task_network_holds_in_random_states() -> None:
    scenario = task_network((60, 60, 60), (0.2, 0.5, 0.8), (0.8, 0.5, 0.2))
    few = list(range(3, 9))
    network, start = scenario.network, list(scenario.start)
    drift = problem(network, start, few, equilibrium(network, start)).find(3)
    assert drift is not None
    assert drift.level < 20
    rng = np.random.default_rng(5)
    waiting = rng.integers(0, 61, (200_000, 6)) // rng.integers(1, 30, (200_000, 1))
    laws = Structure(network).conservation_matrix
    states = np.column_stack([np.zeros((len(waiting), 3), dtype=int), waiting])
    states[:, :3] = 60 - states @ laws.T
    states = states[(states >= 0).all(axis=1)]
    assert len(states) > 50_000
    falls = slope(network, dict(drift.potential), states)
    room = drift.level - states @ drift.weights - falls
    assert (room >= -1e-9 * np.abs(falls)).all()


@pytest.mark.parametrize(
    "text",
    [
        "0 -> X @ 1",
        "X -> 2 X @ 1\nX -> 0 @ 1\n0 -> X @ 1",
        QUEUE.format(arrive=1.0),
        "0 -> {A} @ 2\n0 -> {B} @ 2\n{A} + {B} -> 0 @ 1",  # the difference wanders without end
    ],
)
def test_where_there_is_no_steady_state_no_condition_is_found(text: str) -> None:
    network = Network(text)
    start = [int(str(species) == "S") for species in network.species]
    for degree in (1, 2, 3):
        assert problem(network, start, list(range(len(start)))).find(degree) is None


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        (QUEUE.format(arrive=1.5), 0.5),
        (QUEUE.format(arrive=0.5), 0.0),
        ("0 -> {A} @ 3\n0 -> {B} @ 2\n{A} + {B} -> 0 @ 1", 1.0),
        ("0 -> X @ 4\nX -> 0 @ 0.5", 0.0),
    ],
)
def test_growth_without_end(text: str, rate: float) -> None:
    network = Network(text)
    start = [int(str(species) == "S") for species in network.species]
    found = problem(network, start, []).growth()
    assert found is not None
    weights, least = found
    assert least == pytest.approx(rate, abs=1e-5)
    laws = Structure(network).conservation_matrix
    grid = np.array(np.meshgrid(*[np.arange(20)] * len(start))).reshape(len(start), -1).T
    states = grid[(grid @ laws.T == laws @ np.array(start)).all(axis=1)]
    rises = sum(
        propensity(network, r, states.T) * (change @ weights)
        for r, change in enumerate(network.changes)
    )
    assert (rises >= least - 1e-9).all()


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_conditions_of_random_networks_hold(data: st.DataObject) -> None:
    """Arrivals, departures and meetings of two species at random rates."""
    rates = [data.draw(st.floats(0.01, 10.0)) for _ in range(6)]
    pair = data.draw(st.sampled_from(["0", "A", "2 B", "B"]))
    text = "\n".join(
        f"{sides} @ {rate!r}"
        for sides, rate in zip(
            ["0 -> A", "0 -> B", "A -> 0", "B -> A", f"A + B -> {pair}", "2 B -> 0"],
            rates,
            strict=True,
        )
    )
    network = Network(text)
    drift = problem(network, [0, 0], [0, 1]).find(data.draw(st.sampled_from([1, 2])))
    if drift is not None:
        states = np.array([[a, b] for a in range(60) for b in range(60)])
        falls = slope(network, dict(drift.potential), states)
        room = drift.level - states @ drift.weights - falls
        assert (room >= -1e-9 * (1 + np.abs(falls))).all()
