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

It holds whatever the solver did, for all outcomes and all that could be published.

**Few entries are looked at.** Most of thousands of outcomes are never published for one another. A
program with some entries for each z (`blocks`) is solved inside (`interior_point`), and
those whose bracket is too small by its prices are let in, until the bound is met (G. B. Dantzig and
P. Wolfe, Oper. Res. 8 (1960) 101–111). To begin with, these are the nearest y, and for each pair
those that are cheapest for what they give: by w(y) c(y, z) for each p_i(y) − e^ε p_j(y) below 0,
as they are what keeps the prices of that limit low.

**What comes out is a proposal**: whoever hands it out evaluates it first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from covey.dynamics.threads import one_blas_thread
from covey.numbers import SPACING, Floats, Ints
from covey.remedy.mechanism.program.blocks import Blocks, Rows
from covey.remedy.mechanism.program.interior_point import Inside, lowered, optimum, start

_LARGEST = 30.0  # an ε that numbers can be e^ε apart for; a channel for less keeps to more
WHOLE = 50_000  # entries of the channel, up to which all of them are looked at
_NEAREST = 24  # entries a column to begin with
_GIVING = 3  # and so many for each pair
_LET_IN = 24  # entries a column and round
_ROUNDS = 10
_NUMBERS = 60_000_000  # that the limits of all entries may take
_ROUGH = 0.1  # of the loss: how near the optimum the first rounds go
_ENOUGH = 2e-3  # of the loss, at which no more entries are let in
_EXACT = 1e-9  # of the loss: how near the optimum the last goes, over the entries that it has
_NEAR = 1e-8  # and where not all entries are looked at
_TIE = 1e-5  # of the mean loss is added to the worst: others than the worst shall cost little too
_CELLS = 4_000_000  # numbers that are looked at together


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
        epsilon: ε.
        deltas: δ for every pair.
    """

    distributions: Floats
    pairs: tuple[tuple[int, int], ...]
    weights: Floats
    losses: Floats
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
        for some in self._chunks():
            np.minimum(least, self._brackets(prices, some).min(axis=1), out=least)
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

    def _chunks(self) -> Iterator[slice]:
        outcomes, published = self.losses.shape
        width = max(_CELLS // outcomes, 1)
        return (slice(begin, begin + width) for begin in range(0, published, width))

    def costs(self, shares: Floats, some: slice = slice(None)) -> Floats:
        """What it costs to publish z where y is there, by shares of the losses."""
        losses = self.losses[:, some]
        with np.errstate(invalid="ignore"):  # 0 × ∞ is still forbidden
            return np.where(np.isinf(losses), math.inf, (shares @ self.weights)[:, None] * losses)

    def _brackets(self, prices: Prices, some: slice) -> Floats:
        """What stands in the brackets of the bound: (outcomes, some)."""
        return self.costs(prices.shares, some) + self.excess.T @ prices.limits[:, some]

    @one_blas_thread
    def solve(self) -> tuple[Floats, Prices]:
        """A channel (outcomes, published) and the prices behind it."""
        place, whole = self._first_entries()
        scale = np.maximum(self.distributions.max(axis=0)[place].max(axis=1), 1e-300)
        scale *= 1 + math.exp(min(self.epsilon, _LARGEST))  # then no limit is above 1
        blocks = self._blocks(place, scale)
        if whole:
            return self._channel(blocks, optimum(blocks, start(blocks), _EXACT))
        gap, now = _ROUGH, optimum(blocks, start(blocks), _ROUGH)
        for _ in range(_ROUNDS):
            _, prices = self._channel(blocks, now)
            cost = float(blocks.price @ now.variables)
            proved = (cost - self.bound(prices)) / cost if cost > 0 else 0.0
            if proved <= _ENOUGH or not (more := self._room(place)):
                break
            gap = max(gap / 10, _ENOUGH / 2) if proved <= 2 * gap else gap
            place = self._let_in(place, prices, now, more)
            grown = self._blocks(place, scale)
            now = optimum(grown, _carried(blocks, now, grown), gap)
            blocks = grown
        return self._channel(blocks, optimum(blocks, now, _NEAR))

    def _room(self, place: Ints) -> int:
        """How many entries more each column may have."""
        columns, entries = map(int, place.shape)
        most = _NUMBERS // (columns * max(len(self.pairs), 1))
        return max(min(_LET_IN, most - entries, int(self.losses.shape[0]) - entries), 0)

    def _first_entries(self) -> tuple[Ints, bool]:
        """Which outcomes are looked at for each that may be published, and whether all are."""
        outcomes, published = self.losses.shape
        first = _NEAREST + _GIVING * len(self.pairs)
        if outcomes * published <= WHOLE or outcomes <= first:
            return np.tile(np.arange(outcomes), (published, 1)), True
        likely = self.distributions.max(axis=0)
        weights = self.weights.mean(axis=0) + 1e-3 * likely
        found = np.empty((published, max(first, min(WHOLE // published, outcomes))), np.int64)
        for some in self._chunks():
            losses = self.losses[:, some]
            paid, rank = weights[:, None] * losses, losses.copy()
            for excess in self.excess:
                gives = np.flatnonzero(excess < 0)
                if len(gives) > _GIVING:
                    price = paid[gives] / -excess[gives, None]
                    best = gives[np.argpartition(price, _GIVING - 1, axis=0)[:_GIVING]]
                    np.put_along_axis(rank, best, -1.0, 0)
            found[some] = np.argpartition(rank, found.shape[1] - 1, axis=0)[: found.shape[1]].T
        return found, False

    def _let_in(self, place: Ints, prices: Prices, now: Inside, count: int) -> Ints:
        """The entries with those besides whose brackets are too small, or nearest to it."""
        most = now.prices.joint[: len(self.losses), None]
        likely = self.distributions.max(axis=0)[:, None] + 1e-300
        found = np.empty((len(place), count), np.int64)
        for some in self._chunks():
            over = self._brackets(prices, some) - most
            over = np.where(over < 0, over * 1e12, over / likely)
            np.put_along_axis(over, place[some].T, math.inf, 0)
            found[some] = np.argpartition(over, count - 1, axis=0)[:count].T
        return np.concatenate([place, found], axis=1)

    def _blocks(self, place: Ints, scale: Floats) -> Blocks:
        """The program with these entries."""
        losses = np.take_along_axis(self.losses.T, place, 1)
        used, hub = np.isfinite(losses), np.asarray(np.isfinite(self.losses).all(axis=0))
        excess = self.excess[:, place] * (used / scale[:, None])
        paid = self.weights[:, place] * np.where(used, losses, 0.0)
        blind = np.where(hub, self.weights @ np.where(hub, self.losses, 0.0), 0.0)
        total = self.excess.sum(axis=1)[None, :] * (hub / scale)[:, None]
        deltas = np.array(self.deltas) if any(self.deltas) else np.zeros(0)
        return Blocks(
            place, used, np.ascontiguousarray(excess.transpose(1, 0, 2)), total, paid, blind, hub,
            scale, np.maximum(deltas, 1e-300), _TIE, len(self.losses),
        )  # fmt: skip

    def _channel(self, blocks: Blocks, now: Inside) -> tuple[Floats, Prices]:
        v = blocks.parts(now.variables)
        channel = np.repeat((v.blind * blocks.hub)[None, :], blocks.size, axis=0)
        columns = np.arange(len(blocks.place))[:, None]
        channel[blocks.place, columns] += v.entries * blocks.used
        limits = np.maximum(-now.prices.limits / blocks.scale[:, None], 0.0).T
        shares = np.ones(1)
        if blocks.several:
            losses = now.prices.joint[blocks.size : blocks.size + len(self.weights)]
            shares = np.maximum(-losses, 0.0) + _TIE / len(losses)
        total = float(shares.sum())
        return channel, Prices(limits / total, shares / total)


def _carried(before: Blocks, now: Inside, after: Blocks) -> Inside:
    """The point in a program with more entries: inside, if its entries are a little above 0."""
    old, begin = before.parts(now.variables), start(after)
    vector = np.zeros(len(begin.variables))
    new = after.parts(vector)
    new.entries[:, : before.place.shape[1]] = old.entries
    for one, other in list(zip(new, old, strict=True))[1:]:
        one[:] = other
    prices, spare = lowered(after, Rows(now.prices.joint, now.prices.limits))
    gap = abs(float(after.price @ vector) - float(now.prices.joint @ before.right.joint))
    cost = float(after.price @ begin.variables)
    bound = abs(float(after.right.joint @ begin.prices.joint))
    shares = (min(gap / (far + gap), 0.5) for far in (cost, bound))
    return Inside(vector, prices, spare).mixed(begin, *shares)
