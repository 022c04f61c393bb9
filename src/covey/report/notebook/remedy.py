"""What to publish instead, as a notebook shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from markupsafe import Markup

from covey.remedy.design.design import Design
from covey.remedy.mechanism.front import Front
from covey.remedy.mechanism.mechanism import Compared, Mechanism
from covey.remedy.mechanism.protect_stream import StreamMechanism
from covey.remedy.performance import Performance
from covey.report.figures.of_result import figure_of
from covey.report.html_parts import paragraph, table
from covey.report.notebook.parts import drawn, leaked, number, together
from covey.words import each, percent, rounded


def _points(points: Sequence[Compared]) -> Markup:
    heads = ["published", "leakage", f"ε at δ = {points[0].delta:g}", "right", "loss"]
    rows = [
        (
            p.name,
            leaked(p.leakage, "up"),
            leaked(p.epsilon, "up"),
            percent(p.guess, "up"),
            number(p.loss),
        )
        for p in points
    ]
    return table(heads, rows)


def _mechanism(found: Mechanism) -> Markup:
    picture = drawn(lambda: figure_of(found), "the table: what is published for what is there")
    return together(paragraph(found), picture)


def _front(found: Front) -> Markup:
    picture = drawn(lambda: figure_of(found), "what a snapshot gives away against the loss")
    return together(paragraph(found), picture, _points(found.points))


def _stream(found: StreamMechanism) -> Markup:
    rows = [
        (
            each(one.every, found.stream.unit),
            f"{one.hold}" if one.hold else "",
            f"{one.epsilon:.3g}",
            rounded(one.guess, ".1%", "up"),
            number(one.loss),
        )
        for one in found.tried
    ]
    heads = ["one snapshot", "held below", "ε of the table", "right at most", "loss"]
    picture = drawn(lambda: figure_of(found), "what was tried: right in the end against the loss")
    return together(paragraph(found), picture, table(heads, rows, left=()))


def _performance(found: Performance) -> Markup:
    rows = [(name, number(one.value), one.text) for name, one in found.measures.items()]
    return together(paragraph(found), table(["measure", "expected", "what it is"], rows))


def _design(found: Design) -> Markup:
    settings = [
        (name, number(found.before.scenario.numbers[name]), number(value))
        for name, value in found.values.items()
    ]
    after, before = found.after.measures, found.before.measures
    measures = [(name, leaked(now), leaked(after[name])) for name, now in before.items()]
    picture = Markup()
    if found.front:
        picture = drawn(lambda: figure_of(found), "privacy against performance")
    return together(
        paragraph(found),
        table(["setting", "now", "design"], settings),
        table(["measure", "now", "design"], measures),
        picture,
    )


REMEDY: tuple[tuple[type, Callable[[Any], Markup]], ...] = (
    (Mechanism, _mechanism),
    (Front, _front),
    (StreamMechanism, _stream),
    (Performance, _performance),
    (Design, _design),
)
