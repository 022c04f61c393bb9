"""Design: how to run the team so that it gives away less, and still does what it is for.

The second active mechanism of the paper's last sentence. Rates move in ranges, counts are chosen,
and a measure of privacy is made small while measures of performance keep their floors; or the other
way round. Descents begin in many places (`tasks`), each a sequence of linear programs whose steps
are tried exactly (`descent`, `step`). Whatever comes out is evaluated once more by the exact
machinery, with its intervals, before anybody sees it. A local search proves no global optimum: it
says how many starts there were, and how many choices of counts were not tried.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from covey.dynamics.engine import Engine
from covey.dynamics.limits import Limits
from covey.dynamics.question import Progress
from covey.errors import InputError, UnsupportedError
from covey.journal import Record
from covey.model.frozen import FrozenMap
from covey.model.scenario import Scenario
from covey.model.scenario_file import dumps
from covey.remedy.design.aims import MORE, Aims, read_aims, read_caps
from covey.remedy.design.evaluation import Evaluated, Evaluator, Setting
from covey.remedy.design.step import merit, violation
from covey.remedy.design.tasks import Budget, Task, begins, choices, solve
from covey.remedy.design.variables import Range, Variable, read_variables, said_now
from covey.remedy.design.work import Work
from covey.remedy.performance import NO_PERFORMANCE
from covey.showing import Drawing

_FORGIVEN = 1e-9  # relative: a floor that is missed by rounding alone is kept
_MOST_CHOICES = 64  # of counts, and of what is published
_JUDGED = 1  # the seed by which results are judged; searches have 0
_POSSIBLE = ("rates", "types", "resources", "initial")  # none of them makes finite what is infinite


@dataclass(frozen=True)
class Design(Drawing):
    """The best setting that was found.

    Attributes:
        before: The scenario as it is.
        after: With the setting; all figures evaluated exactly.
        minimise: The measure of privacy that was made small, or None.
        maximise: The measure of performance that was made large, or None.
        floors: The least that measures of performance had to be.
        caps: The most that measures of privacy were allowed to be.
        evaluations: How many settings were evaluated.
        starts: From how many places it was searched, for each choice of counts; 0 where nothing
            moves, and every choice was just evaluated.
        tried: How many choices of counts were tried.
        choices: How many there are.
        met: Whether all floors and caps hold.
        front: Designs at several floors, where a front was asked for; none dominates another.
    """

    before: Evaluated
    after: Evaluated
    minimise: str | None
    maximise: str | None
    floors: FrozenMap[str, float]
    caps: FrozenMap[str, float]
    evaluations: int
    starts: int
    tried: int
    choices: int
    met: bool
    front: tuple[Evaluated, ...] = ()

    @property
    def scenario(self) -> Scenario:
        """The scenario with the setting."""
        return self.after.scenario

    @property
    def values(self) -> FrozenMap[str, float | int]:
        """The setting: dotted names and numbers."""
        return FrozenMap(self.after.values)

    @property
    def published(self) -> FrozenMap[str, float | int | str]:
        """What is published, where that was chosen: `observe`, and `release.epsilon`."""
        return FrozenMap(self.after.published)

    def __str__(self) -> str:
        before, after = self.before.measures, self.after.measures
        moved = [f"{name} from {before[name]:.4g} to {after[name]:.4g}" for name in before]
        count = len(self.after.settings)
        settings = "1 setting takes" if count == 1 else f"{count} settings take"
        said = f"{settings} {', '.join(moved)}."
        if self.scenario == self.before.scenario:
            stays = [f"{name} {value:.4g}" for name, value in before.items()]
            said = f"Nothing that was tried is better than what is there now: {', '.join(stays)}."
        if not self.met:
            said = "What has to hold cannot be met by what was tried; the nearest: " + said
        if self.tried < self.choices:
            said += f" Of {self.choices:,} choices of counts {self.tried:,} were tried."
        return said


def design(
    scenario: Scenario,
    vary: Mapping[str, Range] | Iterable[str],
    *,
    keep: Mapping[str, float] | Iterable[str] = (),
    minimise: str | None = None,
    maximise: str | None = None,
    target: Mapping[str, float] | Iterable[str] = (),
    delta: float = 0.0,
    within: Iterable[str] = (),
    front: int = 0,
    starts: int = 4,
    seed: int = 0,
    path: str | Path | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Design:
    """How to run a team instead, so that it gives away less.

    Args:
        scenario: The team as it is, with measures under [performance].
        vary: What may change and in which range: `{"rates.meet": (0.1, 2)}`, or texts such as
            "rates.a,rates.b=0.1:2" (one value), "rates.a,rates.b=x0.5:x2" (one factor), "rates.*=…"
            (each by itself), "types.carrier=4:7", "control.pick.factor=0:1",
            "control.pick.threshold=1:5"; and what is published: "observe=a, b|a + b" (observe=*
            for every way to publish less) and "release.epsilon=0.5|1|none".
        keep: Floors on performance: shares of what it is now, `{"throughput": 0.95}`, or texts,
            "throughput>=1.3".
        minimise: guess (the default), total_variation, leakage, epsilon, stream_guess (of whoever
            sees all that [release] publishes) or loss (what publishing less costs).
        maximise: A measure of performance, instead.
        target: The most that such measures may be: `{"guess": 0.51}`.
        delta: The δ at which epsilon is meant.
        within: What counts may cost together: "3 types.picker + resources.dock <= 20".
        front: At how many floors, from nothing kept to the most that can be, designs are asked for.
        starts: From how many places to search.
        seed: Where those are.
        path: Where the result will be saved: an interrupted design goes on from a journal there.
        executor: Who computes; by default processes on this machine.
        workers: How many processes; by default one on each core.
        limits: How to compute: which method, on how many states, to which tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    if starts < 1:
        raise InputError(f"{starts} starts: at least 1 is expected")
    if seed < 0:
        raise InputError(f"the seed is {seed}: a whole number from 0 on is expected")
    if front and front < 2:
        raise InputError(f"a front of {front}: at least 2 designs are expected")
    if front and not scenario.performance:
        raise InputError(f"a front needs a measure of performance; {NO_PERFORMANCE}")
    if minimise is None and maximise is None:
        minimise = "guess"
    variables = read_variables(vary, scenario)
    more = {name for name in (minimise, *read_caps(target)) if name in MORE}
    if any(variable.kind == "choice" for variable in variables):
        more.add("loss")
    for name in more & scenario.performance.keys():
        raise InputError(f"[performance] has its own {name}: give that another name for designs")
    # Of a stream other paths are drawn than on the way, or the luckiest would be taken for best.
    engine = Engine(scenario.network, limits)
    evaluator = Evaluator(scenario, engine, delta, more, _JUDGED)
    before = evaluator({})
    now = {name: one.value for name, one in before.performance.measures.items()}
    aims = read_aims(minimise, maximise, keep, target, delta, now)
    if all(name.partition(".")[0] in _POSSIBLE for one in variables for name in one.names):
        _check_finite(before, aims)
    search = _Search(
        evaluator, variables, [Budget.parse(text) for text in within], starts, seed, before
    )
    work = Work(path, executor, workers, progress)
    found = search.best(aims, work.records(search.job(aims), search.tasks(aims)))
    return Design(
        before,
        found,
        aims.minimise,
        aims.maximise,
        FrozenMap(aims.floors),
        FrozenMap(aims.caps),
        search.evaluations,
        len(search.begins) if search.rates else 0,
        search.tried,
        search.total,
        violation(found, aims) <= _FORGIVEN,
        search.front(aims, found, front) if front else (),
    )


class _Search:
    """All tasks of a design, and what is best of what they find."""

    def __init__(
        self,
        evaluator: Evaluator,
        variables: Sequence[Variable],
        budgets: Sequence[Budget],
        starts: int,
        seed: int,
        before: Evaluated,
    ) -> None:
        self.evaluator, self.before = evaluator, before
        self.rates = tuple(v for v in variables if v.moves)
        counts = [v for v in variables if not v.moves]
        self.fixed, self.total = choices(evaluator.scenario, counts, budgets, _MOST_CHOICES)
        self.begins = begins(evaluator.scenario, self.rates, starts, seed)
        self.variables, self.starts, self.seed = tuple(variables), starts, seed
        self.tried = len(self.fixed)
        self.evaluations = evaluator.evaluations

    def tasks(self, aims: Aims) -> list[Task]:
        """A descent from every start for every choice of the counts."""
        scenario, limits = self.evaluator.scenario, self.evaluator.engine.limits
        return [
            Task(scenario, self.rates, begin, fixed, aims, limits)
            for fixed in self.fixed
            for begin in self.begins
        ]

    def job(self, aims: Aims) -> dict[str, object]:
        """What a journal has to be of."""
        scenario = self.evaluator.scenario
        table = scenario.release.mechanism
        return {
            "scenario": dumps(scenario.unpublished()),
            "mechanism": None if table is None else table.digest,
            "vary": [[v.name, v.low, v.high, v.kind, list(v.listed)] for v in self.variables],
            "aims": [aims.minimise, aims.maximise, dict(aims.floors), dict(aims.caps), aims.delta],
            "starts": self.starts,
            "seed": self.seed,
        }

    def best(self, aims: Aims, records: Iterable[Record]) -> Evaluated:
        """The best of what was found, evaluated here; the scenario as it is, where that is best."""
        listed = list(records)
        self.evaluations += sum(int(record.get("evaluations", 0)) for record in listed)
        answers = [record for record in listed if "settings" in record]
        if not answers:
            raise UnsupportedError(f"no start could be evaluated: {listed[0].get('error')}")
        answers.sort(key=lambda record: (_held(record), record["value"]))
        found = self.evaluator(json.loads(str(answers[0]["settings"])))
        if _rank(found, aims) <= _rank(self.before, aims) or not self._may_stay:
            return found
        return replace(self.before, settings=FrozenMap(self._now()))

    @property
    def _may_stay(self) -> bool:
        """Whether what is published now is among what may be."""
        scenario = self.evaluator.scenario
        chosen = [v for v in self.variables if v.kind == "choice"]
        return all(said_now(scenario, v.names[0]) in v.listed for v in chosen)

    def _now(self) -> dict[str, Setting]:
        """What everything that may change is now."""
        found: dict[str, Setting] = {}
        for variable in self.variables:
            for name in variable.names:
                value = said_now(self.evaluator.scenario, name)
                found[name] = round(float(value)) if variable.kind == "count" else value
        return found

    def front(self, aims: Aims, found: Evaluated, count: int) -> tuple[Evaluated, ...]:
        """Designs at floors between what the best privacy and the best performance have."""
        name = aims.maximise or next(iter([*aims.floors, *self.before.performance.measures]))
        privacy = aims.minimise or next(iter(aims.caps))
        free = Aims(privacy, None, {}, {}, aims.delta)
        now = abs(self.before.performance[name])
        most = Aims(None, name, {}, {}, aims.delta, max(now, 1e-9))
        ends = [self._solved(one, found) for one in (free, most)]
        levels = np.linspace(ends[0].performance[name], ends[1].performance[name], count)
        points = [found, *ends]
        near = ends[0]
        for level in levels[1:-1].tolist():
            near = self._solved(replace(free, floors={name: level}), near)
            points.append(near)
        return _undominated(points, privacy, name)

    def _solved(self, aims: Aims, near: Evaluated) -> Evaluated:
        """A descent from a setting that is known to be good nearby, and from the first start."""
        now = near.scenario
        begin = tuple(1.0 if v.kind == "factor" else v.now(now) for v in self.rates)
        chosen = {v.names[0] for v in self.variables if not v.moves}
        fixed = tuple((name, one) for name, one in near.settings.items() if name in chosen)
        scenario, limits = self.evaluator.scenario, self.evaluator.engine.limits
        records = [
            solve(Task(scenario, self.rates, one, fixed, aims, limits))
            for one in dict.fromkeys([begin, self.begins[0]])
        ]
        self.evaluations += sum(int(record["evaluations"]) for record in records)
        records = [record for record in records if "settings" in record]
        if not records:
            return near
        best = min(records, key=lambda record: (_held(record), record["value"]))
        return self.evaluator(json.loads(str(best["settings"])))


def _held(record: Record) -> float:
    """How far something is from holding, rounding forgiven."""
    return max(float(record["held"]) - _FORGIVEN, 0.0)


def _rank(point: Evaluated, aims: Aims) -> tuple[float, float]:
    return max(violation(point, aims) - _FORGIVEN, 0.0), merit(point, aims)


def _undominated(points: Sequence[Evaluated], privacy: str, name: str) -> tuple[Evaluated, ...]:
    """Those that no other beats in both, by rising performance."""
    ordered = sorted(points, key=lambda p: (-p.performance[name], p.privacy(privacy)))
    kept: list[Evaluated] = []
    for point in ordered:
        if not kept or point.privacy(privacy) < kept[-1].privacy(privacy):
            kept.append(point)
    return tuple(reversed(kept))


def _check_finite(before: Evaluated, aims: Aims) -> None:
    """Rates change how probable an outcome is, never whether it is possible."""
    for name in aims.privacy:
        if before.privacy(name) == float("inf"):
            raise UnsupportedError(
                f"{name} is infinite here, and no rate changes what is possible: minimise guess, "
                "or epsilon at a delta, or let covey protect find what to publish instead"
            )
