"""The top of the report: the headline, and the figures behind it."""

from __future__ import annotations

import math

from markupsafe import Markup, escape

from covey.privacy.headline import Quantity, Sentence
from covey.report.page.evidence import alike
from covey.report.page.numbers import as_percent, factor, leakage, percent, quantity
from covey.report.page.rendering import render
from covey.report.page.watching import day_picture
from covey.study.assessment import Assessment
from covey.words import NOTHING, chance, each, plain, rounded


def verdict(found: Assessment) -> Markup:
    """The answer first."""
    first, compared, *rest = map(written, found.headline.sentences)
    level = found.headline.level
    if found.rate_range is not None:
        rest.extend(map(written, found.rate_range.sentences))
    if (stand_in := found.scenario.release.stand_in) is not None:
        rest.extend(map(escape, stand_in.sentences))
    return render(
        "verdict.html",
        level=level,
        headline=first.removeprefix(level),
        compared=compared,
        picture=day_picture(found),
        rest=rest,
        interval=_interval(found),
        cure=_cure(found),
        cautions=_cautions(found),
        figures=_figures(found),
    )


def written(sentence: Sentence) -> Markup:
    """A sentence in which every number can be looked up."""
    return Markup().join(
        quantity(part.value, part.text, part.name) if isinstance(part, Quantity) else escape(part)
        for part in sentence
    )


def _interval(found: Assessment) -> Markup:
    leak = found.leakage
    if not leak.smoothing:
        return _bounds(found)
    return _bounds(found) + (
        f" Every probability is smoothed by {leak.smoothing:g}, which makes the leakage look "
        "smaller than it is."
    )


def _bounds(found: Assessment) -> Markup:
    leak = found.leakage
    low, high = leak.interval
    value = leakage(leak.value, "leakage.value")
    if math.isinf(leak.value):
        return Markup("The leakage, the logarithm of the largest shift of the odds, is {}.").format(
            value
        )
    named = quantity(low, rounded(low, ".9g", "down"), "leakage.interval[0]")
    if math.isinf(high):
        lost = quantity(
            leak.truncated_mass, rounded(leak.truncated_mass, ".2g", "up"), "leakage.truncated_mass"
        )
        return Markup(
            "The leakage, the logarithm of the largest shift of the odds, is certainly at least "
            "{}. There is no upper bound, because observations with a probability of {} in all "
            "were left out of the computation."
        ).format(named, lost)
    if high < NOTHING:
        return Markup("The leakage is {}, and certainly at most {}.").format(
            value, rounded(high, ".1g", "up")
        )
    if f"{low:.9g}" == f"{high:.9g}":
        width = "leakage.interval[1] - leakage.interval[0]"
        return Markup(
            "The leakage, the logarithm of the largest shift of the odds, is {}, and certain to "
            "within {}."
        ).format(
            quantity(leak.value, f"{leak.value:.9g}", "leakage.value"),
            quantity(high - low, rounded(high - low, ".3g", "up"), width),
        )
    return Markup(
        "The leakage, the logarithm of the largest shift of the odds, is {}, and certainly between "
        "{} and {}."
    ).format(value, named, quantity(high, rounded(high, ".9g", "up"), "leakage.interval[1]"))


def _cure(found: Assessment) -> str:
    """What to do, and its price: a stand-in where one is known, else the best single change."""
    if found.remedy is None or found.remedy.stand_in is None:
        return _change(found)
    loss = found.remedy.stand_in.loss
    return Markup(
        'Publish a <a href="#publish">stand-in</a>: an observer is then right 50% of the time, '
        "however long they watch. The price: the published counts are off by at most {} robots on "
        "average, all together, if the reference is one robot off."
    ).format(quantity(loss, rounded(loss, ".3g", "up"), "remedy.stand_in.loss"))


def _change(found: Assessment) -> str:
    if found.sensitivity is None:
        return ""
    best = found.sensitivity.best(1)
    if not best:
        return "None of the single changes that were tried helps so that one could see it."
    effect, name = best[0], "sensitivity.best()[0].after"
    if found.sensitivity.by_leakage and effect.after.bounded:
        after = Markup("the factor is then {}").format(
            factor(effect.after.leakage, f"{name}.leakage")
        )
    else:
        right = quantity(
            effect.after.bayes_success,
            as_percent(effect.after.bayes_success),
            f"{name}.bayes_success",
        )
        after = Markup("the best guess by one snapshot is then right {} of the time").format(right)
    kept = found.sensitivity.keeps(effect)
    which = " and keeps what the team achieves" if kept and effect.after.performance else ""
    cost = "" if kept else f". The price: {found.sensitivity.achieved(effect)}"
    if not effect.after.performance:
        cost = ". What it costs the team's work is not known: the file has no [performance]"
    return Markup(
        'The <a href="#do">single change</a> that helps most{} is <strong>{}</strong>: {}{}.'
    ).format(which, effect.change.words, after, cost)


def _cautions(found: Assessment) -> list[str]:
    """What the scenario's author should know, and whoever reads the page instead."""
    said = [*map(str, found.scenario.cautions)]
    if found.trace is not None and found.leakage.at == "steady" and found.trace.limit is None:
        said.append(f"leakage over time does not settle there: {found.trace.why_no_limit}")
    return said


def _after_all(found: Assessment) -> tuple[tuple[str, str, str], ...]:
    """The same after all snapshots that were followed."""
    if found.stream is None:
        return ()
    right = found.stream.bayes_success[-1].upper
    count = f"{found.stream.snapshots[-1]:,}"
    figure = percent(right, "stream.bayes_success[-1].upper", "up")
    sure = f", with {100 * found.stream.confidence:g}% confidence" if found.stream.sampled else ""
    note = f"right at most{sure}; one {each(found.stream.every, found.stream.unit)}"
    return ((f"after {count} snapshots", figure, note),)


def _named(type_: str) -> str:
    return f"type {type_}" if type_.isdecimal() else type_


def _figures(found: Assessment) -> tuple[tuple[str, str, str], ...]:
    """Title, number and note of each."""
    leak, profile, most = found.leakage, found.profile, found.exposed[0]
    settles = "of snapshots are impossible for the other team"
    if profile.distinguishing_mass == 0:
        settles = "no snapshot rules one out"
    elif found.distributions.between > 0:
        settles = "at most: not known for every age"
    elif profile.distinguishing_mass <= 2 * leak.truncated_mass:
        settles = "at most: left out of the computation"
    delta = found.headline.delta
    epsilon = profile.epsilon_interval(delta)[1]
    unbounded = " or more" if math.isinf(leak.interval[1]) and math.isfinite(leak.value) else ""
    return (
        (
            "best guess is right",
            percent(profile.bayes_success, "profile.bayes_success", "up"),
            "of the time by one snapshot; 50% is guessing",
        ),
        *_after_all(found),
        (
            f"ε at δ = {plain(delta)}",
            leakage(epsilon, f"profile.epsilon_interval({delta!r})[1]", "up"),
            "no finite ε is proved"
            if math.isinf(epsilon)
            else "an event is at most e^ε times as likely, plus δ",
        ),
        (
            "one possibility ruled out",
            percent(profile.distinguishing_mass, "profile.distinguishing_mass", "up"),
            settles,
        ),
        (
            "worst shift of the odds",
            factor(leak.value, "leakage.value"),
            f"{unbounded} with probability {chance(max(leak.worst.log_probability))}".strip(),
        ),
        (
            "most exposed" if leak.relation.kinds else "told best",
            "all alike" if alike(found) else _named(most.type),
            Markup("leakage {}").format(leakage(most.leakage, f"leakage.exposed[{most.type!r}]")),
        ),
    )
