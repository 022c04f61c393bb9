"""The states that could be reached, listed by budget: points of the lattice of one start.

A state x that can be reached has the conserved sums of the start, W x = W x(0), and differs from
it by whole multiples of changes. As many species as there are laws, the plentiful ones, follow
from the others by W; what is listed are the others, the free ones, each with a cost that depends
on its count, as long as the costs together are within a budget. The list holds every such state
that can be reached, and perhaps more; a proof that covers all of them covers those.
"""

from __future__ import annotations

import math

import numpy as np

from covey.errors import TooLargeError
from covey.numbers import Floats, Ints


class ClassPoints:
    """The lattice of a start.

    Args:
        changes: Of every reaction, (reactions, species).
        conserved: W, (laws, species).
        start: A state of the lattice.
        usual: Roughly how many there are of each species: the plentiful ones follow from the rest.
    """

    def __init__(self, changes: Ints, conserved: Ints, start: Ints, usual: Floats) -> None:
        self.conserved, self.start = conserved, start
        self.totals = conserved @ start
        follow: list[int] = []
        for i in np.argsort(-usual, kind="stable").tolist():
            tried = conserved[:, [*follow, i]].astype(np.float64)
            if len(follow) < len(conserved) and np.linalg.matrix_rank(tried) > len(follow):
                follow.append(i)
        self.follow = tuple(follow)
        self.free = tuple(i for i in range(len(start)) if i not in follow)
        self._inverse = np.linalg.inv(conserved[:, follow].astype(np.float64))  # (follow, laws)
        self._basis = _triangle(np.unique(changes, axis=0)[:, list(self.free)].tolist())

    def within(self, costs: list[Floats], budget: float, most: int) -> Ints:
        """Every point with costs[i][x_i] summed over the free species at most `budget`.

        A count beyond the end of its list costs too much. (points, species), in no order;
        `TooLargeError` as soon as there are more than `most`, before they are listed.
        """
        rows, left = np.zeros((1, 0), dtype=np.int64), np.array([budget])
        later = sum(float(cost.min()) for cost in costs)
        bounding = self.conserved[(self.conserved >= 0).all(axis=1)]  # (laws, species)
        totals = bounding @ self.start
        for i, (species, every) in enumerate(zip(self.free, costs, strict=True)):
            later -= float(every.min())
            held = [t // w for w, t in zip(bounding[:, species], totals, strict=True) if w]
            cost = every[: min(held, default=len(every)) + 1]
            order = np.argsort(cost, kind="stable")
            numbers = np.searchsorted(cost[order], left - later, side="right")  # (rows,)
            total = int(numbers.sum())
            if total > most:
                raise TooLargeError(f"more than {most:,} states", states=total)
            row = np.repeat(np.arange(len(rows)), numbers)
            turn = np.arange(total) - np.repeat(np.cumsum(numbers) - numbers, numbers)
            rows = np.column_stack([rows[row], order[turn]])
            left = left[row] - cost[order[turn]]
            allowed = (rows @ bounding[:, self.free[: i + 1]].T <= totals).all(axis=1)
            rows, left = rows[allowed], left[allowed]
        return self._complete(rows)

    def _complete(self, free: Ints) -> Ints:
        """The points with these counts of the free species: (points, species)."""
        rows = np.zeros((len(free), len(self.start)), dtype=np.int64)
        rows[:, list(self.free)] = free
        if self.follow:
            missing = self.totals - rows @ self.conserved.T  # (points, laws)
            rows[:, list(self.follow)] = np.rint(missing @ self._inverse.T).astype(np.int64)
        good = (rows >= 0).all(axis=1) & (rows @ self.conserved.T == self.totals).all(axis=1)
        rest = rows[:, list(self.free)] - self.start[list(self.free)]
        for i, row in enumerate(self._basis):
            often, over = np.divmod(rest[:, i], row[i])
            good &= over == 0
            rest = rest - often[:, None] * np.array(row)
        return np.asarray(rows[good])


def _triangle(rows: list[list[int]]) -> list[list[int]]:
    """Rows that span the same whole multiples, the i-th with zeros before place i (Hermite)."""
    found: list[list[int]] = []
    for place in range(len(rows[0])):
        while sum(row[place] != 0 for row in rows) > 1:  # Euclid's algorithm, on whole rows
            pivot = min((row for row in rows if row[place]), key=lambda row: abs(row[place]))
            rows = [
                row if row is pivot else
                [a - row[place] // pivot[place] * b for a, b in zip(row, pivot, strict=True)]
                for row in rows
            ]  # fmt: skip
        found += [row for row in rows if row[place]]
        rows = [row for row in rows if not row[place]]
    return found


def linear_costs(weights: Floats, budget: float, most: int) -> list[Floats]:
    """Costs in proportion to the counts; `TooLargeError` where one alone has more than `most`."""
    tops = [math.floor(budget / weight) for weight in weights.tolist()]
    if max(tops, default=0) > most:
        raise TooLargeError(f"more than {most:,} states", states=max(tops))
    return [weight * np.arange(top + 1) for weight, top in zip(weights, tops, strict=True)]
