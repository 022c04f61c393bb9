"""Leakage over time as a picture: any name can be read."""

from __future__ import annotations

import pytest

import covey
from covey.report.figures.over_time import draw_trace
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
