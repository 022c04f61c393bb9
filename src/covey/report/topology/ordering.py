"""The order of nodes in the columns of a layered drawing, so that few lines cross.

A line that passes columns gets a bend in each of them, which is ordered as a node is; then every
piece of a line leads from one column to the next. Sweeps put each node at the mean place of its
neighbours; sifting then tries each node at every place of its column until no move lowers the
number of crossings. From several starts, drawn with a fixed seed, the best is kept.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from covey.numbers import Floats

if TYPE_CHECKING:
    from collections.abc import Sequence

Order = list[list[int]]  # per column, its nodes from top to bottom

BEND_ROOM = 0.1  # the height that a passing line takes, in inches

_SWEEPS = 12
_ROUNDS = 60  # of sifting; small drawings settle in fewer than ten
_OUT_OF_ORDER = 1e-4  # what breaking the given order costs, in crossings: it only settles ties


@dataclass(frozen=True)
class Graph:
    """The nodes and bends, column by column, and the lines cut at their bends."""

    column: list[int]  # counted from 0, with none left out
    height: list[float]
    pieces: list[tuple[int, int]]  # from one column to the next
    chains: list[list[int]]  # per line: its bends
    nodes: int  # those from here on are bends

    @classmethod
    def of(
        cls, columns: Sequence[int], heights: Sequence[float], lines: Sequence[tuple[int, int]]
    ) -> Graph:
        """Cuts each line where it passes a column."""
        rank = {c: number for number, c in enumerate(sorted(set(columns)))}
        column = [rank[c] for c in columns]
        height = list(heights)
        pieces: list[tuple[int, int]] = []
        chains: list[list[int]] = []
        for start, end in lines:
            step = 1 if column[end] > column[start] else -1
            passed = range(column[start] + step, column[end], step)
            chain = list(range(len(column), len(column) + len(passed)))
            column += passed
            height += [BEND_ROOM] * len(passed)
            path = [start, *chain, end]
            for a, b in pairwise(path):
                pieces.append((a, b) if column[a] < column[b] else (b, a))
            chains.append(chain)
        return cls(column, height, pieces, chains, len(columns))

    @property
    def columns(self) -> int:
        """How many there are."""
        return max(self.column) + 1

    def by_column(self) -> Order:
        """The nodes of each column as they were given."""
        found: Order = [[] for _ in range(self.columns)]
        for node, column in enumerate(self.column):
            found[column].append(node)
        return found


class Joins:
    """A number for each piece of a line, looked up for two neighbouring columns at a time."""

    def __init__(self, graph: Graph, values: Sequence[float]) -> None:
        self._slot = np.zeros(len(graph.column), dtype=np.intp)
        nodes = graph.by_column()
        for column in nodes:
            self._slot[column] = np.arange(len(column))
        shapes = [(len(a), len(b)) for a, b in pairwise(nodes)]
        self._after = [np.zeros(shape) for shape in shapes]  # column c to column c + 1
        for (a, b), value in zip(graph.pieces, values, strict=True):
            self._after[graph.column[a]][self._slot[a], self._slot[b]] += value

    def between(self, order: Order, c: int, side: int) -> Floats | None:
        """The values for column c, and the one on that side of it if there is one, as ordered."""
        if not 0 <= c + side < len(order):
            return None
        near, far = self._slot[order[c]], self._slot[order[c + side]]
        if side == 1:
            return self._after[c][np.ix_(near, far)]
        return self._after[c - 1][np.ix_(far, near)].T


def best_order(graph: Graph) -> tuple[Order, int]:
    """The best order found, and how many lines cross in it."""
    joins = Joins(graph, [1.0] * len(graph.pieces))
    dice = random.Random(0)
    best, fewest = graph.by_column(), np.inf
    for attempt in range(max(1, min(40, 2500 // len(graph.column)))):
        order = graph.by_column()
        if attempt:
            for nodes in order:
                dice.shuffle(nodes)
        _sweep(order, joins)
        cost = _sift(order, joins)
        if cost < fewest - 1e-9:
            best, fewest = order, cost
        if fewest < 1:
            break
    return best, int(fewest)


def _sweep(order: Order, joins: Joins) -> None:
    """Sorts each column by the mean place of its neighbours, to the right and back again."""
    for sweep in range(_SWEEPS):
        side = -1 if sweep % 2 == 0 else 1
        for c in range(len(order))[::-side]:
            links = joins.between(order, c, side)
            if links is not None:
                degree = links.sum(axis=1)
                mean = links @ np.arange(links.shape[1]) / np.maximum(degree, 1)
                place = np.where(degree > 0, mean, np.arange(len(mean)))
                order[c] = [order[c][i] for i in np.argsort(place, kind="stable")]


def _sift(order: Order, joins: Joins) -> float:
    """Moves nodes within their columns until no move helps; gives the cost that is left."""
    improved, rounds = True, 0
    while improved and rounds < _ROUNDS:
        improved, rounds = False, rounds + 1
        for c in range(len(order)):
            cost = _pair_costs(order, c, joins, (-1, 1))
            places = _sift_column(cost)
            if _above(cost[np.ix_(places, places)]) < _above(cost) - 1e-9:
                order[c] = [order[c][i] for i in places]
                improved = True
    return sum(_above(_pair_costs(order, c, joins, (-1,))) for c in range(len(order)))


def _pair_costs(order: Order, c: int, joins: Joins, sides: tuple[int, ...]) -> Floats:
    """What it costs to have node i above node j in column c: the crossings of their lines."""
    nodes = np.array(order[c])
    cost = _OUT_OF_ORDER * (nodes[:, None] > nodes[None, :])
    for side in sides:
        links = joins.between(order, c, side)
        if links is not None:
            further_up = np.cumsum(links, axis=1) - links
            cost = cost + links @ further_up.T
    return np.asarray(cost, dtype=float)


def _above(cost: Floats) -> float:
    return float(np.triu(cost, 1).sum())


def _sift_column(cost: Floats) -> list[int]:
    places = list(range(len(cost)))
    for node in range(len(cost)):
        places.remove(node)
        # Passing j changes the cost by cost[j, node] - cost[node, j].
        change = np.concatenate([[0.0], np.cumsum(cost[places, node] - cost[node, places])])
        places.insert(int(np.argmin(change)), node)
    return places
