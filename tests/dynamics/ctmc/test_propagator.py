"""exp(Kt) as a matrix: against fifty digits, the solver row by row, and one core."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy.linalg import expm

from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.propagator import Propagator, propagator
from covey.dynamics.ctmc.transitions import build
from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.state_space.enumeration import explore
from covey.model.network import Network
from covey.model.scenario import Scenario
from tests.privacy.small_teams import finishing, flipping, shared_resource


def _generator(scenario: Scenario) -> Generator:
    return Solver(scenario.network, Limits()).chain(scenario.start).generator


def _of(network: str, start: list[int]) -> Generator:
    found = Network(network)
    return build(found, explore(found, np.array(start), max_states=100))


def _whole_rows(generator: Generator, time: float, cores: int | None = None) -> Propagator:
    found = propagator(generator, time, whole_rows=True, cores=cores)
    assert found is not None
    return found


@pytest.mark.parametrize("time", [1e-3, 0.7, 40.0, 3e3])
def test_every_entry_against_fifty_digits(time: float) -> None:
    generator = _of("a <-> b @ 3, 0.5\n2 b <-> c @ 0.2, 7\nc -> a @ 1e-3", [5, 0, 0])
    found = propagator(generator, time)
    assert found is not None
    assert found.error < 1e-9
    with mpmath.workdps(80):
        matrix = mpmath.matrix(generator.csr().toarray().tolist())
        for j in range(len(generator)):  # what leaves a state is exactly what enters others
            matrix[j, j] = -mpmath.fsum(matrix[i, j] for i in range(len(generator)) if i != j)
        exact = mpmath.expm(matrix * mpmath.mpf(time))
        for i, row in enumerate(found.matrix):
            for j, p in enumerate(row.tolist()):
                if p == 0:  # nobody comes back from a state that c -> a has left
                    assert exact[j, i] == 0
                else:
                    assert abs(mpmath.log(mpmath.mpf(p) / exact[j, i])) <= found.error


@pytest.mark.parametrize("robots", [80, 450])  # by scipy, and compiled
def test_sparse_products_are_those_of_single_distributions(robots: int) -> None:
    network = Network("a <-> b @ 1, 2")
    lattice = explore(network, np.array([robots, 0]), max_states=1000)
    generator = build(network, lattice)
    found = propagator(generator, 0.3)
    assert found is not None
    for state in range(0, len(generator), 37):
        start = np.zeros(len(generator))
        start[state] = 1.0
        exact = transient(generator, start, [0.3])
        both = (found.matrix[state] > 1e-290) & (exact.probabilities[0] > 1e-290)
        apart = np.abs(np.log(found.matrix[state][both]) - exact.log_probabilities[0][both])
        assert apart.max() <= found.error + exact.log_error[0]
        assert np.count_nonzero(~both) <= max(found.lost, int(exact.lost[0]))


def test_where_rounding_adds_up_the_bound_says_so() -> None:
    generator = _of("a <-> b @ 1e9, 1e9\nc <-> d @ 1e-4, 1e-5", [2, 0, 2, 0])
    found = propagator(generator, 1e3)
    assert found is not None
    assert found.error > 1e-6


@pytest.mark.parametrize("scenario", [shared_resource(5, 4), flipping(3, 2), finishing(4, 3)])
@pytest.mark.parametrize("step", [0.01, 1.0, 40.0])
def test_rows_are_the_distributions_from_every_state(scenario: Scenario, step: float) -> None:
    generator = _generator(scenario)
    found = _whole_rows(generator, step)
    assert found.matrix.sum(axis=1) == pytest.approx(1, abs=1e-12)
    for state in range(len(generator)):
        start = np.zeros(len(generator))
        start[state] = 1.0
        exact = transient(generator, start, [step])
        apart = np.abs(found.matrix[state] - exact.probabilities[0]).sum() / 2
        assert apart <= found.error + float(np.expm1(exact.log_error[0]))
    assert found.error < 1e-10


@pytest.mark.parametrize("robots", [(6, 5), (30, 20)])
def test_against_a_dense_exponential(robots: tuple[int, int]) -> None:
    generator = _generator(shared_resource(*robots))
    dense = expm(generator.csr().toarray() * 0.7).T
    assert _whole_rows(generator, 0.7).matrix == pytest.approx(dense, abs=1e-13)


def test_who_leaves_a_part_of_the_states_is_lost() -> None:
    generator = _generator(shared_resource(6, 5))
    states = np.arange(0, len(generator), 2)
    dense = expm(generator.csr().toarray()[np.ix_(states, states)] * 0.3)
    found = _whole_rows(generator.restrict(states), 0.3)
    assert found.matrix == pytest.approx(dense.T, abs=1e-13)
    assert (found.matrix.sum(axis=1) < 1).all()


@pytest.mark.parametrize("whole_rows", [False, True])
def test_no_time_moves_nothing(whole_rows: bool) -> None:
    generator = _generator(shared_resource())
    found = propagator(generator, 0.0, whole_rows=whole_rows)
    assert found is not None
    assert (found.matrix == np.eye(len(generator))).all()
    assert found.error == 0


def test_the_same_on_one_core() -> None:
    generator = _generator(shared_resource(30, 20))
    one, many = (_whole_rows(generator, 3.0, cores) for cores in (1, 5))
    assert one.matrix.tobytes() == many.matrix.tobytes()


def test_long_steps_reach_the_steady_distribution() -> None:
    generator = _generator(shared_resource(5, 4))
    found = _whole_rows(generator, 1e6)
    rows = found.matrix / found.matrix.sum(axis=1, keepdims=True)
    assert rows == pytest.approx(np.tile(rows[0], (len(generator), 1)), rel=1e-9)
    assert found.error < 1e-5  # it grows with the number of squares


@pytest.mark.parametrize("whole_rows", [False, True])
def test_more_events_than_can_be_followed_have_no_bound(whole_rows: bool) -> None:
    generator = _of("a <-> b @ 1e-200, 1", [1, 0])
    assert propagator(generator, 1e200, whole_rows=whole_rows) is None
