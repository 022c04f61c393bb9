"""A sweep as a CSV table: a row for every cell, the axes first, then what was found.

It does not hold the scenario, and a table that another program has written is read as well, as long
as it has a column that is called as a measure is.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from covey.errors import InputError, shown
from covey.files.csv_cells import read_cell, write_csv
from covey.privacy.measures.registry import COLUMNS, is_first
from covey.study.sweep.measures import (
    CHECKSUM,
    DTYPES,
    MISSING,
    SAMPLE,
    bounds_of,
    fields_of,
    is_column,
)

if TYPE_CHECKING:
    import xarray as xr

Columns = dict[str, tuple[str, ...]]
_LARGEST = 1e300  # of an axis: a margin is added where it is drawn


def write_table(rows: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Writes a row for every cell; all of them have the same columns."""
    rows = iter(rows)
    first = next(rows)
    with path.open("w", newline="", encoding="utf-8") as stream:
        cells = ([_cell(value) for value in row.values()] for row in chain([first], rows))
        write_csv(stream, first, cells)


def _cell(value: Any) -> Any:
    return "" if isinstance(value, float) and math.isnan(value) else value


def parse_table(text: str) -> xr.Dataset:
    """The sweep that a CSV text holds."""
    rows = csv.reader(io.StringIO(text, newline=""))
    header = [read_cell(name) for name in next(rows, [])]
    measure = next(filter(is_first, header), None)
    if measure is None:
        raise InputError(f"a sweep has a column {', '.join(COLUMNS)} or performance.NAME", line=1)
    if twice := [name for name in header if header.count(name) > 1]:
        raise InputError(f"the column {shown(twice[0])} is there twice", line=1)
    columns = _columns(header, rows)
    names = [name for name in header[: header.index(measure)] if name != SAMPLE]
    axes: dict[tuple[str, ...], list[str]] = {}
    for name in names:  # tied values are the same in every row
        axes.setdefault(columns[name], []).append(name)
    if not axes:
        raise InputError(f"there is no axis before {measure}", line=1)
    return _dataset(columns, list(axes.values()), measure)


def _columns(header: list[str], rows: Any) -> Columns:
    """The cells of every column, from the rows that a `csv.reader` gives."""
    found = []
    for row in rows:
        if len(row) != len(header):
            raise InputError(
                f"{len(row)} columns, where the header has {len(header)}", line=rows.line_num
            )
        found.append([read_cell(cell) for cell in row])
    if not found:
        raise InputError("there is no cell: a row for each is expected")
    return dict(zip(header, zip(*found, strict=True), strict=True))


def _dataset(columns: Columns, axes: list[list[str]], measure: str) -> xr.Dataset:
    import xarray as xr  # noqa: PLC0415  (takes a second)

    values = {axis[0]: _axis(axis[0], columns[axis[0]]) for axis in axes}
    ends = [list(dict.fromkeys(column)) for column in values.values()]
    shape: tuple[int, ...] = tuple(map(len, ends))
    dims = [axis[0] for axis in axes]
    coordinates: dict[str, Any] = {
        name: (axis[0], np.array(points))
        for axis, points in zip(axes, ends, strict=True)
        for name in axis
    }
    rows = len(columns[measure])
    if SAMPLE in columns:
        shape, dims = (rows,), [SAMPLE]
        coordinates = {SAMPLE: np.arange(rows)} | {
            name: (SAMPLE, np.array(values[axis[0]])) for axis in axes for name in axis
        }
    if math.prod(shape) != rows:
        raise InputError(f"{rows} rows are no grid of {' × '.join(map(str, shape))} cells")
    also = [n for n in columns if is_column(n) and set(bounds_of(n)) <= set(columns)]
    variables = {}
    for name, kind in fields_of(also).items():
        called = measure if name == "value" else name
        texts = columns.get(called, ("",) * rows)
        cells = np.array([kind(text) if text else MISSING[kind] for text in texts], DTYPES[kind])
        variables[called] = (dims, cells.reshape(shape))
    attributes = {"title": "", "measure": measure, "measured": measure, "axes": json.dumps(axes)}
    if also:
        attributes["also"] = json.dumps(also)
    if len(seals := set(columns.get(CHECKSUM, ()))) == 1:
        attributes[CHECKSUM] = seals.pop()
    return xr.Dataset(variables, coordinates, attributes)


def _axis(name: str, column: tuple[str, ...]) -> list[Any]:
    """The values of an axis, which no sweep has infinite or beyond any number of a file."""
    values = _numbers(column)
    if not all(isinstance(value, str) or abs(value) <= _LARGEST for value in values):
        raise InputError(f"{name} has what is no finite number, or a larger one than can be drawn")
    wide = any(isinstance(value, int) and abs(value) >= 2**62 for value in values)
    return list(map(float, values)) if wide else values


def _numbers(column: tuple[str, ...]) -> list[Any]:
    """A column as whole numbers, else as reals, else as words."""
    for kind in (int, float):
        try:
            return [kind(text) for text in column]
        except ValueError:
            continue
    return list(column)
