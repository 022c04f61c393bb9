"""Where the nodes of a layered drawing stand, and by which way its lines go.

The method is Sugiyama's, in three steps:

1. each column is ordered so that few lines cross, with bends where lines pass a column: a bend is
   given room as a node is, so that no line runs through a node;
2. heights minimise Σ w (y_u − y_v)² over all lines, subject to the order and to the room that each
   node needs. One column at a time this is an isotonic regression, and going over the columns
   again and again converges to the minimum, because the constraints of columns are separate.
   Then, from left to right, what is made is moved to the middle of what it is made of;
3. columns are set apart by as much as their widest nodes and steepest lines need.

Everything is in inches, y upwards, and the same input gives the same drawing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from covey.numbers import Floats
from covey.report.topology.ordering import Graph, Joins, Order, best_order

if TYPE_CHECKING:
    from collections.abc import Sequence

GAP = 0.15  # between the nodes of a column
COLUMN_GAP = 0.36
STEEP = 0.2  # additional gap between columns, per inch that a line climbs there

_RELAXATIONS = 400
_FINISHES = 3
_INERTIA = 1e-6  # holds a node that nothing pulls
_STIFFNESS = (1.0, 1.5, 2.5)  # how hard a piece resists slanting, by how many of its ends are bends


@dataclass(frozen=True)
class Layout:
    """Centres of the nodes, (nodes, 2); per line the bends from its first to its last node."""

    centres: Floats
    bends: list[list[tuple[float, float]]]
    edges_of_columns: list[tuple[float, float]]  # left and right
    crossings: int


def arrange(columns: Sequence[int], sizes: Floats, lines: Sequence[tuple[int, int]]) -> Layout:
    """Places nodes of the given sizes, (nodes, 2), in the given columns."""
    graph = Graph.of(columns, sizes[:, 1].tolist(), lines)
    order, crossings = best_order(graph)
    y = _heights(graph, order)
    edges = _columns(graph, sizes, y)
    middle = [(edges[c][0] + edges[c][1]) / 2 for c in graph.column]
    points = np.column_stack([middle, y])
    bends = [[(float(points[b, 0]), float(points[b, 1])) for b in c] for c in graph.chains]
    return Layout(points[: graph.nodes], bends, edges, crossings)


def spread(wanted: Floats, gaps: Floats, weights: Floats | None = None) -> Floats:
    """The values nearest to `wanted`, in the same order, with at least `gaps` between them.

    Nearest in the weighted sum of squares: isotonic regression, by pooling adjacent violators.
    """
    offset = np.concatenate([[0.0], np.cumsum(gaps)])
    weights = np.ones(len(wanted)) if weights is None else weights
    blocks: list[tuple[float, float, int]] = []  # mean, weight, length
    for value, weight in zip((wanted - offset).tolist(), weights.tolist(), strict=True):
        block = (value, weight, 1)
        while blocks and blocks[-1][0] >= block[0]:
            mean, other, length = blocks.pop()
            total = other + block[1]
            block = ((mean * other + block[0] * block[1]) / total, total, length + block[2])
        blocks.append(block)
    levels = np.array([block[0] for block in blocks])
    return np.asarray(np.repeat(levels, [block[2] for block in blocks]) + offset)


def _heights(graph: Graph, order: Order) -> Floats:
    """The y of nodes and bends."""
    bends = [(a >= graph.nodes) + (b >= graph.nodes) for a, b in graph.pieces]
    joins = Joins(graph, [_STIFFNESS[count] for count in bends])
    near = [
        [(c + side, joins.between(order, c, side)) for side in (-1, 1)] for c in range(len(order))
    ]
    pulls = [[(other, w) for other, w in sides if w is not None] for sides in near]
    gaps = [_room(graph, nodes) for nodes in order]
    y = [np.concatenate([[0.0], np.cumsum(gap)]) for gap in gaps]  # downwards, as the orders go
    y = [column - column[-1] / 2 for column in y]
    for _ in range(_RELAXATIONS):
        moved = max(_relax(y, c, pulls[c], gaps[c]) for c in range(len(y)))
        if moved < 1e-4:
            break
    for _ in range(_FINISHES):
        for c in range(len(y)):
            _relax(y, c, [_from_left(c, graph, order, *pull) for pull in pulls[c]], gaps[c])
    found = np.empty(len(graph.column))
    for nodes, column in zip(order, y, strict=True):
        found[nodes] = -column
    return found


def _relax(y: list[Floats], c: int, pulls: list[tuple[int, Floats]], gaps: Floats) -> float:
    """Moves a column to where its neighbours pull it; gives how far it moved."""
    weight = sum((w.sum(axis=1) for _, w in pulls), np.full(len(y[c]), _INERTIA))
    wanted = sum((w @ y[other] for other, w in pulls), _INERTIA * y[c]) / weight
    placed = spread(wanted, gaps, weight)
    moved = float(np.abs(placed - y[c]).max())
    y[c] = placed
    return moved


def _from_left(
    c: int, graph: Graph, order: Order, other: int, weights: Floats
) -> tuple[int, Floats]:
    """The pulls without those that nodes get from the right; bends still get them."""
    if other > c:
        is_bend = np.array(order[c]) >= graph.nodes
        weights = weights * is_bend[:, None]
    return other, weights


def _room(graph: Graph, nodes: list[int]) -> Floats:
    """The least distances between the centres of the nodes of a column."""
    height = np.array([graph.height[node] for node in nodes])
    is_node = np.array([node < graph.nodes for node in nodes])
    gap = np.where(is_node[1:] & is_node[:-1], GAP, GAP / 2)
    gap[~is_node[1:] & ~is_node[:-1]] = 0.0
    return np.asarray((height[1:] + height[:-1]) / 2 + gap)


def _columns(graph: Graph, sizes: Floats, y: Floats) -> list[tuple[float, float]]:
    """The left and the right edge of every column."""
    width = [0.0] * graph.columns
    for node in range(graph.nodes):
        width[graph.column[node]] = max(width[graph.column[node]], float(sizes[node, 0]))
    climb = [0.0] * graph.columns
    for a, b in graph.pieces:
        climb[graph.column[a]] = max(climb[graph.column[a]], abs(float(y[a] - y[b])))
    edges, left = [], 0.0
    for c in range(graph.columns):
        edges.append((left, left + width[c]))
        left += width[c] + COLUMN_GAP + STEEP * climb[c]
    return edges
