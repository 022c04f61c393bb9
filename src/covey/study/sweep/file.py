"""Sweeps to files and back: netCDF for all of it, CSV for any other program.

Both hold plain numbers and texts, so a file from a stranger can be opened. A file appears when it
is complete, and the same sweep gives the same bytes. NetCDF is the classic format, which scipy
reads and writes; CSV has a row for every cell, the axes first.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from covey.errors import CoveyError, InputError
from covey.study.sweep.measures import COLUMNS, FIELDS
from covey.whole_file import whole_file

if TYPE_CHECKING:
    import xarray as xr

SAMPLE = "sample"  # the axis of cells that were drawn at random
ENDINGS = (".nc", ".csv")
MAX_BYTES = 2**30

# How a field is kept, and what stands for none.
DTYPES: dict[type, Any] = {float: np.float64, int: np.int64, str: np.str_}
MISSING: dict[type, Any] = {float: math.nan, int: 0, str: ""}


def check_output(path: str | Path) -> Path:
    """Where a sweep can be written; said before anything is computed."""
    path = Path(path)
    if path.suffix not in ENDINGS:
        found = f'the ending is "{path.suffix}"' if path.suffix else "the name has no ending"
        raise InputError(f"{found}: .csv or .nc is expected", file=str(path))
    if path.is_dir():
        raise InputError("this is a directory; the name of a file is expected", file=str(path))
    if not path.parent.is_dir():
        raise InputError(
            f"there is no folder {path.parent}: make it first, or choose another", file=str(path)
        )
    return path


def save(data: xr.Dataset, path: Path) -> None:
    """Writes the file whole."""
    advice = ". Mend this and run the same command again: what is computed is kept"
    with whole_file(path, advice) as file:
        if path.suffix == ".csv":
            _write_csv(data, file)
        else:
            data.to_netcdf(file, engine="scipy", format="NETCDF3_64BIT")


def read(path: str | Path) -> xr.Dataset:
    """What is in a file that `save` wrote."""
    path = Path(path)
    if path.suffix not in ENDINGS:
        raise InputError(f'the ending is "{path.suffix}": .csv or .nc is expected', file=str(path))
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"more than {MAX_BYTES // 2**30} GB: too large for a sweep")
        data = _read_csv(path) if path.suffix == ".csv" else _read_netcdf(path)
        _check(data)
    except CoveyError as error:
        raise error.at(file=str(path)) from None
    except FileNotFoundError:
        raise InputError("there is no such file", file=str(path)) from None
    except (OSError, ValueError, TypeError, KeyError, IndexError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise InputError(f"this cannot be read as a sweep: {reason}", file=str(path)) from None
    return data


def rows_of(data: xr.Dataset) -> Iterator[dict[str, Any]]:
    """Every cell as a flat row: the axes, then what was found."""
    cells = data[data.attrs["measure"]]
    axes = [name for names in json.loads(data.attrs["axes"]) for name in names]
    names = [*([SAMPLE] if SAMPLE in data.dims else []), *axes, *map(str, data.data_vars)]
    columns = [
        data[name].broadcast_like(cells).transpose(*cells.dims).values.ravel().tolist()
        for name in names
    ]
    for row in zip(*columns, strict=True):
        yield dict(zip(names, row, strict=True))


def _write_csv(data: xr.Dataset, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        for i, row in enumerate(rows_of(data)):
            if i == 0:
                writer.writerow(row)
            writer.writerow([_cell(value) for value in row.values()])


def _cell(value: Any) -> Any:
    return "" if isinstance(value, float) and math.isnan(value) else value


def _read_netcdf(path: Path) -> xr.Dataset:
    import xarray as xr  # noqa: PLC0415  (takes a second)

    with xr.open_dataset(path, engine="scipy", decode_times=False) as data:
        found = data.load()
    for name, variable in found.variables.items():
        if variable.dtype == np.int32:  # the classic format has no wider whole numbers
            found[name] = found[name].astype(np.int64)
        elif variable.dtype == object:
            found[name] = found[name].astype(str)
    found.attrs = {name: _plain(value) for name, value in found.attrs.items()}
    measure = found.attrs.get("measure", "")
    return found[[measure, *(name for name in FIELDS if name in found)]]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _read_csv(path: Path) -> xr.Dataset:
    with path.open(newline="", encoding="utf-8-sig") as stream:
        header, *rows = csv.reader(stream)
    measure = next((name for name in header if name in COLUMNS), None)
    if measure is None or not rows:
        raise InputError(f"a sweep has a column {', '.join(COLUMNS[:-1])} or {COLUMNS[-1]}", line=1)
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise InputError(f"{len(row)} columns, where the header has {len(header)}", line=number)
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    names = [name for name in header[: header.index(measure)] if name != SAMPLE]
    axes: dict[tuple[str, ...], list[str]] = {}
    for name in names:  # tied values are the same in every row
        axes.setdefault(columns[name], []).append(name)
    if not axes:
        raise InputError(f"there is no axis before {measure}", line=1)
    return _dataset(columns, list(axes.values()), measure)


def _dataset(
    columns: dict[str, tuple[str, ...]], axes: list[list[str]], measure: str
) -> xr.Dataset:
    import xarray as xr  # noqa: PLC0415

    values = {axis[0]: _numbers(columns[axis[0]]) for axis in axes}
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
    variables = {}
    for name, kind in FIELDS.items():
        called = measure if name == "value" else name
        texts = columns.get(called, ("",) * rows)
        cells = np.array([kind(text) if text else MISSING[kind] for text in texts], DTYPES[kind])
        variables[called] = (dims, cells.reshape(shape))
    attributes = {"title": "", "measure": measure, "measured": measure, "axes": json.dumps(axes)}
    return xr.Dataset(variables, coordinates, attributes)


def _numbers(column: tuple[str, ...]) -> list[Any]:
    """A column as whole numbers, else as reals, else as words."""
    for kind in (int, float):
        try:
            return [kind(text) for text in column]
        except ValueError:
            continue
    return list(column)


def _check(data: xr.Dataset) -> None:
    """Whether the parts are there that every sweep has."""
    measure = data.attrs.get("measure")
    if measure not in COLUMNS or measure not in data or "error" not in data:
        raise InputError("this holds no sweep of covey's: run `covey sweep` to make one")
    for names in json.loads(data.attrs["axes"]):
        for name in names:
            if name not in data.coords:
                raise InputError(f"the axis {name} is missing")
