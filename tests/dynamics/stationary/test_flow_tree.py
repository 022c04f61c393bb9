"""What a balance of flows proves, on chains whose stationary distribution is known in logs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from covey.dynamics.stationary.aggregation import aggregate
from covey.dynamics.stationary.flow_tree import flow_tree
from covey.dynamics.stationary.sweeps import Sweeps
from tests.dynamics.stationary.test_valleys import Shape, chain, grid, path, tree, walk


def cube(rng: np.random.Generator, n: int, steep: int) -> Shape:
    side = round(n ** (1 / 3))
    places = list(itertools.product(range(side), repeat=3))
    number = {place: i for i, place in enumerate(places)}
    ahead = [(x, (*x[:k], x[k] + 1, *x[k + 1 :])) for x in places for k in range(3)]
    edges = [(number[x], number[y]) for x, y in ahead if y in number]
    along = [walk(rng, list(range(side - 1)), steep) for _ in range(3)]
    return edges, [sum(f[i] for f, i in zip(along, x, strict=True)) for x in places]


SHAPES = {"path": path, "tree": tree, "grid": grid, "cube": cube}


@pytest.mark.parametrize("steep", [1, 20, 100])
@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-7])
@pytest.mark.parametrize("name", SHAPES)
def test_the_bound_holds_for_any_p(name: str, off: float, steep: int) -> None:
    """For the exact one, and where every state or a whole part of the states is off."""
    rng = np.random.default_rng([len(name), steep])
    generator, exact = chain(rng, SHAPES[name](rng, 343, steep), steep)
    for wrong in (rng.uniform(-off, off, len(exact)), off * (np.arange(len(exact)) % 50 < 25)):
        sweeps = Sweeps(generator, exact + wrong)
        bound = flow_tree(sweeps).error()
        logs = sweeps.logs()
        far = np.abs(logs - np.logaddexp.reduce(logs) - exact).max()
        assert far <= bound + 1e-15 * np.abs(exact).max()
        if off == 0:
            assert bound < 1e-9


def test_what_is_far_from_balance_is_not_bounded() -> None:
    rng = np.random.default_rng(0)
    generator, exact = chain(rng, path(rng, 90, 3), 3)
    assert math.isinf(flow_tree(Sweeps(generator, exact + rng.uniform(-2, 2, 90))).error())


@pytest.mark.parametrize("steep", [1, 20])
@pytest.mark.parametrize("name", ["grid", "cube"])
def test_groups_are_weighed_from_any_guess(name: str, steep: int) -> None:
    rng = np.random.default_rng([len(name), steep])
    generator, exact = chain(rng, SHAPES[name](rng, 1_000, steep), steep)
    sweeps = Sweeps(generator, np.zeros(len(exact)))
    aggregate(sweeps)
    bound, logs = flow_tree(sweeps).error(), sweeps.logs()
    assert bound < 1e-8
    assert np.abs(logs - np.logaddexp.reduce(logs) - exact).max() <= bound + 1e-12


@pytest.mark.parametrize("most", [5, 60])
def test_groups_hang_together(most: int) -> None:
    rng = np.random.default_rng(1)
    edges, potential = grid(rng, 400, 5)
    generator, exact = chain(rng, (edges, potential), 5)
    group = flow_tree(Sweeps(generator, exact)).groups(most)
    assert 1 <= group.max() + 1 <= most
    for number in range(int(group.max()) + 1):
        members = np.flatnonzero(group == number)
        part = generator.restrict(members)
        reached, waiting = {0}, [0]
        links = part.moves() + part.moves().T
        while waiting:
            new = set(links[[waiting.pop()]].nonzero()[1].tolist()) - reached
            reached |= new
            waiting += sorted(new)
        assert len(reached) == len(members)
