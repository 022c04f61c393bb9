"""Distributions at a time: systems with exact answers, tails included, and their error bounds."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from covey.dynamics.ctmc import squaring
from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.propagator import STEPS
from covey.dynamics.ctmc.transitions import build
from covey.dynamics.ctmc.uniformization import TransientResult, transient
from covey.dynamics.state_space.enumeration import Lattice, explore
from covey.errors import CoveyError
from covey.model.network import Network
from covey.numbers import LOST

if TYPE_CHECKING:
    from numpy.typing import NDArray


def chain(text: str, start: list[int]) -> tuple[Lattice, Generator]:
    network = Network(text)
    lattice = explore(network, np.array(start), max_states=100_000)
    return lattice, build(network, lattice)


def log_binomial(n: int, p: mpmath.mpf) -> list[float]:
    """Ln P(k of n) for k = 0..n, in 50 digits."""
    return [
        float(mpmath.log(mpmath.binomial(n, k)) + k * mpmath.log(p) + (n - k) * mpmath.log(1 - p))
        for k in range(n + 1)
    ]


def assert_within(result: TransientResult, row: int, logs: NDArray[np.float64]) -> None:
    """Every ln p is right to the bound that came with it, and the bound is worth having."""
    assert result.lost[row] == 0
    assert result.log_error[row] <= 1e-9
    error = np.abs(result.log_probabilities[row] - logs)
    # The reference in double precision is itself only good to a few units in the last place.
    assert (error <= result.log_error[row] + 4e-16 * np.abs(logs)).all()


@pytest.mark.parametrize("time", [1e-9, 0.1, 1.0, 7.0, 50.0, 1e12])
@pytest.mark.parametrize(("forth", "back"), [(1.0, 1.0), (2.0, 3.0), (1e-4, 1e4)])
def test_two_states_by_hand(forth: float, back: float, time: float) -> None:
    lattice, generator = chain(f"a <-> b @ {forth}, {back}", [1, 0])
    result = transient(generator, lattice.point_mass(), [time])
    total = forth + back
    moved = forth / total * -math.expm1(-total * time)
    expected = np.empty(2)
    expected[lattice.index_of(np.array([[0, 1], [1, 0]]))] = moved, 1 - moved
    assert np.log(expected) == pytest.approx(result.log_probabilities[0], abs=1e-10, rel=1e-15)


@pytest.mark.parametrize("robots", [1, 10, 60, 200])
@pytest.mark.parametrize("time", [1e-2, 0.3, 4.0, 100.0])
def test_independent_flips_are_binomial(robots: int, time: float) -> None:
    lattice, generator = chain("a <-> b @ 2, 3", [robots, 0])
    result = transient(generator, lattice.point_mass(), [time])
    with mpmath.workdps(50):
        p = mpmath.mpf(2) / 5 * (1 - mpmath.exp(-5 * mpmath.mpf(time)))
        logs = np.array(log_binomial(robots, p))
    assert_within(result, 0, logs[lattice.states[:, 1]])


def test_compiled_steps_give_the_same_answers() -> None:
    # 2 x 70 independent flips of two kinds: 71 * 71 states.
    lattice, generator = chain("a <-> b @ 2, 3\nc <-> d @ 1, 1", [70, 0, 70, 0])
    assert generator.compiled
    times = [0.01, 0.5, 6.0]
    result = transient(generator, lattice.point_mass(), times)
    for row, time in enumerate(times):
        with mpmath.workdps(50):
            p = mpmath.mpf(2) / 5 * (1 - mpmath.exp(-5 * mpmath.mpf(time)))
            q = (1 - mpmath.exp(-2 * mpmath.mpf(time))) / 2
            logs, others = np.array(log_binomial(70, p)), np.array(log_binomial(70, q))
        assert_within(result, row, logs[lattice.states[:, 1]] + others[lattice.states[:, 3]])


def test_absorption_in_one_of_two_classes() -> None:
    lattice, generator = chain("a -> b @ 1\na -> c @ 2", [4, 0, 0])
    result = transient(generator, lattice.point_mass(), [0.2, 3.0])
    for row, time in enumerate((0.2, 3.0)):
        with mpmath.workdps(40):
            stay = mpmath.exp(-3 * mpmath.mpf(time))
            shares = (stay, (1 - stay) / 3, (1 - stay) * 2 / 3)
            logs = np.array([
                float(mpmath.log(
                    mpmath.factorial(4) * mpmath.fprod(
                        s ** int(k) / mpmath.factorial(int(k))
                        for s, k in zip(shares, x, strict=True)
                    )
                ))
                for x in lattice.states
            ])  # fmt: skip
        assert_within(result, row, logs)


def test_an_absurd_time_empties_the_transient_states_and_says_so() -> None:
    lattice, generator = chain("a -> b @ 1\na -> c @ 2", [2, 0, 0])
    result = transient(generator, lattice.point_mass(), [1e12])
    absorbed = lattice.states[:, 0] == 0
    assert result.lost[0] == np.count_nonzero(~absorbed)
    expected = [(1 / 9, 4 / 9, 4 / 9)[c] for c in lattice.states[absorbed, 2]]
    assert result.probabilities[0, absorbed] == pytest.approx(expected, rel=1e-9)
    assert (result.probabilities[0, ~absorbed] < 1e-300).all()


def test_time_zero_is_the_start_and_times_come_in_any_order() -> None:
    lattice, generator = chain("a <-> b @ 2, 3", [5, 0])
    result = transient(generator, lattice.point_mass(), [1.0, 0.0, 0.5])
    assert (result.probabilities[1] == lattice.point_mass()).all()
    for row, time in enumerate((1.0, 0.0, 0.5)):
        alone = transient(generator, lattice.point_mass(), [time]).probabilities[0]
        assert alone == pytest.approx(result.probabilities[row], rel=1e-10)


def test_a_state_that_never_moves() -> None:
    lattice, generator = chain("a + b -> c @ 1", [3, 0, 0])
    assert transient(generator, lattice.point_mass(), [0.0, 5.0]).probabilities.tolist() == [
        [1],
        [1],
    ]


@pytest.mark.parametrize("times", [[-1.0], [math.nan], [math.inf], [1.0, -0.5]])
def test_impossible_times_are_refused(times: list[float]) -> None:
    lattice, generator = chain("a <-> b @ 2, 3", [5, 0])
    with pytest.raises(CoveyError, match="finite and not negative"):
        transient(generator, lattice.point_mass(), times)


def test_tails_beyond_double_range_have_logarithms() -> None:
    lattice, generator = chain("a <-> b @ 2, 3", [110, 0])
    result = transient(generator, lattice.point_mass(), [1e-4])
    with mpmath.workdps(50):
        p = mpmath.mpf(2) / 5 * (1 - mpmath.exp(-5 * mpmath.mpf("1e-4")))
        logs = np.array(log_binomial(110, p))[lattice.states[:, 1]]
    assert logs.min() < -850
    assert result.probabilities.min() == 0
    assert_within(result, 0, logs)


def test_what_no_logarithm_reaches_is_counted_as_lost() -> None:
    lattice, generator = chain("a <-> b @ 2, 3", [400, 0])
    result = transient(generator, lattice.point_mass(), [1e-6])
    with mpmath.workdps(50):
        p = mpmath.mpf(2) / 5 * (1 - mpmath.exp(-5 * mpmath.mpf("1e-6")))
        logs = np.array(log_binomial(400, p))[lattice.states[:, 1]]
    kept = logs > -920
    assert 0 < result.lost[0] <= np.count_nonzero(~kept)
    assert np.abs(result.log_probabilities[0] - logs)[kept].max() <= 1e-9


def test_a_chain_that_does_not_settle_in_time_is_refused() -> None:
    lattice, generator = chain("a <-> b @ 1e4, 1e-4\nb <-> c @ 1e-4, 1e-4", [3, 0, 0])
    with pytest.raises(CoveyError, match="still changes"):
        transient(generator, lattice.point_mass(), [1e6], max_products=900)


@st.composite
def small_chains(draw: st.DrawFn) -> tuple[Lattice, Generator]:
    rate = st.floats(0.05, 20)
    choices = ["a <-> b", "b <-> c", "a + b -> c", "c -> a + b", "2 a <-> c", "c -> b", "a -> c"]
    picked = draw(st.lists(st.sampled_from(choices), min_size=1, max_size=4, unique=True))
    lines = ["a -> b @ 1.5"]
    for line in picked:
        rates = f"{draw(rate)}, {draw(rate)}" if "<->" in line else f"{draw(rate)}"
        lines.append(f"{line} @ {rates}")
    network = Network("\n".join(lines))
    start = [draw(st.integers(0, 3)) for _ in network.species]
    try:
        lattice = explore(network, np.array(start), max_states=14)
    except CoveyError:
        assume(False)
    return lattice, build(network, lattice)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(small_chains(), st.sampled_from([0.01, 0.4, 3.0]))
def test_random_networks_against_the_matrix_exponential(
    case: tuple[Lattice, Generator], time: float
) -> None:
    lattice, generator = case
    with mpmath.workdps(60):
        matrix = mpmath.matrix(generator.csr().toarray().tolist()) * mpmath.mpf(time)
        # Column sums must vanish exactly here, or the reference solves another problem.
        for j in range(len(lattice)):
            matrix[j, j] = -mpmath.fsum(matrix[i, j] for i in range(len(lattice)) if i != j)
        column = mpmath.expm(matrix)[:, lattice.start]
        logs = np.array([float(mpmath.log(x)) for x in column])
    assert_within(transient(generator, lattice.point_mass(), [time]), 0, logs)


@pytest.mark.slow
@pytest.mark.parametrize("time", [20.0, 777.7, 3e4])
@pytest.mark.parametrize("fast", [1e3, 1e5])
def test_fast_and_slow_rates_far_apart(fast: float, time: float) -> None:
    """Robots that move by themselves: binomial each, with a slow change that is under way."""
    lattice, generator = chain(f"a <-> b @ {fast}, {2 * fast}\nc <-> d @ 1e-4, 1e-5", [12, 0, 9, 0])
    result = transient(generator, lattice.point_mass(), [time])
    assert result.products < 30_000
    assert result.log_error[0] < 1e-3
    quick = log_binomial(12, mpmath.mpf(1) / 3)  # settled long ago
    total = mpmath.mpf("1e-4") + mpmath.mpf("1e-5")
    moved = mpmath.mpf("1e-4") / total * -mpmath.expm1(-total * mpmath.mpf(time))
    slow = log_binomial(9, moved)
    states = [[12 - b, b, 9 - d, d] for b in range(13) for d in range(10)]
    expected = np.empty(len(states))
    expected[lattice.index_of(np.array(states))] = [q + s for q in quick for s in slow]
    assert np.abs(result.log_probabilities[0] - expected).max() <= result.log_error[0]
    assert result.lost[0] == 0


def test_where_squares_would_lose_all_accuracy_the_question_is_refused() -> None:
    lattice, generator = chain("a <-> b @ 1e9, 1e9\nc <-> d @ 1e-4, 1e-5", [3, 0, 3, 0])
    with pytest.raises(CoveyError, match="still changes"):
        transient(generator, lattice.point_mass(), [1e4], max_products=30_000)


def test_a_distribution_that_rounding_would_hide_is_refused_before_the_first_step() -> None:
    lattice, generator = chain("a <-> b @ 1e25, 1", [3, 0])
    with pytest.raises(CoveyError, match="rounding hides"):
        transient(generator, lattice.point_mass(), [1.0], max_products=0)


def test_drift_below_rounding_is_in_the_bound() -> None:
    """What fills more slowly than any rounding shows is not seen, but the bound knows of it."""
    lattice, generator = chain("x -> c @ 1\nx -> a @ 1\na -> c @ 1e-18", [0, 0, 1])
    result = transient(generator, lattice.point_mass(), [1e17])
    end = lattice.index_of(np.array([[0, 1, 0]]))[0]
    truth = math.log(0.5 - 0.5 * math.expm1(-0.1))
    assert abs(truth - result.log_probabilities[0][end]) <= result.log_error[0]


def test_many_states_after_many_steps() -> None:
    """Close to the most states that are squared: far corners of the matrix underflow."""
    lattice, generator = chain("L <-> M @ 1, 1", [950, 0])
    result = transient(generator, lattice.point_mass(), [30.0])
    logs = np.array(log_binomial(950, mpmath.mpf(1) / 2))
    likely = logs > -600
    error = np.abs(result.log_probabilities[0] - logs[lattice.states[:, 1]])
    assert error[likely[lattice.states[:, 1]]].max() <= result.log_error[0]


@pytest.mark.slow
@pytest.mark.parametrize("steps", [*range(710, 730), *range(1_590, 1_610)])
def test_a_time_that_ends_as_patience_does(steps: int) -> None:
    lattice, generator = chain("a -> b @ 1\nc -> d @ 1e-9", [1, 0, 1, 0])
    rate = 1.02 * float(generator.exits.max())
    time = steps / rate
    result = transient(generator, lattice.point_mass(), [time])
    first = -time, math.log1p(-math.exp(-time))  # ln P that a is there, and that b is
    second = -1e-9 * time, math.log(-math.expm1(-1e-9 * time))
    logs = lattice.states @ np.array([*first, *second])
    held = result.scaled[0] > 0
    assert result.lost[0] == (~held).sum()
    assert (logs[~held] < -1_400).all()  # below what doubles hold beside the others
    error = np.abs(result.log_probabilities[0] - logs)[held]
    assert (error <= result.log_error[0]).all()
    assert result.log_error[0] <= 1e-9


def test_fast_rates_cost_a_small_chain_as_many_products_as_squares_are_worth() -> None:
    """150,000 expected jumps of twelve states: no more steps than their squares are worth."""
    network = Network("""
        {R} + {C} <-> {C,R} @ 39779.1, 22067.0
        {S} + {D} <-> {D,S} @ 1.34819e-05, 21744.2
        {D,S} + {B} <-> {B,D,S} @ 17262.9, 58601.7
        {A} <-> w{A} @ 1.34819e-05, 0.289631
    """)
    counts = {"{A}": 1, "{B}": 3, "{D}": 2, "{R}": 2, "{S}": 3}
    start = np.array([counts.get(str(species), 0) for species in network.species])
    lattice = explore(network, start, max_states=100)
    assert len(lattice) == 12
    generator = build(network, lattice)
    result = transient(generator, lattice.point_mass(), [1.0])
    assert generator.exits.max() > 140_000
    assert result.products <= squaring.worth(12) + STEPS < 1_500
    with mpmath.workdps(60):
        matrix = mpmath.matrix(generator.csr().toarray().tolist())
        for j in range(len(lattice)):
            matrix[j, j] = -mpmath.fsum(matrix[i, j] for i in range(len(lattice)) if i != j)
        column = mpmath.expm(matrix)[:, lattice.start]
        logs = np.array([float(mpmath.log(x)) for x in column])
    assert_within(result, 0, logs)


@pytest.mark.parametrize("fast", [1e12, 1e15])
def test_what_no_bound_reaches_is_refused_after_few_steps(fast: float) -> None:
    """Rounding hides the slow change: that is said before anybody waits."""
    lattice, generator = chain(f"a <-> b @ {fast}, {fast}\nc <-> d @ 0.1, 0.2", [3, 0, 3, 0])
    with pytest.raises(CoveyError, match="still changes") as refused:
        transient(generator, lattice.point_mass(), [2.0])
    steps = int(re.findall(r"After ([\d,]+) steps", refused.value.message)[0].replace(",", ""))
    assert steps <= squaring.worth(len(generator)) + STEPS


def test_what_is_at_rest_within_the_reach_of_squares_is_answered() -> None:
    """The slow change is over long before rounding hides it, and long after patience ends."""
    lattice, generator = chain("a <-> b @ 1e9, 2e9\nc <-> d @ 30, 10", [3, 0, 3, 0])
    result = transient(generator, lattice.point_mass(), [1e2])
    assert result.products <= squaring.worth(len(generator)) + STEPS
    quick, slow = log_binomial(3, mpmath.mpf(1) / 3), log_binomial(3, mpmath.mpf(3) / 4)
    expected = [quick[b] + slow[d] for _, b, _, d in lattice.states.tolist()]
    assert np.abs(result.log_probabilities[0] - expected).max() <= result.log_error[0] < 0.5


def test_states_that_squares_lose_are_as_improbable_as_is_said() -> None:
    """A robot leaves while another hurries: what is lost is below LOST, and all else is there."""
    lattice, generator = chain("a -> b @ 1\nc <-> d @ 50, 50", [1, 0, 1, 0])
    for time in np.linspace(640, 700, 13).tolist():  # e^-time crosses 1e-286 and 1e-289 in there
        result = transient(generator, lattice.point_mass(), [time])
        for state, log in zip(lattice.states.tolist(), result.log_probabilities[0], strict=True):
            true = math.log(0.5) - (time if state[0] else 0.0)
            if np.isneginf(log):
                assert true < math.log(LOST)
            else:
                assert abs(log - true) <= result.log_error[0] + 1e-12


@pytest.mark.parametrize("time", [200.0, 1400.0, 3000.0])
def test_squares_answer_as_far_as_their_bound_is_worth_it(time: float) -> None:
    lattice, generator = chain("a <-> b @ 1e9, 1e9\nc <-> d @ 1e-3, 2e-3", [1, 0, 1, 0])
    result = transient(generator, lattice.point_mass(), [time])
    moved = -math.expm1(-3e-3 * time) / 3
    expected = [math.log(0.5 * (moved if d else 1 - moved)) for *_, d in lattice.states.tolist()]
    assert np.abs(result.log_probabilities[0] - expected).max() <= result.log_error[0] < 1e-2


def test_many_states_with_more_steps_than_anybody_waits_for_are_refused_soon() -> None:
    lattice, generator = chain("a <-> b @ 1e12, 1e12\nc <-> d @ 1, 2", [40, 0, 40, 0])
    assert len(lattice) > 1_000  # too many to be squared
    with pytest.raises(
        CoveyError, match=r"After 20,00\d steps the chain is at time .* still changes"
    ):
        transient(generator, lattice.point_mass(), [2.0])
