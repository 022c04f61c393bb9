"""Random networks: the methods agree with each other and with 80-bit arithmetic."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.task_network import long_double_distribution
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from covey import CoveyError, Network, Structure, TooLargeError, load, reach
from covey.dynamics.ctmc.transitions import build
from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.distribution import Distribution
from covey.dynamics.limits import Limits
from covey.dynamics.solve import solve
from covey.dynamics.state_space.enumeration import explore
from covey.dynamics.state_space.relabelling import relabellings, species_permutation
from covey.dynamics.state_space.symmetry import fold
from covey.dynamics.stationary.limit import stationary
from tests.conftest import EXAMPLES
from tests.property.strategies import networks

pytestmark = pytest.mark.slow  # hundreds of random cases

TASK = load(next(path for path in EXAMPLES if path.stem == "task-network"))
relaxed = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    max_examples=40,
)
closed = networks(most=4, kinds=("typed", "typed", "plain"))


def _small(network: Network, data: st.DataObject) -> np.ndarray:
    start = np.array([data.draw(st.integers(0, 3)) for _ in network.species], dtype=np.int64)
    states = reach(Structure(network), start.tolist()).states
    assume(states is not None and 1 < states <= 120)
    return start


@given(closed, st.floats(0.001, 3.0), st.data())
@relaxed
def test_transient_keeps_its_bound(network: Network, at: float, data: st.DataObject) -> None:
    start = _small(network, data)
    lattice = explore(network, start, max_states=200)
    generator = build(network, lattice)
    assume(generator.exits.max() * at < 3000)
    result = transient(generator, lattice.point_mass(), [at])
    with np.errstate(divide="ignore"):
        reference = np.log(long_double_distribution(generator, lattice.start, at))
    kept = result.log_probabilities[0] > -600
    assert (result.log_probabilities[0] > -np.inf).all() or result.lost[0] > 0
    error = np.abs(result.log_probabilities[0] - reference)[kept].max()
    assert error <= result.log_error[0]
    assert result.log_error[0] <= 1e-9


@given(closed, st.sampled_from([1e-6, 1.0, 1e3]), st.data())
@relaxed
def test_what_can_be_reached_is_possible_and_nothing_else(
    network: Network, at: float, data: st.DataObject
) -> None:
    """Rates up to sixteen powers of ten apart: most of it is far too improbable for numbers."""
    powers = [data.draw(st.integers(-8, 8)) for _ in network.reactions]
    rates = [10.0**power for power in powers]
    stiff = Network(
        [replace(r, rate=rate) for r, rate in zip(network.reactions, rates, strict=True)],
        kinetics=network.kinetics,
    )
    start = _small(stiff, data)
    try:
        (distribution,) = solve(stiff, start, [at])
    except CoveyError:  # too many steps
        assume(False)
    reached, fresh = {tuple(start.tolist())}, [start]
    while fresh:
        x = fresh.pop()
        able = (x >= stiff.reactants).all(axis=1)
        new = {tuple(y) for y in (x + stiff.changes[able]).tolist()} - reached
        reached |= new
        fresh += map(np.array, new)
    assert distribution.support_known
    assert {tuple(row) for row in distribution.support[0].tolist()} == reached
    assert len(distribution.support[0]) == len(reached)


@given(closed, st.data())
@relaxed
def test_a_long_time_is_the_steady_state(network: Network, data: st.DataObject) -> None:
    start = _small(network, data)
    lattice = explore(network, start, max_states=200)
    generator = build(network, lattice)
    distribution = stationary(generator, lattice.point_mass()).probabilities
    assert distribution.min() >= 0
    assert abs(distribution.sum() - 1) < 1e-12
    assert np.abs(generator.product(distribution)).max() <= 1e-10 * max(generator.exits.max(), 1)
    slowest = network.rate_constants.min()
    assume(generator.exits.max() / slowest < 300)  # not too long a walk
    late = transient(generator, lattice.point_mass(), [200 / slowest]).probabilities[0]
    np.testing.assert_allclose(late, distribution, atol=1e-8)


@given(closed, st.floats(0.01, 2.0), st.data())
@relaxed
def test_projection_brackets_the_truth(network: Network, at: float, data: st.DataObject) -> None:
    start = _small(network, data)
    try:
        (inside,) = solve(network, start, [at], limits=Limits("projection", tolerance=1e-6))
    except TooLargeError:
        return
    (whole,) = solve(network, start, [at], limits=Limits("transient"))
    exact = dict(zip(map(tuple, whole.outcomes.tolist()), whole.probabilities, strict=True))
    assert inside.truncated_mass <= 1e-6
    for outcome, p in zip(inside.outcomes.tolist(), inside.probabilities, strict=True):
        true = exact[tuple(outcome)]
        assert p <= true * (1 + 2e-9)
        assert true <= p + inside.truncated_mass + 2e-9 * true


@given(st.integers(1, 4), st.floats(0.05, 5.0))
@settings(deadline=None, max_examples=15)
def test_folding_changes_nothing(n: int, at: float) -> None:
    team = TASK.with_({f"types.{name}": n for name in TASK.team.types})
    network, start = team.network, team.start
    images = [species_permutation(network, sigma) for sigma in relabellings(network)]
    assert len(images) == 6
    flat = explore(network, start, max_states=10_000)
    folded = fold(network, start, images, max_states=10_000)
    assert folded.orbit_sizes().sum() == len(flat)
    distributions = [
        transient(build(network, lattice), lattice.point_mass(), [at]).log_probabilities[0]
        for lattice in (flat, folded)
    ]
    place = folded.index_of(flat.states)
    shared = distributions[1][place] - np.log(folded.orbit_sizes()[place])
    np.testing.assert_allclose(shared, distributions[0], rtol=0, atol=1e-9)


rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.floats(-900, 0)), min_size=1, max_size=30
)


@given(rows)
def test_merging_adds_probabilities_up(rows: list[tuple[int, int, float]]) -> None:
    distribution = Distribution.merge(
        ("a", "b"),
        np.array([row[:2] for row in rows]),
        np.array([row[2] for row in rows]),
        log_error=0.0,
    )
    expected: dict[tuple[int, int], float] = {}
    for a, b, log_p in rows:
        expected[a, b] = float(np.logaddexp(expected.get((a, b), -np.inf), log_p))
    assert list(map(tuple, distribution.outcomes.tolist())) == sorted(expected)
    for outcome, log_p in zip(
        distribution.outcomes.tolist(), distribution.log_probabilities, strict=True
    ):
        assert abs(log_p - expected[tuple(outcome)]) <= distribution.log_error + 1e-12
