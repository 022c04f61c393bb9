"""The distribution of every count, side by side, as in the paper's figure of the task network."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from covey.dynamics.distribution import Distribution
from covey.errors import TooLargeError
from covey.report.figures.frame import make_room, set_heading
from covey.report.picture import Picture
from covey.report.style import (
    LABEL_SIZE,
    LIGHT,
    LINE_WIDTH,
    PAGE_WIDTH,
    SMALL_SIZE,
    TITLE_SIZE,
    Theme,
)

MAX_PANELS = 60
_COLUMNS = 3
_CLOSE = 1e-4  # counts less likely than this at both ends are left out of a panel


def draw_marginals(distribution: Distribution, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """One panel for each name of the distribution: how many, and how likely.

    Args:
        distribution: What to draw.
        title: Stands above.
        theme: The colours.
    """
    if len(distribution.names) > MAX_PANELS:
        raise TooLargeError(
            f"{len(distribution.names)} counts would need as many panels; {MAX_PANELS} are drawn "
            "at most. "
            "Observe fewer sums"
        )
    columns = min(_COLUMNS, len(distribution.names))
    rows = math.ceil(len(distribution.names) / columns)
    width = PAGE_WIDTH * columns / _COLUMNS
    head = 0.35 if title else 0.1
    figure = Picture((max(width, 3.4), 1.7 * rows + head), layout="constrained")
    figure.set_facecolor(theme.background)
    make_room(figure, set_heading(figure, [title], theme) - 1, TITLE_SIZE)
    for panel, name in enumerate(distribution.names):
        axes = figure.add_subplot(rows, columns, panel + 1)
        _draw_one(axes, *distribution.marginal(name), name, theme)
        if panel % columns == 0:
            axes.set_ylabel("probability", fontsize=LABEL_SIZE, color=theme.ink)
    return figure


def _draw_one(
    axes: Axes, counts: np.ndarray, probabilities: np.ndarray, name: str, theme: Theme
) -> None:
    likely = np.flatnonzero(probabilities > _CLOSE * probabilities.max())
    shown = slice(likely[0], likely[-1] + 1)
    axes.bar(counts[shown], probabilities[shown], width=0.8, color=theme.accent)
    axes.set_facecolor(theme.background)
    axes.set_xlabel(f"number of {name}", fontsize=LABEL_SIZE, color=theme.ink, parse_math=False)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    axes.set_ylim(bottom=0)
    axes.tick_params(labelsize=SMALL_SIZE, colors=theme.ink, width=LINE_WIDTH / 2)
    axes.spines[["top", "right"]].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(theme.muted)
        axes.spines[side].set_linewidth(LINE_WIDTH)
