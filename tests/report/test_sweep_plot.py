"""Pictures of sweeps: the kind that fits the axes, and what it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import PathCollection, PolyCollection, QuadMesh

from covey import Scenario, distribution
from covey.errors import InputError
from covey.report.figure_file import save_figure
from covey.report.figures.sweeps.sweep_labels import axis_label, measure_label
from covey.report.figures.sweeps.sweep_plot import draw_sweep
from covey.study.sweep.result import Sweep, open_sweep
from covey.study.sweep.sweep import sweep
from tests.study.test_sweep import resource


def swept(axes: Any, scenario: Scenario | None = None, **options: Any) -> Sweep:
    return sweep(scenario or resource(), axes, workers=1, **options)


def kinds(axes: Any) -> set[type]:
    return {type(artist) for artist in axes.collections}


def test_two_axes_make_a_heat_map() -> None:
    found = swept({"types.A": "1:3", "rates.take": "0.5:2:4"})
    figure = found.plot()
    panel, bar = figure.axes
    (mesh,) = [c for c in panel.collections if isinstance(c, QuadMesh)]
    assert np.asarray(mesh.get_array()).shape == (3, 4)
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("rate take", "robots of type A")
    assert bar.get_ylabel() == "leakage"
    assert figure.get_suptitle() == "Résumé\nat steady state"
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["least: 0"]


def test_one_axis_makes_a_line_and_an_axis_of_one_value_is_none() -> None:
    found = swept({"rates.take": "0.5:2:4", "types.A": [2]})
    figure = draw_sweep(found)
    (panel,) = figure.axes
    assert np.asarray(panel.lines[0].get_ydata()) == pytest.approx(found.values[:, 0], abs=1e-10)
    (band,) = panel.collections
    assert isinstance(band, PolyCollection)
    assert figure.get_suptitle().endswith("at steady state, types.A = 2")


def test_three_axes_make_a_map_for_each_value_of_the_shortest() -> None:
    found = swept({"types.A": "1:3", "rates.take": "0.5:2:3", "resources.R": "1:2"})
    figure = found.plot()
    assert [axes.get_title() for axes in figure.axes[:2]] == ["resources.R = 1", "resources.R = 2"]
    one = found.plot(where={"resources.R": 2})
    assert len(one.axes) == 2
    with pytest.raises(InputError, match=r"resources.R is never 7 in this sweep: expected one of"):
        found.plot(where={"resources.R": 7})
    with pytest.raises(InputError, match=r"types.C is no axis of this sweep, which has types.A"):
        found.plot(where={"types.C": 7})


@pytest.mark.slow
def test_samples_make_violins_and_scatters() -> None:
    figure = swept({"types.A": "1:3", "rates.take": "0.5:2"}, sample=60).plot()
    violins, scatter = figure.axes
    assert PathCollection not in kinds(violins)
    assert PathCollection in kinds(scatter)


def test_what_is_infinite_or_has_no_answer_is_marked(tmp_path: Path) -> None:
    found = swept({"types.A": "0:2", "types.B": "0:2"})
    found.data["leakage"][2, 2] = np.inf
    figure = found.plot()
    marks = [text.get_text() for text in figure.legends[0].get_texts()]
    assert marks[1:] == ["infinite", "no answer"]
    empty = found.data.copy()
    empty["leakage"][:] = np.nan
    save_figure(draw_sweep(Sweep(empty)), tmp_path / "empty.png")


def test_one_cell_or_too_many_axes() -> None:
    with pytest.raises(InputError, match="the sweep has one cell"):
        swept({"types.A": [1]}).plot()
    four = swept({"types.A": "1:2", "types.B": "1:2", "resources.R": "1:2", "rates.take": "1:2"})
    with pytest.raises(InputError, match=r"the sweep has 4 axes.*Fix the others, such as types.A"):
        four.plot()
    assert four.plot(where={"types.A": 1}).axes


def test_an_axis_of_words() -> None:
    found = swept({"types.A": "1:3", "adversary.at": "1,2,steady"})
    panel = found.plot().axes[0]
    assert [text.get_text() for text in panel.get_xticklabels()] == ["1", "2", "steady"]
    line = found.plot(where={"adversary.at": 2})
    assert line.get_suptitle().endswith("adversary.at = 2")


def test_a_file_gives_the_same_picture_every_time(tmp_path: Path) -> None:
    found = swept({"types.A": "1:3", "adversary.at": "1,2,steady"})
    found.save(tmp_path / "map.nc")
    for name in ("a.png", "b.png"):
        save_figure(open_sweep(tmp_path / "map.nc").plot(), tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_labels() -> None:
    assert axis_label(["rates.k3", "rates.k13"]) == "rate k3 = k13"
    assert axis_label(["types.A", "resources.R"]) == "types.A = resources.R"
    assert axis_label(["adversary.at"]) == "time of the snapshot"
    assert measure_label(swept({"types.A": "1:2"}, measure="delta=0.5")) == "δ at ε = 0.5"
    assert measure_label(swept({"types.A": "1:2"}, smoothing=1e-5)) == "leakage (ν = 1e-05)"
    assert measure_label(swept({"types.A": "1:2"}, measure="tv")) == "total variation"


@pytest.mark.parametrize("axis", ["0.2:2:12", "0.1:2:20", "0.5:2:4"])
def test_ticks_of_a_map_stand_on_its_cells(axis: str) -> None:
    found = sweep(resource(), {"types.A": range(1, 15), "rates.take": axis}, workers=1)
    axes = draw_sweep(found).axes[0]
    for name, along in (("rates.take", axes.xaxis), ("types.A", axes.yaxis)):
        ticks = along.get_majorticklocs()
        assert len(ticks) >= 3
        cells = found.data[name].values
        assert all(np.isclose(cells, tick, rtol=1e-9, atol=0).any() for tick in ticks)


def test_long_titles_are_wrapped() -> None:
    title = "A title that tells " + "all there is to tell, " * 6
    found = sweep(
        resource().with_(title=title), {"types.A": "1:3", "rates.take": "1:2:3"}, workers=1
    )
    figure = draw_sweep(found)
    figure.draw_without_rendering()
    heading = figure.get_suptitle()
    assert heading.count("\n") >= 2
    box = figure._suptitle.get_window_extent()  # type: ignore[attr-defined]
    assert 0 <= box.x0 < box.x1 <= figure.bbox.width
    short = draw_sweep(sweep(resource(), {"types.A": "1:3", "rates.take": "1:2:3"}, workers=1))
    assert figure.get_figheight() > short.get_figheight()


def test_long_titles_of_distributions_are_wrapped() -> None:
    figure = distribution(resource()).plot(
        title="A title that tells " + "all there is to tell, " * 6
    )
    figure.draw_without_rendering()
    box = figure._suptitle.get_window_extent()  # type: ignore[attr-defined]
    assert 0 <= box.x0 < box.x1 <= figure.bbox.width
