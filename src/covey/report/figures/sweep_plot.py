"""A sweep as a picture: whichever fits its axes.

two axes              a heat map; a third axis makes one for each of its values
one axis              a line, with the band that the true value is in
a random sample       against every axis: violins where it has few values, a scatter otherwise

Cells that are infinite are hatched, cells without an answer are crossed, and the least is ringed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from covey.errors import InputError, did_you_mean
from covey.report.figures.sweep_labels import measure_label, moment_label, value_label
from covey.report.figures.sweep_panels import Scale, heat_map, line, scale_of, scatter, violins
from covey.report.picture import Picture
from covey.report.style import COLUMN_WIDTH, FONT, LIGHT, PAGE_WIDTH, TITLE_SIZE, Theme, drawable
from covey.study.sweep.axes import Value
from covey.study.sweep.result import Sweep

if TYPE_CHECKING:
    import xarray as xr

MAX_PANELS = 12
_COLUMNS = 3
_GROUPS = 12  # distinct values that make violins
_MEMBERS = 8  # samples that a violin needs


def draw_sweep(
    sweep: Sweep, *, where: Mapping[str, Value] | None = None, theme: Theme = LIGHT
) -> Figure:
    """The picture; `where` fixes axes at one of their values, each by its first name."""
    data = _selected(sweep, where or {})
    if sweep.is_sample:
        return _draw_sample(sweep, data, theme)
    dims = [str(dim) for dim in data[sweep.measure].dims]
    if not dims:
        raise InputError("the sweep has one cell: two or more are expected for a picture")
    if len(dims) > 3:
        raise InputError(
            f"the sweep has {len(dims)} axes, {', '.join(dims)}: at most 3 can be drawn. Fix the "
            f"others, such as {dims[0]}={data[dims[0]].values[0]}"
        )
    if len(dims) == 3:
        return _draw_maps(sweep, data, dims, theme)
    figure = _figure(COLUMN_WIDTH * (1.2 if len(dims) == 2 else 1.1), 2.9, sweep, data, theme)
    axes = figure.add_subplot()
    if len(dims) == 1:
        line(axes, sweep, data, dims[0], theme)
    else:
        scale = scale_of(data[sweep.measure].values)
        heat_map(axes, sweep, data, dims, scale, theme)
        _add_key(figure, sweep, scale, theme)
    return figure


def _draw_maps(sweep: Sweep, data: xr.Dataset, dims: list[str], theme: Theme) -> Figure:
    """One heat map for each value of the shortest axis, all in the same colours."""
    over = min(dims, key=lambda dim: data.sizes[dim])
    count = data.sizes[over]
    if count > MAX_PANELS:
        raise InputError(
            f"three axes need a map for each value of the shortest, {over}, which has {count}: at "
            f"most {MAX_PANELS} are drawn. Fix it at one, such as {over}={data[over].values[0]}"
        )
    columns = 2 if count == 4 else min(count, _COLUMNS)
    rows = math.ceil(count / columns)
    figure = _figure(PAGE_WIDTH, 2.1 * rows + 0.6, sweep, data, theme)
    scale = scale_of(data[sweep.measure].values)
    rest = [dim for dim in dims if dim != over]
    for i in range(count):
        axes = figure.add_subplot(rows, columns, i + 1)
        panel = data.isel({over: i})
        heat_map(axes, sweep, panel, rest, scale, theme)
        name = f"{over} = {value_label(panel[over].item())}"
        axes.set_title(name, fontsize=TITLE_SIZE - 1.5, color=theme.ink, parse_math=False)
    _add_key(figure, sweep, scale, theme)
    return figure


def _draw_sample(sweep: Sweep, data: xr.Dataset, theme: Theme) -> Figure:
    names = [axis[0] for axis in sweep.axes]
    if len(names) > MAX_PANELS:
        raise InputError(
            f"the sample has {len(names)} axes: at most {MAX_PANELS} are drawn, a panel each"
        )
    columns = min(len(names), _COLUMNS)
    rows = math.ceil(len(names) / columns)
    width = COLUMN_WIDTH * 1.1 if columns == 1 else PAGE_WIDTH
    figure = _figure(width, 2.3 * rows + 0.5, sweep, data, theme)
    for i, name in enumerate(names):
        axes = figure.add_subplot(rows, columns, i + 1)
        groups = len(set(data[name].values.tolist()))
        if groups <= _GROUPS and data.sizes["sample"] >= _MEMBERS * groups:
            violins(axes, sweep, data, name, theme)
        else:
            scatter(axes, sweep, data, name, theme)
        if i % columns:
            axes.set_ylabel("")
    return figure


def _selected(sweep: Sweep, where: Mapping[str, Value]) -> xr.Dataset:
    """The part of the data to be drawn: axes of one value are none."""
    data = sweep.data
    if sweep.is_sample and where:
        raise InputError("a random sample has no axis to fix: every cell is drawn by itself")
    for name, value in where.items():
        if name not in data.dims:
            known = ", ".join(map(str, data.dims))
            raise InputError(
                f"{name} is no axis of this sweep, which has {known}."
                + did_you_mean(name, map(str, data.dims))
            )
        there = data[name].values.tolist()
        value = str(value) if isinstance(there[0], str) else value  # noqa: PLW2901
        if value not in there:
            some = ", ".join(map(value_label, there[:8])) + (", ..." if len(there) > 8 else "")
            raise InputError(f"{name} is never {value} in this sweep: expected one of {some}")
        data = data.isel({name: there.index(value)})
    return data if sweep.is_sample else data.squeeze()


def _figure(width: float, height: float, sweep: Sweep, data: xr.Dataset, theme: Theme) -> Figure:
    figure = Picture((width, height), layout="constrained")
    figure.set_facecolor(theme.background)
    fixed = [
        f"{names[0]} = {value_label(data[names[0]].item())}"
        for names in sweep.axes
        if data[names[0]].ndim == 0
    ]
    lines = [drawable(str(data.attrs.get("title", "")))]
    lines.append(", ".join(part for part in (moment_label(sweep), *fixed) if part))
    shown = "\n".join(text for text in lines if text)
    if shown:
        figure.suptitle(
            shown, fontsize=TITLE_SIZE - 0.5, color=theme.ink, fontfamily=FONT, parse_math=False
        )
    return figure


def _add_key(figure: Figure, sweep: Sweep, scale: Scale, theme: Theme) -> None:
    """The colour bar, and what the marks mean that are in the picture."""
    panels = figure.axes
    scale.add_bar(figure, panels, measure_label(sweep), theme)
    scale.add_marks(figure, panels, theme)
