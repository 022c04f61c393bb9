"""Sweep: what was found in every cell, as an xarray Dataset with named axes.

sweep.data["leakage"].sel({"types.A": 3})     data, with bounds, witness and errors beside it
sweep.lowest.changes                          where it is least
sweep.of("guess").lowest                      by another measure, where several were asked for
sweep.scenario.with_(sweep.lowest.changes)    the scenario of that cell
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from covey import __version__
from covey.errors import InputError
from covey.files.journal import Record
from covey.model.io.scenario_file import dumps, parse_toml
from covey.model.scenario import Scenario
from covey.privacy.measures.registry import Measure
from covey.showing import Drawing
from covey.study.sweep.axes import Design, Value, parse_value
from covey.study.sweep.cells import Job
from covey.study.sweep.file import check_output, read, rows_of, save
from covey.study.sweep.measures import (
    CHECKSUM,
    DTYPES,
    FIELDS,
    MISSING,
    SAMPLE,
    bounds_of,
    fields_of,
)
from covey.study.sweep.soundness import also_in
from covey.tabular import Tabular, columns_of

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class Found:
    """One cell.

    Attributes:
        changes: What it changes of the scenario, by dotted names.
        value: The number found there.
    """

    changes: dict[str, Value]
    value: float


@dataclass(frozen=True, eq=False)
class Sweep(Drawing, Tabular):
    """The result of a sweep.

    Attributes:
        data: All of it: the numbers, their bounds and witnesses, what failed, and the scenario.
    """

    data: xr.Dataset

    @property
    def measure(self) -> str:
        """The name of the number that was asked for first, which is its name in `data`."""
        return str(self.data.attrs["measure"])

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of all numbers that were asked for, as `data` and `of` know them."""
        return self.measure, *also_in(self.data)

    def of(self, measure: str) -> Sweep:
        """The same cells by another number that was asked for.

        Neighbours and observations are those of the first and are left out.

        Args:
            measure: One of `measures`, or as it was asked for, such as "tv".
        """
        if measure in (self.measure, self.data.attrs["measured"]):
            return self
        other = Measure.of_column(measure)
        name = other.full_column
        if name not in also_in(self.data):
            known = ", ".join(self.measures)
            raise InputError(f"{measure!r:.40} was not measured: expected one of {known}")
        import xarray as xr  # noqa: PLC0415  (takes a second)

        lower, upper = bounds_of(name)
        own = {"value": name, "lower": lower, "upper": upper}
        own |= {field: field for field in ("method", "states", "error")}
        columns: dict[str, Any] = {}
        for field, kind in FIELDS.items():
            nothing = np.full(self.values.shape, MISSING[kind], DTYPES[kind])
            found = self.data[own[field]] if field in own else (self._dims, nothing)
            columns[other.column if field == "value" else field] = found
        attributes = self.data.attrs | {"measure": other.column, "measured": str(other)}
        for name in ("also", CHECKSUM):
            attributes.pop(name, None)
        return Sweep(xr.Dataset(columns, self.data.coords, attributes))

    @property
    def axes(self) -> list[tuple[str, ...]]:
        """The names of every axis; several where values were tied."""
        return [tuple(names) for names in json.loads(self.data.attrs["axes"])]

    @property
    def is_sample(self) -> bool:
        """Whether the cells were drawn at random."""
        return SAMPLE in self.data.dims

    @property
    def scenario(self) -> Scenario | None:
        """The scenario that was varied, without its mechanism; a CSV file does not tell."""
        text = self.data.attrs.get("scenario")
        if text is None:
            return None
        # Not `loads`, which may read another file: this one may be a stranger's.
        return Scenario.from_document(parse_toml(text, "the sweep's scenario"))

    @property
    def values(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The numbers, an axis each, or one for a sample; nan where a cell has none."""
        return np.asarray(self.data[self.measure].values, dtype=np.float64)

    @property
    def errors(self) -> dict[int, str]:
        """What the cells without an answer say, by their number in reading order."""
        texts = self.data["error"].values.ravel()
        return {cell: str(text) for cell, text in enumerate(texts) if text}

    @cached_property
    def lowest(self) -> Found | None:
        """The cell with the least value; the first of several, and none where all failed."""
        values = self.values.ravel()
        return None if np.isnan(values).all() else self.cell(int(np.nanargmin(values)))

    @cached_property
    def highest(self) -> Found | None:
        """The cell with the largest value, which may be infinite."""
        values = self.values.ravel()
        return None if np.isnan(values).all() else self.cell(int(np.nanargmax(values)))

    def cell(self, index: int) -> Found:
        """A cell.

        Args:
            index: Its number in reading order.
        """
        place = dict(zip(self._dims, np.unravel_index(index, self.values.shape), strict=True))
        at = self.data.isel({name: int(i) for name, i in place.items()})
        changes: dict[str, Value] = {}
        for name in (name for names in self.axes for name in names):
            value = at[name].item()
            changes[name] = parse_value(value, name) if isinstance(value, str) else value
        return Found(changes, float(at[self.measure]))

    @property
    def table_columns(self) -> dict[str, list[Any]]:
        """A row for every cell."""
        return columns_of(rows_of(self.data))

    def save(self, path: str | Path) -> None:
        """Writes the sweep to a file that `open_sweep` reads.

        Args:
            path: Ends in .nc for all of it, in .csv for a table without the scenario.
        """
        save(self.data, check_output(path))

    @property
    def _dims(self) -> tuple[str, ...]:
        return tuple(map(str, self.data[self.measure].dims))

    def __str__(self) -> str:
        size = " × ".join(str(n) for n in self.values.shape)
        cells = f"{size} random cells" if self.is_sample else f"{size} cells"
        names = " and ".join(axis[0] for axis in self.axes)
        said = f"{self.measure.replace('_', ' ')} over {names} ({cells})"
        if self.lowest is None or self.highest is None:
            return f"{said}: no cell has an answer."
        failures = f"; {len(self.errors):,} cells have no answer" if self.errors else ""
        if self.lowest.value == self.highest.value:
            return f"{said}: {shown(self.lowest.value)} everywhere{failures}."
        return f"{said}: from {self._say(self.lowest)} to {self._say(self.highest)}{failures}."

    def _say(self, cell: Found) -> str:
        where = ", ".join(f"{n[0]} = {shown(cell.changes[n[0]])}" for n in self.axes)
        return f"{shown(cell.value)} at {where}"


def open_sweep(path: str | Path) -> Sweep:
    """The sweep in a file that `save` wrote.

    Args:
        path: A .nc or .csv file.
    """
    return Sweep(read(path))


def shown(value: Value) -> str:
    """A number in four digits, a word as it is."""
    if isinstance(value, float):
        return "∞" if math.isinf(value) else "0" if abs(value) < 1e-10 else f"{value:.4g}"
    return str(value)


def assemble(job: Job, records: Mapping[int, Record]) -> Sweep:
    """The result, from what was found for every cell."""
    import xarray as xr  # noqa: PLC0415  (takes a second)

    design = job.design
    dims = [SAMPLE] if design.sample else [axis.name for axis in design.axes]
    every = [records[cell] for cell in range(len(design))]
    variables: dict[str, Any] = {}
    for name, kind in fields_of(job.also).items():
        column = np.array([record.get(name, MISSING[kind]) for record in every], DTYPES[kind])
        called = job.measures[0].column if name == "value" else name
        variables[called] = (dims, column.reshape(design.shape))
    return Sweep(xr.Dataset(variables, _coordinates(design), _attributes(job)))


def _coordinates(design: Design) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if design.sample is not None:
        found[SAMPLE] = np.arange(design.sample)
    for i, axis in enumerate(design.axes):
        dim = axis.name if design.sample is None else SAMPLE
        values = np.array(_alike(axis.values if design.sample is None else design.columns[i]))
        found |= dict.fromkeys(axis.names, (dim, values))
    return found


def _alike(values: Any) -> list[Value]:
    """Words and numbers in one list as words, each number in all its digits."""
    mixed = any(isinstance(value, str) for value in values)
    return list(map(str, values)) if mixed else list(values)


def _attributes(job: Job) -> dict[str, Any]:
    """What a file must tell to be understood by itself."""
    table = job.scenario.release.mechanism
    also = {"also": json.dumps(job.also)} if job.also else {}
    return (
        {
            "title": job.scenario.title,
            "measure": job.measures[0].column,
            "measured": str(job.measures[0]),
            "axes": json.dumps([list(axis.names) for axis in job.design.axes]),
            "scenario": dumps(job.scenario.unpublished()),
            "covey": __version__,
            **({} if table is None else {"mechanism": table.digest}),
        }
        | ({"seed": job.design.seed} if job.design.sample else {})
        | also
    )
