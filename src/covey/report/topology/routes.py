"""The lines of a layered drawing as curves: where they leave a node, and how they get to the next.

Lines leave a circle at different angles and a box at different heights, in the order of where
they go, so that no two heads lie on each other. Between two columns a line is one cubic curve;
through a column, where a bend has kept room for it, it is level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from covey.numbers import Floats
from covey.report.topology.layout import Layout, spread

if TYPE_CHECKING:
    from collections.abc import Sequence


BOX_PORT_GAP = 0.11  # between lines that leave a box on the same side
CIRCLE_PORT_GAP = 0.095  # the same along a circle, where they part at once

_WIDEST_ANGLE = math.radians(75)
_STEEPEST = 0.6  # the slope at which a line may leave a box
_SLACK = 0.05  # how far a line may stray, up or down, in the room that its bend has kept
_HANDLE = 0.42  # of a curve, as a part of the way it goes sideways


@dataclass(frozen=True)
class Outline:
    """A circle (its radius) or a box (half its width and height)."""

    half_width: float
    half_height: float
    is_circle: bool

    def port(self, centre: Floats, side: int, along: float) -> Floats:
        """A point of the outline; `along` is an angle on a circle, a height on a box."""
        if self.is_circle:
            outward = np.array([side * math.cos(along), math.sin(along)])
            return np.asarray(centre + self.half_width * outward)
        return np.asarray(centre + np.array([side * self.half_width, along]))

    def direction(self, centre: Floats, port: Floats, to: Floats) -> Floats:
        """In which a line leaves for its next point."""
        away = to - port
        if self.is_circle:  # halfway between straight out and straight there
            out = port - centre
            return _unit(out / math.hypot(*out) + away / math.hypot(*away))
        steep = _STEEPEST * abs(away[0])
        return _unit(np.array([away[0], np.clip(away[1], -steep, steep)]))


@dataclass(frozen=True)
class Route:
    """A chain of cubic curves, (3 n + 1, 2), and the directions in which its ends point."""

    points: Floats
    start_direction: Floats
    end_direction: Floats


def box_height(lines: int) -> float:
    """The least height of a box that so many lines leave on one side."""
    return BOX_PORT_GAP * lines + 0.02


def circle_radius(lines: int) -> float:
    """The least radius of a circle that so many lines leave on one side."""
    return CIRCLE_PORT_GAP * (lines - 1) / (2 * _WIDEST_ANGLE)


def route(
    layout: Layout, outlines: Sequence[Outline], lines: Sequence[tuple[int, int]], head: float
) -> list[Route]:
    """One route for each line; it leaves `head` free at both ends, for the heads."""
    paths = [
        [layout.centres[a], *map(np.array, bends), layout.centres[b]]
        for (a, b), bends in zip(lines, layout.bends, strict=True)
    ]
    # Boxes decide first where lines end; circles look at where they go.
    for end in (-1, 0):
        _move_to_ports(layout, outlines, [line[end] for line in lines], paths, end)
    found = []
    for (a, b), path in zip(lines, paths, strict=True):
        out = outlines[a].direction(layout.centres[a], path[0], path[1])
        back = outlines[b].direction(layout.centres[b], path[-1], path[-2])
        points = [path[0] + head * out]
        direction = out
        for before, bend, after in zip(path, path[1:], path[2:], strict=False):
            enter, leave, level = _through(layout, before, bend, after)
            points += _curve(points[-1], direction, enter, -level)
            points += _straight(enter, leave)
            direction = level
        points += _curve(points[-1], direction, path[-1] + head * back, back)
        found.append(Route(np.array(points), -out, -back))
    return found


def _move_to_ports(
    layout: Layout,
    outlines: Sequence[Outline],
    nodes: Sequence[int],
    paths: list[list[Floats]],
    end: int,
) -> None:
    """Moves one end of each path from the middle of its node to the outline."""
    towards = [path[1 if end == 0 else -2] for path in paths]
    groups: dict[tuple[int, int], list[int]] = {}
    for line, (node, point) in enumerate(zip(nodes, towards, strict=True)):
        groups.setdefault((node, 1 if point[0] > layout.centres[node][0] else -1), []).append(line)
    for (node, side), group in groups.items():
        outline, centre = outlines[node], layout.centres[node]
        group.sort(key=lambda line: float(towards[line][1]))
        away = np.array([towards[line] - centre for line in group])
        place = _along_circle if outline.is_circle else _along_box
        for line, along in zip(group, place(outline, away), strict=True):
            paths[line][end] = outline.port(centre, side, float(along))


def _through(
    layout: Layout, before: Floats, bend: Floats, after: Floats
) -> tuple[Floats, Floats, Floats]:
    """Where a line enters and leaves the column of a bend, and the direction in it."""
    left, right = _edges(layout, float(bend[0]))
    half = (right - left) / 2
    first, then = bend - before, after - bend
    slopes = first[1] / first[0], then[1] / then[0]
    # The harmonic mean, as in monotone interpolation: a line never swings beyond its bends.
    slope = 2 / (1 / slopes[0] + 1 / slopes[1]) if slopes[0] * slopes[1] > 0 else 0.0
    slope = float(np.clip(slope, -_SLACK / half, _SLACK / half))
    reach = math.copysign(half, then[0]) * np.array([1.0, slope])
    return bend - reach, bend + reach, _unit(reach)


def _along_circle(outline: Outline, away: Floats) -> Floats:
    angle = np.arctan2(away[:, 1], np.abs(away[:, 0]))
    return _within(angle, CIRCLE_PORT_GAP / outline.half_width, _WIDEST_ANGLE)


def _along_box(outline: Outline, away: Floats) -> Floats:
    room = outline.half_height - BOX_PORT_GAP / 2
    return _within(np.clip(0.3 * away[:, 1], -room, room), BOX_PORT_GAP, room)


def _within(wanted: Floats, gap: float, most: float) -> Floats:
    """`wanted`, at least `gap` apart, but never beyond ± `most`."""
    gaps = len(wanted) - 1
    if gaps * gap >= 2 * most:
        return np.linspace(-most, most, len(wanted))
    # Clipping each end of a feasible spread keeps the distances: bound i by its i gaps.
    placed = spread(np.clip(wanted, -most, most), np.full(gaps, gap))
    steps = gap * np.arange(len(wanted))
    return np.clip(placed, -most + steps, most - steps[::-1])


def _edges(layout: Layout, x: float) -> tuple[float, float]:
    return min(layout.edges_of_columns, key=lambda edges: abs(sum(edges) / 2 - x))


def _curve(start: Floats, out: Floats, end: Floats, back: Floats) -> list[Floats]:
    reach = _HANDLE * abs(float(end[0] - start[0]))
    return [start + reach * out, end + reach * back, end]


def _straight(start: Floats, end: Floats) -> list[Floats]:
    return [start + (end - start) / 3, start + (end - start) * 2 / 3, end]


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / math.hypot(*vector))
