"""Sweeps to files and back: netCDF for all of it, CSV for any other program.

Both hold plain numbers and texts, so a file from a stranger can be opened. A file appears when it
is complete, and the same sweep gives the same bytes. NetCDF is the classic format, which scipy
reads and writes; `csv_file` is the other.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from covey.errors import CoveyError, InputError, TooLargeError
from covey.files.atomic_file import whole_file
from covey.files.bounded_file import read_bytes, read_text
from covey.study.sweep.csv_file import parse_table, write_table
from covey.study.sweep.measures import CHECKSUM, SAMPLE, fields_of
from covey.study.sweep.soundness import also_in, check_sweep

if TYPE_CHECKING:
    import xarray as xr

ENDINGS = (".nc", ".csv")
MAX_BYTES = 2**30
T = TypeVar("T")


def check_output(path: str | Path) -> Path:
    """Where a sweep can be written; said before anything is computed."""
    path = Path(path)
    if path.suffix not in ENDINGS:
        found = f'the ending is "{path.suffix}"' if path.suffix else "the name has no ending"
        raise InputError(f"{found}: .csv or .nc is expected", file=str(path))
    try:
        if path.is_dir():
            raise InputError("this is a directory; the name of a file is expected", file=str(path))
        if not path.parent.is_dir():
            raise InputError(
                f"there is no folder {path.parent}: make it first, or choose another",
                file=str(path),
            )
    except OSError as error:  # a name that is too long
        raise InputError(f"cannot be written: {error.strerror}", file=str(path)) from None
    return path


def save(data: xr.Dataset, path: Path) -> None:
    """Writes the file whole."""
    advice = ". Mend this and run the same command again: what is computed is kept"
    with whole_file(path, advice) as file:
        if path.suffix == ".csv":
            checksum = {CHECKSUM: data.attrs[CHECKSUM]} if CHECKSUM in data.attrs else {}
            write_table((row | checksum for row in rows_of(data)), file)
        else:
            data.to_netcdf(file, engine="scipy", format="NETCDF3_64BIT")


def read(path: str | Path) -> xr.Dataset:
    """What is in a file that `save` wrote."""
    path = Path(path)
    if path.suffix not in ENDINGS:
        raise InputError(f'the ending is "{path.suffix}": .csv or .nc is expected', file=str(path))
    try:
        if path.suffix == ".csv":
            data = _parse(parse_table, read_text(path, "a sweep", MAX_BYTES))
        else:
            data = _parse(_parse_netcdf, read_bytes(path, "a sweep", MAX_BYTES))
        check_sweep(data)
    except CoveyError as error:
        raise error.at(file=str(path)) from None
    return data


def _parse(parser: Callable[[T], xr.Dataset], content: T) -> xr.Dataset:
    """What a parser finds in content of which nothing is known yet."""
    try:
        return parser(content)
    except CoveyError:
        raise
    except MemoryError:
        raise TooLargeError("this sweep does not fit into memory, or its size is wrong") from None
    # Whatever bytes make scipy, xarray and csv stumble over, they are not what `save` wrote.
    except Exception as error:
        raise InputError(
            f"this cannot be read as a sweep ({type(error).__name__}: {error}): a file that "
            "`covey sweep` wrote is expected"
        ) from None


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


def _parse_netcdf(content: bytes) -> xr.Dataset:
    import xarray as xr  # noqa: PLC0415  (takes a second)

    if not content.startswith(b"CDF"):  # neither other formats nor compressed ones are tried
        raise InputError("this cannot be read as a sweep: it is no netCDF file of the classic kind")
    with xr.open_dataset(io.BytesIO(content), engine="scipy", decode_times=False) as data:
        found = data.load()
    for name, variable in found.variables.items():
        if variable.dtype == np.int32:  # the classic format has no wider whole numbers
            found[name] = found[name].astype(np.int64)
        elif variable.dtype == object:
            found[name] = found[name].astype(str)
    found.attrs = {name: _plain(value) for name, value in found.attrs.items()}
    wanted = [found.attrs.get("measure"), *fields_of(also_in(found))]
    return found[[name for name in wanted if name in found.data_vars]]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
