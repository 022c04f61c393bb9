"""Leakage over time: the worst moment, and where it settles."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from covey.report.figures.frame import finish, framed, key
from covey.report.style import LIGHT, LINE_WIDTH, SMALL_SIZE, Theme, drawable
from covey.report.topology.labels import wrap
from covey.study.trace import Trace


def draw_trace(trace: Trace, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """A line for each type: the most that is given away about one of its robots.

    Args:
        trace: What to draw.
        title: Stands above.
        theme: The colours.
    """
    figure, axes = framed(title, theme)
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
    axes.set_ylim(bottom=0)
    finish(axes, theme, "time", "leakage")
    key(axes, theme)
    return figure


def _label(name: str) -> str:
    """In as many lines as fit beside the line of the legend."""
    return "\n".join(map(drawable, wrap(f"a robot of type {name}", SMALL_SIZE, 4.0)))
