"""From one setting to the best near it: steps of a linear program, each tried exactly.

A step is taken where the exact measures confirm enough of what the linear ones promised; else the
box around the setting shrinks. Where the step missed a floor because performance is curved, the
same box is tried once more with the floor raised by what was missed. What is kept has a margin of
1e-7 on the way, so that what comes out keeps it. Where something does not hold in the end, the
penalty for it was too small beside what the objective gains: the search goes on from there with a
larger one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from covey.errors import CoveyError
from covey.model.performance import PRIVACY
from covey.numbers import Floats
from covey.remedy.design.evaluation import Evaluated, Evaluator, Setting
from covey.remedy.design.objective import Objective
from covey.remedy.design.sensitivities import Sensitivities, sensitivities
from covey.remedy.design.step import FEASIBILITY_TOLERANCE, bends_at, best_step, merit, violation
from covey.remedy.design.variables import Variable

_FIRST, _SMALLEST = 0.5, 1e-5  # half the width of the box: of rates, in powers of e
_MOST_STEPS = 60
_CONFIRMED, _WELL = 0.05, 0.6  # shares of the promised gain
_WORTH = 1e-6  # of the merit: less gain than that ends a search
_MARGIN = 1e-7
_HARDER = (1.0, 30.0, 900.0)  # times the penalty, for as long as something does not hold
_FAR = 0.02  # aside, for the change of what is known with some noise


class _Place(NamedTuple):
    """Where a search is on the scales of its variables, and what was found there."""

    at: Floats  # (variables,)
    point: Evaluated


def descend(
    evaluator: Evaluator,
    variables: Sequence[Variable],
    begin: Sequence[float],
    fixed: Mapping[str, Setting],
    objective: Objective,
) -> Evaluated:
    """The best setting that steps from `begin` lead to; `fixed` is what does not move."""

    def settings(places: Floats) -> dict[str, Setting]:
        found = dict(fixed)
        for variable, place in zip(variables, places.tolist(), strict=True):
            found |= variable.settings(evaluator.scenario, variable.at(place))
        return found

    at = np.array([v.place(value) for v, value in zip(variables, begin, strict=True)])
    here = _Place(at, evaluator(settings(at)))
    asked = _with_margin(objective, here.point)
    for harder in _HARDER if variables else ():
        if violation(here.point, objective) > FEASIBILITY_TOLERANCE or harder == 1.0:
            pressed = replace(asked, penalty=harder * asked.penalty)
            here = _nearby(evaluator, variables, here, settings, pressed)
    return here.point


def _nearby(
    evaluator: Evaluator,
    variables: Sequence[Variable],
    here: _Place,
    settings: Callable[[Floats], dict[str, Setting]],
    objective: Objective,
) -> _Place:
    """Where steps lead to, each of which is confirmed."""
    low, high = (np.array([v.place(getattr(v, end)) for v in variables]) for end in ("low", "high"))
    more = [name for name in objective.privacy if name not in PRIVACY]
    width = _FIRST
    for _ in range(_MOST_STEPS):
        at, point = here
        if not math.isfinite(merit(point, objective)):  # nothing says in which direction it ends
            return here
        found = sensitivities(point, evaluator, variables)
        if more:
            aside = [(settings(place), by) for place, by in _aside(at, low, high)]
            found = _with_more(found, more, point, evaluator, aside)
        there, bends, shut = None, dict[str, float](), np.zeros(len(at), dtype=np.bool_)
        while there is None and width >= _SMALLEST:
            edges = np.maximum(low - at, -width), np.where(shut, 0.0, np.minimum(high - at, width))
            box = list(zip(*(edge.tolist() for edge in edges), strict=True))
            step = best_step(point, found, objective, box, bends)
            if step is None or step.gain <= _WORTH * max(merit(point, objective), 1e-3):
                return here
            moved = _tried(evaluator, settings(at + step.move))
            gain = -math.inf if moved is None else merit(point, objective) - merit(moved, objective)
            if moved is not None and gain >= _CONFIRMED * step.gain:
                there = _Place(at + step.move, moved)
                if gain > _WELL * step.gain and np.abs(step.move).max() > 0.99 * width:
                    width *= 2.0
            elif (opened := _opened(variables, at, step.move) & ~shut).any():
                shut |= opened
            elif moved and not bends and violation(moved, objective) > violation(point, objective):
                # What is kept is curved: once more, with the floor raised by what was missed.
                bends = bends_at(point, found, step.move, moved)
            else:
                bends, width = {}, 0.3 * min(width, float(np.abs(step.move).max()))
        if there is None:
            return here
        here = there
    return here


def _opened(variables: Sequence[Variable], at: Floats, move: Floats) -> NDArray[np.bool_]:
    """Which throttles leave 0: what is impossible there has no sensitivity, and spoils others."""
    throttles = np.array([variable.kind == "throttle" for variable in variables])
    return np.asarray(throttles & (at == 0) & (move > 0))


def _aside(here: Floats, low: Floats, high: Floats) -> list[tuple[Floats, float]]:
    """For every variable a place a little aside, inside its range, and how far that is."""
    found = []
    for i, value in enumerate(here.tolist()):
        there = here.copy()
        there[i] = value + _FAR if value + _FAR <= high[i] else max(value - _FAR, low[i])
        found.append((there, float(there[i]) - value))
    return found


def _with_more(
    found: Sensitivities,
    names: Sequence[str],
    point: Evaluated,
    evaluator: Evaluator,
    aside: Sequence[tuple[Mapping[str, Setting], float]],
) -> Sensitivities:
    """Those of what has no derivatives as well: differences of evaluations."""
    moved = [(evaluator.more_of(settings), by) for settings, by in aside]
    now = {**vars(point), **point.also}
    sensitivities = {
        name: np.array([(more[name].value - now[name].value) / by for more, by in moved])
        for name in names
    }
    return replace(found, measures={**found.measures, **sensitivities})


def _tried(evaluator: Evaluator, settings: Mapping[str, Setting]) -> Evaluated | None:
    """A setting, or None where it cannot be evaluated."""
    try:
        return evaluator(settings)
    except CoveyError:
        return None


def _with_margin(objective: Objective, point: Evaluated) -> Objective:
    """Room on the way; of a stream as much as other paths would differ, which judge the result."""
    guess = point.stream_guess
    room = {"stream_guess": 0.25 * (guess.upper - guess.lower)} if guess is not None else {}
    return replace(
        objective,
        floors={name: floor + _MARGIN * abs(floor) for name, floor in objective.floors.items()},
        caps={
            name: cap - _MARGIN * abs(cap) - room.get(name, 0.0)
            for name, cap in objective.caps.items()
        },
    )
