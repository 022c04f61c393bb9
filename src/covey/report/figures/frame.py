"""A picture with one pair of axes: the title, the labels and the lines that all of them have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from covey.report.picture import Picture
from covey.report.style import (
    HAIR_WIDTH,
    LABEL_SIZE,
    LINE_WIDTH,
    SMALL_SIZE,
    TITLE_SIZE,
    Theme,
    drawable,
    fonts_for,
)
from covey.report.topology.labels import LEADING, wrap

_WIDTH, _HEIGHT, _MARGIN = 5.0, 3.1, 0.3  # inches


def framed(title: str, theme: Theme) -> tuple[Figure, Axes]:
    """An empty picture, with the title in as many lines as it takes."""
    figure = Picture((_WIDTH, _HEIGHT), layout="constrained")
    figure.set_facecolor(theme.background)
    set_heading(figure, [title], theme)
    return figure, figure.add_subplot()


def stacked(title: str, theme: Theme, panels: int) -> tuple[Figure, list[Axes]]:
    """The same with several panels, one below the other, that share what is across."""
    height = _HEIGHT if panels == 1 else _HEIGHT * (0.3 + 0.5 * panels)
    figure = Picture((_WIDTH, height), layout="constrained")
    figure.set_facecolor(theme.background)
    set_heading(figure, [title], theme)
    first = figure.add_subplot(panels, 1, 1)
    return figure, [first, *(figure.add_subplot(panels, 1, i + 2, sharex=first)
                             for i in range(panels - 1))]  # fmt: skip


def set_heading(
    figure: Figure, texts: Sequence[str], theme: Theme, size: float = TITLE_SIZE
) -> int:
    """Texts above a picture, each in as many lines as its width takes; how many lines those are."""
    width = float(figure.get_size_inches()[0]) - _MARGIN
    lines = [line for text in texts if text.strip() for line in wrap(text, size, width)]
    if lines:
        heading = "\n".join(map(drawable, lines))
        figure.suptitle(heading, fontsize=size, color=theme.ink, fontfamily=fonts_for(heading),
                        parse_math=False)  # fmt: skip
    return len(lines)


def make_room(figure: Figure, lines: int, size: float) -> None:
    """Makes a picture higher by so many lines of text, so that its panels keep their size."""
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + max(lines, 0) * LEADING * size / 72)


def finish(axes: Axes, theme: Theme, x: str, y: str) -> None:
    """The labels, and what the axes look like."""
    axes.set_xlabel(x, fontsize=LABEL_SIZE, color=theme.ink)
    axes.set_ylabel(y, fontsize=LABEL_SIZE, color=theme.ink)
    axes.set_facecolor(theme.background)
    axes.tick_params(labelsize=SMALL_SIZE, colors=theme.ink, width=HAIR_WIDTH)
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_offset_text().set(fontsize=SMALL_SIZE, color=theme.ink)
    axes.spines[["top", "right"]].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set(color=theme.muted, linewidth=LINE_WIDTH)


def key(axes: Axes, theme: Theme, *, at: Literal["best", "upper left"] = "best") -> None:
    """What each line is, its name as plain text."""
    legend = axes.legend(loc=at, fontsize=SMALL_SIZE, frameon=False, labelcolor=theme.ink)
    for text in legend.get_texts():
        text.set(parse_math=False, fontfamily=fonts_for(text.get_text()))
