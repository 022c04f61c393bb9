"""What to publish instead, as a notebook shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from markupsafe import Markup

from covey.remedy.front import Front
from covey.remedy.mechanism import Compared, Mechanism
from covey.remedy.protect_stream import StreamMechanism
from covey.report.figures.of_result import figure_of
from covey.report.html_parts import paragraph, table
from covey.report.notebook.parts import drawn, leaked, number, together
from covey.words import percent


def _points(points: Sequence[Compared]) -> Markup:
    heads = ["published", "leakage", f"ε at δ = {points[0].delta:g}", "right", "loss"]
    rows = [
        (p.name, leaked(p.leakage), leaked(p.epsilon), percent(p.guess), number(p.loss))
        for p in points
    ]
    return table(heads, rows)


def _mechanism(found: Mechanism) -> Markup:
    picture = drawn(lambda: figure_of(found), "the table: what is published for what is there")
    return together(paragraph(found), picture)


def _front(found: Front) -> Markup:
    picture = drawn(lambda: figure_of(found), "what a glance gives away against the loss")
    return together(paragraph(found), picture, _points(found.points))


def _stream(found: StreamMechanism) -> Markup:
    rows = [
        (
            f"{one.every:.6g}",
            f"{one.hold}" if one.hold else "",
            f"{one.epsilon:.3g}",
            f"{one.guess:.1%}",
            number(one.loss),
        )
        for one in found.tried
    ]
    heads = ["every", "held below", "ε of the table", "right at most", "loss"]
    picture = drawn(lambda: figure_of(found), "what was tried: right in the end against the loss")
    return together(paragraph(found), picture, table(heads, rows, left=()))


REMEDY: tuple[tuple[type, Callable[[Any], Markup]], ...] = (
    (Mechanism, _mechanism),
    (Front, _front),
    (StreamMechanism, _stream),
)
