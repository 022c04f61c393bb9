"""The privacy profile as a curve: for every ε the least δ with which (ε, δ) holds.

It starts at the total variation and falls to 0 at the leakage; where the leakage is infinite it
never falls below the probability of what only one of the two teams can show.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from covey.privacy.snapshot.profile import Profile
from covey.report.figures.frame import finish, framed
from covey.report.style import HAIR_WIDTH, LABEL_SIZE, LIGHT, LINE_WIDTH, SMALL_SIZE, Theme
from covey.words import NOTHING, rounded

_POINTS = 121
_ROOM = 1.25  # the axis goes on a little beyond the point from which on nothing happens


def draw_profile(profile: Profile, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """δ(ε), with the total variation and the leakage, or the floor, marked."""
    figure, axes = framed(title, theme)
    variation = profile.total_variation
    if variation > NOTHING:
        end = _ROOM * float(profile.curve()[0][-1]) or 1.0
        epsilon, delta = profile.curve(np.linspace(0.0, end, _POINTS))
        axes.plot(epsilon, delta, color=theme.accent, linewidth=1.6 * LINE_WIDTH, clip_on=False)
        axes.fill_between(epsilon, delta, color=theme.accent_fill, linewidth=0)
        axes.set_xlim(0.0, end)
        axes.set_ylim(0.0, 1.15 * variation)
        _mark(axes, profile, theme)
    else:
        axes.text(0.5, 0.5, "δ is 0 throughout: a snapshot tells nothing", ha="center",
                  transform=axes.transAxes, fontsize=LABEL_SIZE, color=theme.ink)  # fmt: skip
    finish(axes, theme, "ε (the odds shift by a factor e^ε)", "δ")
    return figure


def _mark(axes: Axes, profile: Profile, theme: Theme) -> None:
    """Where the curve begins and where it ends, in words."""
    variation, leak, end = profile.total_variation, profile.epsilon(0.0), axes.get_xlim()[1]
    note: dict[str, Any] = {"fontsize": SMALL_SIZE, "color": theme.ink}
    dot: dict[str, Any] = {"color": theme.accent, "markersize": 4, "clip_on": False, "zorder": 3}
    axes.plot(0.0, variation, "o", **dot)
    axes.annotate(f"total variation {variation:.3g}", (0.0, variation), (7, 4),
                  textcoords="offset points", **note)  # fmt: skip
    if leak <= end:
        axes.plot(leak, 0.0, "o", **dot)
        axes.annotate(f"leakage {leak:.3g}", (leak, 0.0), (3, 6), textcoords="offset points",
                      **note)  # fmt: skip
        return
    floor = profile.delta(math.inf)
    text = f"falls to 0 at the leakage, {leak:.3g}"
    if math.isinf(leak):
        axes.axhline(floor, color=theme.alert, linewidth=LINE_WIDTH, linestyle=(0, (4, 2)))
        text = _why_floor(profile, floor)
    # Above the total variation, where the curve never is.
    line = {"arrowstyle": "-", "color": theme.muted, "linewidth": HAIR_WIDTH}
    axes.annotate(text, (0.96 * end, floor), (0.99, 0.94), textcoords="axes fraction", ha="right",
                  arrowprops=line, **note)  # fmt: skip


def _why_floor(profile: Profile, floor: float) -> str:
    if any(lost > 0 for pair in profile.pairs for lost in pair.truncated_mass):
        return f"never below {rounded(floor, '.3g', 'down')}: so much was not computed"
    return f"never below {rounded(floor, '.3g', 'down')}: the leakage is infinite"
