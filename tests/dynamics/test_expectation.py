"""Expected rates and counts: bounds that hold, whichever method gives the distribution."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from scipy.special import pdtrc

from covey.dynamics.ctmc.occupation import _WEIGHTS
from covey.dynamics.expectation import average, chain_of_all, expected
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.errors import CoveyError, TooLargeError
from covey.model.network import Network
from covey.model.performance import Weights

PAIRS = "{A} + {R} <-> {A,R} @ 0.7, 2\n{B} + {R} <-> {B,R} @ 1.3, 0.5"


def weights(network: Network, rates: dict[int, float], counts: dict[int, float]) -> Weights:
    reactions, species = np.zeros(len(network.reactions)), np.zeros(len(network.species))
    reactions[list(rates)] = list(rates.values())
    species[list(counts)] = list(counts.values())
    return Weights(reactions, species)


def start(network: Network, **counts: int) -> np.ndarray:
    return np.array([counts.get(str(s).strip("{}"), 0) for s in network.species])


def test_a_closed_form_and_a_chain_agree() -> None:
    network = Network(PAIRS)
    begin = start(network, A=4, B=3, R=3)
    wanted = [weights(network, {0: 1.0, 3: -2.0}, {}), weights(network, {1: 1.0}, {0: 1.0, 4: 3.0})]
    by_form = expected(Solver(network), begin, ["steady"], wanted)[0]
    by_chain = expected(Solver(network, Limits("stationary")), begin, ["steady"], wanted)[0]
    late = expected(Solver(network), begin, [400.0], wanted)[0]
    for one, two, three in zip(by_form, by_chain, late, strict=True):
        for other in (two, three):
            assert one.lower <= other.upper
            assert other.lower <= one.upper
            assert one.value == pytest.approx(other.value, rel=1e-9)
    # At rest as many pairs form as part.
    forms, parts = expected(
        Solver(network), begin, ["steady"],
        [weights(network, {0: 1.0}, {}), weights(network, {1: 1.0}, {})],
    )[0]  # fmt: skip
    assert forms.value == pytest.approx(parts.value, rel=1e-12)


def test_a_rate_that_depends_on_nothing() -> None:
    network = Network("0 -> {A} @ 3\n{A} -> 0 @ 2")
    (arrive, leave) = expected(
        Solver(network), np.array([0]), ["steady"],
        [weights(network, {0: 1.0}, {}), weights(network, {1: 1.0}, {})],
    )[0]  # fmt: skip
    assert arrive.value == 3
    assert leave.lower <= 3 <= leave.upper


def test_what_is_left_out_counts() -> None:
    network = Network(PAIRS)
    begin = start(network, A=40, B=30, R=50)
    wanted = [weights(network, {1: 1.0}, {})]
    (rough,) = expected(Solver(network, Limits("projection", None, 1e-3)), begin, [1.0], wanted)[0]
    (exact,) = expected(Solver(network), begin, [1.0], wanted)[0]
    assert rough.lower <= exact.value <= rough.upper
    assert rough.upper - rough.lower > 1e-6


@settings(max_examples=20, deadline=None)
@given(
    a=st.integers(0, 3),
    b=st.integers(1, 3),
    rates=st.lists(st.floats(0.01, 50), min_size=4, max_size=4),
    span=st.floats(1e-3, 30),
)
def test_averages_against_fifty_digits(a: int, b: int, rates: list[float], span: float) -> None:
    """(1/T) ∫ p = the last column of the exponential of K T, bordered by the identity."""
    network = Network(
        "{{A}} + {{R}} <-> {{A,R}} @ {}, {}\n{{B}} + {{R}} <-> {{B,R}} @ {}, {}".format(*rates)
    )
    begin = start(network, A=a, B=b, R=2)
    solver = Solver(network)
    chain = solver.chain(begin)
    n = len(chain.lattice)
    with mp.workdps(50):
        bordered = mp.zeros(n + 1)
        for row, begins in enumerate(chain.generator.indptr[:-1]):
            for k in range(int(begins), int(chain.generator.indptr[row + 1])):
                moved = mp.mpf(float(chain.generator.rates[k]))
                bordered[row, int(chain.generator.indices[k])] += moved
                bordered[int(chain.generator.indices[k]), int(chain.generator.indices[k])] -= moved
        for row in range(n):
            bordered[row, n] = mp.mpf(float(chain.start[row]))
        spent = [mp.expm(bordered * span, method="taylor")[row, n] / span for row in range(n)]
        states = chain.lattice.states
        wanted = mp.fsum(p * int(x) for p, x in zip(spent, states[:, 0], strict=True))
    (found,) = average(chain, span, [weights(network, {}, {0: 1.0})])
    assert found.lower <= wanted <= found.upper
    assert found.upper - found.lower <= 1e-9 * max(1.0, found.value)


def test_averages_that_are_too_long_or_too_large() -> None:
    network = Network(PAIRS)
    begin = start(network, A=4, B=3, R=3)
    with pytest.raises(TooLargeError, match="products on"):
        average(chain_of_all(Solver(network), begin), 1e12, [weights(network, {1: 1.0}, {})])
    endless = Network("0 -> {A} @ 3\n{A} -> 0 @ 2")
    with pytest.raises(TooLargeError, match="ask for the measure at a time"):
        average(chain_of_all(Solver(endless), np.array([0])), 1.0, [weights(endless, {1: 1.0}, {})])


def test_the_rate_of_a_distribution() -> None:
    network = Network("{A} -> w{A} @ [2 * min({A}, 3 - w{A})]\nw{A} -> {A} @ 1")
    begin = np.array([4, 0])
    go, back = expected(
        Solver(network), begin, ["steady"],
        [weights(network, {0: 1.0}, {}), weights(network, {}, {1: 1.0})],
    )[0]  # fmt: skip
    assert go.lower <= back.upper
    assert back.lower <= go.upper  # as many begin as end, and each lasts a unit of time


def test_a_long_average_of_one_robot() -> None:
    """Its share of work until T is a/c (1 − (1 − e^−cT)/cT), c = a + b: 50 digits of it."""
    network = Network("{A} <-> w{A} @ 0.7, 0.9")
    (found,) = average(
        chain_of_all(Solver(network), np.array([1, 0])), 3e5, [weights(network, {}, {1: 1.0})]
    )
    with mp.workdps(50):
        a, b = mp.mpf(0.7), mp.mpf(0.9)
        jumps = (a + b) * mp.mpf(3e5)
        wanted = a / (a + b) * (1 - (1 - mp.exp(-jumps)) / jumps)
    assert found.lower <= wanted <= found.upper
    assert found.upper - found.lower <= 1e-8


@pytest.mark.parametrize("mean", [1e-6, 0.3, 50.0, 200.7, 1e3, 1.3e4])
def test_how_exact_the_weights_of_an_average_are(mean: float) -> None:
    last = int(mean + 9 * np.sqrt(mean) + 40)
    with mp.workdps(50):
        for k in np.unique(np.linspace(0, last - 1, 25).astype(int)).tolist():
            wanted = mp.gammainc(k + 1, 0, mp.mpf(mean), regularized=True)
            if wanted > 1e-25:  # what is less is far below what is counted as lost
                assert abs(float(pdtrc(k, mean)) / wanted - 1) < _WEIGHTS


def test_an_average_of_one_of_two_types_that_do_the_same() -> None:
    """Both halves of what two types do alike, though neither the chain nor the sum is symmetric."""
    network = Network("{A} <-> w{A} @ 1, 2\n{B} <-> w{B} @ 1, 2")
    begin = start(network, A=3, B=1)
    ask = [weights(network, {0: 1.0}, {}), weights(network, {2: 1.0}, {})]
    three, one = average(chain_of_all(Solver(network), begin), 2.0, ask)
    assert three.value == pytest.approx(3 * one.value, rel=1e-12)


@pytest.mark.parametrize("late", [1e20, 1e300])
def test_a_time_beyond_all_steps(late: float) -> None:
    network = Network("{A} <-> w{A} @ 1, 2")
    ask = [weights(network, {0: 1.0}, {})]
    with pytest.raises(CoveyError, match="Ask for the steady state, for an earlier time"):
        expected(Solver(network, Limits("transient")), np.array([2, 0]), [late], ask)
