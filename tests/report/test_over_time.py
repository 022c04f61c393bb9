"""Leakage over time as a picture: any name can be read, and what is infinite is seen."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

import covey
from covey.report.figures.over_time import draw_trace
from tests.conftest import EXAMPLES
from tests.report.pictures import check_legible, texts


@pytest.mark.parametrize("name", ["机器", "x" * 60, "ロボット_" * 12], ids=["CJK", "long", "both"])
def test_any_name_is_legible(name: str) -> None:
    scenario = covey.Scenario(
        covey.Network(f"{{{name}}} <-> on{{{name}}} @ 3, 1\n{{B}} <-> on{{B}} @ 1, 1"),
        covey.Team({name: 2, "B": 1}),
        covey.Query(on=f"on{{{name}}} + on{{B}}"),
    )
    figure = draw_trace(covey.trace(scenario, [0.0, 0.5, 1.0]))
    check_legible(figure)  # and no letter is missing: that would be a warning
    assert "a robot of type B" in texts(figure)


def marked(figure: Figure) -> list[list[float]]:
    """The times at which something stands at the top, by type."""
    (axes,) = figure.axes
    lines = [line for line in axes.lines if line.get_marker() == "^"]
    for line in lines:
        heights = np.asarray(line.get_ydata(), dtype=float)
        assert (heights[np.isfinite(heights)] > 0.9).all()  # of the axes, whatever the numbers are
    return [
        np.asarray(line.get_xdata())[
            np.isfinite(np.asarray(line.get_ydata(), dtype=float))
        ].tolist()
        for line in lines
    ]


@pytest.mark.filterwarnings("ignore::covey.errors.DirectBreachWarning")
def test_what_is_infinite_throughout_is_drawn_and_said() -> None:
    apart = covey.Scenario(
        covey.Network("{A} <-> w{A} @ 1, 1\n{B} <-> w{B} @ 1, 2"),
        covey.Team({"A": 2, "B": 1}),
        covey.Query(a="{A} + w{A}", b="{B} + w{B}"),
    )
    figure = draw_trace(covey.trace(apart, [0.0, 1.0, 2.0]))
    check_legible(figure)
    assert any("leakage is infinite at every time" in text for text in texts(figure))
    (axes,) = figure.axes
    assert axes.get_ylabel() == "how often an observer is right"
    assert np.asarray(axes.lines[0].get_ydata()).tolist() == pytest.approx([1.0, 1.0, 1.0])


def test_what_is_infinite_at_times_is_marked_there() -> None:
    warehouse = covey.load(next(path for path in EXAMPLES if path.stem == "warehouse"))
    figure = draw_trace(covey.trace(warehouse, [0.0, 1.0]))
    assert any("infinite at 1 of 2 times" in text for text in texts(figure))
    assert marked(figure) == [[1.0]] * 2


def test_measures_have_a_panel_each() -> None:
    warehouse = covey.load(next(path for path in EXAMPLES if path.stem == "warehouse"))
    found = covey.trace(warehouse, [0.0, 1.0, 2.0], measures=["guess", "epsilon=1e-3", "mu"])
    figure = draw_trace(found)
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "observer is right", "ε at δ = 0.001", "μ"
    ]  # fmt: skip
    assert np.asarray(figure.axes[0].lines[0].get_ydata()).tolist() == pytest.approx(
        found.measures["guess"][:, 0].tolist()
    )
    assert len(figure.axes[1].get_yticks()) == 1  # only 0 is there
