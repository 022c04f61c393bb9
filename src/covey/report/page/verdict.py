"""The top of the report: what one glance gives away, in one sentence, and the figures behind it."""

from __future__ import annotations

import math

from markupsafe import Markup

from covey.report.page.evidence import alike
from covey.report.page.numbers import as_percent, factor, leakage, percent, quantity
from covey.report.page.rendering import render
from covey.report.two_laws import of_leakage
from covey.study.assessment import Assessment
from covey.words import NOTHING, shown, when


def verdict(found: Assessment) -> Markup:
    """The answer first."""
    return render(
        "verdict.html",
        headline=_headline(found),
        interval=_interval(found),
        witness=_witness(found),
        remedy=_remedy(found),
        cautions=_cautions(found),
        figures=_figures(found),
    )


def _headline(found: Assessment) -> str:
    leak = found.leakage
    glance = f"One glance {when(leak.at)}"
    if math.isinf(leak.value):
        return f"{glance} can settle which type a robot has."
    if leak.interval[1] < NOTHING:
        return f"{glance} says nothing about any robot's type."
    by = factor(leak.value, "leakage.value")
    if math.isinf(leak.interval[1]):
        if leak.value < NOTHING:
            return f"{glance} is not proved to tell a robot's type, nor that it tells nothing."
        return Markup("{} can shift the odds on a robot's type by a factor {} or more.").format(
            glance, by
        )
    smoothed = ", smoothed" if leak.smoothing else ""
    return Markup("{} shifts the odds on any robot's type by at most a factor {}{}.").format(
        glance, by, smoothed
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
        return Markup(
            "The leakage is {}: no factor bounds the shift. With a probability of up to {} a "
            "glance shows something that is possible for one of two teams only."
        ).format(value, percent(_settled(found), "profile.delta(inf)"))
    named = quantity(low, f"{low:.9g}", "leakage.interval[0]")
    if math.isinf(high):
        lost = quantity(leak.lost_mass, f"{leak.lost_mass:.2g}", "leakage.lost_mass")
        return Markup(
            "The leakage, the logarithm of that factor, is certainly at least {}. There is no "
            "upper bound, because observations with a probability of {} in all were left out of "
            "the computation."
        ).format(named, lost)
    if high < NOTHING:
        return Markup("The leakage is {}, and certainly at most {:.1g}.").format(value, high)
    if f"{low:.9g}" == f"{high:.9g}":
        width = "leakage.interval[1] - leakage.interval[0]"
        return Markup(
            "The leakage, the logarithm of that factor, is {}, and certain to within {}."
        ).format(
            quantity(leak.value, f"{leak.value:.9g}", "leakage.value"),
            quantity(high - low, f"{high - low:.3g}", width),
        )
    return Markup(
        "The leakage, the logarithm of that factor, is {}, and certainly between {} and {}."
    ).format(value, named, quantity(high, f"{high:.9g}", "leakage.interval[1]"))


def _witness(found: Assessment) -> str:
    pair = of_leakage(found.laws, found.leakage)
    told = pair.verdict
    if pair.marked is None:
        return f"{told[0].upper() + told[1:]}."
    return Markup("Seeing <strong>{}</strong> {}.").format(shown(found.leakage.observation), told)


def _remedy(found: Assessment) -> str:
    best = found.sensitivity.best(1) if found.sensitivity is not None else []
    if not best:
        return ""
    effect = best[0]
    if effect.after.bounded:
        name = "sensitivity.best()[0].after.leakage"
        after = Markup("the factor is then {}").format(factor(effect.after.leakage, name))
    else:
        right = as_percent((1 + effect.after.total_variation) / 2)
        after = Markup("the best guess by one glance is then right {} of the time").format(right)
    return Markup("The single change that helps most is <strong>{}</strong>: {}.").format(
        effect.change.words, after
    )


def _cautions(found: Assessment) -> list[str]:
    """What the scenario's author should know, and whoever reads the page instead."""
    said = [*map(str, found.scenario.cautions)]
    if found.trace is not None and found.leakage.at == "steady" and found.trace.limit is None:
        said.append(f"leakage over time does not settle there: {found.trace.why_no_limit}")
    return said


def _figures(found: Assessment) -> tuple[tuple[str, str, str], ...]:
    """Title, number and note of each."""
    leak, tv = found.leakage, found.profile.total_variation
    most = found.exposed[0]
    settles = "of all glances are impossible for another team"
    if _settled(found) == 0:
        settles = "no observation settles it"
    elif _settled(found) <= 2 * leak.lost_mass:
        settles = "at most: left out of the computation"
    unbounded = math.isinf(leak.interval[1]) and math.isfinite(leak.value)
    shift = "or more: observations were left out" if unbounded else "for the worst observation"
    exposed = leakage(most.leakage, f"leakage.exposed[{most.type!r}]")
    return (
        ("shift of the odds", factor(leak.value, "leakage.value"), shift),
        (
            "best guess is right",
            quantity((1 + tv) / 2, as_percent((1 + tv) / 2), "(1 + profile.total_variation) / 2"),
            "of two teams by one glance; a coin: 50 %",
        ),
        ("settled outright", percent(_settled(found), "profile.delta(inf)"), settles),
        (
            "most exposed",
            "all alike" if alike(found) else most.type,
            Markup("leakage {}").format(exposed),
        ),
    )


def _settled(found: Assessment) -> float:
    """The probability of what only one of two teams can show."""
    return found.profile.delta(math.inf)
