"""Design: how to run the team so that it gives away less, and still does what it is for.

The second active mechanism of the paper's last sentence. Rates move in ranges, counts are chosen,
and a measure of privacy is made small while measures of performance keep their floors; or the other
way round. Descents begin in many places (`tasks`), each a sequence of linear programs whose steps
are tried exactly (`descent`, `step`). Whatever comes out is evaluated once more by the exact
machinery, with its intervals, before anybody sees it. A local search proves no global optimum: it
says how many starts there were, and how many choices of counts were not tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import InputError, TooLargeError, UnsupportedError
from covey.model.frozen import FrozenMap
from covey.model.scenario import Scenario
from covey.remedy.design.evaluation import Evaluated, Evaluator
from covey.remedy.design.objective import (
    MORE,
    MeasureOf,
    Objective,
    measured_besides,
    named,
    read_caps,
    read_objective,
)
from covey.remedy.design.problem import DesignProblem
from covey.remedy.design.search import Search
from covey.remedy.design.step import FEASIBILITY_TOLERANCE, violation
from covey.remedy.design.tasks import Budget
from covey.remedy.design.variables import Range, Variable, read_variables
from covey.remedy.design.work import work_on
from covey.remedy.performance import NO_PERFORMANCE
from covey.showing import Drawing
from covey.words import percent

_JUDGED = 1  # the seed by which results are judged; searches have 0

_MOST_STARTS = 10_000  # each is a search


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
        why_no_stream: Why it is not known what all that [release] publishes gives away; empty
            where that is known, or where [release] has no stream.
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
    why_no_stream: str = ""

    @property
    def raises_stream(self) -> bool:
        """Whether all that [release] publishes gives away more with the setting than without."""
        if self.before.stream_guess is None or self.after.stream_guess is None:
            return False
        return self.after.privacy("stream_guess") > self.before.privacy("stream_guess")

    @property
    def _of_the_stream(self) -> str:
        """What is not promised: of a stream that was not the objective, what becomes of it."""
        if self.why_no_stream:
            return f" What all of [release] gives away is not known: {self.why_no_stream}."
        if self.before.stream_guess is None or "stream_guess" in (self.minimise, *self.caps):
            return ""
        before, after = (one.privacy("stream_guess") for one in (self.before, self.after))
        verb = "raises" if self.raises_stream else "was not made for"
        return (
            f" It {verb} the whole stream of [release]: whoever sees all of it is right at most "
            f"{percent(after, 'up')} of the time{self.after.sure}, {percent(before, 'up')} now; "
            "--minimise stream_guess aims at it."
        )

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
        moved = [_moved(name, before[name], after[name]) for name in before]
        count = len(self.after.settings)
        settings = "1 changed setting" if count == 1 else f"{count} changed settings"
        said = f"With {settings}: {', '.join(moved)}."
        if self.scenario == self.before.scenario:
            stays = [f"{name} {_shown(name, value)}" for name, value in before.items()]
            said = f"Nothing that was tried is better than what is there now: {', '.join(stays)}."
        if not self.met:
            said = "What has to hold cannot be met by what was tried; the nearest: " + said
        if self.tried < self.choices:
            said += f" Of {self.choices:,} choices of counts {self.tried:,} were tried."
        return said + self._of_the_stream


def _shown(name: str, value: float) -> str:
    """A measure: how often a guess is right in percent, any other as a number."""
    if name in ("guess", "stream_guess"):
        return percent(value)
    return "infinite" if math.isinf(value) else f"{value:.3g}"


def _moved(name: str, now: float, then: float) -> str:
    """What becomes of a measure: `guess 56.6% → 53.2%`, `leakage stays infinite`."""
    old, new = _shown(name, now), _shown(name, then)
    return f"{name} stays {new}" if old == new else f"{name} {old} → {new}"


def design(
    scenario: Scenario,
    vary: Mapping[str, Range] | Iterable[str] = (),
    *,
    keep: Mapping[str, float] | Iterable[str] = (),
    minimise: MeasureOf | None = None,
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
    save: Callable[[Design], None] | None = None,
) -> Design:
    """How to run a team instead, so that it gives away less.

    Args:
        scenario: The team as it is, with measures under [performance].
        vary: What may change and in which range: `{"rates.meet": (0.1, 2)}`, or texts such as
            "rates.a,rates.b=0.1:2" (one value), "rates.a,rates.b=x0.5:x2" (one factor), "rates.*=…"
            (each by itself), "types.carrier=4:7", "control.pick.factor=0:1",
            "control.pick.threshold=1:5"; and what is published: "observe=a, b|a + b" (observe=*
            for every way to publish less) and "release.epsilon=0.5|1|none". By default what the
            scenario's [design] says.
        keep: Floors on performance: shares of what it is now, `{"throughput": 0.95}`, or texts,
            "throughput>=1.3".
        minimise: guess, total_variation, leakage, epsilon, stream_guess (of whoever sees all that
            [release] publishes) or loss (what publishing less costs); or any other measure that
            `sweep` takes, by name or as a function of the distributions. By default stream_guess
            where [release] has a stream that can be judged, else guess.
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
        save: Called with the result while the journal is still there: what cannot be written then
            need not be found again.
    """
    _check_search(scenario, starts, seed, front)
    variables = read_variables(vary or _chosen(scenario), scenario)
    solver = Solver(scenario.network, limits)
    whole = Evaluator(scenario, solver, delta, ["stream_guess"])
    why_no_stream = ""
    if minimise is None and maximise is None:
        why_no_stream = _refused(whole)
        streams = scenario.release.is_stream and not why_no_stream
        minimise = "stream_guess" if streams else "guess"
    caps = read_caps(target)
    also = measured_besides([minimise, *caps])
    if executor is None and not all(one.travels for one in also):
        workers = 1
    aim = None if minimise is None else named(minimise)
    more = _more([aim, *caps], variables, scenario)
    # Of a stream other paths are drawn than on the way, or the luckiest would be taken for best.
    evaluator = Evaluator(scenario, solver, delta, more, _JUDGED, also)
    before = evaluator({})
    now = {name: one.value for name, one in before.performance.measures.items()}
    objective = read_objective(aim, maximise, keep, target, delta, now, also)
    if all(variable.kind in ("rate", "factor") for variable in variables):
        _check_finite(before, objective)
    budgets = tuple(Budget.parse(text) for text in within)
    problem = DesignProblem(scenario, tuple(variables), objective, budgets, starts, seed, front)
    search = Search(problem, evaluator, before)
    with work_on(problem.job(), path, executor, workers, progress) as work:
        found = search.best(work)
        along = search.front(found, work) if front else ()
        if scenario.release.is_stream and before.stream_guess is None and not why_no_stream:
            before, found, why_no_stream = _judged(whole, before, found)
        answer = Design(
            before,
            found,
            objective.minimise,
            objective.maximise,
            FrozenMap(objective.floors),
            FrozenMap(objective.caps),
            search.evaluations,
            len(search.begins) if search.rates else 0,
            search.tried,
            search.total,
            violation(found, objective) <= FEASIBILITY_TOLERANCE,
            along,
            why_no_stream,
        )
        if save is not None:
            save(answer)
    return answer


def _check_search(scenario: Scenario, starts: int, seed: int, front: int) -> None:
    scenario.release.refuse_stand_in("a design")
    if not 1 <= starts <= _MOST_STARTS:
        raise InputError(f"{starts} starts: 1 to {_MOST_STARTS:,} are expected")
    if seed < 0:
        raise InputError(f"the seed is {seed}: a whole number from 0 on is expected")
    if front and front < 2:
        raise InputError(f"a front of {front}: at least 2 designs are expected")
    if front and not scenario.performance:
        raise InputError(f"a front needs a measure of performance; {NO_PERFORMANCE}")


def _chosen(scenario: Scenario) -> Mapping[str, Range]:
    """What the scenario says to be somebody's to choose."""
    if not scenario.vary:
        name = next((f"rates.{rate}" for rate in scenario.network.rates), "rates.meet")
        raise InputError(
            f"what may change is not said: --vary {name}=0.1:2 says it, or in the scenario "
            f'[design] vary = {{ "{name}" = [0.1, 2] }}',
            key="design",
        )
    return scenario.vary


def _refused(whole: Evaluator) -> str:
    """Why all that [release] publishes cannot be judged; empty where it can, or there is none."""
    try:
        if whole.scenario.release.is_stream:
            whole.more_of({})
    except (TooLargeError, UnsupportedError) as error:
        return error.message
    return ""


def _judged(
    whole: Evaluator, before: Evaluated, after: Evaluated
) -> tuple[Evaluated, Evaluated, str]:
    """Both with what all that [release] publishes gives away; or why that is not known."""
    try:
        now = then = whole.more_of({})["stream_guess"]
        if after.scenario != before.scenario:
            then = whole.more_of(after.settings)["stream_guess"]
        return replace(before, stream_guess=now), replace(after, stream_guess=then), ""
    except (TooLargeError, UnsupportedError) as error:
        return before, after, error.message


def _more(
    names: Iterable[str | None], variables: Iterable[Variable], scenario: Scenario
) -> set[str]:
    """What is measured besides, as somebody asks for it, or as what is published may change."""
    more = {name for name in names if name in MORE}
    if any(variable.kind == "choice" for variable in variables):
        more.add("loss")
    for name in more & scenario.performance.keys():
        raise InputError(f"[performance] has its own {name}: give that another name for designs")
    return more


def _check_finite(before: Evaluated, objective: Objective) -> None:
    """Rates change how probable an outcome is, never whether it is possible."""
    for name in objective.privacy:
        if name == "epsilon" and objective.delta:  # what is possible may be rarer than that
            continue
        if before.privacy(name) == float("inf"):
            raise UnsupportedError(
                f"{name} is infinite here, and no rate changes what is possible: minimise guess, "
                "or epsilon at a delta above the total variation; let a count or a rule "
                "of [control] vary; or let covey protect find what to publish instead"
            )
