"""By when something has been seen for the first time: its distribution function, and its mean."""

from __future__ import annotations

import math

from matplotlib.figure import Figure

from covey.dynamics.first_passage import FirstPassage
from covey.report.figures.frame import finish, framed, key
from covey.report.style import LIGHT, LINE_WIDTH, Theme, drawable
from covey.words import in_units


def draw_first_passage(found: FirstPassage, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """The probability that the condition has held, by every time.

    Args:
        found: What to draw.
        title: Stands above.
        theme: The colours.
    """
    figure, axes = framed(title, theme)
    axes.plot(found.times, found.probability, ".-", markersize=2, color=theme.series[0],
              linewidth=1.5 * LINE_WIDTH, label=drawable(found.condition))  # fmt: skip
    last = found.times[-1] if found.times else 0.0
    if math.isfinite(found.mean) and 0 < found.mean <= last:
        axes.axvline(found.mean, color=theme.muted, linewidth=LINE_WIDTH, linestyle=(0, (1, 3)),
                     label=f"mean, {found.mean:.4g}")  # fmt: skip
    axes.set_ylim(0, 1.02)
    finish(axes, theme, in_units("time", found.unit), "probability of having held")
    key(axes, theme)
    return figure
