"""Leakage over time: the worst moment, and where it settles."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from covey.report.figures.frame import finish, framed, key
from covey.report.style import LIGHT, LINE_WIDTH, SMALL_SIZE, Theme, drawable
from covey.report.topology.labels import wrap
from covey.study.trace import Trace

_APART = 0.04  # of the height, between the marks of two types


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
        color, endless = theme.series[i % len(theme.series)], np.isinf(values)
        finite = np.where(endless, np.nan, values)
        axes.plot(
            trace.times, finite, dashes[i % len(dashes)], label=_label(name), color=color,
            linewidth=1.5 * LINE_WIDTH,
        )  # fmt: skip
        if endless.any():  # at the top, where no number is
            height = np.where(endless, 1 - _APART * (i + 0.5), np.nan)
            axes.plot(
                trace.times, height, dashes[i % len(dashes)], marker="^", markersize=3, color=color,
                linewidth=LINE_WIDTH, transform=axes.get_xaxis_transform(),
            )  # fmt: skip
    if trace.limit is not None and np.isfinite(trace.limit):
        axes.axhline(trace.limit, color=theme.muted, linewidth=LINE_WIDTH, linestyle=(0, (1, 3)),
                     label="steady state")  # fmt: skip
    if np.isinf(trace.values).any():
        axes.text(0.98, 0.97 - _APART * len(trace.exposed), _endless(trace),
                  transform=axes.transAxes, ha="right", va="top", fontsize=SMALL_SIZE,
                  color=theme.alert)  # fmt: skip
    axes.set_ylim(bottom=0)
    if not np.isfinite(list(trace.exposed.values())).any():
        axes.set_yticks([])  # no number is there
    finish(axes, theme, "time", "leakage")
    key(axes, theme)
    return figure


def _endless(trace: Trace) -> str:
    """At how many times the leakage is infinite."""
    infinite = np.isinf(trace.values)
    if infinite.all():
        return "infinite at every time (marked at the top)"
    return f"infinite at {int(infinite.sum())} of {len(infinite)} times (marked at the top)"


def _label(name: str) -> str:
    """In as many lines as fit beside the line of the legend."""
    return "\n".join(map(drawable, wrap(f"a robot of type {name}", SMALL_SIZE, 4.0)))
