"""Leakage over time: the worst moment, and where it settles."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from covey.report.picture import Picture
from covey.report.style import (
    FONT,
    LABEL_SIZE,
    LIGHT,
    LINE_WIDTH,
    SMALL_SIZE,
    TITLE_SIZE,
    Theme,
    drawable,
    fonts_for,
)
from covey.report.topology.labels import wrap
from covey.study.trace import Trace


def draw_trace(trace: Trace, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """A line for each type: the most that is given away about one of its robots.

    Args:
        trace: What to draw.
        title: Stands above.
        theme: The colours.
    """
    figure = Picture((5.0, 3.1), layout="constrained")
    figure.set_facecolor(theme.background)
    axes = figure.add_subplot()
    axes.set_facecolor(theme.background)
    if title:
        axes.set_title(
            title, fontsize=TITLE_SIZE, color=theme.ink, fontfamily=FONT, parse_math=False
        )
    dashes = ("-", "--", ":", "-.")
    for i, (name, values) in enumerate(trace.exposed.items()):
        finite = np.where(np.isfinite(values), values, np.nan)
        axes.plot(
            trace.times, finite, dashes[i % len(dashes)], label=_label(name),
            color=theme.series[i % len(theme.series)], linewidth=1.5 * LINE_WIDTH,
        )  # fmt: skip
    if trace.limit is not None and np.isfinite(trace.limit):
        axes.axhline(trace.limit, color=theme.muted, linewidth=LINE_WIDTH, linestyle=(0, (1, 3)),
                     label="steady state")  # fmt: skip
    infinite = ~np.isfinite(trace.values)
    if infinite.any():
        axes.text(0.98, 0.95, f"infinite at {int(infinite.sum())} of {len(infinite)} times",
                  transform=axes.transAxes, ha="right", va="top", fontsize=SMALL_SIZE,
                  color=theme.alert)  # fmt: skip
    axes.set_xlabel("time", fontsize=LABEL_SIZE, color=theme.ink)
    axes.set_ylabel("leakage", fontsize=LABEL_SIZE, color=theme.ink)
    axes.set_ylim(bottom=0)
    axes.tick_params(labelsize=SMALL_SIZE, colors=theme.ink)
    axes.spines[["top", "right"]].set_visible(False)
    legend = axes.legend(fontsize=SMALL_SIZE, frameon=False, labelcolor=theme.ink)
    for text in legend.get_texts():
        text.set(parse_math=False, fontfamily=fonts_for(text.get_text()))
    return figure


def _label(name: str) -> str:
    """In as many lines as fit beside the line of the legend."""
    return "\n".join(map(drawable, wrap(f"a robot of type {name}", SMALL_SIZE, 4.0)))
