"""Two distributions along one number that tells which observation it is.

Counts that are next to impossible for both teams are left out at the ends; the observation that
gives most away is marked also where it is among them, at the edge.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from covey.report.distribution_pair import DistributionPair
from covey.report.figures.pairs.pair_look import INSIDE, blank, finish, pair_style
from covey.report.picture import Picture
from covey.report.style import (
    LABEL_SIZE,
    LINE_WIDTH,
    SMALL_SIZE,
    Theme,
    drawable,
    fonts_for,
)
from covey.report.topology.labels import wrap

_CLOSE = 1e-4  # of the largest probability: less than this at both ends is left out
_BARS = 40  # counts that have bars; more have outlines
_FAR = 0.5  # of the width: so far beyond the rest, the marked observation is brought in


def free_column(both: DistributionPair) -> int | None:
    """The count from which all others follow, the one that varies most; none where none does."""
    steps = (both.outcomes - both.outcomes[0]).astype(float)
    if np.linalg.matrix_rank(steps) != 1:
        return None
    return int(np.argmax(np.ptp(steps, axis=0)))


def draw_along(both: DistributionPair, column: int, *, title: str, theme: Theme) -> Picture:
    """The picture, with that count to the right."""
    order = np.argsort(both.outcomes[:, column])
    counts = both.outcomes[order, column]
    chances = both.probabilities[:, order]
    marked = None if both.marked is None else int(both.outcomes[both.marked, column])
    shown = _visible(counts, chances, marked)
    counts, chances = counts[shown], chances[:, shown]
    figure, axes = blank(both, 2.6, title, both.note(len(counts)), theme)
    _draw_pair(axes, counts, chances, theme)
    follows = ", from which all other counts follow" if both.outcomes.shape[1] > 1 else ""
    name = f"number of {both.names[column]}"
    axes.set_xlabel(
        "\n".join(map(drawable, wrap(name + follows, LABEL_SIZE, INSIDE - 0.5))),
        fontsize=LABEL_SIZE, color=theme.ink, fontfamily=fonts_for(name), parse_math=False,
    )  # fmt: skip
    axes.set_ylabel("probability", fontsize=LABEL_SIZE, color=theme.ink)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    finish(axes, theme)
    if marked is not None:
        _mark(axes, both, column, marked, theme)
    return figure


def _visible(
    counts: NDArray[np.int64], chances: NDArray[np.float64], marked: int | None
) -> NDArray[np.intp]:
    """The places of the counts to draw: all probable ones, and the marked one if it is near."""
    likely = np.flatnonzero(chances.max(axis=0) > _CLOSE * chances.max())
    low, high = int(likely[0]), int(likely[-1])
    if marked is not None:
        place = int(np.searchsorted(counts, marked))
        reach = _FAR * max(high - low, 1)
        if low - reach <= place <= high + reach:
            low, high = min(low, place), max(high, place)
    return np.arange(low, high + 1)


def _draw_pair(
    axes: Axes, counts: NDArray[np.int64], chances: NDArray[np.float64], theme: Theme
) -> None:
    step = float(np.diff(counts).min()) if len(counts) > 1 else 1.0
    if len(counts) <= _BARS:
        for team in (0, 1):
            axes.bar(counts + (team - 0.5) * 0.4 * step, chances[team], width=0.38 * step,
                     **pair_style(team, theme))  # fmt: skip
    else:
        edges = np.append(counts - step / 2, counts[-1] + step / 2)
        for team, dash in ((0, "-"), (1, (0, (2, 2)))):
            look: dict[str, Any] = {"color": theme.series[team], "baseline": 0}
            axes.stairs(chances[team], edges, fill=True, alpha=0.3, **look)
            axes.stairs(chances[team], edges, linewidth=1.4 * LINE_WIDTH, linestyle=dash, **look)
    axes.set_xlim(counts[0] - step, counts[-1] + step)
    axes.set_ylim(bottom=0.0)


def _mark(axes: Axes, both: DistributionPair, column: int, marked: int, theme: Theme) -> None:
    """Where the observation is that gives most away, and what it does."""
    low, high = axes.get_xlim()
    name = f"{both.names[column]} {marked}"
    if low <= marked <= high:
        axes.axvline(marked, color=theme.alert, linewidth=LINE_WIDTH, linestyle=(0, (2, 2)))
        axes.plot(marked, 1.0, "v", color=theme.alert, markersize=5, clip_on=False,
                  transform=axes.get_xaxis_transform())  # fmt: skip
    else:
        name += ", beyond this picture,"
        axes.plot(float(marked > high), 0.03, ">" if marked > high else "<", color=theme.alert,
                  markersize=6, clip_on=False, transform=axes.transAxes)  # fmt: skip
    text = f"{name} {both.verdict}"
    axes.set_title(
        "\n".join(map(drawable, wrap(text, SMALL_SIZE, INSIDE - 0.5))), loc="left",
        fontsize=SMALL_SIZE, color=theme.alert, fontfamily=fonts_for(text), parse_math=False,
    )  # fmt: skip
