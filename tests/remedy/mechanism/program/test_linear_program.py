"""The linear program against exact arithmetic: every vertex, and certificates by duality."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey.numbers import Floats
from covey.remedy.mechanism.program.few_entries import solved_in_part
from covey.remedy.mechanism.program.linear_program import Prices, Program
from covey.remedy.mechanism.program.solver import solve

weights = st.lists(st.integers(0, 20), min_size=2, max_size=2).filter(any)


def program(
    distributions: list[list[float]], losses: Floats, epsilon: float, delta: float
) -> Program:
    every = np.array([np.array(distribution) / sum(distribution) for distribution in distributions])
    pairs = tuple((i, j) for k in range(1, len(distributions)) for i, j in ((0, k), (k, 0)))
    scale = np.maximum(every.max(axis=0), 1e-9)
    return Program(every, pairs, every[:1], losses, scale, epsilon, (delta,) * len(pairs))


def exact_excess(task: Program) -> list[list[Fraction]]:
    """By the same doubles as the program has, without any rounding after."""
    factor = Fraction(math.exp(task.epsilon))
    distributions = [
        [Fraction(p) for p in distribution] for distribution in task.distributions.tolist()
    ]
    return [
        [p - factor * q for p, q in zip(distributions[i], distributions[j], strict=True)]
        for i, j in task.pairs
    ]


def solutions(rows: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """By Gauss and Jordan; None where there is not exactly one."""
    size = len(rows[0])
    left = [[*row, b] for row, b in zip(rows, right, strict=True)]
    for column in range(size):
        pivot = next((i for i in range(column, len(left)) if left[i][column] != 0), None)
        if pivot is None:
            return None
        left[column], left[pivot] = left[pivot], left[column]
        left[column] = [x / left[column][column] for x in left[column]]
        for i, row in enumerate(left):
            if i != column and row[column] != 0:
                left[i] = [x - row[column] * y for x, y in zip(row, left[column], strict=True)]
    return [row[-1] for row in left[:size]]


def vertices(task: Program) -> Iterator[list[Fraction]]:
    """Of all channels of two outcomes: [M(0|0), M(1|0), M(0|1), M(1|1)]."""
    sums = [
        [Fraction(1), Fraction(1), Fraction(0), Fraction(0)],
        [Fraction(0)] * 2 + [Fraction(1)] * 2,
    ]
    bounds = [[Fraction(int(i == j)) for j in range(4)] for i in range(4)]
    for row in exact_excess(task):
        bounds.append([-row[0], Fraction(0), -row[1], Fraction(0)])
        bounds.append([Fraction(0), -row[0], Fraction(0), -row[1]])
    for active in combinations(bounds, 2):
        found = solutions([*sums, *active], [Fraction(1), Fraction(1), Fraction(0), Fraction(0)])
        if found is None:
            continue
        if all(sum(a * x for a, x in zip(row, found, strict=True)) >= 0 for row in bounds):
            yield found


@settings(max_examples=60, deadline=None)
@given(weights, weights, st.sampled_from([0.1, 0.5, 1.0, 2.0]), st.integers(1, 4))
def test_the_optimum_is_the_best_of_all_vertices(
    distribution: list[int], other: list[int], epsilon: float, factor: int
) -> None:
    losses = np.array([[0.0, 1.0], [float(factor), 0.0]])
    task = program(
        [[float(p) for p in distribution], [float(p) for p in other]], losses, epsilon, 0.0
    )
    costs = [
        Fraction(w) * Fraction(c)
        for w, row in zip(task.weights[0].tolist(), losses.tolist(), strict=True)
        for c in row
    ]
    best = min(sum(c * x for c, x in zip(costs, found, strict=True)) for found in vertices(task))
    channel, multipliers = solve(task)
    loss = float((task.weights[0][:, None] * losses * channel).sum())
    assert loss == pytest.approx(float(best), abs=1e-7)
    assert task.bound(multipliers) <= float(best) + 1e-12
    assert task.bound(multipliers) == pytest.approx(float(best), abs=1e-6)


def exact_bound(task: Program, multipliers: Prices) -> Fraction:
    """Weak duality in fractions: no channel costs less, whatever the solver did."""
    prices = [[Fraction(x) for x in row] for row in multipliers.limits.tolist()]
    assert all(x >= 0 for row in prices for x in row)
    excess, total = exact_excess(task), Fraction(0)
    for y, (w, row) in enumerate(zip(task.weights[0].tolist(), task.losses.tolist(), strict=True)):
        total += min(
            Fraction(w) * Fraction(c)
            + sum(p[z] * e[y] for p, e in zip(prices, excess, strict=True))
            for z, c in enumerate(row)
        )
    return total - sum(Fraction(d) * max(row) for d, row in zip(task.deltas, prices, strict=True))


@settings(max_examples=40, deadline=None)
@given(
    st.integers(3, 7),
    st.integers(2, 4),
    st.sampled_from([0.05, 0.5, 2.0]),
    st.sampled_from([0.0, 0.01]),
    st.integers(0, 10**6),
)
def test_a_certificate_in_fractions_proves_the_optimum(
    size: int, distributions: int, epsilon: float, delta: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    chances = random.dirichlet(np.full(size, 0.5), distributions)
    chances[random.random(chances.shape) < 0.2] = 0.0
    chances[:, 0] += 0.01
    places = np.arange(size, dtype=float)
    losses = np.abs(places[:, None] - places[None, :])
    task = program(chances.tolist(), losses, epsilon, delta)
    channel, multipliers = solve(task)
    loss = float((task.weights[0][:, None] * losses * channel).sum())
    proved = exact_bound(task, multipliers)
    assert loss - float(proved) <= 1e-6  # nothing is better than this by more
    for part in (1.0, 0.9, 1.1):  # whatever the prices are
        other = multipliers._replace(limits=multipliers.limits * part)
        assert task.bound(other) <= max(exact_bound(task, other), Fraction(0))
    # The bound in doubles is on the safe side; nothing costs less than nothing.
    assert task.bound(multipliers) <= max(proved, Fraction(0))
    assert task.bound(multipliers) >= float(proved) - 1e-6
    few, prices = solved_in_part(task)
    exactly = exact_bound(task, prices)
    assert task.bound(prices) <= max(exactly, Fraction(0))
    paid = float((task.weights[0][:, None] * losses * few).sum())
    assert paid >= float(exactly) - 1e-12
    assert paid - float(exactly) <= 1e-3 * paid + 1e-4


def test_few_columns_at_a_time_end_at_the_same_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    places = np.arange(40, dtype=float)
    bells = [np.exp(-((places - centre) ** 2) / 60) for centre in (18.0, 20.0, 21.0)]
    chances = [(bell + 1e-4 * random.random(40)).tolist() for bell in bells]
    task = program(chances, np.abs(places[:, None] - places[None, :]), 0.3, 0.0)
    channel, _ = solve(task)
    whole = float((task.weights[0][:, None] * task.losses * channel).sum())
    monkeypatch.setattr("covey.remedy.mechanism.program.solver.WHOLE", 100)
    channel, multipliers = solve(task)
    few = float((task.weights[0][:, None] * task.losses * channel).sum())
    assert whole <= few + 1e-9
    assert few - task.bound(multipliers) <= 1e-3 * few + 1e-9


def test_few_columns_of_very_few_that_may_be_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer may be published than are let in at a time."""
    places = np.arange(40, dtype=float)
    bells = [np.exp(-((places - centre) ** 2) / 60) for centre in (18.0, 20.0)]
    losses = np.abs(places[:, None] - np.array([10.0, 20.0, 30.0])[None, :])
    every = np.array([bell / bell.sum() for bell in bells])
    task = Program(every, ((0, 1), (1, 0)), every[:1], losses, np.ones(3) / 3, 0.1, (0.0, 0.0))
    whole = cost(task)
    monkeypatch.setattr("covey.remedy.mechanism.program.solver.WHOLE", 100)
    assert cost(task) == pytest.approx(whole, rel=1e-5)


def neighbouring(size: int, epsilon: float, prior: list[float]) -> Program:
    """Distributions that are certain of one outcome each, those next to each other to be kept alike.

    A channel from numbers to numbers is then wanted whose rows differ by e^ε at most, a step apart:
    the textbook's, for whose program others have solutions.
    """
    pairs = tuple((i, j) for i in range(size) for j in (i - 1, i + 1) if 0 <= j < size)
    places = np.arange(size, dtype=float)
    losses = np.abs(places[:, None] - places[None, :])
    distributions = np.eye(size)
    deltas = (0.0,) * len(pairs)
    return Program(distributions, pairs, np.array([prior]), losses, np.ones(size), epsilon, deltas)


def cost(task: Program) -> float:
    channel, _ = solve(task)
    return float((task.weights[0][:, None] * task.losses * channel).sum())


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_randomised_response_is_the_optimum_of_two(epsilon: float) -> None:
    # M(1|0) ≥ e^-ε M(1|1) = e^-ε (1 − M(0|1)), and the same the other way round; both bind, so that
    # an error has the probability 1 / (1 + e^ε), whatever the prior is that makes both matter.
    assert cost(neighbouring(2, epsilon, [0.5, 0.5])) == pytest.approx(1 / (1 + math.exp(epsilon)))
    assert cost(neighbouring(2, epsilon, [0.5, 0.5])) <= 0.5  # of guessing blindly


def test_geometric_noise_and_its_best_reader_are_the_optimum_of_numbers() -> None:
    """For L1 and any prior (Ghosh, Roughgarden and Sundararajan, 2012): noise, then a reader."""
    random = np.random.default_rng(3)
    for size, epsilon in [(3, 0.3), (5, 0.7), (8, 1.5)]:
        prior = random.dirichlet(np.ones(size))
        task = neighbouring(size, epsilon, prior.tolist())
        alpha, places = math.exp(-epsilon), np.arange(size)
        noise = (1 - alpha) / (1 + alpha) * alpha ** np.abs(places[:, None] - places[None, :])
        noise[:, 0] = alpha**places / (1 + alpha)  # all below 0 is 0, and all above the last it
        noise[:, -1] = alpha ** (size - 1 - places) / (1 + alpha)
        joint = (prior[:, None] * noise).T  # (published, there)
        read = float((joint @ task.losses).min(axis=1).sum())
        assert cost(task) == pytest.approx(read, rel=1e-6)


@pytest.mark.parametrize(("size", "epsilon"), [(2, 0.5), (4, 0.3), (6, 1.0), (9, 2.0)])
def test_against_qif(size: int, epsilon: float) -> None:
    qif = pytest.importorskip("qif")
    prior = np.random.default_rng(size).dirichlet(np.ones(size))
    channel = qif.mechanism.d_privacy.min_loss_given_d(
        prior, size, lambda i, j: epsilon * abs(i - j), lambda i, j: float(abs(i - j))
    )
    places = np.arange(size)
    theirs = float((prior[:, None] * channel * np.abs(places[:, None] - places[None, :])).sum())
    assert cost(neighbouring(size, epsilon, prior.tolist())) == pytest.approx(theirs, rel=1e-6)
