"""What the pictures of two distributions have in common: the look of each, the key, the heading."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.patches import Patch

from covey.report.distribution_pair import DistributionPair
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
from covey.report.topology.labels import LEADING, text_width, wrap

WIDTH = 5.0  # inches
INSIDE = WIDTH - 0.3

_SWATCH = 0.45  # inches: a patch of the key and the space around it


def pair_style(team: int, theme: Theme) -> dict[str, Any]:
    """The team's bars (0) plain, the neighbour's (1) hatched: told apart also without colours."""
    hatch = ("", "//////")[team]
    return {"facecolor": theme.series[team], "hatch": hatch, "edgecolor": theme.background,
            "linewidth": 0}  # fmt: skip


def blank(
    both: DistributionPair, body: float, title: str, note: str, theme: Theme
) -> tuple[Picture, Axes]:
    """A figure with heading, key and footnote, and axes that have about `body` inches of it."""
    heading = wrap(title, TITLE_SIZE, INSIDE) if title.strip() else []
    names = [both.team, f"a team with {both.neighbour}"]
    lines = [wrap(name, LABEL_SIZE, INSIDE - _SWATCH) for name in names]
    beside = sum(text_width(name, LABEL_SIZE) + 1.5 * _SWATCH for name in names) <= INSIDE
    foot = wrap(note, SMALL_SIZE, INSIDE) if note else []
    key = max(map(len, lines)) if beside else sum(map(len, lines))
    around = [(len(heading), TITLE_SIZE), (key, LABEL_SIZE), (len(foot), SMALL_SIZE)]
    height = body + sum(inches(*part) + 0.1 for part in around)
    figure = Picture((WIDTH, height), layout="constrained")
    figure.set_facecolor(theme.background)
    if heading:
        figure.suptitle(**_text(heading, TITLE_SIZE, theme.ink))
    # A figure's key and title would be set one on the other: the key is that of a part of it.
    below: SubFigure = figure.add_subfigure(figure.add_gridspec()[0])
    below.set_facecolor(theme.background)
    if foot:
        below.supxlabel(**_text(foot, SMALL_SIZE, theme.muted))
    patches = [
        Patch(label="\n".join(map(drawable, text)), **pair_style(team, theme))
        for team, text in enumerate(lines)
    ]
    legend = below.legend(
        handles=patches, loc="outside upper left", ncols=2 if beside else 1, frameon=False,
        fontsize=LABEL_SIZE, labelcolor=theme.ink,
    )  # fmt: skip
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set(parse_math=False, fontfamily=fonts_for(name))
    return figure, below.add_subplot()


def finish(axes: Axes, theme: Theme) -> None:
    """Ticks, spines and background."""
    axes.set_facecolor(theme.background)
    axes.tick_params(labelsize=SMALL_SIZE, colors=theme.ink, width=HAIR_WIDTH)
    axes.spines[["top", "right"]].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set(color=theme.muted, linewidth=LINE_WIDTH)


def inches(lines: int, size: float) -> float:
    """How high so many lines are."""
    return lines * LEADING * size / 72


def _text(lines: list[str], size: float, colour: str) -> dict[str, Any]:
    text = "\n".join(map(drawable, lines))
    return {"t": text, "fontsize": size, "color": colour, "fontfamily": fonts_for(text),
            "parse_math": False}  # fmt: skip
