"""A feed that gives away nothing, to be looked at: an hour of it, and what a shift of it tells.

Left, one count above the other: what is there as an area, what is published as a line; where the
line leaves the area's edge, a reader is off. Right: how often an observer is right after so many
snapshots, of the truth, of the table and of the stand-in.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from covey.privacy.stream.stream import Stream
from covey.remedy.mechanism.whole_stream import WholeStream
from covey.report.figures.frame import finish, set_heading
from covey.report.picture import Picture
from covey.report.style import LIGHT, LINE_WIDTH, SMALL_SIZE, Theme, drawable, fonts_for
from covey.study.feed_hour import FeedHour
from covey.words import percent

_WIDTH, _PANEL, _EDGE = 7.2, 0.95, 0.9  # inches
_MOST = 4  # counts that are drawn


def draw_feed(
    hour: FeedHour,
    stream: Stream | None,
    day: WholeStream | None,
    *,
    title: str = "",
    theme: Theme = LIGHT,
) -> Figure:
    """An hour of both, and how often an observer is right."""
    rows = min(len(hour.names), _MOST)
    figure = Picture((_WIDTH, max(rows * _PANEL, 2.2) + _EDGE), layout="constrained")
    figure.set_facecolor(theme.background)
    set_heading(figure, [title], theme)
    grid = figure.add_gridspec(rows, 2, width_ratios=(1.5, 1))
    first: Axes | None = None
    for row in range(rows):
        axes = figure.add_subplot(grid[row, 0], sharex=first)
        _count(axes, hour, row, theme)
        finish(axes, theme, "time" if row == rows - 1 else "", "")
        axes.tick_params(labelbottom=row == rows - 1)
        if row == 0:
            axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, frameon=False,
                        fontsize=SMALL_SIZE, labelcolor=theme.ink, borderaxespad=0.1)  # fmt: skip
        first = first or axes
    _right(figure.add_subplot(grid[:, 1]), stream, day, theme)
    return figure


def _count(axes: Axes, hour: FeedHour, row: int, theme: Theme) -> None:
    real, published = hour.real[:, row], hour.published[:, row]
    axes.fill_between(hour.times, real, step="post", color=theme.muted, alpha=0.35, linewidth=0,
                      label="there")  # fmt: skip
    axes.step(hour.times, published, where="post", color=theme.accent, linewidth=1.3 * LINE_WIDTH,
              label="published")  # fmt: skip
    name = drawable(hour.names[row])
    axes.set_title(name, loc="left", fontsize=SMALL_SIZE, color=theme.ink, pad=3,
                   fontfamily=fonts_for(name), parse_math=False)  # fmt: skip
    axes.set_xlim(hour.times[0], hour.times[-1])
    axes.set_ylim(0, 1.15 * max(int(real.max()), int(published.max()), 1))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=3))


def _right(axes: Axes, stream: Stream | None, day: WholeStream | None, theme: Theme) -> None:
    """How often an observer is right: of the truth, of the table, of the stand-in."""
    end = day.snapshots if day is not None else 100
    if stream is not None:
        end = stream.snapshots[-1]
        values = [right.value for right in stream.bayes_success]
        axes.plot(stream.snapshots, values, color=theme.muted, marker="o", markersize=3,
                  linewidth=LINE_WIDTH, clip_on=False)  # fmt: skip
        _name(axes, f"the truth: {values[-1]:.1%}", end, values[-1], theme.muted)
    if day is not None:
        axes.plot([day.snapshots], [day.bayes_success], marker="s", markersize=4,
                  color=theme.series[1], clip_on=False)  # fmt: skip
        named = f"a table: {percent(day.bayes_success, 'up')}"
        _name(axes, named, day.snapshots, day.bayes_success, theme.series[1])
    axes.plot([1, end], [0.5, 0.5], color=theme.accent, linewidth=1.6 * LINE_WIDTH, clip_on=False)
    _name(axes, "the stand-in: 50%", end, 0.5, theme.accent)
    axes.set_xscale("log")
    marks = [n for n in (1, 10, 100, 1_000, 10_000) if n <= end]
    axes.set_xticks(marks, [f"{n:,}" for n in marks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(1, end)
    axes.set_ylim(0.5, 1.06)
    axes.set_yticks(np.linspace(0.5, 1.0, 6))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:.0%}"))
    finish(axes, theme, "snapshots", "an observer is right")


def _name(axes: Axes, name: str, x: float, y: float, colour: str) -> None:
    axes.annotate(name, (x, y), (-4, 6), ha="right", textcoords="offset points",
                  fontsize=SMALL_SIZE, color=colour)  # fmt: skip
