"""Sums of very many independent robots, in one or two columns, but for the farthest tails.

With the total t = y_1 + y_2 of those that are seen, of n robots of one kind (`convolution`),

    (p_0 + p_1 x_1 + p_2 x_2)^n = Σ_j Binomial(n, s)(j) V^j,
    s = p_1 + p_2,     V = (p_1 x_1 + p_2 x_2)/s,

is applied to the table of the others by Horner's rule in j, and the lowest power of V is a binomial
once more: many robots cost no more than their windows are wide. All numbers are positive. Whatever
the windows cut off is at most the tolerance, by the bounds of `chernoff`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from covey.dynamics.monomolecular.chernoff import window
from covey.dynamics.monomolecular.convolution import (
    DIGIT,
    Kinds,
    Table,
    arrival_windows,
    arrivals,
)
from covey.dynamics.product_form.elimination.poisson_weights import Wide, wide_log_factorial
from covey.numbers import SPACING, UNIT, Floats, Ints

_CUTS = 12  # of one kind, at the most: a window has two ends, and small numbers are dropped

Edges = tuple[int, int]  # the least and the largest


@dataclass(frozen=True)
class _Stage:
    """The robots of one kind: windows of the table with them, and of how they spread.

    `seen` is j above, `lowest` how many of the least j are in the second column, and `further` how
    many more of the other j can be.
    """

    count: int
    shares: tuple[float, ...]
    total: Edges
    second: Edges
    seen: Edges
    lowest: Edges
    further: int

    @property
    def work(self) -> float:
        """About how many products it takes."""
        width = _size(self.second) + self.further
        return float(_size(self.total)) * width * (_size(self.seen) + _size(self.lowest))


class Windows:
    """Sums of robots within windows, kind after kind, the fewest first: all is planned here.

    Args:
        kinds: The robots.
        means: Of those that arrive, in each of one or two columns.
        tolerance: What all windows together may leave out.
    """

    def __init__(self, kinds: Kinds, means: Floats, tolerance: float) -> None:
        self.means, self.pairs = means, len(means) == 2
        self.tail = tolerance / (_CUTS * len(kinds.counts) + 2 * len(means))
        order = np.argsort(kinds.counts, kind="stable")
        self.counts, self.shares = kinds.counts[order], kinds.shares[order]
        self.stages = [self._planned(stage) for stage in range(len(order))]

    def _planned(self, stage: int) -> _Stage:
        so_far, last = slice(stage + 1), slice(stage, stage + 1)
        whole, seen = self.shares.sum(axis=1), self.shares[:, 1:].sum(axis=1)
        total = self._window(self.counts[so_far], (seen / whole)[so_far], float(self.means.sum()))
        among = self._window(self.counts[last], (seen / whole)[last])
        second, lowest, further = (0, 0), (0, 0), 0
        if self.pairs:
            column = self.shares[:, 2]
            second = self._window(
                self.counts[so_far], (column / whole)[so_far], float(self.means[1])
            )
            split = (column / seen)[last]
            lowest = self._window(np.array([among[0]]), split)
            further = self._window(np.array([among[1] - among[0]]), split)[1]
        shares = tuple(self.shares[stage].tolist())
        return _Stage(int(self.counts[stage]), shares, total, second, among, lowest, further)

    def _window(self, counts: Ints, seen: Floats, mean: float = 0.0) -> Edges:
        return window(counts, seen, mean, math.log(self.tail))

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the table."""
        if self.stages:
            sizes = (_size(self.stages[-1].total), _size(self.stages[-1].second))
            return sizes if self.pairs else sizes[:1]
        edges = [_size(edges) for edges in arrival_windows(self.means, self.tail)]
        return (sum(edges) - 1, edges[1]) if self.pairs else tuple(edges)

    @property
    def work(self) -> float:
        """About how many products it takes."""
        return sum(stage.work for stage in self.stages)

    @property
    def arrived(self) -> int:
        """How many that arrived can be there, at the most."""
        return sum(last for _, last in arrival_windows(self.means, self.tail))

    def solve(self) -> Table:
        """The table: what it leaves out is at most the tolerance."""
        first = arrivals(self.means, self.tail)
        now = np.ldexp(first.parts, DIGIT * first.powers)
        low, error = first.low, first.error
        if self.pairs:
            now, low = _skewed(now, low)
        else:
            now, low = now[:, None], np.array([low[0], 0])
        for stage in self.stages:
            now, low, off = self._spread(stage, now, low)
            error += off
        if not self.pairs:
            now, low = now[:, 0], low[:1]
        powers = np.zeros(now.shape, dtype=np.int32)
        return Table(now, powers, low, error, skewed=self.pairs)

    def _spread(self, stage: _Stage, before: Floats, low: Ints) -> tuple[Floats, Ints, float]:
        """The table by total and second column, where it begins, and its error: with one kind."""
        from covey.dynamics.kernels import convolution as kernels  # noqa: PLC0415

        seen = math.fsum(stage.shares[1:])
        stay, move = stage.shares[1] / seen, math.fsum(stage.shares[2:]) / seen
        weights, error = _binomial(stage.count, stage.seen, stage.shares[0], seen)
        kernel, off = _binomial(stage.seen[0], stage.lowest, stay, move)
        wide = before.shape[1] + stage.further
        origin = low + np.array([stage.seen[0], stage.lowest[0]])
        longest = np.array([before.shape[0] + len(weights) - 2, wide + len(kernel) - 2])
        edges = np.array([stage.total, stage.second])
        begin = np.maximum(origin, edges[:, 0])
        end = np.minimum(origin + longest, edges[:, 1])
        out = np.zeros(end - begin + 1)
        row, column = (begin - origin).tolist()
        kernels.spread_rows(before, weights, stay, move, wide, kernel, row, column, out)
        out[out < self.tail / out.size] = 0.0
        # Horner's rule: at most four roundings a step; a kernel two a term; and a robot those of
        # its shares, which were divided by their sum.
        rounding = UNIT * (4 * len(weights) + 2 * len(kernel) + 4 * stage.count + 16)
        return out, begin, error + off + rounding


def _size(edges: Edges) -> int:
    return edges[1] - edges[0] + 1


def _binomial(n: int, edges: Edges, other: float, share: float) -> tuple[Floats, float]:
    """C(n, j) share^j other^(n − j) for j from edge to edge, and the error of its logarithm."""
    j = np.arange(edges[0], edges[1] + 1)
    most = wide_log_factorial(np.array([n]))
    logs = most - wide_log_factorial(j) - wide_log_factorial(n - j)
    parts = 3 * float(most[0])
    for value, times in ((share, j), (other, n - j)):
        if value > 0:
            logs = logs + times * np.log(Wide(value))
            parts += n * abs(math.log(value))
        else:
            logs = np.where(times > 0, -np.inf, logs)
    rounded = logs.astype(np.float64)
    largest = float(np.abs(rounded[np.isfinite(rounded)]).max(initial=0.0))
    error = 16 * float(np.finfo(Wide).eps) * parts + SPACING * (largest + 4)
    with np.errstate(under="ignore"):
        return np.exp(rounded), error


def _skewed(table: Floats, low: Ints) -> tuple[Floats, Ints]:
    """By the total and the second column, instead of by both columns."""
    rows, columns = table.shape
    skewed = np.zeros((rows + columns - 1, columns))
    for y in range(columns):
        skewed[y : y + rows, y] = table[:, y]
    return skewed, np.array([low.sum(), low[1]])
