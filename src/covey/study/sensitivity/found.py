"""What a changed scenario gives away, and many of them side by side in worker processes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, field, replace

from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.errors import CoveyError
from covey.executors import result_of, workers_for
from covey.model.frozen import FrozenMap
from covey.model.scenario import Scenario
from covey.privacy.measures.registry import Measure, Snapshot
from covey.privacy.snapshot.bayes_success import binary_success
from covey.privacy.snapshot.output_distributions import TeamDistributions, distributions_by
from covey.remedy.performance import performance_by
from covey.words import number, percent


@dataclass(frozen=True)
class Found:
    """What a scenario gives away.

    Attributes:
        leakage: The leakage; nan where there is no answer.
        interval: Bounds on it.
        total_variation: The total variation, which tells scenarios of infinite leakage apart.
        why: Why there is no answer; empty where there is one.
        probability: Of the observation at which the leakage is attained, for the team that shows it
            more often.
        performance: What the team achieves, by the names of the scenario's [performance].
        most_variation: The total variation is at most that, rounding counted.
        measures: Other measures that were asked for, by name.
    """

    leakage: float
    interval: tuple[float, float]
    total_variation: float
    why: str = ""
    probability: float = 1.0
    performance: FrozenMap[str, float] = field(default_factory=FrozenMap)
    most_variation: float = math.nan
    measures: FrozenMap[str, float] = field(default_factory=FrozenMap)

    @property
    def bayes_success(self) -> float:
        """How often the best guess between two teams is right, after one snapshot."""
        return binary_success(self.total_variation)

    @property
    def bounded(self) -> bool:
        """Whether the leakage is known not to exceed some number."""
        return math.isfinite(self.interval[1])

    @property
    def rank(self) -> tuple[float, float, float]:
        """Less is better: by what the leakage cannot exceed, then by total variation.

        Rounded, so that of equal ones the first stays the first. What is infinite for certain is
        worse than what only has no upper bound, and what has no answer comes last.
        """
        if self.why:
            return math.inf, math.inf, math.inf
        least = self.interval[0] if math.isinf(self.interval[0]) else 0.0
        return float(f"{self.interval[1]:.9g}"), least, float(f"{self.total_variation:.9g}")

    @property
    def described(self) -> str:
        """What is given away, in a few words."""
        if self.bounded:
            return f"leakage {number(self.leakage)}"
        least = "" if math.isinf(self.leakage) else " or more"
        leaks = number(self.leakage, "down")
        return f"leakage {leaks}{least}, right {percent(self.bayes_success)} of the time"

    def same_as(self, other: Found) -> bool:
        """Whether both give away the same, as far as the numbers can tell.

        Args:
            other: What another scenario gives away.
        """
        if self.why or other.why:
            return False
        if self.bounded and other.bounded and not _overlap(self.interval, other.interval):
            return False
        return self.bounded == other.bounded and math.isclose(
            self.total_variation, other.total_variation, rel_tol=1e-8, abs_tol=1e-12
        )


def found_by(
    solver: Solver,
    scenarios: Sequence[Scenario],
    workers: int | None,
    measures: tuple[Measure, ...] = (),
) -> Iterator[tuple[int, Found]]:
    """What each gives away, with its place, as they are done."""
    if workers == 1:
        for place, scenario in enumerate(scenarios):
            yield place, answer(solver.at_rates(scenario.network), scenario, measures)
        return
    limits = replace(solver.limits, max_states=solver.max_states)
    with workers_for(None, workers, len(scenarios)) as pool:
        # A worker prepares one solver for several: enough tasks are left for all to end together.
        count = max(len(scenarios) // pool.ahead, 1)
        tasks = {
            pool.executor.submit(answers, scenarios[begin : begin + count], limits, measures): begin
            for begin in range(0, len(scenarios), count)
        }
        for task in as_completed(tasks):
            found: list[Found] = result_of(task)
            yield from enumerate(found, start=tasks[task])


def answers(
    scenarios: Sequence[Scenario], limits: Limits, measures: tuple[Measure, ...] = ()
) -> list[Found]:
    """What scenarios give away, found by a worker that knows of nothing else."""
    solver = Solver(scenarios[0].network, limits)
    return [answer(solver.at_rates(one.network), one, measures) for one in scenarios]


def answer(solver: Solver, scenario: Scenario, measures: tuple[Measure, ...] = ()) -> Found:
    """What a scenario gives away; what cannot be answered is an answer too."""
    try:
        (distributions,) = distributions_by(solver, scenario)
        return found_in(distributions, achieved(solver, scenario), measures)
    except CoveyError as error:
        return Found(math.nan, (math.nan, math.nan), math.nan, error.message)


def achieved(solver: Solver, scenario: Scenario) -> FrozenMap[str, float]:
    """What the team achieves, by the names of the scenario's [performance]."""
    found = performance_by(solver, scenario).measures
    return FrozenMap({name: one.value for name, one in found.items()})


def found_in(
    distributions: TeamDistributions,
    performance: FrozenMap[str, float],
    measures: tuple[Measure, ...],
) -> Found:
    """What the teams' distributions give away, beside what the team achieves."""
    snapshot = Snapshot(distributions, distributions.scenario.adversary.smoothing)
    leak = snapshot.leakage
    return Found(
        leak.value,
        leak.interval,
        leak.profile.total_variation,
        probability=max(leak.probability),
        performance=performance,
        most_variation=leak.profile.total_variation_interval[1],
        measures=FrozenMap({one.full_column: one.of(snapshot).value for one in measures}),
    )


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]
