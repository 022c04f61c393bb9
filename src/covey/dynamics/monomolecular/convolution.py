"""Sums of many independent robots, each of which is seen in one of d columns or nowhere.

With n_k robots of kind k, shares p_k0 (nowhere), p_k1 … p_kd, and Poisson arrivals of means m,

    P(y) = the coefficient of x^y in  ∏_c e^(m_c (x_c − 1)) ∏_k (p_k0 + Σ_c p_kc x_c)^n_k.

The product is multiplied out, one robot at a time. All numbers are positive, and each is kept with
a power of 2^512 of its own, so that tails do not underflow. A robot costs every number the error
of its shares and d + 2 roundings. Nothing is cut off but the tails of Poisson counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.monomolecular.chernoff import window
from covey.dynamics.product_form.elimination.poisson_weights import Wide, log_poisson
from covey.errors import TooLargeError
from covey.numbers import SPACING, UNIT, Floats, Ints

DIGIT = 512  # numbers are kept as part * 2^(512 power)
_MOST_ROBOTS = 1e15
_LOG_DIGIT = DIGIT * math.log(2)


@dataclass(frozen=True, eq=False)
class Kinds:
    """Robots of several kinds: how many there are, and with which shares they are seen where.

    A share is part * 2^(DIGIT power); column 0 is to be seen nowhere.
    """

    counts: Ints  # (kinds,)
    parts: Floats  # (kinds, 1 + d)
    powers: Ints  # (kinds, 1 + d)

    @property
    def shares(self) -> Floats:
        """As plain numbers: 0 below 1e-308."""
        return np.ldexp(self.parts, DIGIT * self.powers)

    def with_counts(self, counts: Ints) -> Kinds:
        """The same kinds, so many of each; without those of which there are none."""
        kept = counts > 0
        return Kinds(counts[kept], self.parts[kept], self.powers[kept])


@dataclass(frozen=True, eq=False)
class Table:
    """Probabilities over a box: entry i of axis a stands for low[a] + i.

    Axes are the columns; `skewed` ones are the total of both, and the second.
    """

    parts: Floats  # (box)
    powers: NDArray[np.int32]  # (box)
    low: Ints  # (d,)
    error: float  # of every logarithm, by rounding here
    skewed: bool = False

    def outcomes(self) -> tuple[Ints, Floats, float]:
        """Each outcome that is possible, (outcomes, d), ln of its probability, and its rounding."""
        kept = np.flatnonzero(self.parts)
        rows, rest = np.empty((len(kept), len(self.low)), dtype=np.int64), kept
        for axis, size in reversed(list(enumerate(self.parts.shape))):
            rest, place = np.divmod(rest, size)
            rows[:, axis] = place + self.low[axis]
        if self.skewed:
            rows[:, 0] -= rows[:, 1]
        small = np.log(self.parts.reshape(-1)[kept])
        large = self.powers.reshape(-1)[kept] * _LOG_DIGIT
        size_of = [float(np.abs(part).max(initial=0.0)) for part in (small, large, large)]
        return rows, small + large, SPACING * (sum(size_of) + 1)


def arrival_windows(means: Floats, tail: float) -> list[tuple[int, int]]:
    """For each column the counts that leave out at most `tail` below, and as much above."""
    if means.max(initial=0.0) > _MOST_ROBOTS:
        raise TooLargeError(
            f"{means.max():.3g} robots are seen on average, too many to be counted exactly: make "
            "arrivals slower, or departures faster"
        )
    none, nobody = np.zeros(0, np.int64), np.zeros(0)
    log_tail = math.log(tail)
    return [window(none, nobody, m, log_tail) if m > 0 else (0, 0) for m in means.tolist()]


def arrivals(means: Floats, tail: float) -> Table:
    """Poisson counts by themselves, within their windows."""
    edges = arrival_windows(means, tail)
    logs, error = np.zeros([1] * len(edges)), 0.0
    for axis, ((first, last), mean) in enumerate(zip(edges, means.tolist(), strict=True)):
        if mean > 0:
            row, off = log_poisson(first, last - first + 1, np.log(Wide(mean)))
            logs = logs + row.reshape([-1 if a == axis else 1 for a in range(len(edges))])
            error += off
    powers = np.rint(logs / _LOG_DIGIT)
    error += SPACING * (len(edges) + 4) * (float(np.abs(logs).max(initial=0.0)) + 1)
    low = np.array([first for first, _ in edges], dtype=np.int64)
    return Table(np.exp(logs - powers * _LOG_DIGIT), powers.astype(np.int32), low, error)


def box_of(kinds: Kinds, table: Table, columns: int) -> tuple[int, ...]:
    """The shape of a table to which robots of these kinds were added."""
    reach = (kinds.counts[:, None] * (kinds.parts[:, 1:] > 0)).sum(axis=0)  # (d,)
    if table.skewed:
        grown = [int((kinds.counts * (kinds.parts[:, 1:] > 0).any(axis=1)).sum()), int(reach[1])]
    else:
        grown = reach.tolist()
    return tuple(size + more for size, more in zip(table.parts.shape, grown[:columns], strict=True))


def add(table: Table, kinds: Kinds) -> Table:
    """The table with more robots, one at a time: nothing is cut off."""
    from covey.dynamics.kernels import convolution as kernels  # noqa: PLC0415

    if not len(kinds.counts):
        return table
    shape = box_of(kinds, table, len(table.low))
    parts, powers = np.zeros(shape), np.zeros(shape, dtype=np.int32)
    corner = tuple(slice(0, size) for size in table.parts.shape)
    parts[corner], powers[corner] = table.parts, table.powers
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    steps = [0, *strides] if not table.skewed else [0, strides[0], strides[0] + strides[1]]
    steps = steps[: kinds.parts.shape[1]]
    offsets = np.where(kinds.parts > 0, np.array(steps, dtype=np.int64), 0)
    top = sum((size - 1) * s for size, s in zip(table.parts.shape, strides, strict=True))
    flat_parts, flat_powers = parts.reshape(-1), powers.reshape(-1)
    kernels.add_robots(
        flat_parts, flat_powers, top, kinds.counts, offsets, kinds.parts, kinds.powers
    )
    error = table.error + UNIT * float(kinds.counts.sum()) * (kinds.parts.shape[1] + 2)
    return Table(flat_parts.reshape(shape), flat_powers.reshape(shape), table.low, error,
                 table.skewed)  # fmt: skip
