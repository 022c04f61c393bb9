"""From one setting to the best near it: steps of a linear program, each tried exactly.

A step is taken where the exact measures confirm enough of what the linear ones promised; else the
box around the setting shrinks. Where the step missed a floor because performance is curved, the
same box is tried once more with the floor raised by what was missed. What is kept has a margin of
1e-7 on the way, so that what comes out keeps it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from covey.errors import CoveyError
from covey.numbers import Floats
from covey.remedy.design.aims import MORE, Aims
from covey.remedy.design.evaluation import Evaluated, Evaluator, Setting
from covey.remedy.design.slopes import Slopes, slopes
from covey.remedy.design.step import bends_at, best_step, merit, violation
from covey.remedy.design.variables import Variable

_FIRST, _SMALLEST = 0.5, 1e-5  # half the width of the box: of rates, in powers of e
_MOST_STEPS = 60
_CONFIRMED, _WELL = 0.05, 0.6  # shares of the promised gain
_WORTH = 1e-6  # of the merit: less gain than that ends a search
_MARGIN = 1e-7
_FAR = 0.02  # aside, for the change of what is known with some noise

Said = Callable[[Evaluated], None]


def descend(
    evaluator: Evaluator,
    variables: Sequence[Variable],
    begin: Sequence[float],
    fixed: Mapping[str, Setting],
    aims: Aims,
    said: Said | None = None,
) -> Evaluated:
    """The best setting that steps from `begin` lead to; `fixed` is what does not move."""
    low, high = (np.array([v.place(getattr(v, end)) for v in variables]) for end in ("low", "high"))
    here = np.array([v.place(value) for v, value in zip(variables, begin, strict=True)])

    def settings(places: Floats) -> dict[str, Setting]:
        found = dict(fixed)
        for variable, place in zip(variables, places.tolist(), strict=True):
            found |= variable.settings(evaluator.scenario, variable.at(place))
        return found

    point = evaluator(settings(here))
    aims = _with_margin(aims, point)
    more = [name for name in aims.privacy if name in MORE]
    width = _FIRST
    for _ in range(_MOST_STEPS if variables else 0):
        if not math.isfinite(merit(point, aims)):  # nothing says in which direction it ends
            return point
        if said is not None:
            said(point)
        found = slopes(point, evaluator, variables)
        if more:
            aside = [(settings(place), by) for place, by in _aside(here, low, high)]
            found = _with_more(found, more, point, evaluator, aside)
        moved, bends = None, dict[str, float]()
        while width >= _SMALLEST:
            edges = np.maximum(low - here, -width), np.minimum(high - here, width)
            box = list(zip(*(edge.tolist() for edge in edges), strict=True))
            step = best_step(point, found, aims, box, bends)
            if step is None or step.gain <= _WORTH * max(merit(point, aims), 1e-3):
                return point
            moved = _tried(evaluator, settings(here + step.move))
            gain = -math.inf if moved is None else merit(point, aims) - merit(moved, aims)
            if gain >= _CONFIRMED * step.gain:
                here = here + step.move
                if gain > _WELL * step.gain and np.abs(step.move).max() > 0.99 * width:
                    width *= 2.0
                break
            if moved is not None and not bends and violation(moved, aims) > violation(point, aims):
                # What is kept is curved: once more, with the floor raised by what was missed.
                bends = bends_at(point, found, step.move, moved)
            else:
                bends, width = {}, 0.3 * min(width, float(np.abs(step.move).max()))
            moved = None
        if moved is None:
            return point
        point = moved
    return point


def _aside(here: Floats, low: Floats, high: Floats) -> list[tuple[Floats, float]]:
    """For every variable a place a little aside, inside its range, and how far that is."""
    found = []
    for i, value in enumerate(here.tolist()):
        there = here.copy()
        there[i] = value + _FAR if value + _FAR <= high[i] else max(value - _FAR, low[i])
        found.append((there, float(there[i]) - value))
    return found


def _with_more(
    found: Slopes,
    names: Sequence[str],
    point: Evaluated,
    evaluator: Evaluator,
    aside: Sequence[tuple[Mapping[str, Setting], float]],
) -> Slopes:
    """The slopes of the loss and of the stream's guess as well: differences of evaluations."""
    told = [(evaluator.more_of(settings), by) for settings, by in aside]
    slopes = {
        name: np.array([(more[name].value - getattr(point, name).value) / by for more, by in told])
        for name in names
    }
    return replace(found, measures={**found.measures, **slopes})


def _tried(evaluator: Evaluator, settings: Mapping[str, Setting]) -> Evaluated | None:
    """A setting, or None where it cannot be evaluated."""
    try:
        return evaluator(settings)
    except CoveyError:
        return None


def _with_margin(aims: Aims, point: Evaluated) -> Aims:
    """Room on the way; of a stream as much as other paths would differ, which judge the result."""
    told = point.stream_guess
    room = {"stream_guess": 0.25 * (told.upper - told.lower)} if told is not None else {}
    return replace(
        aims,
        floors={name: floor + _MARGIN * abs(floor) for name, floor in aims.floors.items()},
        caps={
            name: cap - _MARGIN * abs(cap) - room.get(name, 0.0) for name, cap in aims.caps.items()
        },
    )
