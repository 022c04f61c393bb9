"""The section on what to publish instead: what can be had, a table, and one plain sentence."""

from __future__ import annotations

from markupsafe import Markup

from covey.remedy.mechanism import Compared
from covey.report.figures.front_plot import draw_front
from covey.report.figures.mechanism_plot import draw_mechanism
from covey.report.figures.stream_front_plot import draw_stream_front
from covey.report.page.numbers import factor, leakage, percent, quantity
from covey.report.page.rendering import render
from covey.report.page.themed import STAND_IN, themed_picture
from covey.study.assessment import Assessment
from covey.study.remedies import Remedies


def instead(found: Assessment) -> Markup:
    """What to publish instead of what is there, for one glance and for many."""
    remedy = found.remedy
    if remedy is None:
        return render("publish.html", missing=found.missing["remedy"])
    return render(
        "publish.html",
        missing="",
        sentence=_one_glance(remedy),
        front=themed_picture(
            draw_front(remedy.front, theme=STAND_IN),
            "front",
            "What a glance gives away against what its reader loses, for the mechanism and others",
        ),
        delta=remedy.front.program[0].delta,
        program=_rows(remedy, 0, len(remedy.front.program)),
        others=_rows(remedy, len(remedy.front.program), len(remedy.front.points)),
        table_picture=themed_picture(
            draw_mechanism(remedy.mechanism, theme=STAND_IN),
            "mechanism",
            "The table of the mechanism: what is published, for what is there",
        ),
        stream=_stream(remedy),
        stream_front="" if remedy.stream is None else _stream_front(remedy),
    )


def _one_glance(remedy: Remedies) -> Markup:
    place = len(remedy.front.mechanisms) // 2
    point, name = remedy.front.program[place], f"remedy.front.program[{place}]"
    bound = remedy.mechanism.epsilon if remedy.front.delta else point.leakage
    bound_name = "remedy.mechanism.epsilon" if remedy.front.delta else f"{name}.leakage"
    return Markup(
        "Publish through the table below: one glance then shifts the odds on any robot's type by "
        "at most a factor {}, an observer is right at most {} of the time, and the counts are off "
        "by {} on average; {} of the time they are the truth."
    ).format(
        factor(bound, bound_name),
        percent(point.guess, f"{name}.guess"),
        quantity(point.loss, f"{point.loss:.3g}", f"{name}.loss"),
        percent(remedy.mechanism.unchanged, "remedy.mechanism.unchanged"),
    )


def _stream(remedy: Remedies) -> Markup:
    found = remedy.stream
    if found is None:
        return Markup(
            "That is for one glance. Many glances through the same table tell more, and a stream "
            "needs a mechanism of its own (covey protect --target guess=0.6): {}."
        ).format(remedy.why_no_stream)
    right = found.stream.guess[-1]
    held = Markup()
    if found.hold:
        held = Markup(", the last value again while it is off by less than {},").format(found.hold)
    return Markup(
        "That is for one glance. For all of a stream: publish every {}{} through a table made for "
        "that: after {} an observer is right at most {} of the time, and the counts are off by {} "
        "on average, ageing included."
    ).format(
        quantity(found.every, f"{found.every:.4g}", "remedy.stream.every"),
        held,
        quantity(found.until, f"{found.until:.4g}", "remedy.stream.until"),
        percent(right.upper, "remedy.stream.stream.guess[-1].upper"),
        quantity(found.loss, f"{found.loss:.3g}", "remedy.stream.loss"),
    )


def _stream_front(remedy: Remedies) -> Markup:
    assert remedy.stream is not None
    return themed_picture(
        draw_stream_front(remedy.stream, theme=STAND_IN),
        "stream-front",
        "How often an observer is right in the end against the loss, for periods and tables",
    )


def _rows(remedy: Remedies, begin: int, end: int) -> list[tuple[str, Markup, Markup, Markup, str]]:
    return [_row(remedy.front.points[i], f"remedy.front.points[{i}]") for i in range(begin, end)]


def _row(point: Compared, name: str) -> tuple[str, Markup, Markup, Markup, str]:
    lost = quantity(point.loss, f"{point.loss:.3g}", f"{name}.loss") if point.loss >= 0 else "–"
    return (
        point.name,
        leakage(point.leakage, f"{name}.leakage"),
        leakage(point.epsilon, f"{name}.epsilon"),
        percent(point.guess, f"{name}.guess"),
        lost,
    )
