"""Every method against every system whose distribution is known on paper."""

import math

import numpy as np
import pytest
from scipy.stats import chisquare

from covey import Network, NoStationaryDistributionError, Query, UnsupportedError
from covey.dynamics.distribution import Distribution
from covey.dynamics.limits import Limits, MethodName
from covey.dynamics.mean_field.rate_equations import mean_field
from covey.dynamics.solve import solve
from covey.dynamics.ssa.simulation import end_points
from tests.reference.systems import SYSTEMS, System, exact

TIMES = (0.0, 0.05, 0.7, 3.0, 25.0)


def _distribution(system: System, at: float | None, method: MethodName | None) -> Distribution:
    (distribution,) = solve(
        system.network, system.start, ["steady" if at is None else at], limits=Limits(method)
    )
    return distribution


def _check_against(system: System, at: float | None, found: Distribution) -> None:
    """Every probability is as near to the one on paper as is claimed."""
    assert found.log_error < 1e-9
    for outcome, log_p in zip(found.outcomes.tolist(), found.log_probabilities, strict=True):
        true = exact.log(system.distribution(tuple(outcome), at))
        assert abs(log_p - true) <= found.log_error
    assert found.probabilities.sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("at", TIMES)
@pytest.mark.parametrize("name", [n for n, s in SYSTEMS.items() if not s.infinite])
def test_transient(name: str, at: float) -> None:
    system = SYSTEMS[name]
    distribution = _distribution(system, at, "transient")
    assert distribution.truncated_mass == 0
    _check_against(system, at, distribution)


@pytest.mark.parametrize("at", [*TIMES, None])
@pytest.mark.parametrize("name", SYSTEMS)  # all of them are linear
def test_linear(name: str, at: float | None) -> None:
    system = SYSTEMS[name]
    distribution = _distribution(system, at, "linear")
    assert distribution.truncated_mass == (1e-12 if system.infinite and at != 0 else 0)
    _check_against(system, at, distribution)


@pytest.mark.parametrize("at", TIMES)
@pytest.mark.parametrize("name", SYSTEMS)
def test_projection(name: str, at: float) -> None:
    system = SYSTEMS[name]
    distribution = _distribution(system, at, "projection")
    assert distribution.truncated_mass <= 1e-9
    for outcome, p in zip(distribution.outcomes.tolist(), distribution.probabilities, strict=True):
        true = system.distribution(tuple(outcome), at)
        assert p <= true * (1 + distribution.log_error)
        assert true <= p * (1 + distribution.log_error) + distribution.truncated_mass


@pytest.mark.parametrize("name", [n for n, s in SYSTEMS.items() if not s.infinite])
def test_stationary(name: str) -> None:
    system = SYSTEMS[name]
    distribution = _distribution(system, None, "stationary")
    total = 0.0
    for outcome, p in zip(distribution.outcomes.tolist(), distribution.probabilities, strict=True):
        true = float(system.distribution(tuple(outcome), None))
        total += true
        assert p == pytest.approx(true, rel=1e-12)
    assert total == pytest.approx(1)


@pytest.mark.parametrize("at", [0.05, 0.7, 3.0])
@pytest.mark.parametrize("name", SYSTEMS)
def test_simulation(name: str, at: float) -> None:
    system = SYSTEMS[name]
    samples = 20_000
    ends = end_points(system.network, system.start, at, samples=samples, seed=11)
    seen, counts = np.unique(ends, axis=0, return_counts=True)
    expected = np.array(
        [float(system.distribution(tuple(map(int, x)), at)) * samples for x in seen]
    )
    common = expected >= 5
    observed = np.append(counts[common], samples - counts[common].sum())
    wanted = np.append(expected[common], samples - expected[common].sum())
    kept = wanted > 1e-6  # nothing is left over where every outcome is common
    if kept.sum() > 1:
        scaled = wanted[kept] * observed[kept].sum() / wanted[kept].sum()
        assert chisquare(observed[kept], scaled).pvalue > 1e-4


@pytest.mark.parametrize("name", SYSTEMS)
def test_mean_field_of_linear_systems_is_the_mean(name: str) -> None:
    """Every system here is linear, so that its mean moves exactly by the mean field."""
    system = SYSTEMS[name]
    times = [0.05, 0.7, 3.0]
    field = mean_field(system.network, system.start, times)
    for row, at in zip(field, times, strict=True):
        distribution = _distribution(system, at, None)
        assert row == pytest.approx(list(distribution.mean.values()), rel=1e-6, abs=1e-8)


def test_where_a_forked_chain_ends_is_said() -> None:
    distribution = _distribution(SYSTEMS["a fork"], None, None)
    assert distribution.why == (
        "the team ends in one of 2 closed classes: at 1 c with probability 0.75; "
        "at 1 b with probability 0.25"
    )


def test_no_steady_state() -> None:
    with pytest.raises(NoStationaryDistributionError, match="there is no steady state: X can grow"):
        solve(Network("0 -> X @ 4"), [0], ["steady"])


def test_a_steady_state_that_the_whole_chain_does_not_give() -> None:
    network = Network("0 -> X @ 4\n2 X -> 0 @ 0.5")
    with pytest.raises(UnsupportedError, match="infinitely many states"):
        solve(network, [0], ["steady"], limits=Limits("stationary"))
    (distribution,) = solve(network, [0], ["steady"])
    assert distribution.method == "window"
    # As many robots arrive as leave, two at a time: 4 = 2 · 0.5 · E[X (X − 1)].
    squares = float(
        distribution.probabilities
        @ (distribution.outcomes[:, 0] * (distribution.outcomes[:, 0] - 1))
    )
    assert squares == pytest.approx(4, abs=1e-6)


def test_closed_queues_have_product_form() -> None:
    """Four customers around three stations with a server for each: P(n) ∝ ∏ μ_i^{−n_i} / n_i!."""
    network = Network("c1 -> c2 @ 2\nc2 -> c3 @ 3\nc3 -> c1 @ 5")
    (distribution,) = solve(network, [4, 0, 0], ["steady"])
    rates = np.array([2.0, 3.0, 5.0])
    weights = np.array(
        [
            np.prod(rates ** -np.array(x)) / math.prod(map(math.factorial, x))
            for x in distribution.outcomes.tolist()
        ]
    )
    np.testing.assert_allclose(distribution.probabilities, weights / weights.sum(), rtol=1e-12)


def test_several_moments_in_one_call_keep_their_order() -> None:
    system = SYSTEMS["independent flips"]
    distributions = solve(
        system.network, system.start, [3.0, "steady", 0.05], query=Query(on="on{A}")
    )
    assert [distribution.mean["on"] for distribution in distributions] == pytest.approx(
        [6 * system_on(3.0), 2.4, 6 * system_on(0.05)], rel=1e-9
    )


def system_on(at: float) -> float:
    return -0.4 * math.expm1(-5.0 * at)
