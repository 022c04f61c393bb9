"""The top of the report: what one glance gives away, in one sentence, and the figures behind it."""

from __future__ import annotations

import math

from covey.report.html_parts import Html, escape
from covey.report.page.evidence import alike
from covey.report.page.numbers import as_percent, factor, leakage, percent, quantity
from covey.report.two_laws import of_leakage
from covey.study.assessment import Assessment
from covey.words import NOTHING, shown, when


def verdict(found: Assessment) -> Html:
    """The answer first."""
    return Html(
        f'<section class="verdict" aria-label="Verdict"><p class="head">{_headline(found)}</p>'
        f"<p>{_interval(found)}</p><p>{_witness(found)}</p>{_remedy(found)}{_cautions(found)}"
        "</section>"
        f"{_figures(found)}"
    )


def _headline(found: Assessment) -> str:
    leak = found.leakage
    glance = f"One glance {escape(when(leak.at))}"
    if math.isinf(leak.value):
        return f"{glance} can settle which type a robot has."
    if leak.interval[1] < NOTHING:
        return f"{glance} says nothing about any robot's type."
    by = factor(leak.value, "leakage.value")
    if math.isinf(leak.interval[1]):
        if leak.value < NOTHING:
            return f"{glance} is not proved to tell a robot's type, nor that it tells nothing."
        return f"{glance} can shift the odds on a robot's type by a factor {by} or more."
    smoothed = ", smoothed" if leak.smoothing else ""
    return f"{glance} shifts the odds on any robot's type by at most a factor {by}{smoothed}."


def _interval(found: Assessment) -> str:
    leak = found.leakage
    low, high = leak.interval
    smoothed = ""
    if leak.smoothing:
        smoothed = (
            f" Every probability is smoothed by {leak.smoothing:g}, which makes the leakage look "
            "smaller than it is."
        )
    value = leakage(leak.value, "leakage.value")
    if math.isinf(leak.value):
        return (
            f"The leakage is {value}: no factor bounds the shift. With a probability of up to "
            f"{percent(_settled(found), 'profile.delta(inf)')} a glance shows something that is "
            f"possible for one of two teams only.{smoothed}"
        )
    named = quantity(low, f"{low:.9g}", "leakage.interval[0]")
    if math.isinf(high):
        return (
            f"The leakage, the logarithm of that factor, is certainly at least {named}. There is "
            "no upper bound, because observations with a probability of "
            f"{quantity(leak.lost_mass, f'{leak.lost_mass:.2g}', 'leakage.lost_mass')} in all were "
            f"left out of the computation.{smoothed}"
        )
    if high < NOTHING:
        return f"The leakage is {value}, and certainly at most {high:.1g}.{smoothed}"
    if f"{low:.9g}" == f"{high:.9g}":
        width = "leakage.interval[1] - leakage.interval[0]"
        return (
            "The leakage, the logarithm of that factor, is "
            f"{quantity(leak.value, f'{leak.value:.9g}', 'leakage.value')}, and certain to within "
            f"{quantity(high - low, f'{high - low:.3g}', width)}.{smoothed}"
        )
    return (
        f"The leakage, the logarithm of that factor, is {value}, and certainly between {named} "
        f"and {quantity(high, f'{high:.9g}', 'leakage.interval[1]')}.{smoothed}"
    )


def _witness(found: Assessment) -> str:
    pair = of_leakage(found.laws, found.leakage)
    told = pair.verdict
    if pair.marked is None:
        return f"{escape(told[0].upper() + told[1:])}."
    return f"Seeing <strong>{escape(shown(found.leakage.observation))}</strong> {escape(told)}."


def _remedy(found: Assessment) -> str:
    best = found.sensitivity.best(1) if found.sensitivity is not None else []
    if not best:
        return ""
    effect = best[0]
    change = f"<strong>{escape(effect.change.words)}</strong>"
    if not effect.after.bounded:
        right = (1 + effect.after.total_variation) / 2
        after = f"the best guess by one glance is then right {as_percent(right)} of the time"
    else:
        name = "sensitivity.best()[0].after.leakage"
        after = f"the factor is then {factor(effect.after.leakage, name)}"
    return f'<p>The single change that helps most is {change}: {after}. <a href="#do">More</a></p>'


def _cautions(found: Assessment) -> str:
    """What the scenario's author should know, and whoever reads the page instead."""
    said = [*map(str, found.scenario.cautions)]
    if found.trace is not None and found.leakage.at == "steady" and found.trace.limit is None:
        said.append(f"leakage over time does not settle there: {found.trace.why_no_limit}")
    return "".join(f"<p><strong>Worth a look:</strong> {escape(text)}.</p>" for text in said)


def _figures(found: Assessment) -> str:
    leak, tv = found.leakage, found.profile.total_variation
    most = found.exposed[0]
    settles = "of all glances are impossible for another team"
    if _settled(found) == 0:
        settles = "no observation settles it"
    elif _settled(found) <= 2 * leak.lost_mass:
        settles = "at most: left out of the computation"
    unbounded = math.isinf(leak.interval[1]) and math.isfinite(leak.value)
    shift = "or more: observations were left out" if unbounded else "for the worst observation"
    figures = (
        ("shift of the odds", factor(leak.value, "leakage.value"), shift),
        (
            "best guess is right",
            quantity((1 + tv) / 2, as_percent((1 + tv) / 2), "(1 + profile.total_variation) / 2"),
            "of two teams by one glance; a coin: 50 %",
        ),
        ("settled outright", percent(_settled(found), "profile.delta(inf)"), settles),
        (
            "most exposed",
            escape("all alike" if alike(found) else most.type),
            f"leakage {leakage(most.leakage, f'leakage.exposed[{most.type!r}]')}",
        ),
    )
    tiles = "".join(
        f"<div><dt>{title}</dt><dd>{value}<small>{note}</small></dd></div>"
        for title, value, note in figures
    )
    return f'<dl class="figures">{tiles}</dl>'


def _settled(found: Assessment) -> float:
    """The probability of what only one of two teams can show."""
    return found.profile.delta(math.inf)
