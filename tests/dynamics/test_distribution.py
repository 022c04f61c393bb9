import math

import numpy as np
import pytest

from covey import InputError, Query, load
from covey.dynamics.distribution import Distribution
from covey.dynamics.limits import Limits, MethodName
from covey.dynamics.solve import distribution
from tests.conftest import EXAMPLES

SHARED = load(next(path for path in EXAMPLES if path.stem == "shared-resource"))


@pytest.fixture
def observed() -> Distribution:
    return distribution(SHARED)


@pytest.mark.parametrize("method", ["product-form", "stationary"])
def test_both_steady_methods_agree(observed: Distribution, method: MethodName) -> None:
    other = distribution(SHARED, limits=Limits(method))
    np.testing.assert_allclose(other.log_probabilities, observed.log_probabilities, atol=1e-12)


def test_the_motivating_example(observed: Distribution) -> None:
    assert observed.outcomes.tolist() == [[1, 2], [2, 1], [3, 0]]
    np.testing.assert_allclose(observed.probabilities, [30 / 45, 14 / 45, 1 / 45], rtol=1e-12)
    assert observed.probability(free=2, busy=1) == pytest.approx(14 / 45)
    assert observed.log_probability(free=9) == -math.inf


def test_moments(observed: Distribution) -> None:
    assert observed.mean == pytest.approx({"free": 61 / 45, "busy": 74 / 45})
    variance = (30 * 1 + 14 * 4 + 9) / 45 - (61 / 45) ** 2
    assert observed.variance == pytest.approx({"free": variance, "busy": variance})
    assert observed.sd["free"] == pytest.approx(math.sqrt(variance))


def test_marginals(observed: Distribution) -> None:
    counts, probabilities = observed.marginal("busy")
    assert counts.tolist() == [0, 1, 2]
    np.testing.assert_allclose(probabilities, [1 / 45, 14 / 45, 30 / 45])


def test_states_observed_are_the_observations(observed: Distribution) -> None:
    states = distribution(SHARED, states=True)
    assert len(states) == 5
    seen = states.observe(SHARED.query)
    assert seen.names == observed.names
    assert seen.outcomes.tolist() == observed.outcomes.tolist()
    np.testing.assert_allclose(seen.log_probabilities, observed.log_probabilities, rtol=1e-13)
    assert states.observe(Query()) is states


def test_tables(observed: Distribution) -> None:
    table = observed.to_pandas()
    assert list(table.columns) == ["free", "busy", "probability", "log_probability"]
    assert table.probability.sum() == pytest.approx(1)
    grid = observed.to_xarray()
    assert float(grid.sel(free=2, busy=1)) == pytest.approx(14 / 45)
    assert float(grid.sum()) == pytest.approx(1)


def test_probabilities_below_the_smallest_number_keep_their_logarithms() -> None:
    observed = Distribution.merge(
        ("y",), np.array([[0], [1]]), np.array([0.0, -2000.0]), log_error=0.0
    )
    assert observed.probabilities.tolist() == [1.0, 0.0]
    assert observed.log_probability(y=1) == -2000.0


def test_unknown_names_are_said(observed: Distribution) -> None:
    with pytest.raises(InputError, match='fre is not seen here. Did you mean "free"?'):
        observed.marginal("fre")
    with pytest.raises(InputError, match="y sees {Q}, which is not among free, busy"):
        observed.observe(Query(y="{Q}"))
