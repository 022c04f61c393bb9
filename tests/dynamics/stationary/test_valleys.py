"""Chains with valleys and tails of any depth, whose stationary distribution is known in logs.

On a graph with potentials f and barriers h, both whole numbers, the rates 2^(f(x) − h(x, y)) from x
to y are exact in doubles and in detailed balance with p(x) ∝ 2^−f(x): nothing is known better.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from covey.dynamics.ctmc.generator import Generator, Transitions
from covey.dynamics.stationary.limit import StationaryResult, stationary
from covey.numbers import Floats

Shape = tuple[list[tuple[int, int]], list[int]]  # edges, and the potential of every state
_LARGEST = 500  # of the exponent of a rate


def walk(rng: np.random.Generator, before: list[int], steep: int) -> list[int]:
    """A potential for every state from that of the one before it; it rises or falls for a while."""
    potential, rises = [0], [1]
    for state in before:
        rises.append(rises[state] * int(rng.choice([1, 1, 1, 1, 1, 1, 1, 1, -1])))
        potential.append(potential[state] + rises[-1] * int(rng.integers(steep + 1)))
    return potential


def path(rng: np.random.Generator, n: int, steep: int) -> Shape:
    return list(itertools.pairwise(range(n))), walk(rng, list(range(n - 1)), steep)


def tree(rng: np.random.Generator, n: int, steep: int) -> Shape:
    before = [int(rng.integers(max(0, i - 5), i)) for i in range(1, n)]
    return list(zip(before, range(1, n), strict=True)), walk(rng, before, steep)


def grid(rng: np.random.Generator, n: int, steep: int) -> Shape:
    side = math.isqrt(n)
    across, down = (walk(rng, list(range(side - 1)), steep) for _ in range(2))
    edges = [(i, i + 1) for i in range(side * side) if (i + 1) % side]
    edges += [(i, i + side) for i in range(side * side - side)]
    return edges, [across[i % side] + down[i // side] for i in range(side * side)]


def chain(rng: np.random.Generator, shape: Shape, steep: int) -> tuple[Generator, Floats]:
    """The generator under a random numbering of the states, and ln p."""
    edges, f = shape
    n, moves = len(f), dict[tuple[int, int], float]()
    for x, y in edges:
        middle = (f[x] + f[y]) // 2
        barrier = middle + int(rng.integers(-steep, steep + 1))
        for a, b in ((x, y), (y, x)):
            exponent = f[a] - barrier
            assert abs(exponent) <= _LARGEST
            moves[a, b] = math.ldexp(1.0, exponent)
    name = rng.permutation(n)
    into = np.array([name[b] for _, b in moves])
    rates = np.array(list(moves.values()))
    exits = np.zeros(n)
    np.add.at(exits, [name[a] for a, _ in moves], rates)
    part = Transitions(np.array([name[a] for a, _ in moves]), into, rates)
    generator = Generator.from_transitions([part], exits)
    logs = np.empty(n)
    logs[name] = -math.log(2.0) * np.array(f, dtype=np.float64)
    logs -= np.logaddexp.reduce(logs)
    return generator, logs


def within_its_bound(result: StationaryResult, exact: Floats) -> bool:
    off = np.abs(result.log_probabilities - exact)
    return bool((off <= result.log_error + 1e-15 * np.abs(exact)).all())


def start(n: int) -> Floats:
    first: Floats = np.eye(1, n)[0]
    return first


@pytest.mark.parametrize("steep", [1, 30, 160])
@pytest.mark.parametrize(("shape", "n"), [(path, 90), (tree, 200), (grid, 144), (grid, 784)])
def test_every_probability_is_within_its_bound(
    shape: Callable[[np.random.Generator, int, int], Shape], n: int, steep: int
) -> None:
    rng = np.random.default_rng([n, steep])
    generator, exact = chain(rng, shape(rng, n, steep), steep)
    if steep == 160:
        assert exact.min() < -745  # below the least double
    result = stationary(generator, start(len(exact)))
    assert result.log_error < 1e-5
    assert within_its_bound(result, exact)


@pytest.mark.study
def test_a_thousand_valleys() -> None:
    wrong = []
    for seed in range(1_000):
        rng = np.random.default_rng(seed)
        shape = (path, tree, grid)[seed % 3]
        steep = int(rng.choice([1, 5, 40, 160]))
        generator, exact = chain(rng, shape(rng, int(rng.integers(4, 1_500)), steep), steep)
        if not within_its_bound(stationary(generator, start(len(exact))), exact):
            wrong.append((seed, shape.__name__, len(exact), steep))
    assert not wrong
