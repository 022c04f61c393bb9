"""Leakage over time: the worst moment, and where it settles."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from covey.numbers import Floats
from covey.privacy.measures.registry import Measure
from covey.privacy.snapshot.bayes_success import binary_success
from covey.report.figures.frame import finish, framed, key, stacked
from covey.report.figures.sweeps.sweep_labels import MEASURE_LABELS, PARAMETERS
from covey.report.style import LIGHT, LINE_WIDTH, SMALL_SIZE, Theme, drawable
from covey.report.topology.labels import wrap
from covey.study.trace import Trace
from covey.words import in_units

_MOSTLY = 0.5  # of all times: with more infinite ones leakage is not drawn
_SHORT = {"guess": "observer is right", "js": "Jensen–Shannon", "mu": "μ", "rho": "ρ"}
_RIGHT = "how often an observer is right"
_SUCCESS = (_RIGHT, _SHORT["guess"])  # which begin at guessing
_MARKED = " (marked at the top)"
_APART = 0.04  # of the height, between the marks of two types


def draw_trace(trace: Trace, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """The measures that were asked for; without any, a line for each type.

    That line is the most that is given away about one of its robots. Where leakage is infinite at
    most times, how often an observer is right is drawn instead, which is always finite.

    Args:
        trace: What to draw.
        title: Stands above.
        theme: The colours.
    """
    shown = {measure_name(name): rows[:, 0] for name, rows in trace.measures.items()}
    if not shown and np.isinf(trace.values).mean() > _MOSTLY:
        guesses = [binary_success(one.profile.total_variation) for one in trace.leakages]
        shown = {_RIGHT: np.array(guesses)}
    if not shown:
        return _exposed(trace, title, theme)
    figure, panels = stacked(title, theme, len(shown))
    for axes, (name, values) in zip(panels, shown.items(), strict=True):
        finite = np.where(np.isfinite(values), values, np.nan)
        axes.plot(trace.times, finite, ".-", markersize=2, color=theme.series[0],
                  linewidth=1.5 * LINE_WIDTH)  # fmt: skip
        lost = ~np.isfinite(values)
        if lost.any():
            axes.plot(
                np.array(trace.times)[lost], np.full(int(lost.sum()), 0.97), "^", markersize=3,
                color=theme.series[0], linestyle="none", transform=axes.get_xaxis_transform(),
            )  # fmt: skip
            top = float(np.nanmax(finite)) if not lost.all() else 0.0
            axes.set_ylim(0, 1.2 * top if top > 0 else 1.0)
            if not top > 0:
                axes.set_yticks([0.0] if not lost.all() else [])  # no other number is there
        said = _endless(values) if lost.any() else ""
        if not trace.measures:
            said = f"leakage is {_endless(trace.values).removesuffix(_MARKED)}"
        if said:
            axes.set_title(said, fontsize=SMALL_SIZE, color=theme.alert, loc="right")
        if name in _SUCCESS and not lost.any():
            axes.set_ylim(0.5, max(0.5 + 1.2 * (float(np.nanmax(values)) - 0.5), 0.51))
        finish(axes, theme, _time(trace) if axes is panels[-1] else "", name)
        axes.tick_params(labelbottom=axes is panels[-1])
    return figure


def _time(trace: Trace) -> str:
    return in_units("time", trace.unit)


def measure_name(column: str) -> str:
    """What a measure is called on an axis: `ε at δ = 1e-06`."""
    measure = Measure.of_column(column)
    name = _SHORT.get(measure.kind) or MEASURE_LABELS.get(measure.kind, measure.kind)
    given = measure.parameter
    return name if given is None else f"{name} at {PARAMETERS[measure.kind]} = {given:g}"


def _exposed(trace: Trace, title: str, theme: Theme) -> Figure:
    """A line for each type."""
    figure, axes = framed(title, theme)
    dashes = ("-", "--", ":", "-.")
    for i, (name, values) in enumerate(trace.exposed.items()):
        color, endless = theme.series[i % len(theme.series)], np.isinf(values)
        finite = np.where(endless, np.nan, values)
        label = _label(trace.worst.relation.subject(name))
        axes.plot(
            trace.times, finite, dashes[i % len(dashes)], label=label, color=color,
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
        axes.text(0.98, 0.97 - _APART * len(trace.exposed), _endless(trace.values),
                  transform=axes.transAxes, ha="right", va="top", fontsize=SMALL_SIZE,
                  color=theme.alert)  # fmt: skip
    axes.set_ylim(bottom=0)
    if not np.isfinite(list(trace.exposed.values())).any():
        axes.set_yticks([])  # no number is there
    finish(axes, theme, _time(trace), "leakage")
    key(axes, theme)
    return figure


def _endless(values: Floats) -> str:
    """At how many times it is infinite."""
    infinite = np.isinf(values)
    if infinite.all():
        return f"infinite at every time{_MARKED}"
    return f"infinite at {int(infinite.sum())} of {len(infinite)} times{_MARKED}"


def _label(subject: str) -> str:
    """In as many lines as fit beside the line of the legend."""
    return "\n".join(map(drawable, wrap(subject, SMALL_SIZE, 4.0)))
