"""The table of a mechanism: a row for what is there, a column for what is published.

A square's area is a probability. Where there are many outcomes, the likeliest are drawn.
"""

from __future__ import annotations

import numpy as np
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from covey.numbers import Ints
from covey.remedy.mechanism.mechanism import Mechanism
from covey.report.figures.frame import finish, framed
from covey.report.style import HAIR_WIDTH, LIGHT, SMALL_SIZE, Theme, drawable

_MOST = 24
_LONGEST = 50  # names of counts that fit beside it
_LEAST = 1e-4  # a probability that can be seen


def draw_mechanism(found: Mechanism, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """The table as squares; the truth is published on the diagonal."""
    rows = _likeliest(found)
    seen, chances = found.seen[rows], found.table[rows]
    columns = np.flatnonzero((chances > _LEAST).any(axis=0))
    shown, chances = found.published[columns], chances[:, columns]
    figure, axes = framed(title, theme)
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, max(height, 1.2 + 0.15 * len(rows)))
    same: list[Rectangle] = []
    other: list[Rectangle] = []
    for y, row in enumerate(chances):
        for z in np.flatnonzero(row > _LEAST).tolist():
            side = float(np.sqrt(row[z]))
            square = Rectangle((z - side / 2, y - side / 2), side, side)
            (same if (shown[z] == seen[y]).all() else other).append(square)
    for squares, colour in ((same, theme.muted), (other, theme.accent)):
        axes.add_collection(PatchCollection(squares, facecolor=colour, linewidth=0))
    axes.set_xlim(-0.6, len(columns) - 0.4)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_aspect("equal")
    axes.grid(color=theme.grid, linewidth=0.5 * HAIR_WIDTH)
    axes.set_axisbelow(True)
    axes.set_xticks(range(len(columns)), _labels(shown), rotation=90)
    axes.set_yticks(range(len(rows)), _labels(seen))
    counts = drawable(", ".join(found.counts))
    finish(axes, theme, "published", f"there: {counts}" if len(counts) <= _LONGEST else "there")
    axes.yaxis.label.set(parse_math=False)
    axes.tick_params(length=0, labelsize=0.8 * SMALL_SIZE)
    return figure


def _likeliest(found: Mechanism) -> Ints:
    """The rows to draw, in the order of the table."""
    place = {tuple(row): i for i, row in enumerate(found.seen.tolist())}
    likely = np.zeros(len(place))
    for distributions in found.distributions:
        at = [place[tuple(row)] for row in distributions.team.outcomes.tolist()]
        likely[at] += distributions.team.probabilities
    return np.sort(np.argsort(-likely, kind="stable")[:_MOST])


def _labels(outcomes: Ints) -> list[str]:
    return [",".join(map(str, row)) for row in outcomes.tolist()]
