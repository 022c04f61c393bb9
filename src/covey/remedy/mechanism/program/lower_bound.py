"""What any table costs at least that publishes some columns: weak duality over all of them.

For prices λ(z) ≥ 0 of the limits of every z that may be published, and shares μ of the losses,

    Σ_y min_z [Σ_k μ_k w_k(y) c(y, z) + Σ_ij λ_ij(z) (p_i(y) − e^ε p_j(y))]  −  δ Σ_ij max_z λ_ij(z)

is a bound (`linear_program`). A program prices what it published. Any other z is priced as the
nearest that was, or by half of that, or by nothing, whichever is best for the sum.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from covey.numbers import Floats, Ints
from covey.remedy.mechanism.losses import Loss, losses_of
from covey.remedy.mechanism.program.linear_program import Prices, Program

_PARTS = (1.0, 0.5, 0.0)  # of the price of the most similar that is tried
_CELLS = 4_000_000  # that are looked at together


@dataclass(frozen=True, eq=False)
class LowerBound:
    """The rows of a task, for the sums above.

    Attributes:
        names: What outcomes count.
        loss: What it costs to publish something else.
        outcomes: What is seen in every row, (rows, counts).
        distributions: How likely each row is, (distributions, rows).
        pairs: Which two distributions must not be told apart.
        weights: Of every loss of which the worst counts, (losses, rows).
        epsilon: ε.
        delta: δ.
    """

    names: tuple[str, ...]
    loss: Loss
    outcomes: Ints
    distributions: Floats
    pairs: tuple[tuple[int, int], ...]
    weights: Floats
    epsilon: float
    delta: float

    def among(self, prices: Prices, published: Ints, columns: Ints) -> float:
        """What any table costs at least that publishes these columns only.

        Args:
            prices: Of what the program published.
            published: That.
            columns: What may be published, that included.
        """
        least = self._least(prices, published, columns)
        return self._program(np.zeros((len(least), 0))).bounded(prices, least)

    def _program(self, losses: Floats) -> Program:
        deltas = (self.delta,) * len(self.pairs)
        return Program(
            self.distributions, self.pairs, self.weights, losses, np.ones(losses.shape[1]),
            self.epsilon, deltas,
        )  # fmt: skip

    def _least(self, prices: Prices, published: Ints, columns: Ints) -> Floats:
        """The least bracket of every row over these columns: (rows,)."""
        listed = {row: place for place, row in enumerate(map(tuple, published.tolist()))}
        places = [listed.get(row, -1) for row in map(tuple, columns.tolist())]
        priced = np.array(places) >= 0
        least = np.full(len(self.outcomes), math.inf)
        for some in _chunks(columns[priced], len(self.outcomes)):
            like = [listed[row] for row in map(tuple, some.tolist())]
            free, paid = self._parts(prices, some, np.array(like))
            np.minimum(least, (free + paid).min(axis=1), out=least)
        level = least[:, None]
        for some in _chunks(columns[~priced], len(self.outcomes)):
            like = losses_of("l1", self.names, some, published).argmin(axis=1)
            free, paid = self._parts(prices, some, like)
            short = [np.minimum(free + part * paid - level, 0.0).sum(axis=0) for part in _PARTS]
            best = np.array(_PARTS)[np.argmax(short, axis=0)]
            least = np.minimum(least, (free + best * paid).min(axis=1))
        return least

    def _parts(self, prices: Prices, columns: Ints, like: Ints) -> tuple[Floats, Floats]:
        """The brackets without prices of limits, and those prices: (rows, columns) each."""
        program = self._program(losses_of(self.loss, self.names, self.outcomes, columns))
        return program.costs(prices.shares), program.excess.T @ prices.limits[:, like]


def _chunks(columns: Ints, rows: int) -> Iterator[Ints]:
    width = max(_CELLS // rows, 1)
    return (columns[begin : begin + width] for begin in range(0, len(columns), width))
