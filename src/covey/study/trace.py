"""Leakage over time: at which moment does a snapshot give away most, and where does it settle?

Every team is solved once, for all times in one pass. The steady state is solved besides. Its
leakage is what L(t) tends to wherever every observation that is possible late stays possible: the
distributions converge, and so do the logarithms of what does not vanish. Where an observation dies
out under both teams, its two probabilities fall to 0 in a ratio that need not settle, or not there
where the steady state's leakage is; then there is no `limit`, unless smoothing drowns it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress, check_times
from covey.errors import CoveyError, InputError
from covey.model.frozen import FrozenMap
from covey.model.scenario import Scenario
from covey.numbers import Floats
from covey.privacy.measures.registry import Measure, MeasureFunction, Snapshot, read_measures
from covey.privacy.snapshot.arriving import is_open
from covey.privacy.snapshot.channel import Reporting, seen_through
from covey.privacy.snapshot.divergences import aligned
from covey.privacy.snapshot.leakage import Leakage, leakage_of
from covey.privacy.snapshot.output_distributions import TeamDistributions, distributions_by
from covey.remedy.performance import performance_over
from covey.showing import Drawing
from covey.tabular import Tabular
from covey.words import lasting, number, shown, when

_LEFT = (
    "robots come and go, and this is about those of the start, who have left by the steady state "
    "(at steady state, leakage and profile tell of a robot that arrives)"
)

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class Trace(Drawing, Tabular):
    """The leakage at every time, and at steady state where there is one.

    Attributes:
        times: When the leakage was asked for.
        leakages: The leakage at each of them.
        steady: The leakage at steady state; None where there is none.
        limit: What the leakage tends to, where that is known.
        why_no_limit: Why it is not known; empty where it is.
        performance: What the team achieves at each time, by the names of those measures of the
            scenario's [performance] that have no moment of their own.
        measures: Other measures that were asked for, by name, (times, 3): the value and its bounds.
    """

    times: tuple[float, ...]
    leakages: tuple[Leakage, ...]
    steady: Leakage | None
    limit: float | None
    why_no_limit: str
    performance: FrozenMap[str, Floats] = field(default_factory=FrozenMap, compare=False)
    measures: FrozenMap[str, Floats] = field(default_factory=FrozenMap, compare=False)

    @property
    def values(self) -> Floats:
        """(times,): may hold inf."""
        return np.array([leakage.value for leakage in self.leakages])

    @property
    def intervals(self) -> Floats:
        """(times, 2): bounds that the true values certainly keep."""
        return np.array([leakage.interval for leakage in self.leakages])

    @property
    def exposed(self) -> dict[str, Floats]:
        """For each type, the most that is given away about one of its robots. (times,)"""
        by_time = [leakage.exposed for leakage in self.leakages]
        return {name: np.array([exposed[name] for exposed in by_time]) for name in by_time[0]}

    @property
    def worst(self) -> Leakage:
        """The leakage at the time of which most is given away; the first such."""
        return self.leakages[self._worst]

    @property
    def worst_time(self) -> float:
        """When that is."""
        return self.times[self._worst]

    @property
    def _worst(self) -> int:
        return int(np.argmax(self.values))

    @property
    def table_columns(self) -> dict[str, Any]:
        """Time, leakage, its bounds, what is given away of each type, and all else measured."""
        lower, upper = self.intervals.T
        found = {"time": self.times, "leakage": self.values, "lower": lower, "upper": upper}
        found |= {f"exposed.{name}": values for name, values in self.exposed.items()}
        found |= {f"performance.{name}": values for name, values in self.performance.items()}
        for name, rows in self.measures.items():
            found |= {
                name + part: column
                for part, column in zip(("", ".lower", ".upper"), rows.T, strict=True)
            }
        return found

    def to_xarray(self) -> xr.Dataset:
        """The same by time and type; the limit is an attribute."""
        import xarray as xr  # noqa: PLC0415

        exposed = self.exposed
        return xr.Dataset(
            {
                "leakage": ("time", self.values),
                "lower": ("time", self.intervals[:, 0]),
                "upper": ("time", self.intervals[:, 1]),
                "exposed": (("type", "time"), np.stack(list(exposed.values()))),
            },
            {"time": list(self.times), "type": list(exposed)},
            {"limit": math.nan if self.limit is None else self.limit},
        )

    @property
    def unit(self) -> str | None:
        """The unit of time, where the scenario says it."""
        return self.leakages[0].distributions.own.unit

    def __str__(self) -> str:
        worst = self.worst
        most = (
            f"Of {len(self.times)} times from {self.times[0]:g} to "
            f"{lasting(self.times[-1], self.unit)}, a snapshot gives away most "
            f"{when(self.worst_time, self.unit)} (leakage {number(worst.value)}, for "
            f"{shown(worst.observation)} against {_whom(worst)})"
        )
        if self.limit is None:
            return f"{most}; no limit is known: {self.why_no_limit}."
        return f"{most}; in the long run it tends to {number(self.limit)}."


def _whom(worst: Leakage) -> str:
    """What was compared where most is given away; over a set of teams, of which team."""
    against = f"a team with {worst.neighbour}"
    return against if worst.relation.teams is None else f"{against}; the team is {worst.team}"


def trace(
    scenario: Scenario,
    times: Iterable[float],
    *,
    measures: str | MeasureFunction | Iterable[str | MeasureFunction] = (),
    smoothing: float | None = None,
    seen: Reporting | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Trace:
    """The leakage of a scenario's team at increasing times, and other measures.

    Args:
        scenario: The team, its network, and what is seen of it.
        times: When to look, in increasing order.
        measures: One or several besides the leakage, as `sweep` takes them: names such as
            "guess" or "mu", or functions of the distributions; all from the same pass.
        smoothing: The paper's ν, added to every probability; by default the adversary's.
        seen: What is reported of what is there: the probability that a robot is seen, or a table,
            as `seen_through` takes them; by default all.
        limits: How to compute: which method, on how many states, to which tolerance; the method is
            for the times alone, not for the steady state.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    how = Looking(smoothing, seen, read_measures(measures) if measures else ())
    return trace_by(Solver(scenario.network, limits), scenario, times, progress, how)


@dataclass(frozen=True)
class Looking:
    """Who looks, and what is measured then.

    Attributes:
        smoothing: The paper's ν; by default the adversary's.
        seen: What is reported of what is there; by default all.
        measures: What is measured besides the leakage.
    """

    smoothing: float | None = None
    seen: Reporting | None = None
    measures: tuple[Measure, ...] = ()


def trace_by(
    solver: Solver,
    scenario: Scenario,
    times: Iterable[float],
    progress: Progress | None = None,
    how: Looking | None = None,
) -> Trace:
    """The same, by a solver that is prepared for the scenario's network already."""
    how = how or Looking()
    listed, seen = tuple(check_times(times).tolist()), how.seen
    nu = scenario.adversary.smoothing if how.smoothing is None else how.smoothing
    distributions = [
        seen_through(at, seen) for at in distributions_by(solver, scenario, listed, progress)
    ]
    snapshots = [Snapshot(at, nu) for at in distributions]
    leakages = tuple(one.leakage for one in snapshots)
    done = FrozenMap(performance_over(solver, scenario, listed, progress))
    also = FrozenMap({one.full_column: _over_time(one, snapshots) for one in how.measures})
    if is_open(scenario):
        return Trace(listed, leakages, None, None, _LEFT, done, also)
    try:
        (steady,) = distributions_by(solver.by_any_method(), scenario, ["steady"], progress)
    except InputError:
        raise
    except CoveyError as error:  # it never settles, or its steady state is out of reach
        return Trace(listed, leakages, None, None, error.message, done, also)
    steady = seen_through(steady, seen)
    limit = leakage_of(steady, nu)
    why = _no_limit(distributions[-1], steady, limit)
    return Trace(listed, leakages, limit, None if why else limit.value, why, done, also)


def _over_time(measure: Measure, snapshots: list[Snapshot]) -> Floats:
    """A measure at every time, with its bounds: (times, 3)."""
    if measure.achieved:
        raise InputError(
            f"{measure} is in every trace already, where it has no moment of its own: leave it out"
        )
    found = [measure.of(one) for one in snapshots]
    return np.array([(one.value, *one.interval) for one in found])


def _no_limit(late: TeamDistributions, steady: TeamDistributions, limit: Leakage) -> str:
    """Why the steady state's leakage is not what L(t) tends to; empty where it is."""
    if limit.smoothing > 0:
        return ""
    if limit.truncated_mass > 0:
        return (
            f"observations with a probability of {limit.truncated_mass:.1g} in all are not known "
            "at "
            "steady state"
        )
    dying = _dies_out(late, steady)
    if dying is None:
        return ""
    return f"{shown(dying)} dies out, and how likely it is for either team need not settle"


def _dies_out(late: TeamDistributions, steady: TeamDistributions) -> dict[str, int] | None:
    """An observation of either team of a pair that neither shows at steady state."""
    limits = {
        (part.scenario.team, one): (part.team, limit)
        for part in steady.every
        for one, limit in part.neighbours
    }
    both = [(part, *each) for part in late.every for each in part.neighbours]
    for part, one, distribution in both:
        possible, *_ = aligned(part.team, distribution)
        stays, *_ = aligned(*limits[part.scenario.team, one])
        staying = set(map(tuple, stays.tolist()))
        for row in possible.tolist():
            if tuple(row) not in staying:
                return dict(zip(distribution.names, row, strict=True))
    return None
