"""What an observer believes along some sampled paths, until they are sure.

A panel for every question. A line is the probability of the first hypothesis along one path, in the
accent where that is the truth and muted where it is not; dashed lines are where somebody is sure
of it, and sure that it is not so.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from covey.privacy.inference.certainty.certainty import Certainty
from covey.privacy.inference.certainty.sure_of import SureOf
from covey.report.figures.frame import finish, key, stacked
from covey.report.style import HAIR_WIDTH, LIGHT, LINE_WIDTH, Theme, drawable
from covey.words import in_units


def draw_certainty(found: Certainty, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """What is believed along some paths of every hypothesis."""
    figure, panels = stacked(title, theme, len(found.of))
    for axes, one in zip(panels, found.of, strict=True):
        _panel(axes, found, one, theme)
        last = axes is panels[-1]
        finish(
            axes,
            theme,
            in_units("time", found.unit) if last else "",
            drawable(f"P({one.names[0]})"),
        )
        axes.tick_params(labelbottom=last)
        key(axes, theme)
    return figure


def _panel(axes: Axes, found: Certainty, one: SureOf, theme: Theme) -> None:
    times = np.arange(one.paths.shape[-1]) * found.every
    for truth, paths in enumerate(one.paths):
        color = theme.accent if truth == 0 else theme.muted
        for number, path in enumerate(paths):
            name = drawable(f"in truth {one.names[truth]}") if number == 0 else "_"
            axes.plot(times, path[0], color=color, linewidth=LINE_WIDTH, label=name)
    for level in (found.level, 1 - found.level):
        axes.axhline(level, color=theme.ink, linewidth=HAIR_WIDTH, linestyle="--")
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:.0%}"))
