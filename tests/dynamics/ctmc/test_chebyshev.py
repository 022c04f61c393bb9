"""Long steps: their coefficients, their bounds, and distributions that plain steps confirm."""

from __future__ import annotations

import math
from collections.abc import Sequence

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey import Network
from covey.dynamics.chain import Chain
from covey.dynamics.ctmc import uniformization as plain
from covey.dynamics.ctmc.chebyshev.path import milestones, propagate_to
from covey.dynamics.ctmc.chebyshev.stepper import ChebyshevStep, ChebyshevStepper
from covey.dynamics.ctmc.chebyshev.weights import bessel, coefficients
from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.solver import Solver
from covey.numbers import UNIT, Floats
from covey.paper.scenarios import task_network

ENCOUNTER, ABANDON = (0.2, 0.5, 0.8), (0.8, 0.5, 0.2)


@pytest.fixture(scope="module")
def chain() -> Chain:
    scenario = task_network((6, 6, 6), ENCOUNTER, ABANDON)
    return Solver(scenario.network).chain(scenario.start)


@pytest.mark.parametrize("x", [1e-3, 0.7, 12.0, 900.0])
def test_coefficients_to_the_last_digits(x: float) -> None:
    found = bessel(np.array([x]), 60)[0]
    with mp.workdps(40):
        for k in range(0, 60, 7):
            true = (2 - (k == 0)) * mp.exp(-mp.mpf(x)) * mp.besseli(k, mp.mpf(x))
            if true > 1e-290:
                assert abs(mp.mpf(found[k]) / true - 1) < 5 * 400 * UNIT


@given(st.floats(0.01, 300), st.floats(1.01, 20), st.lists(st.floats(1e-4, 1), max_size=8))
@settings(deadline=None, max_examples=60)
def test_bounds_hold_all_along_a_segment(begin: float, ratio: float, where: list[float]) -> None:
    ends = np.array([begin, begin * ratio])
    _, bounds = coefficients(ends, 120)
    for share in (0.0, 1.0, *where):
        early = np.array([share * begin])
        late = np.array([begin + share * (begin * ratio - begin)])
        for row, x in ((0, early), (1, late)):
            assert (bessel(x, 120)[0] <= bounds[row] + 1e-49).all()


@pytest.mark.parametrize("begin", [1.2, 1.5, 4.0])
def test_chebyshev_steps_end_where_plain_steps_do(chain: Chain, begin: float) -> None:
    times = [begin, 6.0, 9.5, 10.0]
    steps = _by_plain_steps(chain, times)
    stepper = ChebyshevStepper(chain.generator, 54)
    found = propagate_to(times[1:], stepper, steps.probabilities[0], begin, 1e-8)
    assert found is not None
    distributions, errors = found
    for distribution, error, log, own in zip(
        distributions, errors, steps.log_probabilities[1:], steps.log_error[1:], strict=True
    ):
        apart = np.abs(np.log(distribution) - log).max()
        assert apart <= error + own + steps.log_error[0]
        assert error < 1e-8
    assert stepper.products < steps.products / 2


def test_a_distribution_at_rest_stays_where_it_is(chain: Chain) -> None:
    times = [30.0, 60.0, 1000.0]
    steps = _by_plain_steps(chain, times)
    stepper = ChebyshevStepper(chain.generator, 54)
    found = propagate_to(times[1:], stepper, steps.probabilities[0], 30.0, 1e-6)
    assert found is not None
    assert stepper.products == 1
    for distribution, error, log, own in zip(
        *found, steps.log_probabilities[1:], steps.log_error[1:], strict=True
    ):
        assert np.abs(np.log(distribution) - log).max() <= error + own + steps.log_error[0]


def test_a_transient_takes_chebyshev_steps_by_itself(chain: Chain) -> None:
    times = [10.0, 3.0, 0.0, 3.0, 0.2, 9.0]
    found, steps = transient(chain.generator, chain.start, times), _by_plain_steps(chain, times)
    assert found.products < steps.products
    assert (found.log_error < 5e-10).all()
    for ours, theirs, error, own in zip(
        found.log_probabilities, steps.log_probabilities, found.log_error, steps.log_error,
        strict=True,
    ):  # fmt: skip
        reached = np.isfinite(theirs)
        assert (np.isfinite(ours) == reached).all()
        assert np.abs(ours[reached] - theirs[reached]).max() <= error + own


def test_chebyshev_steps_are_not_so_long_that_they_fail() -> None:
    """Of unequal types: one of twice the length does not come to its end, and is for nothing."""
    scenario = task_network((6, 7, 8))
    unequal = Solver(scenario.network).chain(scenario.start)
    found = transient(unequal.generator, unequal.start, [10.0])
    assert found.products < _by_plain_steps(unequal, [10.0]).products


def test_after_one_that_failed_the_next_chebyshev_step_is_half_as_long(
    chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, times = 1.5, [10.0]
    distribution = _by_plain_steps(chain, [begin]).probabilities[0]
    stepper = ChebyshevStepper(chain.generator, 54)
    tried: list[float] = []
    whole = stepper.step

    def failing(
        distribution: Floats, ends: Sequence[float], allowed: float, *, spent: bool
    ) -> ChebyshevStep:
        tried.append(ends[-1])
        if len(tried) == 1:
            return ChebyshevStep([], [], [])
        return whole(distribution, ends, allowed, spent=spent)

    monkeypatch.setattr(stepper, "step", failing)
    found = propagate_to(times, stepper, distribution, begin, 1e-8)
    assert found is not None
    assert tried[1] < 0.75 * tried[0]
    monkeypatch.setattr(stepper, "step", lambda *_, **__: ChebyshevStep([], [], []))
    assert propagate_to(times, stepper, distribution, begin, 1e-8) is None


def test_what_cannot_be_certified_is_not_given(chain: Chain) -> None:
    distribution = transient(chain.generator, chain.start, [1.0]).probabilities[0]
    stepper = ChebyshevStepper(chain.generator, 54)
    assert propagate_to([10.0], stepper, distribution, 1.0, 1e-15) is None
    wrong = ChebyshevStepper(chain.generator, 10**9)  # as if every product had a billion roundings
    assert wrong.step(distribution, [0.5, 1.0], 1e-8).times == []


def test_robots_in_circles_go_on_by_plain_steps() -> None:
    ring = "\n".join(f"s{i}{{A}} -> s{(i + 1) % 4}{{A}} @ 9" for i in range(4))
    network = Network(ring)
    start = np.array([30 if str(s) == "s0{A}" else 0 for s in network.species])
    chain = Solver(network).chain(start)
    assert len(chain.lattice) == math.comb(33, 3)
    found, steps = transient(chain.generator, chain.start, [3.0]), _by_plain_steps(chain, [3.0])
    apart = np.abs(found.log_probabilities - steps.log_probabilities).max()
    assert apart <= float(found.log_error[0] + steps.log_error[0])


def test_milestones_are_not_too_early() -> None:
    assert milestones(1.0, 100.0) == []
    assert milestones(100.0, 10.0) == [0.625, 1.25, 2.5]


def _by_plain_steps(chain: Chain, times: list[float]) -> plain.TransientResult:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain, "_LONG_WAY", math.inf)
        return transient(chain.generator, chain.start, times)
