"""The section on what to publish instead: what can be had, a table, and one plain sentence."""

from __future__ import annotations

from markupsafe import Markup

from covey.remedy.mechanism.mechanism import Compared
from covey.report.figures.feed_plot import draw_feed
from covey.report.figures.front_plot import draw_front
from covey.report.figures.mechanism_plot import draw_mechanism
from covey.report.figures.stream_front_plot import draw_stream_front
from covey.report.page.numbers import as_percent, factor, leakage, percent, quantity
from covey.report.page.rendering import render
from covey.report.page.themed import STAND_IN, themed_picture
from covey.study.assessment import Assessment
from covey.study.remedies import TARGET, Remedies
from covey.words import THIS_TEAM, counts, each, lasting, rounded

_OWN = (
    " It is made for this team alone, and names the team to whoever sees it: keep it secret, or "
    "make one for a public set of teams (covey protect --teams)."
)


def instead(found: Assessment) -> Markup:
    """What to publish instead of what is there, for one snapshot and for many."""
    remedy = found.remedy
    if remedy is None:
        return render("publish.html", missing=found.missing["remedy"])
    teams = found.scenario.secret.teams
    return render(
        "publish.html",
        missing="",
        made_for=THIS_TEAM if teams is None else f"the teams of {teams}",
        sentence=_one_snapshot(found, remedy),
        front=themed_picture(
            draw_front(remedy.front, theme=STAND_IN),
            "front",
            "What a snapshot gives away against what its reader loses, by mechanism",
        ),
        delta=remedy.front.program[0].delta,
        program=_rows(remedy, 0, len(remedy.front.program)),
        others=_rows(remedy, len(remedy.front.program), len(remedy.front.points)),
        table_picture=themed_picture(
            draw_mechanism(remedy.mechanism, theme=STAND_IN),
            "mechanism",
            "The table of the mechanism: what is published, for what is there",
        ),
        day=None if remedy.day is None else f"{remedy.day.snapshots:,}",
        sure="" if remedy.day is None else next((d.sure for d in remedy.days if d.sure), ""),
        stand_in=_stand_in(remedy),
        feed=_feed(found, remedy),
        found_stream=remedy.stream is not None,
        stream=_stream(remedy),
        stream_front=_stream_front(remedy),
    )


def _one_snapshot(found: Assessment, remedy: Remedies) -> Markup:
    point, name = remedy.front.program[remedy.place], f"remedy.front.program[{remedy.place}]"
    loss = quantity(point.loss, f"{point.loss:.3g}", f"{name}.loss")
    if (always := remedy.mechanism.release.constant) is not None:
        return Markup(
            "Only a constant was found to keep to ε = {}: publish {}, whatever is there. It gives "
            "nothing away, by one snapshot or by many, and tells its reader nothing; it is off by "
            "{} on average."
        ).format(leakage(point.leakage, f"{name}.leakage", "up"), counts(always), loss)
    relation = found.leakage.relation
    shifts = Markup("one snapshot then shifts the odds on {} by at most a factor {}")
    parts: tuple[object, ...] = (relation.odds, factor(point.leakage, f"{name}.leakage", "up"))
    if remedy.front.delta:
        shifts = Markup(
            "no event is then more than {} times as likely for one team as for another that "
            "{}, plus {:g}"
        )
        bound = factor(remedy.mechanism.epsilon, "remedy.mechanism.epsilon", "up")
        parts = (bound, relation.apart, remedy.front.delta)
    return Markup(
        "Publish through the table below: {}, an observer is right at most {} of the time by it, "
        "and its counts are off by {} on average when published; {} of the time they are the "
        "truth.{}{}"
    ).format(
        shifts.format(*parts),
        percent(point.guess, f"{name}.guess", "up"),
        loss,
        percent(remedy.mechanism.unchanged, "remedy.mechanism.unchanged"),
        _OWN if remedy.mechanism.teams is None else "",
        _day(found, remedy),
    )


def _day(found: Assessment, remedy: Remedies) -> Markup:
    """What all that [release] publishes gives away through the table, beside what it does now."""
    if remedy.day is None:
        return Markup()
    said = Markup(
        " After all {} snapshots that [release] publishes an observer is right at most {} of the "
        "time{}{}."
    ).format(
        f"{remedy.day.snapshots:,}",
        percent(remedy.day.bayes_success, "remedy.day.bayes_success", "up"),
        remedy.day.sure,
        ""
        if found.stream is None
        else Markup(", {} without it").format(
            percent(found.stream.bayes_success[-1].upper, "stream.bayes_success[-1].upper", "up")
        ),
    )
    if remedy.day.bayes_success <= TARGET:
        return said
    return (
        said + " That is the figure to go by: a table made for one snapshot does not keep it low."
    )


def _stand_in(remedy: Remedies) -> Markup:
    """The stand-in first, where there is a stream."""
    if remedy.stand_in is None:
        return Markup()
    return Markup(
        "Publish a stand-in: a public reference team that moves along with the real one. It gives "
        "away nothing, however long somebody watches: an observer is right 50% of the time, as "
        "by guessing. Choose the reference without looking at the team. If it is one robot off, "
        "the published counts are off by at most {} robots on average, all together{}. This holds "
        "if the model's rates are right, and if an observer sees nothing but the feed (covey "
        "protect --stand-in)."
    ).format(
        quantity(
            remedy.stand_in.loss, rounded(remedy.stand_in.loss, ".3g", "up"), "remedy.stand_in.loss"
        ),
        remedy.stand_in.how,
    )


def _feed(found: Assessment, remedy: Remedies) -> Markup:
    if remedy.hour is None:
        return Markup()
    return themed_picture(
        draw_feed(remedy.hour, found.stream, remedy.day, theme=STAND_IN),
        "feed",
        "What is there and what a stand-in publishes for a while, and how often an observer is "
        "right after so many snapshots: of the truth, of a table, of the stand-in",
    )


def _stream(remedy: Remedies) -> Markup:
    found = remedy.stream
    if found is None and remedy.days:
        return Markup("No way to publish all of the stream was looked for: {}.").format(
            remedy.why_no_stream
        )
    if found is None:
        return Markup(
            "That is for one snapshot. Many snapshots through the same table tell more, and a "
            "stream needs a mechanism of its own, which is not looked for here: {}."
        ).format(remedy.why_no_stream)
    right = found.stream.bayes_success[-1]
    held = Markup()
    if found.hold:
        held = Markup(", the last value again while it is off by less than {},").format(found.hold)
    lost = quantity(found.loss, f"{found.loss:.3g}", "remedy.stream.loss")
    if (always := found.mechanism.release.constant) is not None:
        return Markup(
            "For all of a stream: nothing that was tried and keeps an observer to {} costs less "
            "than a constant, {}, whatever is there. It gives nothing away, and tells nothing: it "
            "is off by {} on average."
        ).format(as_percent(found.target), counts(always), lost)
    return Markup(
        "For all of a stream: publish {}{} through a table made for that. After {} an "
        "observer is right at most {} of the time{}, and the counts are off by {} on average, "
        "ageing included."
    ).format(
        quantity(found.every, each(found.every, found.stream.unit), "remedy.stream.every"),
        held,
        quantity(found.until, lasting(found.until, found.stream.unit), "remedy.stream.until"),
        percent(right.upper, "remedy.stream.stream.bayes_success[-1].upper", "up"),
        "" if found.stream.method == "exact" else f" (confidence {found.stream.confidence:g})",
        lost,
    )


def _stream_front(remedy: Remedies) -> Markup:
    if remedy.stream is None or remedy.stream.mechanism.release.constant is not None:
        return Markup()
    return themed_picture(
        draw_stream_front(remedy.stream, theme=STAND_IN),
        "stream-front",
        "How often an observer is right in the end against the loss, for periods and tables",
    )


def _rows(remedy: Remedies, begin: int, end: int) -> list[tuple[str | Markup, ...]]:
    return [
        _row(remedy.front.points[i], f"remedy.front.points[{i}]", _after_all(remedy, i))
        for i in range(begin, end)
    ]


def _after_all(remedy: Remedies, place: int) -> Markup | None:
    """How often an observer of the whole stream is right; of the usual ways it is not known."""
    if place >= len(remedy.days):
        return None
    return percent(remedy.days[place].bayes_success, f"remedy.days[{place}].bayes_success", "up")


def _row(point: Compared, name: str, after_all: Markup | None) -> tuple[str | Markup, ...]:
    lost = quantity(point.loss, f"{point.loss:.3g}", f"{name}.loss") if point.loss >= 0 else "–"
    return (
        point.name,
        leakage(point.leakage, f"{name}.leakage", "up"),
        leakage(point.epsilon, f"{name}.epsilon", "up"),
        percent(point.guess, f"{name}.guess", "up"),
        *(() if after_all is None else (after_all,)),
        lost,
    )
