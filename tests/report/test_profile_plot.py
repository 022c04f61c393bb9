"""The picture of a privacy profile: its curve, its two ends, and that it can be read."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.lines import Line2D

from covey import Network, Query, Scenario, Team, profile
from covey.report.figures.profile_plot import draw_profile
from covey.report.style import DARK
from covey.words import rounded
from tests.privacy.small_teams import arriving, flipping, shared_resource
from tests.report.pictures import check_legible, texts


def only_a_works() -> Scenario:
    """Two busy robots must both be of type A: possible for this team alone."""
    network = Network("{A} + {R} <-> {A,R} @ 3, 1\n{B} <-> off{B} @ 1, 1")
    query = Query(free="{A} + {B} + off{B}", busy="{A,R}")
    return Scenario(network, Team({"A": 2, "B": 1}, {"R": 2}), query)


def far_tails() -> Scenario:
    """A robot of type A is hardly ever on: many that are on tell most, and are never seen."""
    network = Network("on{A} <-> off{A} @ 1, 10000\non{B} <-> off{B} @ 1, 1")
    query = Query(on="on{A} + on{B}")
    initial = {"A": "on{A}", "B": "on{B}"}
    return Scenario(network, Team({"A": 50, "B": 5}), query, initial=initial)


def equal() -> Scenario:
    return flipping(2, 1, 1.0, 1.0)


def place(mark: Line2D) -> list[float]:
    x, y = (np.asarray(data).item() for data in mark.get_data())
    return [x, y]


def test_the_curve_is_delta() -> None:
    found = profile(shared_resource())
    (axes,) = draw_profile(found).axes
    epsilon, delta = (np.asarray(data) for data in axes.lines[0].get_data())
    assert delta.tolist() == [found.delta(e) for e in epsilon.tolist()]
    assert epsilon[0] == 0
    assert epsilon[-1] > math.log(1.8)


def test_both_ends_are_marked() -> None:
    figure = draw_profile(profile(shared_resource()), title="Two types")
    _, begin, end = figure.axes[0].lines
    assert place(begin) == pytest.approx([0.0, 30 / 45 - 14 / 25])
    assert place(end) == pytest.approx([math.log(1.8), 0.0])
    assert {"total variation 0.107", "leakage 0.588", "Two types"} <= set(texts(figure))


def test_infinite_leakage_has_a_floor() -> None:
    found = profile(only_a_works())
    floor = found.delta(math.inf)
    assert 0 < floor < found.total_variation
    figure = draw_profile(found)
    assert f"never below {rounded(floor, '.3g', 'down')}: the leakage is infinite" in texts(figure)
    line = figure.axes[0].lines[-1]
    assert np.asarray(line.get_ydata()).tolist() == [floor, floor]


def test_a_leakage_beyond_the_axis_is_told() -> None:
    found = profile(far_tails())
    figure = draw_profile(found)
    leak = found.epsilon(0.0)
    assert figure.axes[0].get_xlim()[1] < leak < math.inf
    assert f"falls to 0 at the leakage, {leak:.3g}" in texts(figure)


def test_what_was_not_computed_is_told_apart_from_infinite() -> None:
    found = profile(arriving().with_({"adversary.at": 1.0}))
    assert any("so much was not computed" in text for text in texts(draw_profile(found)))


def test_equal_types() -> None:
    figure = draw_profile(profile(equal()))
    assert "δ is 0 throughout: a snapshot tells nothing" in texts(figure)
    assert not figure.axes[0].lines


@pytest.mark.parametrize("scenario", [shared_resource, only_a_works, far_tails, equal, arriving])
def test_everything_can_be_read(scenario: Callable[[], Scenario]) -> None:
    found = profile(scenario(), at=1.0 if scenario is arriving else None)
    check_legible(draw_profile(found, title="A long title $x_{ 机器人 " * 9, theme=DARK))
