"""What a worker does: one cell of a sweep, or one distribution that several cells share.

A task has all that is needed: a scenario, what to change of it, and how to compute. Whoever gets
it, here or on another machine, finds the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from covey import __version__
from covey.dynamics.distribution import Distribution
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.errors import InputError
from covey.files.journal import Record
from covey.model.network import Network
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.model.scenario import Scenario
from covey.privacy.measures.registry import Measure
from covey.privacy.snapshot.output_distributions import distributions_by
from covey.privacy.snapshot.published import as_published
from covey.remedy.performance import performance_by
from covey.study.sweep.axes import Design, Value
from covey.study.sweep.measures import failed, measured

Distributions = list[Distribution] | Record  # at every moment; a record says why there are none
T = TypeVar("T")


@dataclass(frozen=True)
class Job:
    """A sweep: of which scenario, over what, measuring what, computed how."""

    scenario: Scenario
    design: Design
    measures: tuple[Measure, ...]
    limits: Limits

    def __post_init__(self) -> None:
        self.scenario.release.refuse_stand_in("a sweep")

    def identity(self) -> dict[str, Any]:
        """What must be the same for two runs to be the same sweep."""
        how, table = self.limits, self.scenario.release.mechanism
        # However its reactions and sums are written, it is the same sweep.
        plain = self.scenario.unpublished(Query(self.scenario.query.texts())).with_(
            network=self.scenario.network.expanded(), warn=False
        )
        return {
            "version of covey": __version__,
            "scenario": plain.to_document(),
            **({} if table is None else {"mechanism": table.digest}),
            "design": self.design.to_document(),
            "measure": " and ".join(one.identity for one in self.measures),
            "method": [how.method, how.max_states, how.tolerance],
        }

    @property
    def also(self) -> tuple[str, ...]:
        """The columns of the measures beside the first."""
        return tuple(measure.full_column for measure in self.measures[1:])

    def cell(self, number: int) -> CellTask:
        """All of one cell."""
        return CellTask(self.scenario, self.design.changes(number), self.measures, self.limits)


@dataclass(frozen=True)
class CellTask:
    """A scenario, what is changed of it, and what is to be measured then."""

    scenario: Scenario
    changes: Mapping[str, Value]
    measures: tuple[Measure, ...]
    limits: Limits
    version: str = __version__


@dataclass(frozen=True)
class DistributionsTask:
    """The distribution of one start, at several moments."""

    scenario: Scenario
    start: tuple[int, ...]
    moments: tuple[Moment, ...]
    limits: Limits
    version: str = __version__


def solve_cell(task: CellTask) -> Record:
    """Measures one cell."""
    _check_version(task.version)

    def measure() -> Record:
        scenario = task.scenario.with_(task.changes, warn=False)
        solver = _prepared(task.scenario.network, task.limits).at_rates(scenario.network)
        (distributions,) = distributions_by(solver, scenario)
        names = [one.achieved for one in task.measures if one.achieved]
        achieved = performance_by(solver, scenario, names=names).measures if names else {}
        return measured(task.measures, distributions, scenario.adversary.smoothing, achieved)

    return answered(measure)


@lru_cache(maxsize=1)
def _prepared(network: Network, limits: Limits) -> Solver:
    """What all cells of a sweep have in common: a worker lists states once, whatever the rates."""
    return Solver(network, limits)


def solve_distributions(task: DistributionsTask) -> Distributions:
    """The distribution of one start at every moment, or why there is none."""
    _check_version(task.version)

    def solve() -> Distributions:
        solver = _prepared(task.scenario.network, task.limits)
        found = solver.distributions(task.start, task.moments, task.scenario.query)
        team = task.scenario.team
        return [as_published(task.scenario, distribution, team) for distribution in found]

    return answered(solve)


def answered(work: Callable[[], T]) -> T | Record:
    """What the work finds, or a record of why there is nothing: the other cells go on.

    What cannot be answered is an answer too; lack of memory is not.
    """
    try:
        return work()
    except MemoryError:
        raise
    except Exception as error:
        return failed(error)


def _check_version(version: str) -> None:
    if version != __version__:
        raise InputError(
            f"a worker has covey {__version__}, and the sweep was started by {version}: "
            "results would not be the same. Install one version everywhere"
        )
