"""Scenarios side by side: a panel for each measure, a bar for each scenario."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from covey.privacy.stream.confidence import Bounded
from covey.report.figures.frame import finish, set_heading
from covey.report.figures.over_time import measure_name
from covey.report.picture import Picture
from covey.report.style import LIGHT, SMALL_SIZE, Theme, drawable
from covey.study.side_by_side import SideBySide

_WIDTH, _BAR, _REST = 5.0, 0.24, 0.62  # inches: a picture, a bar, and the labels of a panel
_LONG = 28  # letters of a scenario's name


def draw_side_by_side(found: SideBySide, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """The figures of every scenario; what is infinite fills the panel and says so.

    Args:
        found: What to draw.
        title: Stands above.
        theme: The colours.
    """
    names = list(found.found)
    height = len(found.measures) * (_REST + _BAR * len(names)) + 0.3
    figure = Picture((_WIDTH, height), layout="constrained")
    figure.set_facecolor(theme.background)
    set_heading(figure, [title], theme)
    for row, measure in enumerate(found.measures):
        axes = figure.add_subplot(len(found.measures), 1, row + 1)
        bars = {name: one[measure] for name, one in found.found.items() if measure in one}
        _panel(axes, measure, bars, theme)
    return figure


def _panel(axes: Axes, measure: str, bars: dict[str, Bounded], theme: Theme) -> None:
    start = 0.5 if measure == "guess" else 0.0
    finite = [bar.value for bar in bars.values() if math.isfinite(bar.value)]
    span = max([value - start for value in finite] + [0.0]) or 1.0
    for i, bar in enumerate(bars.values()):
        endless = not math.isfinite(bar.value)
        length = 1.12 * span if endless else bar.value - start
        axes.barh(i, length, left=start, height=0.7, color=theme.series[i % len(theme.series)],
                  alpha=0.35 if endless else 1.0, hatch="//" if endless else None,
                  edgecolor=theme.background)  # fmt: skip
        text = "∞" if math.isinf(bar.value) else "" if endless else f"{bar.value:.4g}"
        axes.text(start + length + 0.015 * span, i, text, va="center", fontsize=SMALL_SIZE,
                  color=theme.ink)  # fmt: skip
    labels = [name if len(name) <= _LONG else f"{name[: _LONG - 1]}…" for name in bars]
    axes.set_yticks(range(len(bars)), list(map(drawable, labels)))
    axes.set_xlim(min([start, *finite]), start + 1.25 * span)
    if not finite:
        axes.set_xticks([])  # no number is there
    axes.invert_yaxis()
    finish(axes, theme, drawable(measure_name(measure)), "")
