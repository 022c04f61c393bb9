"""Whether a dataset from a file is a sweep: all that a `Sweep` takes for granted.

A file may be damaged, or be somebody else's netCDF. What is checked here is the attributes, the
axes, and that every column has the kind and the shape it should have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from covey.errors import CoveyError, InputError, shown
from covey.files.json_reader import read_json
from covey.privacy.measures.registry import Measure, is_first
from covey.study.sweep.measures import SAMPLE, fields_of, is_column

if TYPE_CHECKING:
    import xarray as xr

_KINDS = {float: "f", int: "iu", str: "U"}  # numpy's letters for each kind of column


def check_sweep(data: xr.Dataset) -> None:
    """Raises `InputError` where something is missing, or is not what it should be."""
    measure = data.attrs.get("measure")
    if not isinstance(measure, str) or not is_first(measure) or measure not in data.data_vars:
        raise InputError("this holds no sweep of covey's: run `covey sweep` to make one")
    _check_measured(data.attrs.get("measured"), measure)
    for name, otherwise in (("title", None), ("scenario", "")):
        if not isinstance(data.attrs.get(name, otherwise), str):
            raise _damaged(f"its {name} is no text")
    _check_axes(data, measure)
    if not data[measure].size:
        raise _damaged("it has no cells")
    for field, kind in fields_of(also_in(data)).items():
        name = measure if field == "value" else field
        if name not in data.data_vars:
            raise _damaged(f"the column {name} is missing")
        if data[name].dims != data[measure].dims or data[name].dtype.kind not in _KINDS[kind]:
            raise _damaged(f"the column {name} does not hold a {kind.__name__} for every cell")


def also_in(data: xr.Dataset) -> tuple[str, ...]:
    """The columns of the measures beside the first; none where there was one, as in older files."""
    text = data.attrs.get("also", "[]")
    try:
        names = read_json(text)
        if isinstance(names, list) and all(map(is_column, names)):
            return tuple(names)
    except (TypeError, InputError):
        pass
    raise _damaged(f"what was measured besides is {shown(text)}: names of measures are expected")


def _check_measured(measured: Any, measure: str) -> None:
    """Whether the measure with its parameter (`delta=0.5`) is one that has this column."""
    if measured == measure:  # a table, which does not tell the parameter
        return
    try:
        if isinstance(measured, str) and Measure.parse(measured).column == measure:
            return
    except CoveyError:
        pass
    raise _damaged(f"what was measured is {shown(measured)}, and its column {measure}")


def _check_axes(data: xr.Dataset, measure: str) -> None:
    axes = _axes(data.attrs.get("axes"))
    names = [name for axis in axes for name in axis]
    if not names or len(set(names)) < len(names):
        raise _damaged("its axes have no names of their own")
    dims: tuple[Any, ...] = data[measure].dims
    sampled = SAMPLE in dims
    if dims != ((SAMPLE,) if sampled else tuple(axis[0] for axis in axes)):
        raise _damaged(f"it is over {', '.join(map(str, dims))}, and its axes are {axes}")
    for axis in axes:
        for name in axis:
            if name not in data.coords:
                raise _damaged(f"the axis {name} is missing")
            along = data.coords[name]
            if along.dims != (SAMPLE if sampled else axis[0],) or along.dtype.kind not in "iufU":
                raise _damaged(f"the axis {name} does not hold a value for every place")


def _axes(text: Any) -> list[list[str]]:
    try:
        axes = read_json(text)
        if all(axis and all(isinstance(name, str) for name in axis) for axis in axes):
            return [list(axis) for axis in axes]
    except (TypeError, InputError):
        pass
    raise _damaged(f"its axes are {shown(text)}: lists of names are expected")


def _damaged(what: str) -> InputError:
    return InputError(f"this sweep is damaged: {what}. Run `covey sweep` again to make a new one")
