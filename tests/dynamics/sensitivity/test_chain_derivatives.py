"""Derivatives of distributions, against differences in fifty digits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

from covey.dynamics.chain import Chain
from covey.dynamics.sensitivity.chain_derivatives import Parameter, tangent, tangent_until
from covey.dynamics.solver import Solver
from covey.dynamics.stationary.limit import response
from covey.errors import UnsupportedError
from covey.model.network import Network
from covey.model.observation.adversary import Moment

TEXT = "{A} + {R} <-> {A,R} @ take, drop\n{B} + {R} <-> {B,R} @ take, 0.5\n{A} + {B} <-> {A,B} @ meet, 1"
STEP = mp.mpf("1e-20")


def turned_by(knob: Parameter, reaction: int, network: Network) -> bool:
    """Whether a knob is the rate of a reaction: its name there, or the reaction's own number."""
    if isinstance(knob, str):
        return network.reactions[reaction].rate == knob
    return knob == reaction


def matrix_of(chain: Chain, knob: Parameter, log_step: mp.mpf) -> mp.matrix:
    """The generator at a rate that is so much larger, in the digits that are set."""
    network, states = chain.network, chain.lattice.states
    number = {tuple(map(int, row)): i for i, row in enumerate(states)}
    matrix = mp.zeros(len(states))
    for i, row in enumerate(states):
        for r, reaction in enumerate(network.reactions):
            takes, change = network.reactants[r], network.changes[r]
            if (row < takes).any():
                continue
            rate = mp.mpf(reaction.rate_constant(network.rates))
            rate *= mp.e**log_step if turned_by(knob, r, network) else 1
            for count, order in zip(row, takes, strict=True):
                for taken in range(order):
                    rate *= int(count) - taken
            matrix[number[tuple(map(int, row + change))], i] += rate
            matrix[i, i] -= rate
    return matrix


def distribution(chain: Chain, at: Moment, knob: Parameter, log_step: mp.mpf) -> list[mp.mpf]:
    """By elimination, or by the series of the exponential, in the digits that are set."""
    matrix, n = matrix_of(chain, knob, log_step), len(chain.lattice)
    if at == "steady":
        for j in range(n):
            matrix[0, j] = 1
        return list(mp.lu_solve(matrix, mp.matrix([1] + [0] * (n - 1))))
    whole = mp.expm(matrix * mp.mpf(at), method="taylor")
    return [whole[i, chain.lattice.start] for i in range(n)]


@settings(max_examples=12, deadline=None)
@given(
    a=st.integers(1, 2),
    b=st.integers(0, 2),
    rates=st.tuples(*[st.floats(0.05, 20)] * 3),
    at=st.one_of(st.just("steady"), st.floats(0.01, 5)),
)
def test_against_differences(a: int, b: int, rates: tuple[float, ...], at: Moment) -> None:
    network = Network(TEXT, rates=dict(zip(("take", "drop", "meet"), rates, strict=True)))
    begin = np.array([{"{A}": a, "{B}": b, "{R}": 1}.get(str(s), 0) for s in network.species])
    chain = Solver(network).chain(begin)
    found = tangent(chain, at, list(network.rates))
    with mp.workdps(50):
        for name, sensitivities in zip(network.rates, found.sensitivities, strict=True):
            up, down = distribution(chain, at, name, STEP), distribution(chain, at, name, -STEP)
            exact = np.array([float((x - y) / (2 * STEP)) for x, y in zip(up, down, strict=True)])
            assert np.abs(sensitivities - exact).max() <= 1e-10
            assert abs(sensitivities.sum()) <= 1e-12


def test_sweeps_and_a_factorisation_agree() -> None:
    network = Network(TEXT, rates={"take": 0.3, "drop": 1.1, "meet": 0.8})
    begin = np.array([{"{A}": 7, "{B}": 6, "{R}": 5}.get(str(s), 0) for s in network.species])
    chain = Solver(network).chain(begin)
    found = tangent(chain, "steady", ["take"])
    # dK/d ln take · p, from two generators
    faster = Solver(network.with_rates({"take": 0.6})).chain(begin)
    source = faster.generator.product(found.distribution) - chain.generator.product(
        found.distribution
    )
    swept = response(chain.generator, found.distribution, source)
    assert np.abs((swept - found.sensitivities[0]) / found.distribution).max() <= 1e-6


def test_a_team_that_ends_in_several_places_is_refused() -> None:
    network = Network("{A} -> left{A} @ a\n{A} -> right{A} @ b", rates={"a": 1.0, "b": 2.0})
    chain = Solver(network).chain(np.array([2, 0, 0]))
    with pytest.raises(UnsupportedError, match="one class"):
        tangent(chain, "steady", ["a"])


@pytest.mark.parametrize("late", [1e5, 1e12, 1e300])
def test_late_times_have_the_derivatives_of_rest(late: float) -> None:
    network = Network(TEXT, rates={"take": 0.3, "drop": 1.1, "meet": 0.8})
    begin = np.array([{"{A}": 2, "{B}": 1, "{R}": 1}.get(str(s), 0) for s in network.species])
    chain = Solver(network).chain(begin)
    rest = tangent(chain, "steady", ["take", "meet"])
    for follow, apart in ((tangent, 1e-11), (tangent_until, 1e-11 + 10 / late)):
        found = follow(chain, late, ["take", "meet"])
        assert np.allclose(found.distribution, rest.distribution, rtol=0, atol=apart)
        assert np.allclose(found.sensitivities, rest.sensitivities, rtol=0, atol=apart)


def test_a_late_time_of_a_team_that_does_not_rest_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("covey.dynamics.sensitivity.chain_derivatives._MOST_STEPS", 3000)
    network = Network("{A} <-> w{A} @ slow, slow\n{B} <-> w{B} @ 9, 9", rates={"slow": 1e-9})
    begin = np.array([{"{A}": 1, "{B}": 1}.get(str(s), 0) for s in network.species])
    chain = Solver(network).chain(begin)
    for follow in (tangent, tangent_until):
        with pytest.raises(UnsupportedError, match="has not come to rest"):
            follow(chain, 1e8, ["slow"])
        with pytest.raises(UnsupportedError, match="no number is so large"):
            follow(chain, 1.7e308, ["slow"])


def test_a_distribution_that_is_proportional_to_a_rate_moves_as_mass_action_does() -> None:
    plain = Network(TEXT, rates={"take": 0.3, "drop": 1.1, "meet": 0.8})
    distribution = TEXT.replace("@ take, drop", "@ [take * {A} * {R}], drop", 1)
    own = Network(distribution, rates={"take": 0.3, "drop": 1.1, "meet": 0.8})
    begin = np.array([{"{A}": 3, "{B}": 2, "{R}": 2}.get(str(s), 0) for s in plain.species])
    one, two = (tangent(Solver(n).chain(begin), "steady", ["take"]) for n in (plain, own))
    assert np.abs(one.sensitivities - two.sensitivities).max() < 1e-8
