"""What a sweep records of every cell: numbers with bounds, and what the first was found for.

Several measures (`privacy.measures.registry`) are taken from the same distributions. The first is
the one that a sweep is about: it has the plain columns (`leakage`, `lower`, `upper`, the neighbour
and the observation). Every other one has three of its own, which tell its parameter:
`epsilon=1e-06`, `epsilon=1e-06.lower` and `.upper`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from covey.errors import CoveyError, InputError
from covey.files.journal import Record
from covey.model.hypothesis import Hypothesis
from covey.model.team import Neighbour
from covey.privacy.measures.registry import Measure, Snapshot
from covey.privacy.snapshot.leakage import Leakage
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.remedy.performance import Achieved

# What is found for a cell, in the order in which tables show it, and what each holds.
FIELDS: dict[str, type[float | int | str]] = {
    "value": float,
    "lower": float,
    "upper": float,
    "neighbour_from": str,
    "neighbour_to": str,
    "observation": str,
    "probability": float,
    "probability_neighbour": float,
    "method": str,
    "states": int,
    "error": str,
}

# How a field is kept in arrays, and what stands for none.
DTYPES: dict[type, Any] = {float: np.float64, int: np.int64, str: np.str_}
MISSING: dict[type, Any] = {float: math.nan, int: 0, str: ""}

SAMPLE = "sample"  # the axis of cells that were drawn at random
CHECKSUM = "sweep"  # the attribute, or the column, by which `finished` knows a sweep again


def is_column(name: object) -> bool:
    """Whether a column beside the first may be called so."""
    try:
        return isinstance(name, str) and Measure.of_column(name).full_column == name
    except InputError:
        return False


def bounds_of(column: str) -> tuple[str, str]:
    """The columns of the bounds of a measure beside the first."""
    return f"{column}.lower", f"{column}.upper"


def fields_of(also: Iterable[str]) -> dict[str, type[float | int | str]]:
    """All that is found for a cell, where there are columns of other measures beside the first."""
    return FIELDS | {name: float for column in also for name in (column, *bounds_of(column))}


def measured(
    measures: Sequence[Measure],
    distributions: TeamDistributions,
    smoothing: float,
    achieved: Mapping[str, Achieved] | None = None,
) -> Record:
    """What is found for a cell of known distributions, and what its team achieves, if asked for."""
    snapshot, by = Snapshot(distributions, smoothing), distributions.computed

    def one(measure: Measure) -> Record:
        if measure.kind == "leakage":
            return _leakage(snapshot.leakage)
        computed: Record = {"method": by.method, "states": by.states or 0}
        if achieved is not None and measure.achieved:
            done = achieved[measure.achieved]
            return computed | {"value": done.value, "lower": done.lower, "upper": done.upper}
        found = measure.of(snapshot)
        low, high = found.interval
        record = computed | {"value": found.value, "lower": low, "upper": high}
        if found.pair is not None:
            record |= _compared(found.pair.neighbour)
        return record

    first, *others = measures
    found = one(first)
    for other in others:
        record = one(other)
        names = (other.full_column, *bounds_of(other.full_column))
        found |= dict(
            zip(names, (record[name] for name in ("value", "lower", "upper")), strict=True)
        )
    return found


def failed(error: Exception) -> Record:
    """What is recorded of a cell that has no answer."""
    if isinstance(error, CoveyError):
        return {"error": f"{type(error).__name__}: {error.message}"}
    return {"error": f"{type(error).__name__}: {error} (this is a bug of covey's)"}


def _leakage(found: Leakage) -> Record:
    team, neighbour = found.probability
    return {
        "value": found.value,
        "lower": found.interval[0],
        "upper": found.interval[1],
        **_compared(found.neighbour),
        "observation": ",".join(f"{name}={n}" for name, n in found.observation.items()),
        "probability": team,
        "probability_neighbour": neighbour,
        "method": found.method,
        "states": found.states or 0,
    }


def _compared(hypothesis: Hypothesis) -> Record:
    """The two types of a neighbour; of any other hypothesis its name, in the second place."""
    if isinstance(hypothesis, Neighbour):
        return {"neighbour_from": hypothesis.from_type, "neighbour_to": hypothesis.to_type}
    return {"neighbour_from": "", "neighbour_to": str(hypothesis)}
