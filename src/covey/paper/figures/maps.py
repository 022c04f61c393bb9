"""Heat maps of the paper's studies: each with a colour bar, and its least cell ringed.

The first row are the paper's panels, with its letters and axes. Rows below have the same cells by
other readings, and the same letters with strokes: (a), (a′), (a″).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from covey.numbers import Floats
from covey.paper.workspace import Table
from covey.report.style import (
    HAIR_WIDTH,
    LABEL_SIZE,
    LIGHT,
    LINE_WIDTH,
    PAGE_WIDTH,
    SMALL_SIZE,
    Theme,
)

_WIDE = 20.0  # largest over least: from here on, colours are of the logarithm


@dataclass(frozen=True)
class Map:
    """A column of a table over two others, and what the figure calls them."""

    table: Table
    keys: tuple[str, str]  # upwards, to the right
    column: str
    axes: tuple[str, str]
    label: str
    title: str

    @property
    def grid(self) -> tuple[Floats, Floats, Floats]:
        """Upwards, to the right, and the cells."""
        return self.table.grid(*self.keys, self.column)

    @property
    def values(self) -> Floats:
        """The cells."""
        return self.grid[2]


def draw_maps(
    panels: Sequence[Sequence[Map]], *, marks: bool = True, theme: Theme = LIGHT
) -> Figure:  # fmt: skip
    """A column for each panel of the paper, and a row for each reading.

    Panels of one row that read the same share their colours. `marks` rings the least cell.
    """
    columns, rows = len(panels), len(panels[0])
    width = PAGE_WIDTH / columns
    figure = Figure((PAGE_WIDTH, (0.72 * width + 0.24) * rows), layout="constrained")
    figure.set_facecolor(theme.background)
    for row, across in enumerate(zip(*panels, strict=True)):
        for column, one in enumerate(across):
            axes = figure.add_subplot(rows, columns, row * columns + column + 1)
            shared = [other.values for other in across if other.label == one.label]
            note = _heat_map(figure, axes, one, _scale(shared), theme)
            title = f"({'abcdefgh'[column]}{'′' * row}) {one.title}"
            if marks:
                title += f"\n{note}"
                _ring(axes, one, theme)
            axes.set_title(title, fontsize=SMALL_SIZE, color=theme.ink, parse_math=False)
    return figure


def _scale(maps: Sequence[Floats]) -> Normalize:
    """Colours that serve several maps: logarithmic, where they go far."""
    finite = np.concatenate([values[np.isfinite(values)] for values in maps])
    wide = finite.min() > 0 and finite.max() > _WIDE * finite.min()
    return (LogNorm if wide else Normalize)(float(finite.min()), float(finite.max()))


def _ring(axes: Axes, one: Map, theme: Theme) -> None:
    up, right, values = one.grid
    i, j = np.unravel_index(int(np.nanargmin(values)), values.shape)
    axes.plot(
        right[j], up[i], "o", markersize=6, markerfacecolor="none", markeredgecolor=theme.alert,
        markeredgewidth=1.4,
    )  # fmt: skip


def _heat_map(figure: Figure, axes: Axes, one: Map, scale: Normalize, theme: Theme) -> str:
    """Draws one map; says what its marks mean."""
    up, right, values = one.grid
    edges = _edges(right), _edges(up)
    mesh = axes.pcolormesh(
        *edges, np.ma.masked_invalid(values), cmap=theme.sequential, norm=scale, rasterized=True
    )
    if np.isinf(values).any():
        never = np.ma.masked_array(np.zeros(values.shape), np.isfinite(values))
        axes.pcolor(
            *edges, never, cmap=ListedColormap([theme.neutral_fill]), hatch="////",
            edgecolor=theme.muted, linewidth=0,
        )  # fmt: skip
    axes.set_box_aspect(1)
    axes.set_ylabel(one.axes[0], fontsize=LABEL_SIZE, color=theme.ink, parse_math=False)
    axes.set_xlabel(one.axes[1], fontsize=LABEL_SIZE, color=theme.ink, parse_math=False)
    whole = bool((up % 1 == 0).all())
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=5, integer=whole))
    axes.tick_params(labelsize=SMALL_SIZE, colors=theme.ink, width=HAIR_WIDTH)
    for spine in axes.spines.values():
        spine.set(color=theme.muted, linewidth=LINE_WIDTH / 2)
    bar = figure.colorbar(mesh, cax=axes.inset_axes((1.03, 0.0, 0.055, 1.0)))  # as high as the map
    bar.set_label(one.label, fontsize=SMALL_SIZE, color=theme.ink)
    if isinstance(scale, LogNorm):
        bar.ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        bar.ax.yaxis.set_minor_locator(NullLocator())
    bar.ax.tick_params(labelsize=SMALL_SIZE, colors=theme.ink, width=HAIR_WIDTH)
    bar.outline.set_visible(False)
    note = f"ring: least, {np.nanmin(values):.3g}"
    return f"{note}; hatched: ∞" if np.isinf(values).any() else note


def _edges(places: Floats) -> Floats:
    """The borders of cells: halfway between neighbours."""
    middle = (places[1:] + places[:-1]) / 2
    return np.concatenate([[2 * places[0] - middle[0]], middle, [2 * places[-1] - middle[-1]]])
