"""The distribution of the state given what was seen: against joint distributions, and dense algebra."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm

from covey import Network, Query, Solver
from covey.dynamics.ctmc.propagator import propagator
from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.hmm.forward_filter import ForwardFilter, elapsed
from covey.dynamics.hmm.joint_distribution import Filter

RATES = st.floats(0.1, 3.0)


def small(rates: list[float]) -> Filter:
    """Two robots of A and one of B at a dock, the sums free and busy being seen."""
    network = Network(
        "{A} + {R} <-> {A,R} @ a, b\n{B} + {R} <-> {B,R} @ c, d",
        dict(zip("abcd", rates, strict=True)),
    )
    start = {"{A}": 2, "{B}": 1, "{R}": 2}
    counts = np.array([start.get(str(species), 0) for species in network.species])
    query = Query(free="{A} + {B}", busy="{A,R} + {B,R}")
    return Filter(Solver(network), counts, query, None)


@settings(max_examples=15, deadline=None)
@given(st.lists(RATES, min_size=4, max_size=4), st.booleans())
def test_filtering_along_every_sequence_gives_the_joint_distribution(
    rates: list[float], settled: bool
) -> None:
    chain, times = small(rates), [0.5, 0.7, 2.0]
    joint = chain.joint_distribution(times, settled)
    for row, log in zip(joint.outcomes.tolist(), joint.log_probabilities, strict=True):
        one, before = ForwardFilter(chain, stationary=settled), 0.0
        for i, time in enumerate(times):
            one.move(elapsed(before, time))
            before = time
            one.see(dict(zip(chain.names, row[2 * i : 2 * i + 2], strict=True)))
        assert one.log_likelihood == pytest.approx(float(log), abs=1e-8)
        low, high = one.bounds
        assert low <= float(log) + joint.log_error
        assert float(log) - joint.log_error <= high


def test_the_kept_matrix_moves_as_uniformisation_does() -> None:
    chain = small([1.0, 2.0, 0.5, 1.5])
    kept = ForwardFilter(chain, stationary=False)
    rates = chain.generator.dense_rates()
    move = expm(0.3 * (rates - np.diag(rates.sum(axis=1))))
    distribution = chain.start
    for _ in range(10):
        kept.move(0.3)
        distribution = distribution @ move
        assert kept.distribution == pytest.approx(distribution, rel=1e-9)
    assert [step for _, step in kept._moves] == [0.3]
    assert kept.lost == 0


@pytest.mark.parametrize("step", [0.0, 1e-3, 1.0, 300.0, 1e5])
def test_the_matrix_of_a_step_keeps_the_relative_accuracy_of_every_entry(step: float) -> None:
    chain = small([1.0, 2.0, 0.5, 1.5])
    found = propagator(chain.generator, step)
    assert found is not None
    for state, row in enumerate(found.matrix):
        start = np.zeros(len(chain.start))
        start[state] = 1.0
        exact = transient(chain.generator, start, [step])
        with np.errstate(divide="ignore"):
            logs = np.log(row)
        allowed = found.error + float(exact.log_error[0]) + 1e-14
        assert np.allclose(logs, exact.log_probabilities[0], rtol=0, atol=allowed)
    assert found.error < 1e-8
    assert found.lost == 0


def test_the_matrix_of_a_step_tells_what_is_too_improbable_for_numbers() -> None:
    # Hundreds of steps up a ladder in no time: 1e-6^150 / 150!.
    network = Network("{A} -> w{A} @ 1")
    start = np.array([150 if str(species) == "{A}" else 0 for species in network.species])
    chain = Filter(Solver(network), start, Query(), None)
    found = propagator(chain.generator, 1e-6)
    assert found is not None
    assert found.lost > 0
    ever = propagator(chain.generator, 1e30)
    assert ever is None


def test_few_matrices_are_kept() -> None:
    kept = ForwardFilter(small([1.0, 1.0, 1.0, 1.0]), stationary=False)
    for step in np.linspace(0.1, 1.0, 10).tolist() * 4:
        kept.move(step)
    assert len(kept._moves) <= 4
    assert math.isclose(kept.distribution.sum(), 1.0, rel_tol=1e-9)


def test_counts_that_are_left_out_may_be_anything() -> None:
    chain = small([1.0, 2.0, 0.5, 1.5])
    one = ForwardFilter(chain, stationary=True)
    parts = [one.log_chance({"free": free, "busy": 3 - free}) for free in range(4)]
    assert np.logaddexp.reduce(parts) == pytest.approx(0.0, abs=1e-12)
    assert one.log_chance({"free": 2}) == pytest.approx(parts[2])


def test_what_no_state_shows_ends_the_likelihood() -> None:
    one = ForwardFilter(small([1.0, 2.0, 0.5, 1.5]), stationary=False)
    one.move(1.0)
    assert one.log_chance({"free": 3, "busy": 3}) == -math.inf
    one.see({"free": 3, "busy": 3})
    assert one.log_likelihood == -math.inf
    assert one.bounds == (-math.inf, -math.inf)


def test_time_passes_as_it_is_written() -> None:
    steps = {elapsed(k / 10, (k + 1) / 10) for k in range(1000)}
    assert steps == {0.1}
