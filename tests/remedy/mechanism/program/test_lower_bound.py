"""Both solvers, and the bounds by their prices, beside the optimum of the program as written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from covey.numbers import Ints
from covey.remedy.mechanism.program.all_entries import solved_whole
from covey.remedy.mechanism.program.few_entries import solved_in_part
from covey.remedy.mechanism.program.linear_program import Program
from covey.remedy.mechanism.program.lower_bound import LowerBound
from covey.remedy.mechanism.program.solver import solve


def least_cost(program: Program) -> float:
    """The optimum by HiGHS, of the program as it is written: [M(z|y), s_ij(z), t]."""
    outcomes, published = program.losses.shape
    pairs, size = len(program.pairs), outcomes * published
    slacks = pairs * published
    limits = np.zeros((slacks + pairs + len(program.weights), size + slacks + 1))
    for pair in range(pairs):
        for z in range(published):
            row = pair * published + z
            limits[row, z:size:published] = program.excess[pair]
            limits[row, size + row] = -1.0
            limits[slacks + pair, size + row] = 1.0
    for place, weights in enumerate(program.weights):
        limits[slacks + pairs + place, :size] = (weights[:, None] * program.losses).ravel()
        limits[slacks + pairs + place, -1] = -1.0
    most = np.concatenate([np.zeros(slacks), program.deltas, np.zeros(len(program.weights))])
    sums = np.zeros((outcomes, limits.shape[1]))
    for y in range(outcomes):
        sums[y, y * published : (y + 1) * published] = 1.0
    cost = np.zeros(limits.shape[1])
    cost[-1] = 1.0
    found = linprog(cost, limits, most, sums, np.ones(outcomes), (0, None), method="highs")
    assert found.status == 0
    return float(found.fun)


def random_program(
    seed: int, size: int, delta: float, several: bool, epsilon: float = 0.4
) -> tuple[Program, Ints]:
    random = np.random.default_rng(seed)
    chances = random.dirichlet(np.full(size, 0.7), 3)
    pairs = ((0, 1), (1, 0), (1, 2), (2, 1))
    places = np.arange(size, dtype=np.int64)[:, None]
    weights = chances[:2] if several else chances[:1]
    losses = np.abs(places - places.T).astype(float)
    deltas = (delta,) * len(pairs)
    return Program(chances, pairs, weights, losses, np.ones(size), epsilon, deltas), places


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(3, 9),
    st.sampled_from([0.0, 0.02]),
    st.booleans(),
    st.sampled_from([1e-6, 1e-3, 0.05, 0.4, 3.0]),
)
def test_both_solvers_agree_within_the_gap_that_the_bound_states(
    seed: int, size: int, delta: float, several: bool, epsilon: float
) -> None:
    """Whatever ε: the optimum of another solver lies between the bound and the cost."""
    program, _ = random_program(seed, size, delta, several, epsilon)
    best = least_cost(program)
    channel, prices = solved_in_part(program)
    assert channel.min() >= 0
    assert channel.sum(axis=1) == pytest.approx(np.ones(size), abs=1e-12)
    over = np.maximum(program.excess @ channel, 0.0).sum(axis=1)
    assert (over <= delta + 1e-15 * size).all()
    cost = float((program.weights @ (channel * program.losses).sum(axis=1)).max())
    assert program.bound(prices) <= best + 1e-6  # to which the other solver is exact
    assert cost >= best - 1e-6
    if epsilon >= 0.05:  # which is what it is for: there the gap is small as well
        assert cost <= program.bound(prices) * (1 + 1e-3) + 1e-4
    whole, proved = solved_whole(program)
    paid = float((program.weights @ (whole * program.losses).sum(axis=1)).max())
    assert paid == pytest.approx(best, abs=2e-5)  # next to nothing of the mean is added
    assert best - 2e-5 <= program.bound(proved) <= best + 1e-6


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 9), st.sampled_from([0.0, 0.02]), st.booleans())
def test_columns_that_were_left_out_are_bounded(
    seed: int, size: int, delta: float, several: bool
) -> None:
    program, places = random_program(seed, size, delta, several)
    published = places[::2]
    few = replace(program, losses=program.losses[:, ::2], scale=np.ones(len(published)))
    _, prices = solve(few)
    bound = LowerBound(
        ("robots",), "l1", places, program.distributions, program.pairs, program.weights,
        program.epsilon, delta,
    )  # fmt: skip
    among = bound.among(prices, published, places)
    assert 0 <= among <= least_cost(program) + 1e-9
    assert bound.among(prices, published, published) == pytest.approx(few.bound(prices), abs=1e-12)


def test_few_entries_prove_what_all_of_them_do() -> None:
    """Of 100 outcomes, looked at thirty at a time: the bound is over all of them."""
    places = np.arange(100, dtype=float)
    bells = np.array([np.exp(-((places - centre) ** 2) / 200) for centre in (48.0, 52.0)])
    bells /= bells.sum(axis=1, keepdims=True)
    losses = np.abs(places[:, None] - places[None, :])
    scale = bells.max(axis=0)
    program = Program(bells, ((0, 1), (1, 0)), bells[:1], losses, scale, 0.2, (0.0, 0.0))
    channel, prices = solved_whole(program)
    whole = float((bells[0] @ (channel * losses)).sum())
    assert program.bound(prices) == pytest.approx(whole, rel=1e-5)
    few, proved = solved_in_part(program)
    cost = float((bells[0] @ (few * losses)).sum())
    assert (program.excess @ few).max() <= 1e-9
    assert program.bound(proved) <= whole * (1 + 1e-6) <= cost * (1 + 1e-5)
    assert cost - program.bound(proved) <= 5e-3 * cost
