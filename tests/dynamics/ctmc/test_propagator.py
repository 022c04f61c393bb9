"""The laws a step later: against the solver row by row, a dense exponential, and one core."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

from covey.dynamics.ctmc.generator import Generator, build
from covey.dynamics.ctmc.propagator import among, propagator
from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.state_space.enumeration import explore
from covey.errors import UnsupportedError
from covey.model.network import Network
from covey.model.scenario import Scenario
from tests.privacy.small_teams import finishing, flipping, shared_resource


def _generator(scenario: Scenario) -> Generator:
    return Solver(scenario.network, Limits()).chain(scenario.start).generator


@pytest.mark.parametrize("scenario", [shared_resource(5, 4), flipping(3, 2), finishing(4, 3)])
@pytest.mark.parametrize("step", [0.01, 1.0, 40.0])
def test_rows_are_the_laws_from_every_state(scenario: Scenario, step: float) -> None:
    generator = _generator(scenario)
    found = propagator(generator, step)
    assert found.laws.sum(axis=1) == pytest.approx(1, abs=1e-14)
    for state in range(len(generator)):
        start = np.zeros(len(generator))
        start[state] = 1.0
        exact = transient(generator, start, [step])
        apart = np.abs(found.laws[state] - exact.probabilities[0]).sum() / 2
        assert apart <= found.error + float(np.expm1(exact.log_error[0]))
    assert found.error < 1e-10


def test_against_a_dense_exponential() -> None:
    generator = _generator(shared_resource(6, 5))
    dense = expm(generator.csr().toarray() * 0.7).T
    assert propagator(generator, 0.7).laws == pytest.approx(dense, abs=1e-13)


def test_who_leaves_a_part_of_the_states_is_lost() -> None:
    generator = _generator(shared_resource(6, 5))
    states = np.arange(0, len(generator), 2)
    part = among(generator, states)
    dense = expm(generator.csr().toarray()[np.ix_(states, states)] * 0.3)
    found = propagator(part, 0.3)
    assert found.laws * found.stayed[:, None] == pytest.approx(dense.T, abs=1e-13)
    assert (found.stayed < 1).all()


def test_no_time_moves_nothing() -> None:
    generator = _generator(shared_resource())
    found = propagator(generator, 0.0)
    assert (found.laws == np.eye(len(generator))).all()
    assert found.error == 0


def test_the_same_on_one_core() -> None:
    generator = _generator(shared_resource(30, 20))
    one, many = (propagator(generator, 3.0, cores=cores) for cores in (1, 5))
    assert one.laws.tobytes() == many.laws.tobytes()


def test_long_steps_reach_the_steady_law() -> None:
    generator = _generator(shared_resource(5, 4))
    found = propagator(generator, 1e6)
    assert found.laws == pytest.approx(np.tile(found.laws[0], (len(generator), 1)), rel=1e-9)
    assert found.error < 1e-5  # it grows with the number of squarings


def test_a_step_with_more_events_than_can_be_followed_is_refused() -> None:
    network = Network("a <-> b @ 1e-200, 1")
    lattice = explore(network, np.array([1, 0]), max_states=10)
    with pytest.raises(UnsupportedError, match=r"a step of 1e\+200 has some 1e\+200 events"):
        propagator(build(network, lattice), 1e200)
