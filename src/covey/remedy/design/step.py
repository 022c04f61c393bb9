"""The next step of a search: a linear program over all that may become the worst.

Around a setting every ln p(y) and every measure is linear in the step d. The worst of many
outcomes, neighbours and directions is a kink, and stays one: each of them is a row,

    leakage            ± (ln p − ln q + (g_p − g_q) d) ≤ t             for every y and neighbour
    total variation    Σ_y u_y ≤ t,    u_y ≥ p − q + (p g_p − q g_q) d,    u_y ≥ 0
    ε at δ             Σ_y u_y ≤ δ,    the same with e^ε q for q, and t for ε

and the least t inside a box around d = 0 is where to go. What must hold and does not yet costs a
fine, so that there always is a step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array

from covey.numbers import Floats
from covey.privacy.snapshot.sensitivities import PairSlopes, smoothed
from covey.remedy.design.aims import Aims
from covey.remedy.design.evaluation import Evaluated
from covey.remedy.design.slopes import Slopes

FEASIBILITY_TOLERANCE = 1e-9  # relative: a floor that is missed by rounding alone is kept
_CANCELLED = 0.01


@dataclass(frozen=True)
class Step:
    """Where to go, and by how much the aim and what is fined are said to fall."""

    move: Floats  # (variables,)
    gain: float


def best_step(
    point: Evaluated,
    found: Slopes,
    aims: Aims,
    box: Sequence[tuple[float, float]],
    bends: Mapping[str, float],
) -> Step | None:
    """The best step inside a box, by what is linear; None where the program fails.

    `bends` are by how much measures of performance were more, at a step that was tried, than what
    is linear said.
    """
    rows = _Rows(len(box))
    for name in aims.privacy:
        level = rows.column(1.0 if name == aims.minimise else 0.0)
        if name in aims.caps:
            cap = aims.caps[name]
            over = rows.column(aims.fine / _size(cap))
            rows.add({level: 1.0, over: -1.0}, cap)
        if name in found.measures:  # a number of its own, and how it changes
            changes = dict(enumerate(found.measures[name]))
            rows.add({**changes, level: -1.0}, -point.privacy(name))
            continue
        _privacy_rows(rows, name, level, point, found.pairs, box)
    for name, floor in aims.floors.items():
        short = rows.column(aims.fine / _floor_size(point, name, floor))
        now, slope = point.performance[name], found.measures[name]
        spare = now - floor + bends.get(name, 0.0)
        rows.add({**dict(enumerate(-slope)), short: -1.0}, spare)
    cost = np.array(rows.cost)
    if aims.maximise is not None:
        cost[: len(box)] -= found.measures[aims.maximise] / aims.scale
    solved = rows.solve(cost, box)
    if solved is None:
        return None
    move = np.clip(solved[: len(box)], *np.array(box).T)
    return Step(move, merit(point, aims) - float(cost @ solved) - _constant(point, aims))


def bends_at(point: Evaluated, found: Slopes, move: Floats, tried: Evaluated) -> dict[str, float]:
    """By how much each measure of performance is more than what is linear says of a step."""
    now, then = point.performance, tried.performance
    return {
        name: then[name] - now[name] - float(slope @ move)
        for name, slope in found.measures.items()
        if name in now.measures
    }


def _constant(point: Evaluated, aims: Aims) -> float:
    return -point.performance[aims.maximise] / aims.scale if aims.maximise else 0.0


def merit(point: Evaluated, aims: Aims) -> float:
    """What a search makes smaller: the aim, and a fine for what does not hold."""
    return _aim(point, aims) + aims.fine * violation(point, aims)


def _aim(point: Evaluated, aims: Aims) -> float:
    if aims.minimise is not None:
        return point.privacy(aims.minimise)
    return _constant(point, aims)


def violation(point: Evaluated, aims: Aims) -> float:
    """By how much, relative to what it should be, something that must hold does not."""
    over = [max(point.privacy(name) - cap, 0.0) / _size(cap) for name, cap in aims.caps.items()]
    short = [
        max(floor - point.performance.measures[name].lower, 0.0) / _floor_size(point, name, floor)
        for name, floor in aims.floors.items()
    ]
    return sum(over) + sum(short)


def _size(value: float) -> float:
    return max(abs(value), 1e-9)


def _floor_size(point: Evaluated, name: str, floor: float) -> float:
    """Of a floor near 0, a share of what cancels in the measure: that is how well it is known."""
    return max(_size(floor), _CANCELLED * point.performance.measures[name].size)


def _privacy_rows(
    rows: _Rows,
    name: str,
    level: int,
    point: Evaluated,
    pairs: Sequence[PairSlopes],
    box: Sequence[tuple[float, float]],
) -> None:
    reach = np.abs(np.array(box)).max(axis=1)
    if name == "leakage" or (name == "epsilon" and not point.delta):
        smoothing = point.scenario.adversary.smoothing if name == "leakage" else 0.0
        _ratio_rows(rows, level, [smoothed(pair, smoothing) for pair in pairs], reach)
        return
    for pair in pairs:
        if name == "epsilon":
            now = point.privacy("epsilon")
            for one in (pair, pair.swapped):
                _excess_rows(rows, one, reach, level, now, point.delta)
        else:
            # guess = (1 + TV) / 2
            times, plus = (0.5, 0.5) if name == "guess" else (1.0, 0.0)
            _excess_rows(rows, pair, reach, level, None, -plus, times)


def _ratio_rows(rows: _Rows, level: int, pairs: Sequence[PairSlopes], reach: Floats) -> None:
    worst = 0.0
    kept = []
    for pair in pairs:
        both = np.isfinite(pair.log_p) & np.isfinite(pair.log_q)
        ratio = (pair.log_p - pair.log_q)[both]
        slope = (pair.slope_p - pair.slope_q)[:, both]
        move = reach @ np.abs(slope)
        worst = max(worst, float((np.abs(ratio) - move).max(initial=0.0)))
        kept.append((ratio, slope, move))
    for ratio, slope, move in kept:
        for i in np.flatnonzero(np.abs(ratio) + move >= worst):
            for sign in (1.0, -1.0):
                if sign * ratio[i] + move[i] >= worst:
                    row = dict(enumerate(sign * slope[:, i]))
                    rows.add({**row, level: -1.0}, -sign * float(ratio[i]))


def _excess_rows(
    rows: _Rows,
    pair: PairSlopes,
    reach: Floats,
    level: int,
    epsilon: float | None,
    allowed: float,
    times: float = 1.0,
) -> None:
    """Times × Σ (p − e^ε q)₊ ≤ t + allowed; for ε itself, ≤ allowed with ε = t."""
    value, slope, q = pair.excess(epsilon or 0.0)
    fall = q if epsilon is not None else np.zeros(len(q))
    move = reach @ np.abs(slope) + (0.5 * fall if epsilon is not None else 0.0)
    sure = value > move
    row: dict[int, float] = dict(enumerate(times * slope[:, sure].sum(axis=1)))
    total = times * float(value[sure].sum())
    if epsilon is None:
        row[level] = -1.0
    else:
        row[level] = -float(fall[sure].sum())
        total += float(fall[sure].sum()) * epsilon
    for i in np.flatnonzero(np.abs(value) <= move):
        extra = rows.column(0.0)
        row[extra] = times
        one: dict[int, float] = {**dict(enumerate(slope[:, i])), extra: -1.0}
        right = -float(value[i])
        if epsilon is not None:
            one[level] = -float(fall[i])
            right -= float(fall[i]) * epsilon
        rows.add(one, right)
    rows.add(row, allowed - total)


class _Rows:
    """Rows a'x ≤ b of a linear program whose columns grow: the step first, then what is ≥ 0."""

    def __init__(self, variables: int) -> None:
        self.cost = [0.0] * variables
        self.entries: list[tuple[int, int, float]] = []
        self.right: list[float] = []

    def column(self, cost: float) -> int:
        """A new column, not negative, and what a unit of it costs."""
        self.cost.append(cost)
        return len(self.cost) - 1

    def add(self, row: Mapping[int, float], right: float) -> None:
        """A new row."""
        number = len(self.right)
        self.entries += [(number, column, value) for column, value in row.items() if value]
        self.right.append(right)

    def solve(self, cost: Floats, box: Sequence[tuple[float, float]]) -> Floats | None:
        """The columns of the best point, or None."""
        shape = (len(self.right), len(self.cost))
        at = np.array([entry[:2] for entry in self.entries], dtype=np.intp).reshape(-1, 2).T
        values = np.array([entry[2] for entry in self.entries])
        matrix = coo_array((values, (at[0], at[1])), shape=shape).tocsr()
        bounds = [*box, *[(0.0, None)] * (shape[1] - len(box))]
        found = linprog(cost, A_ub=matrix, b_ub=self.right, bounds=bounds, method="highs")
        return np.asarray(found.x) if found.status == 0 else None
