"""Sums of very many independent robots, in one or two columns, but for the farthest tails.

With the total t = y_1 + y_2 of those that are seen, of n robots of one kind (`independent_sum`),

    (p_0 + p_1 x_1 + p_2 x_2)^n = Σ_j Binomial(n, s)(j) V^j,   s = p_1 + p_2,  V = (p_1 x_1 + p_2 x_2)/s,

is applied to the table of the others by Horner's rule in j, and the lowest power of V is a binomial
once more: many robots cost no more than their windows are wide. All numbers are positive. Whatever
the windows cut off is at most the tolerance, by the bounds of `chernoff`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from covey.dynamics.closed_form.chernoff import window
from covey.dynamics.closed_form.convolution.poisson_weights import Wide, wide_log_factorial
from covey.dynamics.closed_form.independent_sum import DIGIT, Kinds, Table, arrival_windows, arrivals
from covey.numbers import SPACING, UNIT, Floats, Ints

_CUTS = 12  # of one kind, at the most; besides two for each column of arrivals


@dataclass
class Windows:
    """Sums of many robots within windows, for one or two columns: kind after kind, the least first.

    Everything is planned when this is made: the `shape` of the table, and the `work`.
    """

    kinds: Kinds
    means: Floats  # (d,)
    tolerance: float
    work: float = 0.0
    boxes: list[tuple[tuple[int, int], ...]] = field(default_factory=list)
    inner: list[tuple[tuple[int, int], tuple[int, int], int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        order = np.argsort(self.kinds.counts, kind="stable")
        k = self.kinds
        self.kinds = Kinds(k.counts[order], k.parts[order], k.powers[order])
        self.tail = self.tolerance / (_CUTS * len(order) + 2 * len(self.means))
        self.log_tail = math.log(self.tail)
        for stage in range(len(order)):
            self._plan(stage)

    def _plan(self, stage: int) -> None:
        """The windows of a stage: of all kinds so far, and of how this one's robots spread."""
        so_far = Kinds(*(part[: stage + 1] for part in self._fields))
        this = Kinds(*(part[stage : stage + 1] for part in self._fields))
        both = list(range(1, len(self.means) + 1))
        box = [self._window(so_far, both, float(self.means.sum()))]
        if len(both) == 2:
            box.append(self._window(so_far, [2], float(self.means[1])))
        seen = self._window(this, both)
        kernel, extra = (0, 0), 0
        if len(both) == 2:
            within = Kinds(np.array([seen[0]]), this.parts[:, 1:], this.powers[:, 1:])
            kernel = self._window(within, [1])
            further = within.with_counts(np.array([seen[1] - seen[0]]))
            extra = self._window(further, [1])[1]
        self.boxes.append(tuple(box))
        self.inner.append((seen, kernel, extra))
        sizes = [high - low + 1 for low, high in box]
        wide = (sizes[1] if len(sizes) > 1 else 1) + extra
        spread = (seen[1] - seen[0] + 1) + (kernel[1] - kernel[0] + 1)
        self.work += float(sizes[0]) * wide * spread

    def _window(self, kinds: Kinds, columns: list[int], mean: float = 0.0) -> tuple[int, int]:
        """The window of the sum of some columns."""
        shares = kinds.shares
        seen = shares[:, columns].sum(axis=1) / shares.sum(axis=1)
        return window(kinds.counts, seen, mean, self.log_tail)

    @property
    def _fields(self) -> tuple[Ints, Floats, Ints]:
        return self.kinds.counts, self.kinds.parts, self.kinds.powers

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the table, at the most."""
        if not self.boxes:
            return tuple(last - first + 1 for first, last in arrival_windows(self.means, self.tail))
        return tuple(high - low + 1 for low, high in self.boxes[-1])

    def solve(self) -> Table:
        """The table: what it leaves out is at most the tolerance."""
        first = arrivals(self.means, self.tail)
        now = np.ldexp(first.parts, DIGIT * first.powers)
        low, error = first.low, first.error
        if len(self.means) == 2:
            now, low = _skew(now, low)
        for stage in range(len(self.kinds.counts)):
            now, low, off = self._spread(stage, now, low)
            error += off
        powers = np.zeros(now.shape, dtype=np.int32)
        parts = np.where(now > 2.0**-256, now, 0.0)
        return Table(parts, powers, low, error, skewed=len(self.means) == 2)

    def _spread(self, stage: int, before: Floats, low: Ints) -> tuple[Floats, Ints, float]:
        """The table with the robots of one kind more."""
        from covey.dynamics import _linear_kernels as kernels  # noqa: PLC0415

        count = int(self.kinds.counts[stage])
        shares = self.kinds.shares[stage]
        seen, inner, extra = self.inner[stage]
        total = float(shares[1:].sum())
        weights, error = _binomial(count, seen, float(shares[0]), total)
        move = float(shares[2]) / total if len(shares) > 2 else 0.0
        stay = float(shares[1]) / total
        kernel, off = _binomial(seen[0], inner, stay, move)
        table = before if before.ndim == 2 else before[:, None]
        corner = np.array([*low, 0])[:2]
        origin = corner + [seen[0], inner[0]]
        box = self.boxes[stage] if before.ndim == 2 else (*self.boxes[stage], (0, 0))
        last = origin + [table.shape[0] + len(weights) - 2, table.shape[1] + extra + len(kernel) - 2]
        begin = np.maximum(origin, [edge[0] for edge in box])
        end = np.minimum(last, [edge[1] for edge in box])
        out = np.zeros(np.maximum(end - begin + 1, 1))
        kernels.spread_rows(
            np.ascontiguousarray(table), weights, stay, move, table.shape[1] + extra, kernel,
            int(begin[0] - origin[0]), int(begin[1] - origin[1]), out,
        )  # fmt: skip
        out[out < self.tail / out.size] = 0.0
        # Horner: three roundings a step; the kernel and the weights one a term; then shares that
        # were divided by their sum, whose roundings all robots have.
        rounding = UNIT * (4 * len(weights) + 2 * len(kernel) + 6 * count + 16)
        result = out if before.ndim == 2 else out[:, 0]
        return result, begin[: before.ndim], error + off + rounding


def _binomial(n: int, edges: tuple[int, int], other: float, share: float) -> tuple[Floats, float]:
    """C(n, j) share^j other^(n − j) for j from edge to edge, and the error of its logarithm."""
    j = np.arange(edges[0], edges[1] + 1)
    factorials = wide_log_factorial(np.array([n])) - wide_log_factorial(j)
    factorials = factorials - wide_log_factorial(n - j)
    logs = factorials.astype(Wide)
    parts = 3.0 * float(wide_log_factorial(np.array([n]))[0])
    for value, times in ((share, j), (other, n - j)):
        log = np.log(Wide(value)) if value > 0 else Wide(0)
        if value == 0 and times.any():
            logs = np.where(times > 0, -np.inf, logs)
        logs = logs + times * log
        parts += n * abs(float(log))
    rounded = logs.astype(np.float64)
    with np.errstate(under="ignore"):
        weights = np.exp(rounded)
    finite = np.abs(rounded[np.isfinite(rounded)])
    error = 16 * float(np.finfo(Wide).eps) * parts + SPACING * (float(finite.max(initial=0.0)) + 4)
    return weights, error


def _skew(table: Floats, low: Ints) -> tuple[Floats, Ints]:
    """By the total and the second column, instead of by both columns."""
    rows, columns = table.shape
    skewed = np.zeros((rows + columns - 1, columns))
    for y in range(columns):
        skewed[y : y + rows, y] = table[:, y]
    return skewed, np.array([low.sum(), low[1]])
