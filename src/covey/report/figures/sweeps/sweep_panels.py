"""The panels of a sweep's picture: a heat map, a line, a scatter, violins; one each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import FigureBase
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator
from numpy.typing import NDArray

from covey.numbers import Floats
from covey.report.figures.sweeps.sweep_labels import axis_label, measure_label, value_label
from covey.report.style import HAIR_WIDTH, LABEL_SIZE, LINE_WIDTH, SMALL_SIZE, Theme
from covey.study.sweep.result import Sweep
from covey.words import NOTHING

if TYPE_CHECKING:
    import xarray as xr


_FAILED, _INFINITE = "xxxx", "////"
_LEAST_TICKS, _MOST_TICKS = 4, 7
_TEXT_CELLS = 64  # maps of so few cells have their numbers written in


@dataclass(frozen=True)
class Scale:
    """The colours of all maps of a picture, and which marks it has."""

    norm: Normalize | None  # none where no cell is finite
    infinite: bool
    failed: bool
    least: float

    def add_bar(self, figure: FigureBase, panels: Sequence[Axes], label: str, theme: Theme) -> None:
        """The colour bar, for all panels together; none where there is one colour."""
        if self.norm is None or self.norm.vmin == self.norm.vmax:
            return
        bar = figure.colorbar(
            ScalarMappable(self.norm, theme.sequential), ax=list(panels), pad=0.02, aspect=25
        )
        bar.set_label(label, fontsize=LABEL_SIZE, color=theme.ink, parse_math=False)
        bar.ax.tick_params(labelsize=SMALL_SIZE, colors=theme.ink, width=HAIR_WIDTH)
        bar.outline.set_visible(False)

    def add_marks(self, figure: FigureBase, panels: Sequence[Axes], theme: Theme) -> None:
        """What the ring and the hatches mean."""
        handles: list[Any] = []
        if self.norm is not None:
            ring = Line2D(
                [], [], **_ring(theme), linestyle="none", label=f"least: {self.least:.4g}"
            )
            handles.append(ring)
        for there, hatch, text in (
            (self.infinite, _INFINITE, "infinite"),
            (self.failed, _FAILED, "no answer"),
        ):
            if there:
                look: dict[str, Any] = {"facecolor": theme.neutral_fill, "edgecolor": theme.muted}
                handles.append(Patch(hatch=hatch, label=text, linewidth=0, **look))
        figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=3,
            fontsize=SMALL_SIZE,
            labelcolor=theme.ink,
            frameon=False,
        )


def scale_of(values: Floats) -> Scale:
    """One scale for everything that is drawn."""
    values = clean(values)
    finite = values[np.isfinite(values)]
    norm = Normalize(float(finite.min()), float(finite.max())) if finite.size else None
    least = float(finite.min()) if finite.size else math.nan
    return Scale(norm, bool(np.isinf(values).any()), bool(np.isnan(values).any()), least)


def clean(values: Floats) -> Floats:
    """Without what is nothing but rounding."""
    return np.where(np.abs(values) < NOTHING, 0.0, values)


def heat_map(
    axes: Axes, sweep: Sweep, data: xr.Dataset, dims: Sequence[str], scale: Scale, theme: Theme
) -> None:
    """The first axis upwards, the second to the right."""
    up, right = dims
    values = clean(data[sweep.measure].transpose(up, right).values)
    x, y = _places(data[right].values), _places(data[up].values)
    edges = _edges(x), _edges(y)
    if scale.norm is not None:
        axes.pcolormesh(
            *edges, np.ma.masked_invalid(values), cmap=theme.sequential, norm=scale.norm
        )
    plain = ListedColormap([theme.neutral_fill])
    for chosen, hatch in ((np.isinf(values), _INFINITE), (np.isnan(values), _FAILED)):
        if chosen.any():
            mesh = np.ma.masked_array(np.zeros(values.shape), ~chosen)
            axes.pcolor(*edges, mesh, cmap=plain, hatch=hatch, edgecolor=theme.muted, linewidth=0)
    _mark_least(axes, values, (x, y), scale, theme)
    for side, dim in (("x", right), ("y", up)):
        _name(axes, sweep, data, dim, side, theme)
        _tick_cells(axes.xaxis if side == "x" else axes.yaxis, data[dim].values)
    _finish(axes, theme)


def line(axes: Axes, sweep: Sweep, data: xr.Dataset, dim: str, theme: Theme) -> None:
    """The number along one axis; infinite ones are triangles at the top."""
    values = clean(data[sweep.measure].values)
    x = _places(data[dim].values)
    finite = np.isfinite(values)
    words = data[dim].dtype.kind not in "if"
    upper = data["upper"].values
    band = finite & np.isfinite(upper)
    axes.fill_between(
        x, data["lower"].values, upper, where=band, color=theme.accent_fill, linewidth=0
    )
    style: dict[str, Any] = {"color": theme.accent, "linewidth": LINE_WIDTH * 1.4}
    if words or len(x) <= 60:
        style |= {"marker": "o", "markersize": 3}
    axes.plot(x, np.where(finite, values, np.nan), **style | ({"linestyle": ""} if words else {}))
    if np.isinf(values).any():
        _at_edge(axes, x[np.isinf(values)], 0.97, "^", "infinite", theme)
    if np.isnan(values).any():
        _at_edge(axes, x[np.isnan(values)], 0.03, "x", "no answer", theme)
    if finite.any():
        least = 0.5 if sweep.measure == "guess" else 0.0  # a success begins at guessing
        above = 1.07 * (float(values[finite].max()) - least)
        axes.set_ylim(least, min(least + above, 1e300) if above else 1.0)
    _name(axes, sweep, data, dim, "x", theme)
    _finish(axes, theme, measure_label(sweep))


def scatter(axes: Axes, sweep: Sweep, data: xr.Dataset, name: str, theme: Theme) -> None:
    """Every sample a point; more of them, the fainter."""
    values = data[sweep.measure].values
    x = _places(data[name].values)
    faint = float(np.clip(60 / math.sqrt(len(x) + 1) / 4, 0.15, 0.9))
    finite = np.isfinite(values)
    axes.scatter(x[finite], values[finite], s=7, color=theme.accent, alpha=faint, linewidths=0)
    if np.isinf(values).any():
        _at_edge(axes, x[np.isinf(values)], 0.98, "^", "infinite", theme)
    _name(axes, sweep, data, name, "x", theme)
    _finish(axes, theme, measure_label(sweep))


def trade_off(axes: Axes, sweep: Sweep, other: Sweep, theme: Theme) -> None:
    """Every cell a point: one measure upwards, another to the right."""
    x, y = clean(other.values.ravel()), clean(sweep.values.ravel())
    finite = np.isfinite(x) & np.isfinite(y)
    axes.scatter(x[finite], y[finite], s=9, color=theme.accent, alpha=0.8, linewidths=0)
    endless = np.isinf(y) & np.isfinite(x)
    if endless.any():
        _at_edge(axes, x[endless], 0.98, "^", "infinite", theme)
    axes.set_xlabel(measure_label(other), fontsize=LABEL_SIZE, color=theme.ink, parse_math=False)
    _finish(axes, theme, measure_label(sweep))


def violins(axes: Axes, sweep: Sweep, data: xr.Dataset, name: str, theme: Theme) -> None:
    """How the samples spread for each value of an axis, with the median."""
    values, places = data[sweep.measure].values, _places(data[name].values)
    groups = [(x, values[(places == x) & np.isfinite(values)]) for x in np.unique(places)]
    drawn = [(x, group) for x, group in groups if len(group) > 1]
    gaps = np.diff([x for x, _ in groups])
    if drawn:
        found = axes.violinplot(
            [group for _, group in drawn],
            [x for x, _ in drawn],
            widths=0.8 * float(gaps.min(initial=1.0)),
            showmedians=True,
            showextrema=False,
        )
        for body in found["bodies"]:  # type: ignore[attr-defined]
            body.set(facecolor=theme.accent, edgecolor=theme.accent, alpha=0.35)
        found["cmedians"].set(color=theme.ink, linewidth=LINE_WIDTH * 1.4)
    _name(axes, sweep, data, name, "x", theme)
    axes.xaxis.set_major_locator(FixedLocator([x for x, _ in groups]))
    _finish(axes, theme, measure_label(sweep))


def _mark_least(
    axes: Axes, values: Floats, places: tuple[Floats, Floats], scale: Scale, theme: Theme
) -> None:
    x, y = places
    least = np.argwhere(values == scale.least)
    written = values.size <= _TEXT_CELLS and scale.norm is not None
    if 0 < len(least) <= max(values.size // 4, 1):
        ring = _ring(theme, 13 if written else 7)
        axes.plot(x[least[:, 1]], y[least[:, 0]], linestyle="none", clip_on=False, **ring)
    if not written or scale.norm is None:
        return
    dark = scale.norm(values) < 0.5
    for (i, j), value in np.ndenumerate(values):
        if np.isfinite(value):
            ink = "#ffffff" if dark[i, j] else "#000000"
            axes.annotate(
                f"{value:.2g}",
                (x[j], y[i]),
                ha="center",
                va="center",
                fontsize=SMALL_SIZE - 1.5,
                color=ink,
            )


def _ring(theme: Theme, size: float = 7) -> dict[str, Any]:
    return {
        "marker": "o",
        "markersize": size,
        "markerfacecolor": "none",
        "markeredgecolor": theme.alert,
        "markeredgewidth": 1.2,
    }


def _at_edge(axes: Axes, x: Floats, height: float, marker: str, text: str, theme: Theme) -> None:
    """Points that have no height of their own, at the edge of the panel."""
    axes.plot(
        x,
        np.full(len(x), height),
        marker,
        transform=axes.get_xaxis_transform(),
        color=theme.alert,
        markersize=3.5,
        clip_on=False,
        label=text,
    )
    axes.legend(fontsize=SMALL_SIZE, labelcolor=theme.ink, frameon=False)


def _places(values: NDArray[Any]) -> Floats:
    """Where values stand on an axis: words one after another."""
    if values.dtype.kind in "if":
        return values.astype(np.float64)
    known = {word: i for i, word in enumerate(dict.fromkeys(values.tolist()))}
    return np.array([known[word] for word in values.tolist()], dtype=np.float64)


def _edges(places: Floats) -> Floats:
    """The borders of cells: halfway between neighbours."""
    if len(places) == 1:
        return np.array([places[0] - 0.5, places[0] + 0.5])
    middle = (places[1:] + places[:-1]) / 2
    return np.concatenate([[2 * places[0] - middle[0]], middle, [2 * places[-1] - middle[-1]]])


def _name(axes: Axes, sweep: Sweep, data: xr.Dataset, name: str, side: str, theme: Theme) -> None:
    """An axis's label and ticks."""
    names = next(names for names in sweep.axes if names[0] == name)
    label = {"fontsize": LABEL_SIZE, "color": theme.ink, "parse_math": False}
    set_label = axes.set_xlabel if side == "x" else axes.set_ylabel
    set_label(axis_label(names), **label)  # type: ignore[arg-type]
    axis = axes.xaxis if side == "x" else axes.yaxis
    kind = data[name].dtype.kind
    if kind in "if":
        places = np.unique(data[name].values)
        few = len(places) <= (10 if kind == "i" else 7)
        steps = MaxNLocator(nbins=7, steps=[1, 2, 5, 10], integer=kind == "i")
        axis.set_major_locator(FixedLocator(places.tolist()) if few else steps)
        return
    words = list(dict.fromkeys(data[name].values.tolist()))
    axis.set_ticks(range(len(words)), [value_label(word) for word in words])
    axis.set_minor_locator(NullLocator())


def _tick_cells(axis: Axis, values: NDArray[Any]) -> None:
    """Ticks of a map on its cells: the round ones among them where there are some, else some."""
    integer = values.dtype.kind == "i"
    if values.dtype.kind not in "if" or len(values) <= (10 if integer else _MOST_TICKS):
        return
    round_ones = MaxNLocator(nbins=_MOST_TICKS, steps=[1, 2, 5, 10], integer=integer)
    places = [
        value
        for value in values.tolist()
        for tick in round_ones.tick_values(float(values.min()), float(values.max()))
        if math.isclose(value, tick, rel_tol=1e-9)
    ]
    if len(places) < _LEAST_TICKS:
        places = values[:: math.ceil(len(values) / _MOST_TICKS)].tolist()
    axis.set_ticks(places, [value_label(place) for place in places])
    axis.set_minor_locator(NullLocator())


def _finish(axes: Axes, theme: Theme, ylabel: str = "") -> None:
    if ylabel:
        axes.set_ylabel(ylabel, fontsize=LABEL_SIZE, color=theme.ink, parse_math=False)
    axes.set_facecolor(theme.background)
    axes.tick_params(labelsize=SMALL_SIZE, colors=theme.ink, width=HAIR_WIDTH)
    axes.spines[["top", "right"]].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set(color=theme.muted, linewidth=LINE_WIDTH)
