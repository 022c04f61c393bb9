"""Two or more scenarios side by side: what each gives away, and what its team achieves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import CoveyError, InputError, shown
from covey.model.frozen import FrozenMap
from covey.model.io.scenario_file import load
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.privacy.measures.registry import Measure, MeasureFunction, Snapshot, read_measures
from covey.privacy.snapshot.output_distributions import distributions_by
from covey.privacy.stream.confidence import Bounded
from covey.remedy.performance import performance_by
from covey.showing import Drawing
from covey.tabular import Tabular, columns_of
from covey.words import number, percent

MEASURES = ("guess", "epsilon=1e-06", "leakage")


@dataclass(frozen=True)
class SideBySide(Drawing, Tabular):
    """Scenarios by name, and what was measured of each.

    Attributes:
        scenarios: The scenarios, in the order in which they were given.
        found: For each of them the figures, by the names of measures and of `performance.NAME`.
    """

    scenarios: FrozenMap[str, Scenario]
    found: FrozenMap[str, FrozenMap[str, Bounded]]

    @property
    def measures(self) -> tuple[str, ...]:
        """All that was measured of some scenario."""
        return tuple(dict.fromkeys(name for one in self.found.values() for name in one))

    @property
    def table_columns(self) -> dict[str, list[Any]]:
        """A row for each scenario: the figures, and between what each lies."""
        return columns_of(
            {"scenario": name}
            | {
                column + part: bound
                for column, figure in found.items()
                for part, bound in zip(("", ".lower", ".upper"), figure, strict=True)
            }
            for name, found in self.found.items()
        )

    @property
    def least(self) -> str:
        """The scenario that gives away least, by the first measure."""
        first = self.measures[0]
        return min(self.found, key=lambda name: self.found[name][first].upper)

    def __str__(self) -> str:
        first, least = self.measures[0], self.least
        others = [f"{name} {_said(first, self.found[name][first])}" for name in self.found]
        return (
            f"Of {len(self.found)} scenarios {least} gives away least by {first}: "
            f"{', '.join(others)}."
        )


def compare(
    scenarios: Mapping[str, Scenario | str | Path],
    *,
    measures: str | MeasureFunction | Iterable[str | MeasureFunction] = MEASURES,
    at: Moment | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> SideBySide:
    """Scenarios side by side: what one snapshot of each gives away, and what its team achieves.

    Args:
        scenarios: By the names that they are to have; scenarios, or paths of scenario files.
        measures: One or several, as `sweep` takes them: names such as "guess" or "mu", or
            functions of the distributions. The first is the one that the sentence is about.
        at: A time, or "steady"; by default when the adversary of each looks.
        limits: How to compute: which method, on how many states, to which tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    if not isinstance(scenarios, Mapping) or len(scenarios) < 2:
        raise InputError(
            f"scenarios is {shown(scenarios)}: two or more by name are expected, as "
            '{"now": a, "slower": b}'
        )
    asked = read_measures(measures)
    for measure in asked:
        if measure.achieved:
            raise InputError(f"{measure} is compared in any case, where a scenario has it")
    opened = {
        name: one if isinstance(one, Scenario) else load(one) for name, one in scenarios.items()
    }
    found: dict[str, FrozenMap[str, Bounded]] = {}
    for done, (name, scenario) in enumerate(opened.items()):
        if progress is not None:
            progress(done, len(opened), name)
        try:
            found[name] = FrozenMap(_figures(scenario, asked, at, limits))
        except CoveyError as error:
            raise error.saying(f"{name}: {error.message}") from None
    return SideBySide(FrozenMap(opened), FrozenMap(found))


def _figures(
    scenario: Scenario, measures: Iterable[Measure], at: Moment | None, limits: Limits | None
) -> dict[str, Bounded]:
    solver = Solver(scenario.network, limits)
    moment = scenario.adversary.at if at is None else at
    (distributions,) = distributions_by(solver, scenario, [moment])
    snapshot = Snapshot(distributions, scenario.adversary.smoothing)
    found = {}
    for measure in measures:
        one = measure.of(snapshot)
        found[measure.full_column] = Bounded(one.value, *one.interval)
    if scenario.performance:
        done = performance_by(solver, scenario).measures
        found |= {f"performance.{n}": Bounded(a.value, a.lower, a.upper) for n, a in done.items()}
    return found


def _said(measure: str, figure: Bounded) -> str:
    """A figure in words, at most: `right at most 54.8%`."""
    if measure == "guess":
        return f"right at most {percent(figure.upper, 'up')} of the time"
    if math.isnan(figure.upper):  # a function of one's own, which nothing bounds
        return number(figure.value)
    return f"at most {number(figure.upper, 'up')}"
