"""The next step of a search: a linear program over all that may become the worst.

Around a setting every ln p(y) and every measure is linear in the step d. The worst of many
outcomes, neighbours and directions is a kink, and stays one: each of them is a row,

    leakage            ± (ln p − ln q + (g_p − g_q) d) ≤ t             for every y and neighbour
    total variation    Σ_y u_y ≤ t,    u_y ≥ p − q + (p g_p − q g_q) d,    u_y ≥ 0
    ε at δ             Σ_y u_y ≤ δ,    the same with e^ε q for q, and t for ε

and the least t inside a box around d = 0 is where to go. What must hold and does not yet costs a
penalty, so that there always is a step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array

from covey.numbers import Floats
from covey.privacy.snapshot.sensitivities import PairSensitivities, smoothed
from covey.remedy.design.evaluation import Evaluated
from covey.remedy.design.objective import Objective
from covey.remedy.design.sensitivities import Sensitivities

FEASIBILITY_TOLERANCE = 1e-9  # relative: a floor that is missed by rounding alone is kept
_CANCELLED = 0.01


@dataclass(frozen=True)
class Step:
    """Where to go, and by how much the objective and what is penalised are said to fall."""

    move: Floats  # (variables,)
    gain: float


def best_step(
    point: Evaluated,
    found: Sensitivities,
    objective: Objective,
    box: Sequence[tuple[float, float]],
    bends: Mapping[str, float],
) -> Step | None:
    """The best step inside a box, by what is linear; None where the program fails.

    `bends` are by how much measures of performance were more, at a step that was tried, than what
    is linear said.
    """
    rows = _Rows(box)
    for name in objective.privacy:
        level = rows.column(1.0 if name == objective.minimise else 0.0)
        if name in objective.caps:
            cap = objective.caps[name]
            over = rows.column(objective.penalty / _size(cap))
            rows.add({level: 1.0, over: -1.0}, cap)
        if name in found.measures:  # a number of its own, and how it changes
            changes = dict(enumerate(found.measures[name]))
            rows.add({**changes, level: -1.0}, -point.privacy(name))
            continue
        _privacy_rows(rows, name, level, point, found.pairs)
    for name, floor in objective.floors.items():
        short = rows.column(objective.penalty / _floor_size(point, name, floor))
        now, sensitivity = point.performance[name], found.measures[name]
        spare = now - floor + bends.get(name, 0.0)
        rows.add({**dict(enumerate(-sensitivity)), short: -1.0}, spare)
    cost = np.array(rows.cost)
    if objective.maximise is not None:
        cost[: len(box)] -= found.measures[objective.maximise] / objective.scale
    solved = rows.solve(cost)
    if solved is None:
        return None
    move = np.clip(solved[: len(box)], *np.array(box).T)
    return Step(move, merit(point, objective) - float(cost @ solved) - _constant(point, objective))


def bends_at(
    point: Evaluated, found: Sensitivities, move: Floats, tried: Evaluated
) -> dict[str, float]:
    """By how much each measure of performance is more than what is linear says of a step."""
    now, then = point.performance, tried.performance
    return {
        name: then[name] - now[name] - float(sensitivity @ move)
        for name, sensitivity in found.measures.items()
        if name in now.measures
    }


def _constant(point: Evaluated, objective: Objective) -> float:
    return -point.performance[objective.maximise] / objective.scale if objective.maximise else 0.0


def merit(point: Evaluated, objective: Objective) -> float:
    """What a search makes smaller: the objective, and a penalty for what does not hold."""
    return _objective(point, objective) + objective.penalty * violation(point, objective)


def _objective(point: Evaluated, objective: Objective) -> float:
    if objective.minimise is not None:
        return point.privacy(objective.minimise)
    return _constant(point, objective)


def violation(point: Evaluated, objective: Objective) -> float:
    """By how much, relative to what it should be, something that must hold does not."""
    over = [
        max(point.privacy(name) - cap, 0.0) / _size(cap) for name, cap in objective.caps.items()
    ]
    short = [
        max(floor - point.performance.measures[name].lower, 0.0) / _floor_size(point, name, floor)
        for name, floor in objective.floors.items()
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
    pairs: Sequence[PairSensitivities],
) -> None:
    if name == "leakage" or (name == "epsilon" and not point.delta):
        smoothing = point.scenario.adversary.smoothing if name == "leakage" else 0.0
        _ratio_rows(rows, level, [smoothed(pair, smoothing) for pair in pairs])
        return
    for pair in pairs:
        if name == "epsilon":
            now = point.privacy("epsilon")
            for one in (pair, pair.swapped):
                _excess_rows(rows, one, level, now, point.delta)
        else:
            # guess = (1 + TV) / 2
            times, plus = (0.5, 0.5) if name == "guess" else (1.0, 0.0)
            _excess_rows(rows, pair, level, None, -plus, times)


def _ratio_rows(rows: _Rows, level: int, pairs: Sequence[PairSensitivities]) -> None:
    worst = 0.0
    kept = []
    for pair in pairs:
        both = np.isfinite(pair.log_p) & np.isfinite(pair.log_q)
        ratio = (pair.log_p - pair.log_q)[both]
        sensitivity = (pair.sensitivity_p - pair.sensitivity_q)[:, both]
        move = rows.reach @ np.abs(sensitivity)
        worst = max(worst, float((np.abs(ratio) - move).max(initial=0.0)))
        kept.append((ratio, sensitivity, move))
    for ratio, sensitivity, move in kept:
        for i in np.flatnonzero(np.abs(ratio) + move >= worst):
            for sign in (1.0, -1.0):
                if sign * ratio[i] + move[i] >= worst:
                    row = dict(enumerate(sign * sensitivity[:, i]))
                    rows.add({**row, level: -1.0}, -sign * float(ratio[i]))


def _excess_rows(
    rows: _Rows,
    pair: PairSensitivities,
    level: int,
    epsilon: float | None,
    allowed: float,
    times: float = 1.0,
) -> None:
    """`times × Σ (p − e^ε q)₊ ≤ t + allowed`; for ε itself, ≤ allowed with ε = t."""
    value, sensitivity, q = pair.excess(epsilon or 0.0)
    fall = q if epsilon is not None else np.zeros(len(q))
    move = rows.reach @ np.abs(sensitivity) + (0.5 * fall if epsilon is not None else 0.0)
    sure = value > move
    row: dict[int, float] = dict(enumerate(times * sensitivity[:, sure].sum(axis=1)))
    total = times * float(value[sure].sum())
    if epsilon is None:
        row[level] = -1.0
    else:
        row[level] = -float(fall[sure].sum())
        total += float(fall[sure].sum()) * epsilon
    for i in np.flatnonzero(np.abs(value) <= move):
        extra = rows.column(0.0)
        row[extra] = times
        one: dict[int, float] = {**dict(enumerate(sensitivity[:, i])), extra: -1.0}
        right = -float(value[i])
        if epsilon is not None:
            one[level] = -float(fall[i])
            right -= float(fall[i]) * epsilon
        rows.add(one, right)
    rows.add(row, allowed - total)


class _Rows:
    """Rows a'x ≤ b of a linear program: the step in its box, then more columns that are ≥ 0."""

    def __init__(self, box: Sequence[tuple[float, float]]) -> None:
        self.box = box
        self.reach: Floats = np.abs(np.array(box)).max(axis=1)  # of the step: (variables,)
        self.cost = [0.0] * len(box)
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

    def solve(self, cost: Floats) -> Floats | None:
        """The columns of the best point, or None."""
        shape = (len(self.right), len(self.cost))
        at = np.array([entry[:2] for entry in self.entries], dtype=np.intp).reshape(-1, 2).T
        values = np.array([entry[2] for entry in self.entries])
        matrix = coo_array((values, (at[0], at[1])), shape=shape).tocsr()
        bounds = [*self.box, *[(0.0, None)] * (shape[1] - len(self.box))]
        found = linprog(cost, A_ub=matrix, b_ub=self.right, bounds=bounds, method="highs")
        return np.asarray(found.x) if found.status == 0 else None
