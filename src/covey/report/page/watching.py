"""The sections on looking again and again, and on who is taken to look."""

from __future__ import annotations

from markupsafe import Markup

from covey.privacy.hypotheses import Relation
from covey.privacy.stream.stream import Stream
from covey.report.figures.stream_plot import draw_stream
from covey.report.page.numbers import as_percent, percent, quantity
from covey.report.page.rendering import render
from covey.report.page.themed import STAND_IN, themed_picture
from covey.study.assessment import Assessment
from covey.words import each, lasting, when


def over_a_day(found: Assessment) -> Markup:
    """What many snapshots give away, as a picture and a table."""
    stream = found.stream
    if stream is None:
        missing = found.missing["stream"]
        return render("day.html", missing=f"More were not followed: {missing}.")
    return render(
        "day.html",
        missing="",
        sentence=stream.on_the_way,
        several=len(set(stream.worst_neighbours)) > 1,
        rows=[_row(stream, place) for place in range(len(stream.snapshots))],
        pace=_pace(found, stream),
        mix=found.mix or "",
    )


def day_picture(found: Assessment) -> Markup:
    """How often an observer is right after more and more snapshots; nothing where not known."""
    if found.stream is None:
        return Markup()
    says = "How often an observer is right, against the number of snapshots"
    return themed_picture(draw_stream(found.stream, theme=STAND_IN), "snapshots", says)


def _row(stream: Stream, place: int) -> tuple[str, Markup, str, str, Markup]:
    row, name = stream.rows[place], f"stream.rows[{place}]"
    low, high = row.bayes_success.lower, row.bayes_success.upper
    known = as_percent(low) == as_percent(high)
    return (
        f"{row.snapshots:,}",
        percent(row.bayes_success.value, f"{name}.bayes_success.value"),
        "" if known else f"{as_percent(low, 'down')} – {as_percent(high, 'up')}",
        str(stream.worst_neighbours[place]),
        quantity(
            row.distinguishing_mass.value,
            f"{row.distinguishing_mass.value:.3g}",
            f"{name}.distinguishing_mass.value",
        ),
    )


def _pace(found: Assessment, stream: Stream) -> str:
    if found.scenario.release.every is not None:
        return f"The file publishes one snapshot {each(stream.every, stream.unit)}."
    return (
        f"One snapshot {each(stream.every, stream.unit)} is the default (1 / slowest "
        "rate): every in [release] sets another."
    )


def observer(found: Assessment) -> Markup:
    """Who looks: what is assumed of them."""
    scenario = found.scenario
    seen = ", ".join(list(scenario.query.groups(scenario.network))[:12])
    often = "one snapshot"
    if stream := found.stream:
        apart = lasting(stream.every, stream.unit)
        often += f", and up to {stream.snapshots[-1]:,} of them, {apart} apart"
    return render(
        "observer.html",
        facts=(
            ("What is known", _known(found.leakage.relation)),
            ("What is seen", f"{seen}: exactly, and nothing else."),
            ("When", f"{when(found.leakage.at, found.scenario.unit)[3:].capitalize()}: {often}."),
            ("How sure the rates are", "They are taken as they stand in the scenario. Rates that "
             "were fitted are known as well as the log allowed; covey sweep shows what other ones "
             "would give away."),
            ("What it is not", "A statement about other teams or other rates, or about somebody "
             "who follows single robots with their eyes."),
        ),
    )  # fmt: skip


def _known(relation: Relation) -> str:
    """What the observer knows before, and what is to be told."""
    if relation.is_type:
        return (
            "How the robots meet and part, every rate, and the type of every robot but one. The "
            "figures say how well the last one is told."
        )
    return (
        "Everything but which of two scenarios it is. The figures say how well those are told "
        f"apart that must look the same: {relation}."
    )
