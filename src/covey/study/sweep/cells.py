"""What a worker does: one cell of a sweep, or one law that several cells share.

A unit of work is plain data (texts, numbers, lists): a scenario's document, what to change of it,
and how to compute. Whoever gets a unit, here or on another machine, finds the same bits.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from covey import __version__
from covey.dynamics.distribution import Distribution
from covey.dynamics.solve import Method, solve
from covey.errors import CoveyWarning, InputError
from covey.model.scenario import Scenario
from covey.privacy.laws import Limits, Moment, team_laws
from covey.study.sweep.axes import Design, Value, changed
from covey.study.sweep.measures import Measure, Record, failed

Unit = dict[str, Any]
Laws = list[Distribution] | Record  # at every moment; a record says why there are none


@dataclass(frozen=True)
class Job:
    """A sweep: of which scenario, over what, measuring what, computed how."""

    scenario: Scenario
    design: Design
    measure: Measure
    method: Method | None = None
    max_states: int | None = None
    tolerance: float = 1e-9

    def identity(self) -> dict[str, Any]:
        """What must be the same for two runs to be the same sweep."""
        return {
            "version of covey": __version__,
            "scenario": self.scenario.to_document(),
            "design": self.design.to_document(),
            "measure": str(self.measure),
            "method": [self.method, self.max_states, self.tolerance],
        }

    def unit(self, changes: Mapping[str, Value], **more: Any) -> Unit:
        """What a worker needs to know, for a scenario with these changes."""
        return {
            "version": __version__,
            "scenario": json.dumps(self.scenario.to_document()),
            "changes": dict(changes),
            "method": self.method,
            "max_states": self.max_states,
            "tolerance": self.tolerance,
            **more,
        }

    def cell_unit(self, cell: int) -> Unit:
        """All of one cell."""
        return self.unit(self.design.changes(cell), measure=str(self.measure))

    def laws_unit(
        self, changes: Mapping[str, Value], start: Sequence[int], moments: Sequence[Moment]
    ) -> Unit:
        """The law of one start, at several moments."""
        return self.unit(changes, start=list(start), moments=list(moments))


def solve_cell(unit: Unit) -> Record:
    """Measures one cell. What cannot be answered is an answer too; lack of memory is not."""
    _check_version(unit)
    try:
        scenario = changed(_scenario(unit["scenario"]), unit["changes"])
        limits = Limits(unit["method"], unit["max_states"], unit["tolerance"])
        (laws,) = team_laws(scenario, None, limits)
        return Measure.parse(unit["measure"]).of(laws, scenario.adversary.smoothing)
    except MemoryError:
        raise
    except Exception as error:  # whatever happens in one cell, the others go on
        return failed(error)


def solve_laws(unit: Unit) -> Laws:
    """The law of one start at every moment, or why there is none."""
    _check_version(unit)
    try:
        scenario = changed(_scenario(unit["scenario"]), unit["changes"])
        return solve(
            scenario.network,
            np.array(unit["start"]),
            unit["moments"],
            query=scenario.query,
            method=unit["method"],
            max_states=unit["max_states"],
            tolerance=unit["tolerance"],
        )
    except MemoryError:
        raise
    except Exception as error:
        return failed(error)


@lru_cache(maxsize=4)
def _scenario(text: str) -> Scenario:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoveyWarning)
        return Scenario.from_document(json.loads(text))


def _check_version(unit: Unit) -> None:
    if unit["version"] != __version__:
        raise InputError(
            f"a worker has covey {__version__}, and the sweep was started by {unit['version']}: "
            "results would not be the same. Install one version everywhere"
        )
