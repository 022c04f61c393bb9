"""The Markov chains of the motivating example: states as vectors, arrows with their rates."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from covey.paper.workspace import Table
from covey.report.style import (
    FONT,
    LABEL_SIZE,
    LIGHT,
    LINE_WIDTH,
    PAGE_WIDTH,
    SMALL_SIZE,
    Theme,
)

Place = tuple[float, float]

_HALF_WIDTH, _HALF_HEIGHT = 0.13, 0.53  # of a state's box
_STEP = (1.15, 1.75)  # between states, to the right and upwards
_SHIFT = 0.07  # of an arrow and the one back, to either side


def draw_chains(chains: Table, *, theme: Theme = LIGHT) -> Figure:
    """One panel for each team. To the right: one more of the larger type is busy."""
    figure = Figure((PAGE_WIDTH, 2.6), layout="constrained")
    figure.set_facecolor(theme.background)
    teams = list(dict.fromkeys(chains["team"].tolist()))
    for panel, team in enumerate(teams):
        axes = figure.add_subplot(1, len(teams), panel + 1)
        _draw_chain(axes, chains.where(team=team), theme)
        start = "2 A, 1 B" if team == "D" else "1 A, 2 B"
        axes.set_title(
            f"({'ab'[panel]}) {team}: {start}, 2 R", fontsize=LABEL_SIZE, color=theme.ink,
            fontfamily=FONT, parse_math=False,
        )  # fmt: skip
    figure.text(
        0.5, 0.0, "states are counts of {A}, {B}, {R}, {A,R}, {B,R}, from the top", ha="center",
        va="bottom", fontsize=SMALL_SIZE, color=theme.muted,
    )  # fmt: skip
    return figure


def _draw_chain(axes: Axes, chain: Table, theme: Theme) -> None:
    places = {state: _place(state) for state in dict.fromkeys(chain["from"].tolist())}
    if max(y for _, y in places.values()) > _STEP[1]:
        places = {state: (y * _STEP[0] / _STEP[1], x * _STEP[1] / _STEP[0])
                  for state, (x, y) in places.items()}  # fmt: skip
    for state, (x, y) in places.items():
        axes.text(
            x, y, "\n".join(state.split()), ha="center", va="center", fontsize=SMALL_SIZE,
            color=theme.ink, linespacing=1.15,
            bbox={
                "boxstyle": "round,pad=0.35", "facecolor": theme.accent_fill,
                "edgecolor": theme.accent, "linewidth": LINE_WIDTH,
            },
        )  # fmt: skip
    for before, after, label in zip(chain["from"], chain["to"], chain["label"], strict=True):
        _arrow(axes, places[before], places[after], label, theme)
    axes.set_xlim(-0.4, 2 * _STEP[0] + 0.4)
    axes.set_ylim(-0.75, _STEP[1] + 0.65)
    axes.set_axis_off()


def _place(state: str) -> Place:
    """By how many of each type are busy."""
    *_, busy_a, busy_b = map(int, state.split())
    return _STEP[0] * busy_a, _STEP[1] * busy_b


def _arrow(axes: Axes, before: Place, after: Place, label: str, theme: Theme) -> None:
    """Out of a box and into the next, a little to the left of the line between them."""
    line = np.subtract(after, before)
    along = line / np.abs(line).sum()
    aside = np.array([-along[1], along[0]])
    gap = abs(along @ np.array([_HALF_WIDTH, _HALF_HEIGHT]))
    tail = before + along * gap + aside * _SHIFT
    head = after - along * gap + aside * _SHIFT
    axes.add_patch(
        FancyArrowPatch(
            tuple(tail), tuple(head), arrowstyle="-|>", mutation_scale=7, shrinkA=0, shrinkB=0,
            linewidth=LINE_WIDTH, color=theme.ink,
        )
    )  # fmt: skip
    middle = (tail + head) / 2 + aside * (0.1 if along[0] else 0.06)
    sideways = "center" if along[0] else ("right" if aside[0] < 0 else "left")
    axes.text(
        float(middle[0]), float(middle[1]), label, ha=sideways, va="center",
        fontsize=SMALL_SIZE, color=theme.accent, parse_math=False,
    )  # fmt: skip
