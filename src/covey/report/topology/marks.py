"""The marks that a picture of a network is made of: circles, boxes, lines with heads, text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Polygon
from matplotlib.path import Path

from covey.numbers import Floats
from covey.report.style import HAIR_WIDTH, LINE_WIDTH, SMALL_SIZE, Theme, drawable, fonts_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from covey.report.topology.routes import Route

RING = 0.035  # between the two outlines of a compound
HEAD = 0.085  # the length of an arrow head

_HEAD_WIDTH = 0.075
_CORNER = 0.04
_DASHES = (0, (3.2, 1.8))

# What lies on what.
_LINES, _NODES, _HEADS, _TEXT = 1, 2, 3, 4


@dataclass(frozen=True)
class Pen:
    """Draws on axes whose unit is an inch, in the colours of a theme."""

    axes: Axes
    theme: Theme

    def species(self, centre: Floats, radius: float, *, private: bool, compound: bool) -> None:
        """A circle of that outer radius; grey where nothing is private, two for a compound."""
        fill = self.theme.accent_fill if private else self.theme.neutral_fill
        edge = self.theme.accent if private else self.theme.muted
        for size in (radius, radius - RING) if compound else (radius,):
            circle = Circle((float(centre[0]), float(centre[1])), size, zorder=_NODES)
            circle.set(facecolor=fill, edgecolor=edge, linewidth=LINE_WIDTH)
            self.axes.add_patch(circle)

    def box(self, centre: Floats, half: tuple[float, float], *, one_way: bool) -> None:
        """A box with rounded corners."""
        x, y = float(centre[0]) - half[0], float(centre[1]) - half[1]
        style = f"round,pad=0,rounding_size={_CORNER}"
        box = FancyBboxPatch((x, y), 2 * half[0], 2 * half[1], boxstyle=style, zorder=_NODES)
        box.set(facecolor=self.theme.background, edgecolor=self._colour(one_way))
        box.set_linewidth(LINE_WIDTH)
        self.axes.add_patch(box)

    def line(self, route: Route, full: tuple[bool, bool], *, one_way: bool) -> None:
        """A line; `full` says at which of its ends it has a full head.

        Where there is none, a line that goes both ways has an open head, and one that does not
        runs on to the node.
        """
        colour = self._colour(one_way)
        points = route.points.copy()
        for end, direction in ((0, route.start_direction), (-1, route.end_direction)):
            if full[end]:
                self._head(points[end], direction, colour, colour)
            elif not one_way:
                self._head(points[end], direction, self.theme.background, colour)
            else:
                points[end] += HEAD * direction
        codes = [Path.MOVETO] + [Path.CURVE4] * (len(points) - 1)
        line = PathPatch(Path(points, codes), fill=False, capstyle="butt", zorder=_LINES)
        line.set(edgecolor=colour, linewidth=LINE_WIDTH, linestyle=_DASHES if one_way else "-")
        self.axes.add_patch(line)

    def text(
        self,
        at: Floats,
        text: str,
        size: float,
        colour: str,
        align: Literal["left", "center"] = "center",
    ) -> None:
        """One line of text as it is written: no sign in it has a meaning of its own."""
        text = drawable(text)
        self.axes.text(
            float(at[0]),
            float(at[1]),
            text,
            fontsize=size,
            family=fonts_for(text),
            color=colour,
            ha=align,
            va="center_baseline",
            parse_math=False,
            zorder=_TEXT,
        )

    def coefficient(self, route: Route, text: str, *, one_way: bool) -> None:
        """A number on a line, next to its box, with the line cleared behind it."""
        a, b, c, d = route.points[-4:]
        self.text((a + 3 * b + 3 * c + d) / 8, text, SMALL_SIZE, self._colour(one_way))
        self.axes.texts[-1].set_bbox(
            {"boxstyle": "round,pad=0.12", "facecolor": self.theme.background, "edgecolor": "none"}
        )

    def _colour(self, one_way: bool) -> str:
        return self.theme.alert if one_way else self.theme.ink

    def _head(self, base: Floats, direction: Floats, fill: str, edge: str) -> None:
        aside = np.array([-direction[1], direction[0]]) * _HEAD_WIDTH / 2
        corners = np.array([base + HEAD * direction, base + aside, base - aside])
        head = Polygon(corners, closed=True, joinstyle="round", zorder=_HEADS)
        head.set(facecolor=fill, edgecolor=edge, linewidth=HAIR_WIDTH)
        self.axes.add_patch(head)
