"""The parts of a design: a start of the rates for each choice of the counts.

A task is computed by itself, in whatever process, and what it finds is a setting: small enough for
a journal, and evaluated again by whoever reads it.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.errors import CoveyError, InputError, shown
from covey.files.journal import Record
from covey.model.scenario import Scenario
from covey.model.varied import value_of
from covey.numbers import to_float
from covey.remedy.design.descent import descend
from covey.remedy.design.evaluation import Evaluator, Setting
from covey.remedy.design.objective import MORE, Objective
from covey.remedy.design.step import merit, violation
from covey.remedy.design.variables import COUNTED, Variable

FIELDS = {"value": float, "held": float, "settings": str, "evaluations": int, "error": str}

_MOST_LISTED = 1_000_000  # choices of counts
_PRICE = re.compile(r"\s*(?:(?P<price>[0-9.]+)\s*\*?\s*)?(?P<name>[a-z]+\.\S+)\s*")


@dataclass(frozen=True)
class Task:
    """One descent."""

    scenario: Scenario
    variables: tuple[Variable, ...]  # of rates
    begin: tuple[float, ...]
    fixed: tuple[tuple[str, Setting], ...]  # counts, and what is published
    objective: Objective
    limits: Limits


def solve(task: Task) -> Record:
    """The setting that a task leads to; or why there is none."""
    solver = Solver(task.scenario.network, task.limits)
    more = [name for name in task.objective.privacy if name in MORE]
    asked = task.objective
    evaluator = Evaluator(task.scenario, solver, asked.delta, more, also=asked.also)
    try:
        found = descend(evaluator, task.variables, task.begin, dict(task.fixed), task.objective)
    except CoveyError as error:
        return {"error": error.message, "evaluations": evaluator.evaluations}
    return {
        "value": merit(found, task.objective),
        "held": violation(found, task.objective),
        "settings": json.dumps(dict(found.settings)),
        "evaluations": evaluator.evaluations,
    }


def begins(
    scenario: Scenario, variables: Sequence[Variable], starts: int, seed: int
) -> list[tuple[float, ...]]:
    """Where descents begin: as things are now, then spread over the ranges; always the same."""
    found = [tuple(variable.now(scenario) for variable in variables)]
    if not variables or starts <= 1:
        return found
    from scipy.stats import qmc  # noqa: PLC0415  (takes half a second)

    low, high = (np.array([v.place(getattr(v, end)) for v in variables]) for end in ("low", "high"))
    power = (starts - 2).bit_length()
    spread = qmc.Sobol(len(variables), seed=seed).random_base2(power)[: starts - 1]
    places = (low + spread * (high - low)).tolist()
    return found + [tuple(v.at(x) for v, x in zip(variables, row, strict=True)) for row in places]


@dataclass(frozen=True)
class Budget:
    """What counts may cost together: Σ price × count ≤ most."""

    prices: tuple[tuple[str, float], ...]
    most: float

    @classmethod
    def parse(cls, text: str) -> Budget:
        """Such as `3 types.picker + resources.dock <= 20`."""
        left, sign, right = text.partition("<=")
        prices = []
        for part in left.split("+"):
            match = _PRICE.fullmatch(part)
            if match is None or not sign:
                raise InputError(
                    f"{shown(text)}: a sum and the most that it may be are expected, as "
                    '"3 types.picker + resources.dock <= 20"'
                )
            if match["name"].partition(".")[0] not in COUNTED:
                raise InputError(
                    f"{match['name']} in {shown(text)} is no count: a budget is for names in "
                    f"{', '.join(COUNTED)}"
                )
            prices.append((match["name"], _number(match["price"] or "1", text)))
        return cls(tuple(prices), _number(right, text))

    def allows(self, scenario: Scenario, counts: Mapping[str, Setting]) -> bool:
        """Whether a choice of counts is within it."""
        parts = (
            price * float(counts.get(n, value_of(scenario.numbers, n))) for n, price in self.prices
        )
        return sum(parts) <= self.most + 1e-9


def _number(word: str, text: str) -> float:
    number = to_float(word)
    if not math.isfinite(number):
        raise InputError(f"{shown(word.strip())} in {shown(text)}: a number is expected")
    return number


def choices(
    scenario: Scenario, counts: Sequence[Variable], budgets: Iterable[Budget], most: int
) -> tuple[list[tuple[tuple[str, Setting], ...]], int]:
    """The choices of counts to try, the nearest to now first, and how many there are in all."""
    budgets = list(budgets)
    total = math.prod(variable.count for variable in counts)
    if total > _MOST_LISTED:
        many = f"{total:,}" if total < 1e15 else f"{total:.0e}"
        raise InputError(f"{many} choices of counts: narrow their ranges below a million")
    ranges = [variable.options for variable in counts]
    names = [variable.names[0] for variable in counts]
    away = [{option: v.away(scenario, option) for option in v.options} for v in counts]
    allowed = [
        choice
        for choice in itertools.product(*ranges)
        if all(b.allows(scenario, dict(zip(names, choice, strict=True))) for b in budgets)
    ]
    if not allowed:
        raise InputError("no choice of counts is within the ranges and the budget")
    allowed.sort(key=lambda choice: sum(far[one] for far, one in zip(away, choice, strict=True)))
    found = [tuple(zip(names, choice, strict=True)) for choice in allowed[:most]]
    return found, len(allowed)
