"""Few states as one system of equations: as good as elimination, or not taken."""

from __future__ import annotations

import numpy as np
import pytest

from covey.dynamics.ctmc.generator import Generator, Transitions
from covey.dynamics.stationary.elimination import dense_error, eliminate
from covey.dynamics.stationary.equations import by_equations
from covey.dynamics.stationary.irreducible import StationarySolver
from covey.numbers import Floats


def _chain(rates: Floats) -> Generator:
    """Of rates from each state to each other one."""
    sources, targets = np.nonzero(rates)
    part = Transitions(sources, targets, rates[sources, targets])
    return Generator.from_transitions([part], rates.sum(axis=1))


def _normalised(logs: Floats) -> Floats:
    return np.asarray(logs - np.logaddexp.reduce(logs))


@pytest.mark.parametrize("seed", range(8))
def test_as_certain_as_elimination(seed: int) -> None:
    """Rates over four decades, of chains that are hardly ever where they started."""
    random = np.random.default_rng(seed)
    n = int(random.integers(3, 40))
    rates = np.triu(10.0 ** random.uniform(-2, 2, (n, n)), 1)
    rates += np.eye(n, k=-1) * 10.0 ** random.uniform(-4, 0, n)
    chain = _chain(rates)
    found, exact = by_equations(chain), _normalised(eliminate(chain))
    assert found is not None
    assert np.abs(_normalised(found) - exact).max() < 1e-11
    solver = StationarySolver(chain, np.zeros(n))
    assert np.abs(solver.solve() - exact).max() <= 2 * solver.error
    eliminated = StationarySolver(chain, np.zeros(n))
    best = min(eliminated._judged(exact), dense_error(n))
    assert solver.error <= 4 * best + 1e-13


def test_groups_that_are_hardly_ever_left_are_eliminated() -> None:
    """There equations say little of how likely each group is, and the certificate sees that."""
    rates = np.array([[0, 1, 0, 0], [1, 0, 3e-17, 0], [0, 1e-17, 0, 1], [0, 0, 1, 0.0]])
    solver = StationarySolver(_chain(rates), np.zeros(4))
    found = np.exp(solver.solve())
    assert found == pytest.approx([1 / 8, 1 / 8, 3 / 8, 3 / 8], rel=1e-12)
    assert solver.error < 1e-12
