"""Rows by groups: the same products as row by row, whatever the chain looks like."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from covey.dynamics.ctmc.generator import Generator, Transitions
from covey.dynamics.ctmc.row_groups import grouped
from covey.dynamics.kernels.grouped_rows import product_rows
from covey.dynamics.kernels.rows import Groups, Rows
from covey.dynamics.solver import Solver
from covey.numbers import Floats
from covey.paper.scenarios import task_network

UNEQUAL = ((0.2, 0.5, 0.8), (0.8, 0.5, 0.2))
EQUAL = ((1.0,) * 3, (1.0,) * 3)


def _product(rows: Rows, groups: Groups, cuts: list[int], vector: Floats) -> Floats:
    """2 (incoming + vector / 2) - vector: what leads to every state, part by part."""
    n = len(vector)
    out, stay = np.full(n, np.nan), np.full(n, 0.5)
    for begin, end in reversed(list(zip([0, *cuts[:-1]], cuts, strict=True))):  # any order
        product_rows(rows, groups, stay, 2.0, vector, 1.0, vector, out, begin, end)
    return out / 2


def _generator(moves: list[tuple[int, int, float]], n: int) -> Generator:
    sources, targets, rates = np.array(moves).reshape(-1, 3).T
    part = Transitions(sources.astype(np.uint32), targets.astype(np.uint32), rates)
    return Generator.from_transitions([part], np.zeros(n))


@settings(max_examples=200, deadline=None)  # the first one compiles
@given(data=st.data(), n=st.integers(1, 70))
def test_any_chain_has_the_products_of_its_rows(data: st.DataObject, n: int) -> None:
    # Some shifts are everywhere, as a reaction's are, and some transitions are like no other.
    rates = st.sampled_from([0.25, 1.0, 2.0, 3.0])
    everywhere = data.draw(st.lists(st.tuples(st.integers(-20, 20), rates), max_size=6))
    state = st.integers(0, n - 1)
    odd = data.draw(st.lists(st.tuples(state, state, rates), max_size=30))
    missing = data.draw(st.sets(state, max_size=10))
    usual = [
        (i + shift, i, rate)
        for i in sorted(set(range(n)) - missing)
        for shift, rate in everywhere
        if 0 <= i + shift < n
    ]
    generator = _generator([*usual, *odd], n)
    cuts = sorted({*data.draw(st.lists(state, max_size=3)), n} - {0})
    groups = grouped(generator.rows, cuts)
    vector = np.arange(1.0, n + 1.0)  # with these rates every sum is exact
    expected = generator.moves() @ vector
    assert_array_equal(_product(generator.rows, groups, cuts, vector), expected)


@pytest.mark.parametrize(("rates", "single"), [(UNEQUAL, 0.04), (EQUAL, 0.25)])
def test_few_rows_of_a_team_are_left_alone(
    rates: tuple[tuple[float, ...], tuple[float, ...]], single: float
) -> None:
    team = task_network((8, 8, 8), *rates)
    generator = Solver(team.network).chain(team.start, folded=True).generator
    groups = grouped(generator.rows, [len(generator)])
    assert len(groups.single) < single * len(generator)
    assert len(groups.first) < len(generator) / 6
    assert len(groups.sources) < len(generator.indices) / 3
    vector = np.random.default_rng(1).random(len(generator))
    found = _product(generator.rows, groups, [len(generator)], vector)
    assert_allclose(found, generator.moves() @ vector, rtol=1e-13)


def test_more_rates_than_numbers_can_tell() -> None:
    """Every rate is another: beyond 65,536 vectors of them, rows are done one by one."""
    n = 600_000
    places = np.arange(n)
    sources = np.column_stack([(places + 1) % n, (places - 1) % n])
    rates = np.random.default_rng(2).random(2 * n)
    part = Transitions(sources.ravel(), np.repeat(places, 2), rates)
    generator = Generator.from_transitions([part], np.zeros(n))
    groups = grouped(generator.rows, [n])
    assert 0 < len(groups.first) < n / 8 - 1
    assert len(groups.single) > 0
    vector = np.random.default_rng(3).random(n)
    found = _product(generator.rows, groups, [n], vector)
    assert_allclose(found, generator.moves() @ vector, rtol=1e-12)


PRODUCT = """
import json
import numpy as np
from covey.dynamics.kernels.grouped_rows import drift_rows, product_rows, step_rows, chebyshev_rows
from covey.dynamics.ctmc.row_groups import grouped
from covey.dynamics.solver import Solver
from covey.paper.scenarios import task_network
team = task_network((3, 3, 3), (0.2, 0.5, 0.8), (0.8, 0.5, 0.2))
generator = Solver(team.network).chain(team.start).generator
n = len(generator)
chain = (generator.rows, grouped(generator.rows, [n // 3, n]))
four = [np.random.default_rng(i).random(n) for i in range(4)]
stay, sums, weights = 1 / (1 + np.arange(n)), np.ones((2, n)), np.ones((2, 4))
for part in ((0, n // 3), (n // 3, n)):
    chebyshev_rows(*chain, stay, 0.5, tuple(four), weights, weights, sums, sums + 1, *part)
step_rows(*chain, stay, 0.5, four[3], four[0], np.array([0.5]), sums[:1], 0, n)
drift = drift_rows(*chain, -generator.exits, four[1], four[2], 0, n)
print(json.dumps([[v.tolist() for v in (*four, *sums)], drift, len(chain[1].first)]))
"""


def test_plain_python_gives_the_same_numbers() -> None:
    found = [
        json.loads(
            subprocess.run(
                [sys.executable, "-c", PRODUCT],
                env=os.environ | {"NUMBA_DISABLE_JIT": switch},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
        for switch in ("0", "1")
    ]
    assert found[0] == found[1]
    assert found[0][2] > 10
