"""Charts: a picture that is always there, and in its place, where scripts run, one to explore.

The picture is matplotlib's; the other is drawn by chart.js from the same numbers, which stand
beside it as JSON.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from covey.privacy.snapshot.profile import Profile
from covey.report.figures.over_time import draw_trace
from covey.report.figures.profile_plot import draw_profile
from covey.report.page.rendering import render
from covey.report.page.themed import STAND_IN, themed_picture
from covey.study.trace import Trace
from covey.words import in_units


@dataclass(frozen=True)
class Line:
    """One line of a chart; `colour` is the number of a series of the palette."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    colour: int
    dash: str = "solid"


def over_time(trace: Trace) -> Markup:
    """Leakage over time, a line for each type."""
    dashes = ("solid", "dash", "dot", "dashdot")
    lines = [
        Line(trace.worst.relation.subject(name), trace.times, values.tolist(), i % 7, dashes[i % 4])
        for i, (name, values) in enumerate(trace.exposed.items())
    ]
    if trace.limit is not None and math.isfinite(trace.limit):
        ends = (trace.times[0], trace.times[-1])
        lines.append(Line("steady state", ends, (trace.limit, trace.limit), -1, "sparse"))
    says = "Leakage over time, a line for each that is compared"
    picture = themed_picture(draw_trace(trace, theme=STAND_IN), "over-time", says)
    return _chart(picture, lines, in_units("time", trace.unit), "leakage")


def epsilon_delta(profile: Profile) -> Markup:
    """δ as a function of ε."""
    top = float(profile.curve()[0][-1])
    epsilons = np.linspace(0.0, top or 1.0, 201)
    deltas = [profile.delta(epsilon) for epsilon in epsilons.tolist()]
    says = (
        "δ for every ε: an event is at most e^ε times as likely for one team as for another, plus δ"
    )
    picture = themed_picture(draw_profile(profile, theme=STAND_IN), "profile", says)
    return _chart(picture, [Line("δ(ε)", epsilons.tolist(), deltas, 0)], "ε", "δ")


def _chart(picture: Markup, lines: Sequence[Line], x: str, y: str) -> Markup:
    numbers = {
        "x": x,
        "y": y,
        "lines": [
            {
                "name": line.name,
                "x": list(line.x),
                "y": [value if math.isfinite(value) else None for value in line.y],
                "colour": line.colour,
                "dash": line.dash,
            }
            for line in lines
        ],
    }
    return render("chart.html", picture=picture, numbers=numbers)
