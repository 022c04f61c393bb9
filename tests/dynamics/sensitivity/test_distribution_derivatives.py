"""Derivatives of what is seen and of what is expected, against differences in fifty digits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mpmath import mp
from numpy.typing import NDArray

from covey.dynamics.chain import Chain
from covey.dynamics.ctmc.propensity import propensity
from covey.dynamics.product_form.product_form import ProductForm
from covey.dynamics.product_form.sensitivities import ProductSensitivities, balance_sensitivities
from covey.dynamics.sensitivity.chain_derivatives import Parameter
from covey.dynamics.sensitivity.distribution_derivatives import Sensitivities
from covey.dynamics.solver import Solver
from covey.errors import UnsupportedError
from covey.model.network import Network
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.model.performance import Weights
from covey.model.structure.structure import Structure
from tests.dynamics.product_form.test_product_form import State, questions
from tests.dynamics.sensitivity.test_chain_derivatives import distribution, matrix_of, turned_by

STEP = mp.mpf("1e-20")
MOMENTS = st.one_of(st.just("steady"), st.floats(0.05, 3))


def observed(chain: Chain, query: Query, states: list[mp.mpf]) -> dict[tuple[int, ...], mp.mpf]:
    found: dict[tuple[int, ...], mp.mpf] = {}
    for seen, p in zip(map(tuple, chain.seen(query).tolist()), states, strict=True):
        found[seen] = found.get(seen, mp.mpf(0)) + p
    return found


def both(chain: Chain, at: Moment, knob: Parameter) -> tuple[list[mp.mpf], list[mp.mpf]]:
    return distribution(chain, at, knob, STEP), distribution(chain, at, knob, -STEP)


def mean(chain: Chain, weights: Weights, knob: Parameter, step: mp.mpf, p: list[mp.mpf]) -> mp.mpf:
    """E f, the rates in f being those of the distribution."""
    columns = np.ascontiguousarray(chain.lattice.states.T)
    total = mp.mpf(0)
    for r, factor in enumerate(weights.reactions.tolist()):
        rates = propensity(chain.network, r, columns).tolist()
        faster = mp.e**step if turned_by(knob, r, chain.network) else 1
        total += faster * factor * mp.fsum(a * b for a, b in zip(rates, p, strict=True))
    counts = (weights.species @ columns).tolist()
    return total + mp.fsum(a * b for a, b in zip(counts, p, strict=True))


@settings(max_examples=25, deadline=None)
@given(question=questions(), at=MOMENTS, seed=st.integers(0, 99))
def test_of_random_networks(question: tuple[Network, State, Query], at: Moment, seed: int) -> None:
    network, begin, query = question
    start, solver = np.array(begin), Solver(network)
    assume(1 < (solver.reach(start).states or 99) <= 16)
    chain = solver.chain(start)
    knobs = tuple(range(min(len(network.reactions), 4)))
    found = Sensitivities(solver, knobs)
    (seen,) = solver.distributions(start, [at], query)
    (sensitivities,) = found.of_distributions([start], at, query, [seen])
    without = found._of_distribution(start, at, query, seen)  # without a list of states
    assert np.abs(sensitivities - without).max() <= 1e-8
    factors = np.random.default_rng(seed).integers(-2, 3, 99).astype(float)
    weights = Weights(factors[: len(network.reactions)], factors[-len(network.species) :])
    means = found.of_mean(start, at, weights)
    with mp.workdps(50):
        for k, knob in enumerate(knobs):
            up, down = both(chain, at, knob)
            high, low = observed(chain, query, up), observed(chain, query, down)
            exact = [
                float((mp.log(high[y]) - mp.log(low[y])) / (2 * STEP))
                for y in map(tuple, seen.outcomes.tolist())
            ]
            assert np.abs(sensitivities[k] - exact).max() <= 1e-8
            change = mean(chain, weights, knob, STEP, up) - mean(chain, weights, knob, -STEP, down)
            assert means[k] == pytest.approx(float(change / (2 * STEP)), abs=1e-9, rel=1e-9)


TASK = "{A} <-> w{A} @ a, 0.3\n{B} <-> w{B} @ 2, b\ndone: {A} + w{B} -> {A} + {B} @ a"


def test_of_an_average() -> None:
    network = Network(TASK, rates={"a": 0.7, "b": 1.3})
    start = np.array([{"{A}": 1, "{B}": 2}.get(str(s), 0) for s in network.species])
    solver = Solver(network)
    chain, span = solver.chain(start), 1.7
    weights = Weights(np.array([0.0, 0, 0, 0, 2.0]), np.array([0.5, 0, 0, 0]))
    found = Sensitivities(solver, ("a", "b")).of_average(start, span, weights)
    n = len(chain.lattice)

    def average(knob: str, step: mp.mpf) -> mp.mpf:
        """The corner of the exponential of [[K, 1], [0, 0]] is ∫ e^(Kt) dt."""
        large = mp.zeros(2 * n)
        large[:n, :n] = matrix_of(chain, knob, step)
        large[:n, n:] = mp.eye(n)
        corner = mp.expm(large * mp.mpf(span), method="taylor")
        shares = [corner[i, n + chain.lattice.start] / mp.mpf(span) for i in range(n)]
        return mean(chain, weights, knob, step, shares)

    with mp.workdps(50):
        for sensitivity, knob in zip(found, ("a", "b"), strict=True):
            exact = (average(knob, STEP) - average(knob, -STEP)) / (2 * STEP)
            assert sensitivity == pytest.approx(float(exact), rel=1e-9)


def starts(network: Network, **robots: int) -> NDArray[np.int64]:
    return np.array([robots.get(str(s).strip("{}"), 0) for s in network.species])


def test_rates_that_are_balanced_only_together_go_by_the_chain() -> None:
    """{A,B,C} is built in two ways: of deficiency one, and balanced where all rates are 1."""
    network = Network(
        "{A} + {B} <-> {A,B} @ k, 1\n{A,B} + {C} <-> {A,B,C} @ 1, 1\n"
        "{B} + {C} <-> {B,C} @ 1, 1\n{A} + {B,C} <-> {A,B,C} @ 1, 1",
        rates={"k": 1.0},
    )
    solver, start = Solver(network), starts(network, A=1, B=1, C=1)
    assert isinstance(solver.closed_form, ProductForm)
    with pytest.raises(UnsupportedError, match="others beside them are not"):
        ProductSensitivities(solver.closed_form, start, np.eye(1, len(network.reactions)))
    chain, query = solver.chain(start), Query(alone="{A} + {B} + {C}")
    (seen,) = solver.distributions(start, ["steady"], query)
    (sensitivities,) = Sensitivities(solver, ("k",)).of_distributions(
        [start], "steady", query, [seen]
    )
    with mp.workdps(50):
        high, low = (observed(chain, query, one) for one in both(chain, "steady", "k"))
        for y, sensitivity in zip(
            map(tuple, seen.outcomes.tolist()), sensitivities[0], strict=True
        ):
            assert sensitivity == pytest.approx(
                float(mp.log(high[y] / low[y]) / (2 * STEP)), abs=1e-9
            )


def test_a_balanced_point_follows_a_cycle() -> None:
    """Round a cycle a robot is as often somewhere as it is slow to leave: c = 1/κ."""
    network = Network("a{A} -> b{A} @ 2\nb{A} -> c{A} @ 3\nc{A} -> a{A} @ 5")
    sensitivities = balance_sensitivities(Structure(network), np.eye(3))
    assert sensitivities - sensitivities.mean(axis=1)[:, None] == pytest.approx(
        np.full((3, 3), 1 / 3) - np.eye(3)
    )


def test_large_teams_have_derivatives_too() -> None:
    """Three types of hundreds: no chain. Against a difference of distributions, which has fewer digits."""
    network = Network(
        "{1} + {2} <-> {1,2} @ k, 1\n{1,2} + {3} <-> {1,2,3} @ 1, 1", rates={"k": 1.0}
    )
    start, query = starts(network, **{"1": 220, "2": 220, "3": 200}), Query(pairs="{1,2}")
    solver = Solver(network)
    (now,) = solver.distributions(start, ["steady"], query)
    found = Sensitivities(solver, ("k",))
    (sensitivities,) = found._of_distribution(start, "steady", query, now)
    ((listed,),) = found.of_distributions([start], "steady", query, [now])
    assert np.abs(listed - sensitivities).max() <= 1e-7 * np.abs(sensitivities).max()
    (then,) = solver.at_rates(network.with_rates({"k": np.exp(1e-5)})).distributions(
        start, ["steady"], query
    )
    rough = (then.log_probabilities - now.log_probabilities) / 1e-5
    assert np.abs(sensitivities - rough).max() <= 1e-4 * np.abs(rough).max()
    assert abs(sensitivities @ now.probabilities) <= 1e-9


def test_what_fits_neither_is_refused() -> None:
    network = Network(TASK, rates={"a": 0.7, "b": 1.3})
    start = starts(network, A=2_000, B=2_000)
    with pytest.raises(UnsupportedError, match="listed states"):
        Sensitivities(Solver(network), ("a",)).of_mean(start, 1.0, Weights(np.ones(5), np.zeros(4)))
