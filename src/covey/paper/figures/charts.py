"""The charts of the paper that are not maps: bars, violins, a scatter, and marginals."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from covey.paper.readings import NU, correlation
from covey.paper.workspace import Table
from covey.report.style import (
    COLUMN_WIDTH,
    HAIR_WIDTH,
    LABEL_SIZE,
    LIGHT,
    LINE_WIDTH,
    PAGE_WIDTH,
    SMALL_SIZE,
    Theme,
)

_CLOSE = 1e-4  # counts less likely than this are left out of a panel
_PANELS = (
    ("e{1}", "w{1}"),
    ("e{2}", "w{2}"),
    ("e{3}", "w{3}"),
    ("w{1,2}", "w{1,3}", "w{2,3}"),
    ("exploring", "waiting", "in_twos"),
)
_SEEN = {"exploring": "y₁ exploring", "waiting": "y₂ waiting", "in_twos": "y₃ in twos"}


def draw_pair(distributions: Table, *, theme: Theme = LIGHT) -> Figure:
    """Bars for every observation, one for each team."""
    figure, axes = _one(2.3, theme)
    teams = list(dict.fromkeys(distributions["team"].tolist()))
    for i, team in enumerate(teams):
        distribution = distributions.where(team=team)
        places = distribution["busy"] + (i - 0.5) * 0.36
        axes.bar(
            places, distribution["probability"], width=0.34, color=theme.series[i], label=team,
            hatch=("", "////")[i], edgecolor=theme.background, linewidth=0,
        )  # fmt: skip
    distribution = distributions.where(team=teams[0])
    names = [
        f"({f:.0f},{b:.0f})"
        for f, b in zip(distribution["free"], distribution["busy"], strict=True)
    ]
    axes.set_xticks(distribution["busy"].tolist(), names)
    _finish(axes, "observation y = (free, busy)", "probability", theme)
    axes.legend(loc="upper left", fontsize=SMALL_SIZE, frameon=False, labelcolor=theme.ink)
    return figure


def draw_trees(by_robots: Mapping[int, Table], *, theme: Theme = LIGHT) -> Figure:
    """A violin for every depth, one panel for each number of robots, on one axis of leakage."""
    width = PAGE_WIDTH if len(by_robots) > 1 else COLUMN_WIDTH
    figure = Figure((width, 2.5), layout="constrained")
    figure.set_facecolor(theme.background)
    first = None
    for panel, (robots, table) in enumerate(by_robots.items()):
        axes = figure.add_subplot(1, len(by_robots), panel + 1, sharey=first)
        first = first or axes
        _violins(axes, table["depth"], table[NU], theme)
        noun = "robot" if robots == 1 else "robots"
        axes.set_title(
            f"{robots} {noun} of each type, {len(table):,} trees\n"
            f"Pearson {correlation(table['depth'], table[NU])}",
            fontsize=LABEL_SIZE - 0.5, color=theme.ink,
        )  # fmt: skip
        _finish(axes, "depth of tree", "" if panel else "leakage ℒ, ν = 1e-5", theme)
    return figure


def draw_group_sizes(table: Table, *, curve: bool = True, theme: Theme = LIGHT) -> Figure:
    """Every vector of rates a point; with the cubic of least squares."""
    figure, axes = _one(2.6, theme)
    x, y = table["group_size"], table[NU]
    faint = float(np.clip(12 / np.sqrt(len(x)), 0.2, 0.8))
    axes.scatter(x, y, s=7, color=theme.accent, alpha=faint, linewidths=0, rasterized=True)
    if curve:
        along = np.linspace(x.min(), x.max())
        cubic = np.polyval(np.polyfit(x, y, 3), along)
        axes.plot(along, cubic, color=theme.alert, linewidth=1.4 * LINE_WIDTH)
    axes.set_title(
        f"{len(x):,} random rates: Pearson {correlation(x, y)}", fontsize=LABEL_SIZE,
        color=theme.ink,
    )  # fmt: skip
    _finish(axes, "average group size (robots)", "leakage ℒ, ν = 1e-5", theme)
    return figure


def draw_task_marginals(table: Table, *, theme: Theme = LIGHT) -> Figure:
    """The five panels of the paper's figure, as bars; the first four on one axis, as there."""
    figure = Figure((PAGE_WIDTH, 2.4), layout="constrained")
    figure.set_facecolor(theme.background)
    places = figure.add_gridspec(1, len(_PANELS), width_ratios=(1, 1, 1, 1.2, 2.4))
    first = None
    for panel, names in enumerate(_PANELS):
        alone = panel == len(_PANELS) - 1
        axes = figure.add_subplot(places[panel], sharey=None if alone else first)
        first = first or axes
        width = 0.84 / len(names)
        for i, name in enumerate(names):
            one = table.where(name=name)
            likely = one["probability"] > _CLOSE
            axes.bar(
                one["count"][likely] + (i - (len(names) - 1) / 2) * width,
                one["probability"][likely], width, color=theme.series[i],
                label=_SEEN.get(name, name),
            )  # fmt: skip
        axes.set_title(f"({'abcde'[panel]})", fontsize=LABEL_SIZE, color=theme.ink)
        legend = axes.legend(fontsize=SMALL_SIZE, frameon=False, labelcolor=theme.ink)
        for text in legend.get_texts():
            text.set_parse_math(False)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
        _finish(axes, "number of robots", "" if panel else "probability", theme)
    return figure


def draw_verdicts(counts: Mapping[str, int], *, theme: Theme = LIGHT) -> Figure:
    """How many claims have each verdict: a bar for each."""
    figure = Figure((PAGE_WIDTH, 1.5), layout="constrained")
    figure.set_facecolor(theme.background)
    axes = figure.add_subplot()
    colours = (theme.accent, theme.accent, theme.muted, theme.alert, theme.muted)
    bars = axes.barh(list(counts), list(counts.values()), color=colours, height=0.7)
    axes.bar_label(bars, padding=3, fontsize=LABEL_SIZE, color=theme.ink)
    axes.invert_yaxis()
    _finish(axes, "", "", theme)
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(axis="x", bottom=False, labelbottom=False)
    axes.tick_params(axis="y", length=0, labelsize=LABEL_SIZE)
    return figure


def _violins(axes: Axes, depths: np.ndarray, leaks: np.ndarray, theme: Theme) -> None:
    """Where a depth has one tree, or all leak alike, a dash."""
    every = np.unique(depths)
    groups = {depth: leaks[depths == depth] for depth in every.tolist()}
    wide = {d: g for d, g in groups.items() if len(g) > 2 and np.ptp(g) > 1e-9}
    if wide:
        found = axes.violinplot(
            list(wide.values()), list(wide), widths=0.85, showmedians=True, showextrema=False
        )
        for body in found["bodies"]:  # type: ignore[attr-defined]
            body.set(facecolor=theme.accent, edgecolor=theme.accent, alpha=0.4)
        found["cmedians"].set(color=theme.ink, linewidth=LINE_WIDTH * 1.4)
    for depth, group in groups.items():
        if depth not in wide:
            axes.plot(np.full(len(group), depth), group, "_", color=theme.ink, markersize=7)
    axes.set_xticks(np.arange(every[0], every[-1] + 1).tolist())


def _one(height: float, theme: Theme) -> tuple[Figure, Axes]:
    figure = Figure((COLUMN_WIDTH, height), layout="constrained")
    figure.set_facecolor(theme.background)
    return figure, figure.add_subplot()


def _finish(axes: Axes, x: str, y: str, theme: Theme) -> None:
    axes.set_facecolor(theme.background)
    axes.set_xlabel(x, fontsize=LABEL_SIZE, color=theme.ink, parse_math=False)
    axes.set_ylabel(y, fontsize=LABEL_SIZE, color=theme.ink, parse_math=False)
    axes.tick_params(labelsize=SMALL_SIZE, colors=theme.ink, width=HAIR_WIDTH)
    axes.spines[["top", "right"]].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set(color=theme.muted, linewidth=LINE_WIDTH)
