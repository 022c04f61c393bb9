"""What moves the leakage, and the single changes that help most."""

from __future__ import annotations

import math

from markupsafe import Markup

from covey.remedy.design.design import Design
from covey.report.page.numbers import as_percent, factor, leakage, percent, quantity
from covey.report.page.rendering import render
from covey.study.assessment import Assessment
from covey.study.sensitivity.sensitivity import Effect, Sensitivity, instead_of

_MOST_ROWS = 16


def best_changes(found: Assessment) -> Markup:
    """First a design that keeps the performance, then the three best single changes."""
    moves = found.sensitivity
    if moves is None:
        return _not_computed(found)
    best = moves.best()
    changes = [
        {
            "imperative": _imperative(effect),
            "outcome": _outcome(moves, effect, f"sensitivity.best()[{i}].after"),
            "achieved": _achieved(moves, effect, f"sensitivity.best()[{i}].after"),
            # for whoever cannot make this one
            "same": [other.change.words for other in moves.like(effect)][:4],
        }
        for i, effect in enumerate(best)
    ]
    return render(
        "changes.html",
        target=_target(found),
        chosen=bool(found.scenario.vary),
        streams=found.scenario.release.is_stream,
        keeping=bool(moves.before.performance and best and moves.keeps(best[0])),
        design=_design(found),
        why_no_design=found.missing.get("design", ""),
        tried=len(moves.effects),
        kinds=_tried(moves),
        changes=changes,
        endless=not (moves.before.bounded or any(effect.after.bounded for effect in best)),
    )


def _target(found: Assessment) -> dict[str, object] | None:
    """What it takes to meet a target; None where there is none."""
    steps, moves = found.shortest, found.sensitivity
    if steps is None or moves is None:
        return None
    design, caps = found.design, steps.target.items()
    within = design is not None and all(design.after.privacy(name) <= cap for name, cap in caps)
    return {
        "wanted": " and ".join(_wanted(name, cap) for name, cap in caps),
        "met": steps.met,
        "design": within,
        "tried": [
            f"{count:,} lists of {length}" if length > 1 else f"{count:,} single changes"
            for length, count in enumerate(steps.tried, start=1)
        ],
        "steps": [
            {
                "imperative": _imperative(effect),
                "outcome": _capital(_guess(moves, effect, f"shortest.effects[{i}].after")),
            }
            for i, effect in enumerate(steps.effects)
        ],
        "leak": leakage(steps.after.leakage, "shortest.after.leakage"),
        "kept": [
            (name, f"{moves.before.performance[name]:.4g}", f"{value:.4g}")
            for name, value in steps.after.performance.items()
        ],
    }


def _wanted(name: str, cap: float) -> str:
    if name == "guess":
        return f"the best guess is to be right at most {as_percent(cap, 'up')} of the time"
    return f"the {name.replace('_', ' ')} is to be at most {cap:g}"


def _design(found: Assessment) -> dict[str, object] | None:
    """The sentence of a design, and a row for every setting; None where none helps."""
    design = found.design
    if design is None or design.scenario == design.before.scenario:
        return None
    before, after = design.before, design.after
    kept = [
        _instead(name, one.value, before.performance[name], f"design.after.performance['{name}']")
        for name, one in after.performance.measures.items()
    ]
    return {
        "raises": design.raises_stream,
        "sentence": Markup(
            "{}, the best guess by one snapshot is right {} of the time instead of {}{}, and the "
            "team achieves at least as much: {}."
        ).format(
            "At the settings below, which are in the ranges of [design]"
            if found.scenario.vary
            else "At the rates below, none more than a factor 2 from now",
            percent(after.privacy("guess"), "design.after.privacy('guess')"),
            percent(before.privacy("guess"), "design.before.privacy('guess')"),
            _day(design),
            Markup(", ").join(kept),
        ),
        "why_no_stream": design.why_no_stream,
        "rows": [
            (
                name.removeprefix("rates."),
                f"{before.scenario.numbers[name]:.4g}",
                quantity(value, f"{value:.4g}", f"design.values['{name}']"),
            )
            for name, value in design.values.items()
        ],
    }


def _instead(name: str, then: float, now: float, expression: str) -> Markup:
    """What becomes of a measure of performance."""
    figure = quantity(then, f"{then:.3g}", expression)
    words = instead_of(now, then).replace("(-", "(−")
    return Markup("{} {}{}").format(name, figure, words)


def _day(design: Design) -> Markup:
    """What becomes of all that [release] publishes, where it has a stream that was judged."""
    if design.after.stream_guess is None:
        return Markup()
    then, now = (
        percent(one.privacy("stream_guess"), f"design.{name}.privacy('stream_guess')", "up")
        for name, one in (("after", design.after), ("before", design.before))
    )
    return Markup(", after all that [release] publishes at most {} instead of {}{}").format(
        then, now, design.after.sure
    )


def _not_computed(found: Assessment) -> Markup:
    return Markup("<p>Not computed: {}.</p>").format(found.missing["sensitivity"])


def _tried(moves: Sensitivity) -> str:
    """What kinds of changes there were, in words."""
    words = {
        "rate": "rates halved and doubled",
        "count": "one robot or resource more or fewer",
        "release": "coarser releases",
    }
    kinds = dict.fromkeys(effect.change.kind for effect in moves.effects)
    return ", ".join(words[kind] for kind in kinds)


def _imperative(effect: Effect) -> str:
    change = effect.change
    if change.kind == "release":
        return change.words[0].upper() + change.words[1:]
    if change.kind == "rate":
        return f"{'Raise' if change.direction > 0 else 'Lower'} the rate {change.words}"
    name, _, counts = change.words.rpartition(": ")
    return f"One {name} {'more' if change.direction > 0 else 'fewer'}: {counts}"


def _outcome(moves: Sensitivity, effect: Effect, name: str) -> Markup:
    before, after = moves.before, effect.after
    guess = _guess(moves, effect, name)
    if not after.bounded:
        if not before.bounded:  # said once, above the list
            return Markup("{}.").format(_capital(guess))
        stays = "is then infinite" if math.isinf(after.leakage) else "has no upper bound then"
        return Markup("{}. The leakage {}.").format(_capital(guess), stays)
    by = factor(after.interval[1], f"{name}.interval[1]", "up")
    if not before.bounded and math.isfinite(before.leakage):
        return Markup(
            "The odds shift by at most a factor {}, where now nothing bounds them; {}."
        ).format(by, guess)
    return Markup("The odds shift by at most a factor {} instead of {} (leakage {}); {}{}.").format(
        by,
        factor(before.leakage, "leakage.value"),
        leakage(after.leakage, f"{name}.leakage"),
        "but " if after.total_variation > before.total_variation else "",
        guess,
    )


def _guess(moves: Sensitivity, effect: Effect, name: str) -> Markup:
    """What becomes of the best guess; where that cannot be seen, that it stays."""
    right, then = as_percent(moves.before.bayes_success), as_percent(effect.after.bayes_success)
    figure = quantity(effect.after.bayes_success, then, f"{name}.bayes_success")
    if right == then:
        return Markup("the best guess stays right {} of the time").format(figure)
    return Markup("the best guess is right {} of the time instead of {}").format(figure, right)


def _achieved(moves: Sensitivity, effect: Effect, name: str) -> Markup:
    """What becomes of every measure of performance; nothing where there is none."""
    now = moves.before.performance
    parts = [
        _instead(own, then, now[own], f"{name}.performance['{own}']")
        for own, then in effect.after.performance.items()
    ]
    return Markup(", ").join(parts)


def _capital(text: Markup) -> Markup:
    return text[:1].upper() + text[1:]


def sensitivities(found: Assessment) -> Markup:
    """How leakage moves with every rate, count and release."""
    moves = found.sensitivity
    if moves is None:
        return _not_computed(found)
    by_leakage = moves.before.bounded and moves.by_leakage
    shifts = [abs(_shift(moves, effect, by_leakage)) for effect in moves.effects]
    ordered = sorted(range(len(shifts)), key=lambda i: -shifts[i])
    scale = max((shift for shift in shifts if math.isfinite(shift)), default=0.0)
    rows = [_row(moves, i, by_leakage, scale) for i in ordered]
    now = _measure(moves.before.leakage, moves.before.total_variation, by_leakage)
    endless = "is infinite" if math.isinf(moves.before.leakage) else "has no upper bound"
    if moves.before.bounded:
        endless = "is that of a case rarer than one in 1e9"
    return render(
        "moves.html",
        kinds=_tried(moves),
        what="leakage" if by_leakage else "total variation",
        now=leakage(now, "leakage.value" if by_leakage else "profile.total_variation"),
        why="" if by_leakage else f"Leakage {endless}, so the total variation is shown.",
        first=rows[:_MOST_ROWS],
        rest=rows[_MOST_ROWS:],
    )


def _row(moves: Sensitivity, place: int, by_leakage: bool, scale: float) -> dict[str, str]:
    """A change, and the bar and the number of what it does, or why there are none."""
    effect = moves.effects[place]
    after = effect.after
    shift = _shift(moves, effect, by_leakage)
    width = 50 * min(abs(shift) / scale, 1.0) if scale > 0 and not math.isinf(shift) else 50.0
    value = _measure(after.leakage, after.total_variation, by_leakage)
    name = f"sensitivity.effects[{place}].after.{'leakage' if by_leakage else 'total_variation'}"
    return {
        "words": effect.change.words,
        "why": after.why,
        "side": ("worse" if shift > 0 else "better") if shift else "",
        "width": f"{width:.2f}",
        "value": leakage(value, name),
    }


def _shift(moves: Sensitivity, effect: Effect, by_leakage: bool) -> float:
    """By how much what is given away grows; 0 where that is only rounding or not known."""
    if effect.after.why:
        return 0.0
    now = _measure(moves.before.leakage, moves.before.total_variation, by_leakage)
    then = _measure(effect.after.leakage, effect.after.total_variation, by_leakage)
    return 0.0 if math.isclose(now, then, rel_tol=1e-9, abs_tol=1e-12) else then - now


def _measure(leak: float, total_variation: float, by_leakage: bool) -> float:
    return leak if by_leakage else total_variation
