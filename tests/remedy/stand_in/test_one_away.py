"""Stand-ins that are one robot off: what they cost, and where that is shown."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

import covey
from covey import TooLargeError, UnsupportedError
from covey.dynamics.solver import Solver
from covey.remedy.mechanism.front import as_point
from covey.remedy.mechanism.whole_stream import WholeStream
from covey.remedy.stand_in.one_away import OneAway, one_away
from covey.remedy.stand_in.poisson_equation import lies_ahead
from covey.report.figures.feed_plot import draw_feed
from covey.study.feed_hour import feed_hour

EXAMPLES = Path(__file__).parents[3] / "examples"
WAREHOUSE = covey.load(EXAMPLES / "warehouse.toml")


@pytest.fixture(scope="module")
def prices() -> OneAway:
    return one_away(Solver(WAREHOUSE.network), WAREHOUSE)


def test_the_prices_are_those_of_the_stand_ins(prices: OneAway) -> None:
    """Of both references, and the most expensive of them is what is said."""
    for reference, price in prices.references:
        made = covey.stand_in(WAREHOUSE, dict(reference.team.types))
        assert price.loss == pytest.approx(made.price.loss, rel=1e-9)
    assert prices.worst[1].loss <= prices.loss == pytest.approx(0.738, abs=1e-3)
    point = as_point(prices, 0.0)
    assert (point.guess, point.leakage, point.loss) == (0.5, 0.0, prices.loss)
    assert "off by 0.738 on average at most" in str(prices)


@pytest.mark.slow
def test_of_a_larger_team_they_are_simulated() -> None:
    """Within what a longer simulation of the same coupling says."""
    large = WAREHOUSE.with_({"types.carrier": 40, "types.picker": 40})
    found = one_away(Solver(large.network), large)
    assert "on average at most by simulation" in str(found)
    for reference, price in found.references:
        made = covey.stand_in(large, dict(reference.team.types), coupling="greedy")
        assert price.interval[0] <= made.price.interval[1]
        assert made.price.interval[0] <= price.interval[1]


def test_what_takes_long_is_refused() -> None:
    large = WAREHOUSE.with_({"types.carrier": 400, "types.picker": 400, "rates.meet": 500.0})
    with pytest.raises(TooLargeError, match="covey protect --stand-in"):
        one_away(Solver(large.network), large)


def test_of_robots_that_never_move_it_costs_what_they_differ_by() -> None:
    still = covey.load(EXAMPLES / "shared-resource.toml").with_({"resources.R": 0})
    assert one_away(Solver(still.network), still).loss == 0.0  # all are free, whatever they are


def test_rates_that_doubles_cannot_hold_are_refused() -> None:
    tiny = csr_array(np.array([[-1e-320, 1e-320], [1e-320, -1e-320]]))
    with pytest.raises(UnsupportedError, match="longer unit of time"):
        lies_ahead(tiny, np.array([0.0, 1.0]), np.zeros(2))


def test_an_hour_of_both(prices: OneAway) -> None:
    """The real team's robots add up to ten, and so do the stand-in's; they are seldom apart."""
    reference, price = prices.worst
    hour = feed_hour(WAREHOUSE, reference, 600.0)
    whole = np.array([1, 2, 1])
    for counts in (hour.real, hour.published):
        assert (counts @ whole == 10).all()
    off = np.abs(hour.real - hour.published).sum(axis=1).mean()
    assert off == pytest.approx(price.loss, abs=0.5)
    figure = draw_feed(hour, None, WholeStream(480, 0.983, 0.95))
    texts = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert texts == ["a table: 98.3%", "the stand-in: 50%"]
    assert [axes.get_title(loc="left") for axes in figure.axes[:3]] == list(hour.names)
