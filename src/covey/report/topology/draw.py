"""The topology of a reaction network as a picture, in the manner of the paper's figures.

Circles are species, doubly outlined where several robots or resources are together; boxes are
reactions, with their names or numbers, and their rates. A solid line belongs to a reaction that has
its reverse: its full heads point the way of the first of the two, its open heads the way back. A
dashed line belongs to a reaction that only goes one way. A line with full heads at both ends leads
to a catalyst: the reaction takes it and gives it back. What is not private, resources and plain
species, is grey; ∅ is the world outside.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from covey.errors import TooLargeError
from covey.model.species import Species
from covey.numbers import Floats
from covey.report.style import LABEL_SIZE, LIGHT, TITLE_SIZE, Theme
from covey.report.topology.key import Key, is_private
from covey.report.topology.labels import Label, box_label, species_label, wrap
from covey.report.topology.layers import Box, Diagram, Link, Node
from covey.report.topology.layout import Layout, arrange
from covey.report.topology.marks import HEAD, RING, Pen
from covey.report.topology.routes import Outline, Route, box_height, circle_radius, route

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from matplotlib.axes import Axes

    from covey.model.network import Network

MAX_NODES = 400

MARGIN = 0.1
RADIUS = 0.2
LEAST_WIDTH = 2.4  # below which a key and a title would be all rows

_BEND_COST = 0.5  # a line that passes a column, in crossings


def draw_network(
    network: Network,
    *,
    resources: Collection[str] = (),
    title: str = "",
    key: bool = True,
    theme: Theme = LIGHT,
) -> Figure:
    """The picture of a network.

    Raises `TooLargeError` where the network has so many species and reactions that nobody could
    read the picture.

    Args:
        network: What to draw.
        resources: The members that are not private.
        title: Stands above.
        key: Whether the meaning of the marks stands below.
        theme: The colours.
    """
    diagram = Diagram.of(network)
    if len(diagram.nodes) > MAX_NODES:
        raise TooLargeError(
            f"the picture would have {len(diagram.nodes)} circles and boxes, and beyond "
            f"{MAX_NODES} it shows nothing: draw a network with fewer species and reactions"
        )
    drawing = _Drawing.of(diagram)
    low, high = drawing.extent()
    width = max(LEAST_WIDTH, high[0] - low[0])
    legend = Key.of(diagram, resources, width) if key else None
    width = max(width, legend.width) if legend else width
    heading = Label.of([(line, TITLE_SIZE) for line in wrap(title, TITLE_SIZE, width)])
    top = heading.height + MARGIN if title.strip() else 0.0
    bottom = legend.height + MARGIN if legend else 0.0

    figure, axes = _canvas(
        ((low[0] + high[0] - width) / 2, (low[0] + high[0] + width) / 2),
        (low[1] - bottom, high[1] + top),
        theme,
    )
    middle = (low[0] + high[0]) / 2
    pen = Pen(axes, theme)
    drawing.draw(pen, resources)
    if top:
        _write(pen, heading, np.array([middle, high[1] + top - heading.height / 2]))
    if legend:
        legend.draw(pen, middle, low[1] - MARGIN)
    return figure


@dataclass(frozen=True)
class _Drawing:
    """A diagram with everything placed, in inches."""

    diagram: Diagram
    labels: list[Label]
    outlines: list[Outline]
    layout: Layout
    routes: list[Route]

    @classmethod
    def of(cls, diagram: Diagram) -> _Drawing:
        """The better of the two ways to choose columns: fewer crossings, shorter lines."""
        labels = [_label(node) for node in diagram.nodes]
        lines = [(link.place, link.box) for link in diagram.links]
        choices: list[tuple[float, list[Outline], Layout]] = []
        for columns in (diagram.columns_by_making(), diagram.columns_by_size()):
            outlines = _outlines(diagram, labels, columns)
            layout = arrange(columns, _sizes(diagram, outlines), lines)
            cost = layout.crossings + _BEND_COST * sum(map(len, layout.bends))
            choices.append((cost, outlines, layout))
        _, outlines, layout = min(choices, key=lambda choice: choice[0])
        return cls(diagram, labels, outlines, layout, route(layout, outlines, lines, HEAD))

    def extent(self) -> tuple[Floats, Floats]:
        """The lower left and the upper right corner of all that is drawn."""
        half = np.array([[o.half_width, o.half_height] for o in self.outlines])
        centres = self.layout.centres
        curves = [way.points for way in self.routes]
        points = np.concatenate([centres - half, centres + half, *curves])
        return points.min(axis=0), points.max(axis=0)

    def draw(self, pen: Pen, resources: Collection[str]) -> None:
        """Lines first, so that nodes lie on them."""
        for link, way in zip(self.diagram.links, self.routes, strict=True):
            one_way = not self.diagram.is_reversible(link.box)
            full = link.gives > 0, link.takes > 0
            pen.line(way, full, one_way=one_way)
            if text := _coefficient(link):
                pen.coefficient(way, text, one_way=one_way)
        for node, label, outline, centre in zip(
            self.diagram.nodes, self.labels, self.outlines, self.layout.centres, strict=True
        ):
            if isinstance(node, Box):
                half = outline.half_width, outline.half_height
                pen.box(centre, half, one_way=not node.reversible)
            elif isinstance(node, Species):
                private = is_private(node, resources)
                compound = node.is_compound
                pen.species(centre, outline.half_width, private=private, compound=compound)
            _write(pen, label, centre)


def _canvas(x: tuple[float, float], y: tuple[float, float], theme: Theme) -> tuple[Figure, Axes]:
    """A figure and axes over all of it, on which one unit is one inch."""
    size = x[1] - x[0] + 2 * MARGIN, y[1] - y[0] + 2 * MARGIN
    figure = Figure(figsize=size, facecolor=theme.background)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(x[0] - MARGIN, x[1] + MARGIN)
    axes.set_ylim(y[0] - MARGIN, y[1] + MARGIN)
    return figure, axes


def _label(node: Node) -> Label:
    if isinstance(node, Species):
        return species_label(node)
    return box_label(node) if isinstance(node, Box) else Label.of([("∅", LABEL_SIZE + 2)])


def _outlines(diagram: Diagram, labels: Sequence[Label], columns: Sequence[int]) -> list[Outline]:
    """What each node needs for its label, and for the lines that leave it on its busier side."""
    leaving: Counter[tuple[int, bool]] = Counter()
    for link in diagram.links:
        rightwards = columns[link.box] > columns[link.place]
        leaving[link.place, rightwards] += 1
        leaving[link.box, not rightwards] += 1
    outlines = []
    for number, (node, label) in enumerate(zip(diagram.nodes, labels, strict=True)):
        lines = max(leaving[number, False], leaving[number, True])
        if isinstance(node, Box):
            height = max(label.height + 0.06, box_height(lines))
            outlines.append(Outline(label.width / 2 + 0.06, height / 2, is_circle=False))
        elif isinstance(node, Species):
            radius = max(RADIUS, label.radius + 0.03, circle_radius(lines))
            radius += RING if node.is_compound else 0.0
            outlines.append(Outline(radius, radius, is_circle=True))
        else:
            outlines.append(Outline(label.radius + 0.02, label.radius + 0.02, is_circle=True))
    return outlines


def _sizes(diagram: Diagram, outlines: Sequence[Outline]) -> Floats:
    """Room for each node, (nodes, 2)."""
    # Every species gets the height of a compound: then what is made of two fits between them.
    sizes = np.array([[2 * o.half_width, 2 * o.half_height] for o in outlines])
    for number, node in enumerate(diagram.nodes):
        if isinstance(node, Species):
            sizes[number, 1] = max(sizes[number, 1], 2 * (RADIUS + RING))
    return sizes


def _coefficient(link: Link) -> str:
    if link.is_catalyst and link.takes != link.gives:
        return f"{link.takes}→{link.gives}"
    most = max(link.takes, link.gives)
    return str(most) if most > 1 else ""


def _write(pen: Pen, label: Label, centre: Floats) -> None:
    for line in label.lines:
        colour = pen.theme.ink if line.size >= LABEL_SIZE else pen.theme.muted
        pen.text(centre + np.array([0.0, line.rise]), line.text, line.size, colour)
