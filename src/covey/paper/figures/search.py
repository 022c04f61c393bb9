"""The settings that were searched: a cell for each, with its correlation, the paper's framed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from covey.paper.case_studies.settings import matches
from covey.paper.workspace import Table
from covey.report.style import LABEL_SIZE, LIGHT, PAGE_WIDTH, SMALL_SIZE, Theme

_SHADE = "Greys"
_MOST = 0.3  # of the shade: writing stays legible on it


def draw_settings(searches: Mapping[str, Table], said: float, *, theme: Theme = LIGHT) -> Figure:
    """One panel for each measure: robots of each type upwards, ν to the right, falling."""
    rows = max(len(np.unique(search["robots"])) for search in searches.values())
    figure = Figure((PAGE_WIDTH, 0.95 + 0.36 * rows), layout="constrained")
    figure.set_facecolor(theme.background)
    for place, (title, search) in enumerate(searches.items()):
        axes = figure.add_subplot(1, len(searches), place + 1)
        _panel(axes, search, said, theme)
        letter = f"({'ab'[place]}) " if len(searches) > 1 else ""
        axes.set_title(f"{letter}{title}", fontsize=LABEL_SIZE, color=theme.ink)
    found = any(matches(search, said).any() for search in searches.values())
    framed = "framed: Pearson is" if found else "in none of them Pearson is"
    figure.supxlabel(
        f"each cell: Pearson, its 95% interval below; {framed} the paper's {said}, to two digits. "
        "Searched after that was known",
        fontsize=SMALL_SIZE, color=theme.muted,
    )  # fmt: skip
    return figure


def _panel(axes: Axes, search: Table, said: float, theme: Theme) -> None:
    robots, places = np.unique(search["robots"], return_inverse=True)
    nus, columns = np.unique(-search["nu"], return_inverse=True)  # the largest first
    grid = np.full((len(robots), len(nus)), np.nan)
    grid[places, columns] = search["pearson"]
    low, high = float(np.nanmin(grid)), float(np.nanmax(grid))
    axes.imshow(
        grid, origin="lower", aspect="auto", cmap=_SHADE,
        vmin=low - 0.2 * (high - low), vmax=low + (high - low) / _MOST,
    )  # fmt: skip
    for row, column, pearson, low, high, framed in zip(
        places, columns, *(search[name] for name in ("pearson", "low", "high")),
        matches(search, said), strict=True,
    ):  # fmt: skip
        weight = "bold" if framed else "normal"
        axes.text(
            column, row, f"{pearson:.2f}", ha="center", va="bottom", fontsize=LABEL_SIZE - 0.5,
            color=theme.alert if framed else theme.ink, weight=weight,
        )  # fmt: skip
        axes.text(
            column, row - 0.07, f"{low:.2f}–{high:.2f}".replace("0.", "."), ha="center", va="top",
            fontsize=SMALL_SIZE - 0.5, color=theme.muted,
        )  # fmt: skip
        if framed:
            axes.add_patch(
                Rectangle(
                    (column - 0.46, row - 0.44), 0.92, 0.88, fill=False, edgecolor=theme.alert,
                    linewidth=1.3,
                )
            )  # fmt: skip
    axes.set_xticks(range(len(nus)), [f"{-nu:.0e}".replace("e-0", "e-") for nu in nus])
    axes.set_yticks(range(len(robots)), [f"{count:.0f}" for count in robots])
    axes.set_xlabel("ν", fontsize=LABEL_SIZE, color=theme.ink)
    axes.set_ylabel("robots of each type", fontsize=LABEL_SIZE, color=theme.ink)
    axes.tick_params(labelsize=SMALL_SIZE, colors=theme.ink, length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
