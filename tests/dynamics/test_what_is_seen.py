"""Weights, thresholds and overlaps: every method against what is counted by hand, state by state."""

import random

import numpy as np
import pytest

from covey import Limits, Network, Query
from covey.dynamics.distribution import Distribution
from covey.dynamics.solve import solve
from covey.model.observation.adversary import Moment

COMPARISONS = {
    "<=": lambda n, k: n <= k,
    "<": lambda n, k: n < k,
    ">=": lambda n, k: n >= k,
    ">": lambda n, k: n > k,
    "==": lambda n, k: n == k,
    "!=": lambda n, k: n != k,
}
Sums = dict[str, tuple[dict[str, int], tuple[str, int] | None]]

BALANCED = """
{A} + {B} <-> pair{A,B} @ 1.3, 0.7
2 {A} <-> two{A,A} @ 0.4, 1
{B} + {R} <-> {B,R} @ 2, 1
{A} <-> rest{A} @ 0.5, 0.9
"""
UNBALANCED = """
{A} + {R} -> {A,R} @ 1.1
{A,R} -> rest{A} + {R} @ 0.6
rest{A} -> {A} @ 0.8
{B} + {R} <-> {B,R} @ 0.5, 0.7
"""
LINEAR = "{A} -> w{A} @ 1\nw{A} -> v{A} @ 0.6\nv{A} -> {A} @ 0.3\n{B} <-> w{B} @ 0.2, 0.5"
OPEN = "0 -> {A} @ 1.5\n{A} <-> w{A} @ 0.7, 0.4\n{A} -> 0 @ 1\nw{A} -> 0 @ 0.5"
CLOSED_STARTS = {
    BALANCED: {"{A}": 4, "{B}": 3, "{R}": 2},
    UNBALANCED: {"{A}": 3, "{B}": 2, "{R}": 2},
    LINEAR: {"{A}": 4, "{B}": 3},
}


def drawn(species: list[str], seed: int) -> tuple[Query, Sums]:
    """A random query, and the same as plain numbers."""
    lots = random.Random(seed)
    sums: Sums = {}
    for name in ("one", "other", "third")[: lots.randint(1, 3)]:
        chosen = lots.sample(species, lots.randint(1, min(3, len(species))))
        weights = {each: lots.choice((1, 1, 2, 3)) for each in chosen}
        compared = (lots.choice(list(COMPARISONS)), lots.randint(0, 4))
        sums[name] = weights, compared if lots.random() < 0.4 else None
    texts = {
        name: " + ".join(f"{n} {s}" for s, n in weights.items())
        + (f" {compared[0]} {compared[1]}" if compared else "")
        for name, (weights, compared) in sums.items()
    }
    return Query(texts), sums


def by_hand(states: Distribution, sums: Sums) -> dict[tuple[int, ...], float]:
    """P(y), one state after the other."""
    found: dict[tuple[int, ...], float] = {}
    for state, chance in zip(states.outcomes.tolist(), states.probabilities, strict=True):
        there = dict(zip(states.names, state, strict=True))
        seen = []
        for weights, compared in sums.values():
            count = sum(n * there[s] for s, n in weights.items())
            seen.append(int(COMPARISONS[compared[0]](count, compared[1])) if compared else count)
        found[tuple(seen)] = found.get(tuple(seen), 0.0) + float(chance)
    return found


def agrees(text: str, seed: int, at: Moment, limits: Limits) -> None:
    network = Network(text)
    counts = CLOSED_STARTS[text]
    start = [counts.get(str(species), 0) for species in network.species]
    query, sums = drawn([str(species) for species in network.species], seed)
    reference = Limits(method="stationary" if at == "steady" else "transient")
    (states,) = solve(network, start, [at], limits=reference)
    (found,) = solve(network, start, [at], query=query, limits=limits)
    expected = by_hand(states, sums)
    assert found.method == limits.method
    assert found.names == tuple(sums)
    assert np.unique(found.outcomes, axis=0).shape == found.outcomes.shape
    got = dict(zip(map(tuple, found.outcomes.tolist()), found.probabilities, strict=True))
    if not found.truncated_mass:
        assert got.keys() == expected.keys()
    for seen, chance in expected.items():
        lost = found.truncated_mass
        assert got.get(seen, 0.0) <= chance * (1 + 1e-9) + 1e-14
        assert chance <= got.get(seen, 0.0) * (1 + 1e-9) + 1e-14 + lost


@pytest.mark.parametrize("seed", range(40))
def test_product_form(seed: int) -> None:
    agrees(BALANCED, seed, "steady", Limits(method="product-form"))


@pytest.mark.parametrize("seed", range(15))
def test_chains(seed: int) -> None:
    agrees(UNBALANCED, seed, "steady", Limits(method="stationary"))
    agrees(UNBALANCED, seed, 0.8, Limits(method="transient"))
    agrees(BALANCED, seed, 0.8, Limits(method="projection", tolerance=1e-6))


@pytest.mark.parametrize("seed", range(25))
def test_robots_that_move_independently(seed: int) -> None:
    agrees(LINEAR, seed, "steady", Limits(method="linear"))
    agrees(LINEAR, seed, 1.7, Limits(method="linear"))


@pytest.mark.parametrize("seed", range(12))
def test_within_windows_of_the_product_form(seed: int) -> None:
    """With a tolerance, by a contraction or an elimination within windows."""
    from covey.dynamics.product_form.product_form import ProductForm

    network = Network(BALANCED)
    counts = {"{A}": 7, "{B}": 5, "{R}": 3}
    start = [counts.get(str(species), 0) for species in network.species]
    query, sums = drawn([str(species) for species in network.species], seed)
    found = ProductForm(network).observe(start, query, tolerance=1e-4)
    (states,) = solve(network, start, ["steady"], limits=Limits(method="stationary"))
    got = dict(zip(map(tuple, found.outcomes.tolist()), found.probabilities, strict=True))
    for seen, chance in by_hand(states, sums).items():
        assert got.get(seen, 0.0) <= chance * (1 + 1e-9)
        assert chance <= got.get(seen, 0.0) + found.truncated_mass + 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_open_fleets(seed: int) -> None:
    network = Network(OPEN)
    query, sums = drawn(["{A}", "w{A}"], seed)
    start = [0, 0]
    (states,) = solve(network, start, ["steady"], limits=Limits(method="linear", tolerance=1e-13))
    expected = by_hand(states, sums)
    for method in ("product-form", "linear", "window"):
        limits = Limits(method=method, tolerance=1e-8)
        (found,) = solve(network, start, ["steady"], query=query, limits=limits)
        got = dict(zip(map(tuple, found.outcomes.tolist()), found.probabilities, strict=True))
        for seen, chance in expected.items():
            assert abs(got.get(seen, 0.0) - chance) <= found.truncated_mass + 1e-11
