"""The linear program whose solution is the table that costs least.

Distributions p₀, p₁, … on what is there, y, ordered pairs (i, j) of them that must not be told
apart, weights w_k and a loss c(y, z) ≥ 0. Wanted is a channel M(z|y) whose loss is least under the
worst of the weights:

    minimise  max_k Σ_y w_k(y) Σ_z M(z|y) c(y, z),      M ≥ 0,  Σ_z M(z|y) = 1,
    for every z and pair (i, j):  Σ_y M(z|y) (p_i(y) − e^ε p_j(y)) ≤ s_ij(z),
    s ≥ 0,  Σ_z s_ij(z) ≤ δ

with all s = 0 where δ = 0. One table for each team is the same program: there y is a team with what
is seen of it, so that distributions of two teams have no y in common. A mean over teams is one
weight, their worst is one weight for each.

**How good it can be.** For any multipliers λ_ij(z) ≥ 0 and shares μ_k ≥ 0 that add up to one, weak
duality says that no channel costs less than

    Σ_y min_z [Σ_k μ_k w_k(y) c(y, z) + Σ_ij λ_ij(z) (p_i(y) − e^ε p_j(y))]  −  δ Σ_ij max_z λ_ij(z)

A solver's own multipliers make this tight; and it holds whatever the solver did, for all outcomes
and all that could be published, also those that the program left out.

**What a solver finds is a proposal**: whoever hands it out evaluates it first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from covey.dynamics.threads import one_blas_thread
from covey.errors import CoveyError
from covey.numbers import SPACING, Floats

TIE = 1e-5  # of the mean loss is added to the worst: others than the worst shall cost little too
_LARGEST = 700.0  # an ε that e^ε can be computed of; a channel for less keeps to more
_CELLS = 4_000_000  # numbers that are looked at together


class NotSolvedError(CoveyError):
    """The solver found no channel. A larger program, or a smaller one, may do."""


class Prices(NamedTuple):
    """The multipliers of a program.

    Attributes:
        limits: λ, (pairs, published).
        shares: μ, which add up to one, (losses,).
    """

    limits: Floats
    shares: Floats


@dataclass(frozen=True, eq=False)
class Program:
    """The numbers of the program above.

    Attributes:
        distributions: The probability of every outcome, a row for each distribution,
            (distributions, outcomes).
        pairs: Which two distributions must not be told apart, in both orders.
        weights: w_k(y), a row for each loss of which the worst counts, (losses, outcomes).
        losses: C(y, z), (outcomes, published); infinite where z must not stand for y.
        scale: About how probable each published outcome is, (published,).
        epsilon: ε.
        deltas: δ for every pair.
    """

    distributions: Floats
    pairs: tuple[tuple[int, int], ...]
    weights: Floats
    losses: Floats
    scale: Floats
    epsilon: float
    deltas: tuple[float, ...]

    @cached_property
    def excess(self) -> Floats:
        """`p_i(y) − e^ε p_j(y)`: (pairs, outcomes)."""
        factor = math.exp(min(self.epsilon, _LARGEST))
        return np.array(
            [self.distributions[i] - factor * self.distributions[j] for i, j in self.pairs]
        )

    @one_blas_thread
    def bound(self, prices: Prices) -> float:
        """The least that any channel costs, by the prices of its limits."""
        least = np.full(len(self.losses), math.inf)
        for some in self.chunks():
            np.minimum(least, self.brackets(prices, some).min(axis=1), out=least)
        return self.bounded(prices, least)

    def bounded(self, prices: Prices, least: Floats) -> float:
        """The bound whose least brackets are these: (outcomes,)."""
        if self.epsilon > _LARGEST:
            return 0.0
        most = prices.limits.max(axis=1)
        total = math.fsum(least.tolist()) - float(np.dot(self.deltas, most))
        # Of a sum over pairs for each y, and of its terms; the distributions add up to one each.
        rounding = SPACING * (len(most) + 8) * (1 + math.exp(self.epsilon)) * float(most.sum())
        return max(total - rounding, 0.0) * (1 - 4 * SPACING)

    def chunks(self) -> Iterator[slice]:
        """All that may be published, so many at a time as fit."""
        outcomes, published = self.losses.shape
        width = max(_CELLS // outcomes, 1)
        return (slice(begin, begin + width) for begin in range(0, published, width))

    def costs(self, shares: Floats, some: slice = slice(None)) -> Floats:
        """What it costs to publish some where y is there, by shares of the losses."""
        losses = self.losses[:, some]
        with np.errstate(invalid="ignore"):  # 0 × ∞ is still forbidden
            return np.where(np.isinf(losses), math.inf, (shares @ self.weights)[:, None] * losses)

    def brackets(self, prices: Prices, some: slice = slice(None)) -> Floats:
        """What stands in the brackets of the bound: (outcomes, some)."""
        return self.costs(prices.shares, some) + self.excess.T @ prices.limits[:, some]
