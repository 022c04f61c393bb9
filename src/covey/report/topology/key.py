"""The key below a picture of a network: what its marks mean, and only those that it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from covey.model.species import Species
from covey.numbers import Floats
from covey.report.style import SMALL_SIZE
from covey.report.topology.labels import text_width
from covey.report.topology.layers import Box, Diagram, Nothing
from covey.report.topology.marks import HEAD, Pen
from covey.report.topology.routes import Route

if TYPE_CHECKING:
    from collections.abc import Collection


ROW = 0.17

_MEANINGS = {
    "single": "by itself",
    "compound": "together",
    "neutral": "not private",
    "both": "both ways (full head: first)",
    "one way": "one way",
    "catalyst": "taken and given back",
    "catalyst one way": "taken and given back",
    "outside": "outside",
}
_LINES = ("both", "one way", "catalyst", "catalyst one way")
_RADIUS = 0.055
_LINE = 0.34
_PAD = 0.06  # between a mark and its meaning
_APART = 0.17  # between two entries


@dataclass(frozen=True)
class Key:
    """Rows of entries; each entry is a name in `_MEANINGS`."""

    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, diagram: Diagram, resources: Collection[str], width: float) -> Key:
        """The key of a diagram, broken into rows of at most that width where it can be."""
        rows: list[list[str]] = [[]]
        for entry in _entries(diagram, resources):
            if rows[-1] and _row_width([*rows[-1], entry]) > width:
                rows.append([])
            rows[-1].append(entry)
        return cls(tuple(map(tuple, rows)))

    @property
    def width(self) -> float:
        """Of the widest row."""
        return max(map(_row_width, self.rows))

    @property
    def height(self) -> float:
        """Of all rows."""
        return ROW * len(self.rows)

    def draw(self, pen: Pen, middle: float, top: float) -> None:
        """Draws the rows, centred."""
        for number, row in enumerate(self.rows):
            x, y = middle - _row_width(row) / 2, top - ROW * (number + 0.5)
            for entry in row:
                mark = _mark_width(entry)
                _draw_mark(pen, np.array([x + mark / 2, y]), entry)
                at = np.array([x + mark + _PAD, y])
                pen.text(at, _MEANINGS[entry], SMALL_SIZE, pen.theme.muted, "left")
                x += _width(entry) + _APART


def is_private(species: Species, resources: Collection[str]) -> bool:
    """Whether a robot of some type is in it."""
    return any(member not in resources for member in species.members)


def _entries(diagram: Diagram, resources: Collection[str]) -> list[str]:
    """Those that the diagram needs, in the order of `_MEANINGS`."""
    found = set()
    for node in diagram.nodes:
        if isinstance(node, Species):
            found.add("compound" if node.is_compound else "single")
            if not is_private(node, resources):
                found.add("neutral")
        elif isinstance(node, Box):
            found.add("both" if node.reversible else "one way")
        elif isinstance(node, Nothing):
            found.add("outside")
    for link in diagram.links:
        if link.is_catalyst:
            found.add("catalyst" if diagram.is_reversible(link.box) else "catalyst one way")
    if "catalyst" in found:
        found.discard("catalyst one way")
    return [entry for entry in _MEANINGS if entry in found]


def _mark_width(entry: str) -> float:
    return _LINE if entry in _LINES else 2 * _RADIUS


def _width(entry: str) -> float:
    return _mark_width(entry) + _PAD + text_width(_MEANINGS[entry], SMALL_SIZE)


def _row_width(row: Collection[str]) -> float:
    return sum(map(_width, row)) + _APART * (len(row) - 1)


def _draw_mark(pen: Pen, centre: Floats, entry: str) -> None:
    if entry == "outside":
        pen.text(centre, "∅", SMALL_SIZE + 1, pen.theme.ink)
    elif entry in ("single", "compound", "neutral"):
        private, compound = entry != "neutral", entry == "compound"
        pen.species(centre, _RADIUS, private=private, compound=compound)
    else:
        half = np.array([_LINE / 2, 0.0])
        ends = centre - half, centre + half
        right = np.array([1.0, 0.0])
        points = np.linspace(ends[0] + HEAD * right, ends[1] - HEAD * right, 4)
        heads = (entry.startswith("catalyst"), True)
        pen.line(Route(points, -right, right), heads, one_way=entry.endswith("one way"))
