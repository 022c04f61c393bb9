"""Leakage over time, over grids, under changes, and fitted rates, as a notebook shows them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from markupsafe import Markup

from covey.privacy.stream.confidence import Bounded
from covey.report.figures.of_result import figure_of
from covey.report.html_parts import MOST_ROWS, paragraph, table
from covey.report.notebook.parts import drawn, leaked, number, together
from covey.study.assessment import Assessment
from covey.study.audit.feed_audit import FeedAudit
from covey.study.audit.log_audit import LogAudit
from covey.study.fit.fit import Estimate, Fit
from covey.study.fit.residuals import Residual, Residuals
from covey.study.rate_range import RateRange
from covey.study.sensitivity.found import Found
from covey.study.sensitivity.sensitivity import Sensitivity
from covey.study.side_by_side import SideBySide
from covey.study.sweep.result import Sweep, shown
from covey.study.trace import Trace
from covey.words import in_units

_MOST_COLUMNS = 10


def _trace(trace: Trace) -> Markup:
    rows = []
    for name, values in trace.exposed.items():
        worst = int(np.argmax(values))
        rows.append((name, leaked(values[worst], "up"), f"{trace.times[worst]:g}"))
    return together(
        paragraph(trace),
        drawn(lambda: figure_of(trace), "leakage over time"),
        table(["a robot of type", "gives away at most", in_units("at time", trace.unit)], rows),
    )


def _side_by_side(found: SideBySide) -> Markup:
    def figures(one: Mapping[str, Bounded]) -> list[str]:
        return [number(one[name].value) if name in one else "" for name in found.measures]

    return together(
        paragraph(found),
        drawn(lambda: figure_of(found), str(found)),
        table(
            ["scenario", *found.measures],
            [(name, *figures(one)) for name, one in found.found.items()],
        ),
    )


def _sweep(sweep: Sweep) -> Markup:
    return together(
        *(paragraph(sweep.of(name)) for name in sweep.measures),
        drawn(lambda: figure_of(sweep), str(sweep)),
        _map(sweep) if _is_small(sweep) else Markup(),
    )


def _is_small(sweep: Sweep) -> bool:
    shape = sweep.values.shape
    return (
        not sweep.is_sample
        and len(shape) in (1, 2)
        and shape[0] <= MOST_ROWS
        and (len(shape) == 1 or shape[1] <= _MOST_COLUMNS)
    )


def _map(sweep: Sweep) -> Markup:
    """The first axis down, the second, where there is one, across."""
    down, *across = map(str, sweep.data[sweep.measure].dims)
    heads = [down, sweep.measure.replace("_", " ")]
    if across:
        columns = sweep.data[across[0]].values.tolist()
        heads = [f"{down} ╲ {across[0]}", *map(shown, columns)]
    values = sweep.values.reshape(len(sweep.values), -1).tolist()
    rows = [
        (shown(place), *("—" if math.isnan(value) else shown(value) for value in row))
        for place, row in zip(sweep.data[down].values.tolist(), values, strict=True)
    ]
    return table(heads, rows, left=())


def _fit(found: Fit) -> Markup:
    share = f"{100 * found.confidence:g}% interval"
    events = [] if found.sampled else ["events"]
    rows = [
        (name, f"{rate.given:.4g}", *_estimate(rate), *_events(rate))
        for name, rate in found.rates.items()
    ]
    sentence = str(found).partition("\n")[0].removesuffix(":")
    return together(
        paragraph(f"{sentence}."),
        table(["rate", "before", "fitted", share, *events], rows),
        *(paragraph(note) for note in found.notes),
    )


def _estimate(rate: Estimate) -> tuple[str, str]:
    low, high = (number(end) for end in rate.interval)
    return number(rate.value) if rate.identified else "not known", f"{low} to {high}"


def _events(rate: Estimate) -> list[str]:
    if rate.events is None:
        return []
    return [f"{rate.events:,}" if isinstance(rate.events, int) else f"{rate.events:.4g}"]


def _log_audit(found: LogAudit) -> Markup:
    rows = [(one.what, *map(number, one.means), number(one.apart, 2)) for one in found.telling]
    return together(
        paragraph(found),
        drawn(lambda: figure_of(found), "how much each run looks like either log"),
        table(["what differs", *found.logs, "spreads apart"], rows),
        *(paragraph(note) for note in found.notes),
    )


def _feed_audit(found: FeedAudit) -> Markup:
    rows = [
        (one.what, *map(number, (one.found, one.expected, one.spread)), number(one.p_value, 2))
        for one in found.features[:MOST_ROWS]
    ]
    return together(
        paragraph(found),
        drawn(lambda: figure_of(found), "how far the feed is off, in every feature"),
        table(["the oddest", "feed", "reference", "±", "p"], rows),
        *(paragraph(note) for note in found.notes),
    )


def _residuals(found: Residuals) -> Markup:
    rows = [
        (one.reaction, f"{one.events:,}", number(one.expected), *_chances(one))
        for one in found.of[:MOST_ROWS]
    ]
    return together(
        paragraph(found),
        drawn(lambda: figure_of(found), "times between events, in expected events"),
        table(["reaction", "events", "expected", "spread", "rate", "drift", "shape"], rows),
        *(paragraph(note) for note in found.notes),
    )


def _chances(one: Residual) -> list[str]:
    numbers = (one.spread, one.rate, one.drift, one.shape)
    return ["" if math.isnan(value) else number(value, 2) for value in numbers]


def _rate_range(found: RateRange) -> Markup:
    figures = {
        "leakage": found.leakage,
        f"ε at δ = {found.delta:g}": found.epsilon,
        "best guess is right": found.bayes_success,
    }
    rows = [(name, number(low), number(high)) for name, (low, high) in figures.items()]
    return together(paragraph(found), table(["over these rates", "least", "most"], rows))


def _sensitivity(found: Sensitivity) -> Markup:
    ordered = sorted(found.effects, key=lambda effect: effect.after.rank)
    return together(
        paragraph(found),
        table(
            ["change", "leakage", "total variation"],
            [("(none)", *_given_away(found.before))]
            + [(effect.change.words, *_given_away(effect.after)) for effect in ordered],
        ),
    )


def _given_away(found: Found) -> tuple[str, str]:
    if found.why:
        return found.why, ""
    return leaked(found.leakage), number(found.total_variation)


def _assessment(found: Assessment) -> Markup:
    rows = [(e.type, leaked(e.leakage), number(e.total_variation)) for e in found.exposed]
    return together(
        paragraph(found),
        drawn(
            lambda: figure_of(found.distributions),
            "the distribution of the team and of its worst neighbour",
        ),
        table(["a robot of type", "leakage", "total variation"], rows),
    )


STUDY: tuple[tuple[type, Callable[[Any], Markup]], ...] = (
    (Trace, _trace),
    (SideBySide, _side_by_side),
    (Sweep, _sweep),
    (Fit, _fit),
    (LogAudit, _log_audit),
    (FeedAudit, _feed_audit),
    (Residuals, _residuals),
    (RateRange, _rate_range),
    (Sensitivity, _sensitivity),
    (Assessment, _assessment),
)
