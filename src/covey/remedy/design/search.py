"""All descents of a design: from every start, for every choice of what does not move.

Along a front the same is asked at several floors: each level has a descent from the settings at
both ends, for the choices that came out best there and in the search before. Where nothing moves
there are no descents: every choice is evaluated, and the front is what none of the others beats.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from covey.errors import UnsupportedError
from covey.files.journal import Record
from covey.model.frozen import FrozenMap
from covey.remedy.design.evaluation import Evaluated, Evaluator, Setting
from covey.remedy.design.objective import Objective
from covey.remedy.design.problem import DesignProblem
from covey.remedy.design.step import FEASIBILITY_TOLERANCE, merit, violation
from covey.remedy.design.tasks import Task, begins, choices
from covey.remedy.design.variables import Variable, said_now
from covey.remedy.design.work import Work

_MOST_CHOICES = 64  # of counts, and of what is published
_ALONG = 4  # choices of each search that a front goes on with

Fixed = tuple[tuple[str, Setting], ...]
Begin = tuple[float, ...]


class Search:
    """All tasks of a design, and what is best of what they find."""

    def __init__(self, problem: DesignProblem, evaluator: Evaluator, before: Evaluated) -> None:
        self.problem, self.evaluator, self.before = problem, evaluator, before
        scenario, variables = problem.scenario, problem.variables
        self.rates = tuple(v for v in variables if v.moves)
        counts = [v for v in variables if not v.moves]
        self.fixed, self.total = choices(scenario, counts, problem.budgets, _MOST_CHOICES)
        self.begins = begins(scenario, self.rates, problem.starts, problem.seed)
        self.tried = len(self.fixed)
        self.evaluations = evaluator.evaluations
        self.found: list[Record] = []  # of the search, the best first

    def tasks(
        self,
        objective: Objective,
        fixed: Iterable[Fixed] | None = None,
        places: Iterable[Begin] = (),
    ) -> list[Task]:
        """A descent from every place, by default every start, for every choice."""
        scenario, limits = self.problem.scenario, self.evaluator.solver.limits
        places = list(dict.fromkeys(places)) or self.begins
        return [
            Task(scenario, self.rates, begin, choice, objective, limits)
            for choice in (self.fixed if fixed is None else fixed)
            for begin in places
        ]

    def best(self, work: Work) -> Evaluated:
        """The best of what is found, evaluated here; or the scenario as it is, if that may be."""
        objective, later = self.problem.objective, self.problem.front if self.rates else 0
        records = self._answers(work, self.tasks(objective), later)
        found = self._evaluated(records[0])
        self.found = records
        if _rank(found, objective) <= _rank(self.before, objective) or not self._may_stay:
            return found
        return replace(self.before, settings=FrozenMap(self._now()))

    def _answers(self, work: Work, tasks: Sequence[Task], later: int = 0) -> list[Record]:
        """What tasks find, the best first."""
        listed = work.records(tasks, later)
        self.evaluations += sum(int(record.get("evaluations", 0)) for record in listed)
        answers = [record for record in listed if "settings" in record]
        if not answers:
            raise UnsupportedError(f"no start could be evaluated: {listed[0].get('error')}")
        return sorted(answers, key=lambda record: (_held(record), record["value"]))

    def _evaluated(self, record: Record) -> Evaluated:
        return self.evaluator(json.loads(str(record["settings"])))

    @property
    def _may_stay(self) -> bool:
        """Whether what is there now is within the ranges and the budgets."""
        scenario = self.problem.scenario
        return all(variable.allows(scenario) for variable in self.problem.variables) and all(
            budget.allows(scenario, {}) for budget in self.problem.budgets
        )

    def _now(self) -> dict[str, Setting]:
        """What everything that may change is now."""
        found: dict[str, Setting] = {}
        for variable in self.problem.variables:
            for name in variable.names:
                value = said_now(self.problem.scenario, name)
                found[name] = round(float(value)) if variable.kind == "count" else value
        return found

    def front(self, found: Evaluated, work: Work) -> tuple[Evaluated, ...]:
        """Designs at floors between what the best privacy and the best performance have."""
        objective, count = self.problem.objective, self.problem.front
        name = objective.maximise or next(
            iter([*objective.floors, *self.before.performance.measures])
        )
        privacy = objective.minimise or next(iter(objective.caps))
        floors = {own: floor for own, floor in objective.floors.items() if own != name}
        caps = {own: cap for own, cap in objective.caps.items() if own != privacy}
        also = objective.also
        free = Objective(privacy, None, floors, caps, objective.delta, also=also)
        now = max(abs(self.before.performance[name]), 1e-9)
        most = Objective(None, name, floors, caps, objective.delta, now, also=also)
        if not self.rates:
            points = [found, *map(self._evaluated, self.found)]
            return _undominated(points, free, name)
        places = [self.begins[0], self._place(found)]
        ended = [self._answers(work, self.tasks(one, None, places)) for one in (free, most)]
        ends = [self._evaluated(records[0]) for records in ended]
        low, high = (end.performance[name] for end in ends)
        levels = np.linspace(low, high, count)[1:-1].tolist()
        likely = list(dict.fromkeys(
            choice for records in (*ended, self.found) for choice in self._chosen(records)
        ))  # fmt: skip
        places = [self._place(end) for end in ends]
        asked = [replace(free, floors={**floors, name: level}) for level in levels]
        tasks = [self.tasks(one, likely, places) for one in asked]
        records = iter(work.records([task for level in tasks for task in level]))
        points = [found, *ends]
        for level in tasks:
            here = [next(records) for _ in level]
            self.evaluations += sum(int(record.get("evaluations", 0)) for record in here)
            answers = [record for record in here if "settings" in record]
            if answers:
                best = min(answers, key=lambda record: (_held(record), record["value"]))
                points.append(self._evaluated(best))
        return _undominated(points, free, name)

    def _chosen(self, records: Sequence[Record]) -> list[Fixed]:
        """What did not move in the best of some records."""
        names = [v.names[0] for v in self.problem.variables if not v.moves]
        found: list[Fixed] = []
        for record in records:
            settings = json.loads(str(record["settings"]))
            found.append(tuple((name, settings[name]) for name in names))
        return list(dict.fromkeys(found))[:_ALONG]

    def _place(self, point: Evaluated) -> Begin:
        """Where what moves is in a setting."""

        def at(variable: Variable) -> float:
            if variable.kind != "factor":
                return variable.now(point.scenario)
            name = variable.names[0]
            factor = point.scenario.numbers[name] / self.problem.scenario.numbers[name]
            return min(max(factor, variable.low), variable.high)

        return tuple(map(at, self.rates))


def _held(record: Record) -> float:
    """How far something is from holding, rounding forgiven."""
    return max(float(record["held"]) - FEASIBILITY_TOLERANCE, 0.0)


def _rank(point: Evaluated, objective: Objective) -> tuple[float, float]:
    return max(violation(point, objective) - FEASIBILITY_TOLERANCE, 0.0), merit(point, objective)


def _undominated(
    points: Sequence[Evaluated], objective: Objective, name: str
) -> tuple[Evaluated, ...]:
    """Those that hold what has to, and that no other beats in both, by rising performance."""
    privacy = str(objective.minimise)
    held = [
        point for point in points if violation(point, objective) <= FEASIBILITY_TOLERANCE
    ] or list(points)
    ordered = sorted(held, key=lambda p: (-p.performance[name], p.privacy(privacy)))
    kept: list[Evaluated] = []
    for point in ordered:
        if not kept or point.privacy(privacy) < kept[-1].privacy(privacy):
            kept.append(point)
    return tuple(reversed(kept))
