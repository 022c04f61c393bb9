"""What moves the leakage, and the single changes that help most."""

from __future__ import annotations

import math

from covey.report.html_parts import Html, escape
from covey.report.page.numbers import as_percent, factor, leakage, quantity
from covey.study.assessment import Assessment
from covey.study.sensitivity import Effect, Sensitivity

_MOST_ROWS = 16


def best_changes(found: Assessment) -> Html:
    """The three single changes that help most, each with its numbers."""
    moves = found.sensitivity
    if moves is None:
        return Html(f"<p>Not computed: {escape(found.missing['sensitivity'])}.</p>")
    best = moves.best()
    if not best:
        return Html(
            f"<p>None of {len(moves.effects)} single changes ({_tried(moves)}) lowers what is "
            "given away by as much as a hundredth.</p>"
        )
    items = "".join(
        f"<li><p><strong>{escape(_imperative(effect))}</strong></p>"
        f"<p>{_outcome(moves, effect, f'sensitivity.best()[{i}].after')}{_same(moves, effect)}</p>"
        "</li>"
        for i, effect in enumerate(best)
    )
    endless = not (moves.before.bounded or any(effect.after.bounded for effect in best))
    none = " None of them puts a bound on the leakage." if endless else ""
    return Html(
        f"<p>Of {len(moves.effects)} single changes that were tried, these lower what is given "
        f"away most.{none} Each is computed as the verdict is.</p>"
        f'<ol class="changes">{items}</ol>'
    )


def _tried(moves: Sensitivity) -> str:
    """What kinds of changes there were, in words."""
    words = {
        "rate": "rates halved and doubled",
        "count": "one robot or resource more or fewer",
        "release": "coarser releases",
    }
    kinds = dict.fromkeys(effect.change.kind for effect in moves.effects)
    return ", ".join(words[kind] for kind in kinds)


def _same(moves: Sensitivity, effect: Effect) -> str:
    """Other changes that would do as well, for whoever cannot make this one."""
    others = [escape(other.change.words) for other in moves.like(effect)]
    return f" The same: {'; '.join(others[:4])}." if others else ""


def _imperative(effect: Effect) -> str:
    change = effect.change
    if change.kind == "release":
        return change.words[0].upper() + change.words[1:]
    if change.kind == "rate":
        return f"{'Raise' if change.direction > 0 else 'Lower'} the rate {change.words}"
    name, _, counts = change.words.rpartition(": ")
    return f"One {name} {'more' if change.direction > 0 else 'fewer'}: {counts}"


def _outcome(moves: Sensitivity, effect: Effect, name: str) -> str:
    before, after = moves.before, effect.after
    right, then = (as_percent((1 + found.total_variation) / 2) for found in (before, after))
    guess = f"the best guess is right {_tv(after.total_variation, then, name)} of the time"
    if not after.bounded:
        stays = "is still infinite" if math.isinf(after.leakage) else "has no upper bound"
        return f"The leakage {stays}, but {guess} instead of {right}."
    if not before.bounded and math.isfinite(before.leakage):
        return (
            f"The odds shift by at most a factor {factor(after.leakage, f'{name}.leakage')}, where "
            f"now nothing bounds them; {guess} instead of {right}."
        )
    if after.total_variation > before.total_variation:
        guess = f"but {guess}"
    return (
        f"The odds shift by at most a factor {factor(after.leakage, f'{name}.leakage')} instead of "
        f"{factor(before.leakage, 'leakage.value')} (leakage "
        f"{leakage(after.leakage, f'{name}.leakage')}); {guess} instead of {right}."
    )


def _tv(value: float, text: str, name: str) -> Html:
    return quantity((1 + value) / 2, text, f"(1 + {name}.total_variation) / 2")


def sensitivities(found: Assessment) -> Html:
    """How leakage moves with every rate, count and release."""
    moves = found.sensitivity
    if moves is None:
        return Html(f"<p>Not computed: {escape(found.missing['sensitivity'])}.</p>")
    by_leakage = moves.before.bounded
    what = "leakage" if by_leakage else "total variation"
    shifts = [abs(_shift(moves, effect, by_leakage)) for effect in moves.effects]
    ordered = sorted(range(len(shifts)), key=lambda i: -shifts[i])
    scale = max((shift for shift in shifts if math.isfinite(shift)), default=0.0)
    rows = [_row(moves, i, by_leakage, scale) for i in ordered]
    now = _measure(moves.before.leakage, moves.before.total_variation, by_leakage)
    name = "leakage.value" if by_leakage else "profile.total_variation"
    endless = "is infinite" if math.isinf(moves.before.leakage) else "has no upper bound"
    why = f" Leakage {endless}, so the total variation is shown." if not by_leakage else ""
    rest = (
        f"<details><summary>{len(rows) - _MOST_ROWS} more, which move it less</summary>"
        f"{_table(rows[_MOST_ROWS:], what)}</details>"
        if len(rows) > _MOST_ROWS
        else ""
    )
    return Html(
        f"<p>One thing is changed at a time, and everything computed anew ({_tried(moves)}). Now "
        f"the {what} is "
        f"{leakage(now, name)}.{why} Bars to the left are better, to the right worse.</p>"
        f"{_table(rows[:_MOST_ROWS], what)}{rest}"
    )


def _table(rows: list[str], what: str) -> str:
    return (
        '<div class="scroll"><table><thead><tr><th>change</th>'
        '<th class="swing">better · worse</th>'
        f'<th class="number">{what}</th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def _row(moves: Sensitivity, place: int, by_leakage: bool, scale: float) -> str:
    effect = moves.effects[place]
    after = effect.after
    words = f'<td class="name">{escape(effect.change.words)}</td>'
    if after.why:
        return f'<tr>{words}<td colspan="2" class="small">{escape(after.why)}</td></tr>'
    shift = _shift(moves, effect, by_leakage)
    width = 50 * min(abs(shift) / scale, 1.0) if scale > 0 and not math.isinf(shift) else 50.0
    side = "worse" if shift > 0 else "better"
    bar = f'<i class="{side}" style="width:{width:.2f}%"></i>' if shift else ""
    value = _measure(after.leakage, after.total_variation, by_leakage)
    name = f"sensitivity.effects[{place}].after.{'leakage' if by_leakage else 'total_variation'}"
    return (
        f'<tr>{words}<td class="swing">{bar}</td>'
        f'<td class="number">{leakage(value, name)}</td></tr>'
    )


def _shift(moves: Sensitivity, effect: Effect, by_leakage: bool) -> float:
    """By how much what is given away grows; 0 where that is only rounding or not known."""
    if effect.after.why:
        return 0.0
    now = _measure(moves.before.leakage, moves.before.total_variation, by_leakage)
    then = _measure(effect.after.leakage, effect.after.total_variation, by_leakage)
    return 0.0 if math.isclose(now, then, rel_tol=1e-9, abs_tol=1e-12) else then - now


def _measure(leak: float, total_variation: float, by_leakage: bool) -> float:
    return leak if by_leakage else total_variation
