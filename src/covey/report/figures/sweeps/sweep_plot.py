"""A sweep as a picture: whichever fits its axes.

two axes              a heat map; a third axis makes one for each of its values
one axis              a line, with the band that the true value is in
a random sample       against every axis: violins where it has few values, a scatter otherwise
several measures      one such picture each, side by side; or one measure against another

Cells that are infinite are hatched, cells without an answer are crossed, and the least is ringed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, FigureBase

from covey.errors import InputError, did_you_mean
from covey.report.figures.frame import make_room, set_heading
from covey.report.figures.sweeps.sweep_labels import measure_label, moment_label, value_label
from covey.report.figures.sweeps.sweep_panels import (
    Scale,
    heat_map,
    line,
    scale_of,
    scatter,
    trade_off,
    violins,
)
from covey.report.picture import Picture
from covey.report.style import COLUMN_WIDTH, LIGHT, PAGE_WIDTH, TITLE_SIZE, Theme
from covey.study.sweep.axes import Value
from covey.study.sweep.result import Sweep

if TYPE_CHECKING:
    import xarray as xr

MAX_PANELS = 12
_COLUMNS = 3
_GROUPS = 12  # distinct values that make violins
_MEMBERS = 8  # samples that a violin needs


@np.errstate(over="ignore")  # margins beyond the largest number there is
def draw_sweep(
    sweep: Sweep,
    *,
    measure: str | None = None,
    against: str | None = None,
    where: Mapping[str, Value] | None = None,
    theme: Theme = LIGHT,
) -> Figure:
    """The picture.

    Args:
        sweep: What to draw.
        measure: Of several measures, the one to draw; by default all, side by side.
        against: Another measure: every cell is drawn as a point then, this one to the right.
        where: Fixes axes at one of their values, each by its first name.
        theme: The colours.
    """
    names = sweep.measures if measure is None and against is None else (measure or sweep.measure,)
    views = [sweep.of(name) for name in names]
    if against is not None:
        return _draw_trade_off(views[0], sweep.of(against), where or {}, theme)
    parts = [_part(view, _selected(view, where or {})) for view in views]
    columns = min(len(parts), _COLUMNS)
    rows = math.ceil(len(parts) / columns)
    width, height = parts[0].size
    figure = _figure((width * columns, height * rows), sweep, parts[0].data, theme)
    if len(parts) == 1:
        parts[0].draw(figure, theme)
        return figure
    places = np.ravel(np.asarray(figure.subfigures(rows, columns)))
    for part, place in zip(parts, places, strict=False):
        place.set_facecolor(theme.background)
        part.draw(place, theme)
    return figure


def _draw_trade_off(sweep: Sweep, other: Sweep, where: Mapping[str, Value], theme: Theme) -> Figure:
    chosen, against = (Sweep(_selected(view, where)) for view in (sweep, other))
    figure = _figure((COLUMN_WIDTH * 1.1, 2.9), sweep, chosen.data, theme)
    trade_off(figure.add_subplot(), chosen, against, theme)
    return figure


@dataclass(frozen=True)
class _Part:
    """One measure: what of it is drawn, how large, and by which function."""

    sweep: Sweep
    data: xr.Dataset
    size: tuple[float, float]
    fill: Callable[[FigureBase, Sweep, xr.Dataset, Theme], None]

    def draw(self, canvas: FigureBase, theme: Theme) -> None:
        """Onto a figure, or a part of one."""
        self.fill(canvas, self.sweep, self.data, theme)


def _part(sweep: Sweep, data: xr.Dataset) -> _Part:
    if sweep.is_sample:
        return _Part(sweep, data, _sample_size(sweep), _draw_sample)
    dims = _dims(sweep, data)
    if not dims:
        raise InputError("the sweep has one cell: two or more are expected for a picture")
    if len(dims) > 3:
        raise InputError(
            f"the sweep has {len(dims)} axes, {', '.join(dims)}: at most 3 can be drawn. Fix the "
            f"others, such as {dims[0]}={data[dims[0]].values[0]}"
        )
    if len(dims) == 3:
        return _Part(sweep, data, _maps_size(data, dims), _draw_maps)
    if len(dims) == 2:
        return _Part(sweep, data, (COLUMN_WIDTH * 1.2, 2.9), _draw_map)
    return _Part(sweep, data, (COLUMN_WIDTH * 1.1, 2.9), _draw_line)


def _dims(sweep: Sweep, data: xr.Dataset) -> list[str]:
    return [str(dim) for dim in data[sweep.measure].dims]


def _draw_line(canvas: FigureBase, sweep: Sweep, data: xr.Dataset, theme: Theme) -> None:
    line(canvas.add_subplot(), sweep, data, _dims(sweep, data)[0], theme)


def _draw_map(canvas: FigureBase, sweep: Sweep, data: xr.Dataset, theme: Theme) -> None:
    scale = scale_of(data[sweep.measure].values)
    axes = canvas.add_subplot()
    heat_map(axes, sweep, data, _dims(sweep, data), scale, theme)
    _add_key(canvas, [axes], sweep, scale, theme)


def _maps_size(data: xr.Dataset, dims: list[str]) -> tuple[float, float]:
    over = min(dims, key=lambda dim: data.sizes[dim])
    count = data.sizes[over]
    if count > MAX_PANELS:
        raise InputError(
            f"three axes need a map for each value of the shortest, {over}, which has {count}: at "
            f"most {MAX_PANELS} are drawn. Fix it at one, such as {over}={data[over].values[0]}"
        )
    return PAGE_WIDTH, 2.1 * math.ceil(count / _map_columns(count)) + 0.6


def _map_columns(count: int) -> int:
    return 2 if count == 4 else min(count, _COLUMNS)


def _draw_maps(canvas: FigureBase, sweep: Sweep, data: xr.Dataset, theme: Theme) -> None:
    """One heat map for each value of the shortest axis, all in the same colours."""
    dims = _dims(sweep, data)
    over = min(dims, key=lambda dim: data.sizes[dim])
    count = data.sizes[over]
    columns = _map_columns(count)
    scale = scale_of(data[sweep.measure].values)
    rest = [dim for dim in dims if dim != over]
    panels = []
    for i in range(count):
        axes = canvas.add_subplot(math.ceil(count / columns), columns, i + 1)
        panel = data.isel({over: i})
        heat_map(axes, sweep, panel, rest, scale, theme)
        name = f"{over} = {value_label(panel[over].item())}"
        axes.set_title(name, fontsize=TITLE_SIZE - 1.5, color=theme.ink, parse_math=False)
        panels.append(axes)
    _add_key(canvas, panels, sweep, scale, theme)


def _sample_size(sweep: Sweep) -> tuple[float, float]:
    panels = len(sweep.axes)
    if panels > MAX_PANELS:
        raise InputError(
            f"the sample has {panels} axes: at most {MAX_PANELS} are drawn, a panel each"
        )
    width = COLUMN_WIDTH * 1.1 if panels == 1 else PAGE_WIDTH
    return width, 2.3 * math.ceil(panels / min(panels, _COLUMNS)) + 0.5


def _draw_sample(canvas: FigureBase, sweep: Sweep, data: xr.Dataset, theme: Theme) -> None:
    names = [axis[0] for axis in sweep.axes]
    columns = min(len(names), _COLUMNS)
    for i, name in enumerate(names):
        axes = canvas.add_subplot(math.ceil(len(names) / columns), columns, i + 1)
        groups = len(set(data[name].values.tolist()))
        if groups <= _GROUPS and data.sizes["sample"] >= _MEMBERS * groups:
            violins(axes, sweep, data, name, theme)
        else:
            scatter(axes, sweep, data, name, theme)
        if i % columns:
            axes.set_ylabel("")


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


def _figure(size: tuple[float, float], sweep: Sweep, data: xr.Dataset, theme: Theme) -> Figure:
    figure = Picture(size, layout="constrained")
    figure.set_facecolor(theme.background)
    fixed = [
        f"{names[0]} = {value_label(data[names[0]].item())}"
        for names in sweep.axes
        if data[names[0]].ndim == 0
    ]
    texts = [str(data.attrs.get("title", ""))]
    texts.append(", ".join(part for part in (moment_label(sweep), *fixed) if part))
    lines = set_heading(figure, texts, theme, TITLE_SIZE - 0.5)
    make_room(figure, lines - 2, TITLE_SIZE - 0.5)
    return figure


def _add_key(
    canvas: FigureBase, panels: list[Axes], sweep: Sweep, scale: Scale, theme: Theme
) -> None:
    """The colour bar, and what the marks mean that are in the picture."""
    scale.add_bar(canvas, panels, measure_label(sweep), theme)
    scale.add_marks(canvas, panels, theme)
