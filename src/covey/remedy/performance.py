"""What the team is for: its named measures, computed exactly.

A design gives away less by running the team otherwise; what it must not lose is said in the
scenario's [performance], as expected rates of reactions and mean counts (`model.performance`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from covey.dynamics.expectation import Expected, expected
from covey.dynamics.expected_measures import expected_measures, moment_of
from covey.dynamics.limits import Limits
from covey.dynamics.sensitivity.distribution_derivatives import Sensitivities
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import InputError
from covey.model.frozen import FrozenMap
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.numbers import Floats
from covey.showing import Showing
from covey.tabular import Tabular, columns_of

NO_PERFORMANCE = (
    "the scenario has no [performance]: say what the team is for, such as "
    'throughput = "rate(pick\')"'
)


@dataclass(frozen=True)
class Achieved(Expected):
    """One measure of a team: what is expected, and between what it lies.

    Attributes:
        text: What is measured, as the scenario writes it.
    """

    text: str


@dataclass(frozen=True)
class Performance(Showing, Tabular):
    """What the team achieves, by the names of the scenario's [performance].

    Attributes:
        at: When the adversary looks: measures that name no moment of their own are meant then.
        measures: Each name with what is expected.
    """

    at: Moment
    measures: FrozenMap[str, Achieved]

    @property
    def table_columns(self) -> dict[str, list[Any]]:
        """A row for each measure."""
        return columns_of(
            {"measure": name, "value": one.value, "lower": one.lower, "upper": one.upper}
            for name, one in self.measures.items()
        )

    def __getitem__(self, name: str) -> float:
        return self.measures[name].value

    def __str__(self) -> str:
        said = [f"{name} {found.value:.6g}" for name, found in self.measures.items()]
        return "The team achieves " + ", ".join(said) + "."


def performance(
    scenario: Scenario, *, limits: Limits | None = None, progress: Progress | None = None
) -> Performance:
    """What the scenario's team achieves.

    Args:
        scenario: A scenario with measures under [performance].
        limits: How to compute: which method, on how many states, to which tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    if not scenario.performance:
        raise InputError(NO_PERFORMANCE, key="performance")
    return performance_by(Solver(scenario.network, limits), scenario, progress)


def performance_by(
    solver: Solver,
    scenario: Scenario,
    progress: Progress | None = None,
    names: Collection[str] | None = None,
) -> Performance:
    """The same, by a solver that is prepared for the network already; of some names only."""
    measures = {
        name: one for name, one in scenario.performance.items() if names is None or name in names
    }
    found = expected_measures(solver, scenario, measures, progress)
    achieved = {
        name: Achieved(**asdict(found[name]), text=one.text) for name, one in measures.items()
    }
    return Performance(scenario.adversary.at, FrozenMap(achieved))


def performance_over(
    solver: Solver, scenario: Scenario, times: Sequence[float], progress: Progress | None = None
) -> dict[str, Floats]:
    """At every time, the measures that are not meant at a moment of their own: (times,) each."""
    names = [
        name for name, one in scenario.performance.items() if one.at is None and one.until is None
    ]
    if not names:
        return {}
    measures = [scenario.performance[name] for name in names]
    weights = [one.weights(scenario.network, scenario.query) for one in measures]
    found = expected(solver, scenario.start, times, weights, progress)
    columns = np.array([[one.value for one in row] for row in found]).T
    return dict(zip(names, columns, strict=True))


def performance_sensitivities(found: Sensitivities, scenario: Scenario) -> dict[str, Floats]:
    """How every measure changes with the logarithm of each rate: (knobs,) each."""
    sensitivities: dict[str, Floats] = {}
    for name, measure in scenario.performance.items():
        weights = measure.weights(scenario.network, scenario.query)
        kind, when = moment_of(scenario, measure)
        sensitivities[name] = (
            found.of_mean(scenario.start, when, weights)
            if kind == "at"
            else found.of_average(scenario.start, float(when), weights)
        )
    return sensitivities
