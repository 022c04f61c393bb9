"""Privacy against performance: the designs of a front, the team as it is, and the one chosen."""

from __future__ import annotations

from matplotlib.figure import Figure

from covey.errors import InputError
from covey.remedy.design.design import Design
from covey.report.figures.frame import finish, framed, key
from covey.report.style import LIGHT, LINE_WIDTH, Theme, drawable

_WORDS = {
    "guess": "an observer is right",
    "total_variation": "total variation",
    "leakage": "leakage",
    "epsilon": "ε at δ",
    "stream_guess": "an observer of the stream is right",
    "loss": "what a reader is off by",
}


def draw_design(design: Design, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """The front of a design: every point was evaluated exactly."""
    privacy = design.minimise or next(iter(design.caps))
    names = [*([design.maximise] if design.maximise else []), *design.floors]
    names += list(design.before.performance.measures)
    if not design.front or not names:
        raise InputError("there is no front to draw: ask for one, and have a [performance]")
    name = names[0]
    figure, axes = framed(title, theme)
    front = [(point.performance[name], point.privacy(privacy)) for point in design.front]
    axes.plot(*zip(*front, strict=True), marker="o", markersize=3.5, color=theme.accent,
              linewidth=1.6 * LINE_WIDTH, label="designs", clip_on=False)  # fmt: skip
    for label, point, mark in (("now", design.before, "s"), ("chosen", design.after, "D")):
        axes.plot(point.performance[name], point.privacy(privacy), linestyle="", marker=mark,
                  markersize=6, color=theme.ink if label == "now" else theme.accent, label=label,
                  clip_on=False)  # fmt: skip
    finish(axes, theme, drawable(name), _WORDS.get(privacy, drawable(privacy)))
    key(axes, theme)
    return figure
