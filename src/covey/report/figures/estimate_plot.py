"""How what a watcher knows of a number narrows, snapshot after snapshot.

A panel for every number: a band as wide as what it is known to within, around the truth and inside
its range, before anything is seen (at the left edge) and after each number of snapshots. Dotted are
the bounds of the width, where paths were drawn.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator

from covey.numbers import Floats
from covey.privacy.inference.estimate.estimate import Estimation
from covey.privacy.inference.estimate.estimated import Estimated
from covey.report.figures.frame import finish, key, set_heading
from covey.report.picture import Picture
from covey.report.style import LIGHT, LINE_WIDTH, SMALL_SIZE, Theme, drawable
from covey.words import lasting

_WIDTH, _HEIGHT, _HEAD = 5.0, 2.5, 0.5  # inches


def draw_estimate(found: Estimation, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """To within how much each number is known, before and after 1, 2, … snapshots."""
    figure = Picture((_WIDTH, _HEAD + _HEIGHT * len(found.of)), layout="constrained")
    figure.set_facecolor(theme.background)
    set_heading(figure, [title], theme)
    panels = figure.subplots(len(found.of), 1, squeeze=False, sharex=True)[:, 0]
    for axes, one in zip(panels, found.of, strict=True):
        _panel(axes, found, one, theme)
        last = axes is panels[-1]
        label = f"snapshots, {lasting(found.every, found.unit)} apart" if last else ""
        finish(axes, theme, label, drawable(one.name))
        axes.tick_params(labelbottom=last)
    key(panels[0], theme)
    return figure


def _panel(axes: Axes, found: Estimation, one: Estimated, theme: Theme) -> None:
    places = np.array([found.snapshots[0] / 2, *found.snapshots])  # half a snapshot is none
    near = np.array([one.before, *(figure.value for figure in one.within)])
    low, high = one.quantity.edges[0, 0], one.quantity.edges[-1, 1]
    name = f"known to within this ({100 * found.level:g}%)"
    bottom, top = _ends(one, near, (low, high))
    axes.fill_between(places, bottom, top, color=theme.accent, alpha=0.18, linewidth=0, label=name)
    for edge in (bottom, top):
        axes.plot(places, edge, color=theme.accent, linewidth=LINE_WIDTH, marker="o", markersize=3)
    if found.method == "paths":
        for bound in ("lower", "upper"):
            ends = np.array([one.before, *(getattr(figure, bound) for figure in one.within)])
            for edge in _ends(one, ends, (low, high)):
                axes.plot(places, edge, color=theme.muted, linewidth=0.6 * LINE_WIDTH, ls=":")
    axes.axhline(one.truth, color=theme.ink, linewidth=LINE_WIDTH, label="the truth")
    axes.annotate(f"± {near[-1]:.3g}", (places[-1], top[-1]), (0, 9), ha="right",
                  textcoords="offset points", fontsize=SMALL_SIZE, color=theme.ink)  # fmt: skip
    axes.set_xscale("log")
    axes.set_xticks(places, ["none", *(f"{n:,}" for n in found.snapshots)])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=one.resolution == 0))
    axes.set_ylim(low - 0.04 * (high - low), high + 0.12 * (high - low))


def _ends(one: Estimated, near: Floats, span: tuple[float, float]) -> tuple[Floats, Floats]:
    """From where to where a band of that half width goes: around the truth, inside the range."""
    bottom = np.clip(one.truth - near, span[0], None)
    top = np.minimum(bottom + 2 * near, span[1])
    return np.maximum(top - 2 * near, span[0]), top
