import math

import numpy as np
import pytest

from covey import InputError, Query, load
from covey.dynamics.distribution import Distribution
from covey.dynamics.limits import Limits, Method
from covey.dynamics.solve import distribution
from tests.conftest import EXAMPLES

SHARED = load(next(path for path in EXAMPLES if path.stem == "shared-resource"))


@pytest.fixture
def law() -> Distribution:
    return distribution(SHARED)


@pytest.mark.parametrize("method", ["product-form", "stationary"])
def test_both_steady_methods_agree(law: Distribution, method: Method) -> None:
    other = distribution(SHARED, limits=Limits(method))
    np.testing.assert_allclose(other.log_probabilities, law.log_probabilities, atol=1e-12)


def test_the_motivating_example(law: Distribution) -> None:
    assert law.outcomes.tolist() == [[1, 2], [2, 1], [3, 0]]
    np.testing.assert_allclose(law.probabilities, [30 / 45, 14 / 45, 1 / 45], rtol=1e-12)
    assert law.probability(free=2, busy=1) == pytest.approx(14 / 45)
    assert law.log_probability(free=9) == -math.inf


def test_moments(law: Distribution) -> None:
    assert law.mean == pytest.approx({"free": 61 / 45, "busy": 74 / 45})
    variance = (30 * 1 + 14 * 4 + 9) / 45 - (61 / 45) ** 2
    assert law.variance == pytest.approx({"free": variance, "busy": variance})
    assert law.sd["free"] == pytest.approx(math.sqrt(variance))


def test_marginals(law: Distribution) -> None:
    counts, probabilities = law.marginal("busy")
    assert counts.tolist() == [0, 1, 2]
    np.testing.assert_allclose(probabilities, [1 / 45, 14 / 45, 30 / 45])


def test_states_observed_are_the_observations(law: Distribution) -> None:
    states = distribution(SHARED, states=True)
    assert len(states) == 5
    seen = states.observe(SHARED.query)
    assert seen.names == law.names
    assert seen.outcomes.tolist() == law.outcomes.tolist()
    np.testing.assert_allclose(seen.log_probabilities, law.log_probabilities, rtol=1e-13)
    assert states.observe(Query()) is states


def test_tables(law: Distribution) -> None:
    table = law.to_pandas()
    assert list(table.columns) == ["free", "busy", "probability", "log_probability"]
    assert table.probability.sum() == pytest.approx(1)
    grid = law.to_xarray()
    assert float(grid.sel(free=2, busy=1)) == pytest.approx(14 / 45)
    assert float(grid.sum()) == pytest.approx(1)


def test_probabilities_below_the_smallest_number_keep_their_logarithms() -> None:
    law = Distribution.merge(("y",), np.array([[0], [1]]), np.array([0.0, -2000.0]), log_error=0.0)
    assert law.probabilities.tolist() == [1.0, 0.0]
    assert law.log_probability(y=1) == -2000.0


def test_unknown_names_are_said(law: Distribution) -> None:
    with pytest.raises(InputError, match='fre is not seen here. Did you mean "free"?'):
        law.marginal("fre")
    with pytest.raises(InputError, match="y sees {Q}, which is not among free, busy"):
        law.observe(Query(y="{Q}"))
