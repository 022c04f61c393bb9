"""The linear program whose solution is the table that costs least.

Distributions p₀, p₁, … on what is there, y, ordered pairs (i, j) of them that must not be told
apart, weights w_k and a loss c(y, z) ≥ 0. Wanted is a channel M(z|y) whose loss is least under the
worst of the weights:

    minimise  max_k Σ_y w_k(y) Σ_z M(z|y) c(y, z),      M ≥ 0,  Σ_z M(z|y) = 1,
    for every z and pair (i, j):  Σ_y M(z|y) (p_i(y) − e^ε p_j(y)) ≤ s_ij(z),
    s ≥ 0,  Σ_z s_ij(z) ≤ δ

One table for each team is the same program: there y is a team with what is seen of it, so that
distributions of two teams have no y in common. A mean over teams is one weight, their worst is one
weight for each.

with all s = 0 where δ = 0. A solver's tolerance is absolute, and what is published in the tails is
far below it: so the row of z is divided by the probability of z, which makes the tolerance relative
to what is published. **What comes out is a proposal**: whoever hands it out evaluates it first.

**How good it can be.** For any multipliers λ_ij(z) ≥ 0 and shares μ_k ≥ 0 that add up to one, weak
duality says that no channel costs less than

    Σ_y min_z [Σ_k μ_k w_k(y) c(y, z) + Σ_ij λ_ij(z) (p_i(y) − e^ε p_j(y))]  −  δ Σ_ij max_z λ_ij(z)

The solver's own multipliers make this tight; and it holds whatever the solver did, for all outcomes
and all that could be published, also those that the program left out. It is what a program that
looks at a few entries only goes by: those whose bracket is below the least one of their row are let
in, until the bound is met or rounds are used up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from covey.dynamics.threads import one_blas_thread
from covey.errors import CoveyError
from covey.numbers import SPACING, Floats

_TOLERANCE = 1e-9  # of the solver
_LARGEST = 700.0  # an ε that e^ε can be computed of; a channel for less keeps to more
_ENTRIES = 50_000  # of the channel, up to which all of them are in the program from the start
_NEAREST = 12  # entries a row to start with where there are more
_LET_IN = 24  # entries a row and round at most
_ROUNDS = 12
_TIE = 1e-5  # of the mean loss is added to the worst: others than the worst shall cost little too
_GAP = 1e-4  # of the loss, at which no more entries are let in


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

    @property
    def excess(self) -> Floats:
        """`p_i(y) − e^ε p_j(y)`: (pairs, outcomes)."""
        factor = math.exp(min(self.epsilon, _LARGEST))
        return np.array(
            [self.distributions[i] - factor * self.distributions[j] for i, j in self.pairs]
        )

    @one_blas_thread
    def bound(self, prices: Prices) -> float:
        """The least that any channel costs, by the prices of its limits."""
        if self.epsilon > _LARGEST:
            return 0.0
        most = prices.limits.max(axis=1)
        least = math.fsum(self._brackets(prices).min(axis=1).tolist())
        # Of a sum over pairs for each y, and of its terms; the distributions add up to one each.
        rounding = SPACING * (len(most) + 8) * (1 + math.exp(self.epsilon)) * float(most.sum())
        return max(least - float(np.dot(self.deltas, most)) - rounding, 0.0) * (1 - 4 * SPACING)

    def _brackets(self, prices: Prices) -> Floats:
        """What stands in the brackets of the bound: (outcomes, published)."""
        with np.errstate(invalid="ignore"):  # 0 × ∞ is still forbidden
            costs = (prices.shares @ self.weights)[:, None] * self.losses
        costs = np.where(np.isinf(self.losses), math.inf, costs)
        return np.asarray(self.excess.T @ prices.limits + costs)

    @one_blas_thread
    def solve(self) -> tuple[Floats, Prices]:
        """A channel (outcomes, published) and the prices behind it."""
        allowed = np.isfinite(self.losses)
        whole = int(allowed.sum()) <= _ENTRIES
        entries = allowed if whole else self._first_entries(allowed)
        best, proved = None, -math.inf
        for _ in range(1 if whole else _ROUNDS):
            channel, prices, found = self._solved(entries)
            if (bound := self.bound(prices)) > proved:  # it holds, whichever round it is of
                best, proved = prices, bound
            if whole or found - proved <= _GAP * found:
                break
            price = self._brackets(prices)
            current = np.where(entries, price, math.inf).min(axis=1, keepdims=True)
            entries |= _least(price, _LET_IN) & allowed & (price < current)
        assert best is not None
        return channel, best

    def _first_entries(self, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The nearest of each row, and one that all rows share: then there is some channel.

        And all that publish what can be there, where they are few: most of an optimum are such.
        """
        entries = _least(self.losses, _NEAREST)
        true = self.losses.min(axis=0) == 0
        if int(true.sum()) * len(entries) <= _ENTRIES:
            entries[:, true] = True
        mean = self.weights.mean(axis=0) @ np.where(allowed, self.losses, 0)
        expected = np.where(allowed.all(axis=0), mean, math.inf)
        entries[:, int(expected.argmin())] = True
        return entries & allowed

    def _solved(self, entries: NDArray[np.bool_]) -> tuple[Floats, Prices, float]:
        """The program with these entries of the channel only, by HiGHS."""
        y, z = np.nonzero(entries)
        pairs, published = len(self.pairs), self.losses.shape[1]
        size, slacks = len(y), pairs * published if any(self.deltas) else 0
        several = len(self.weights) > 1  # of which the largest is the last variable
        excess = self.excess
        rows = [np.arange(pairs)[:, None] * published + z[None, :]]
        columns = [np.broadcast_to(np.arange(size), (pairs, size))]
        values = [excess[:, y] / self.scale[z]]
        at_most = np.zeros(pairs * published)
        if slacks:
            every = np.arange(slacks)
            rows += [every, pairs * published + every // published]
            columns += [size + every, size + every]
            budget = np.repeat(np.maximum(self.deltas, 1e-300), published)
            values += [-np.ones(slacks), np.tile(self.scale, pairs) / budget]
            at_most = np.concatenate([at_most, np.ones(pairs)])
        width = size + slacks + several
        with np.errstate(invalid="ignore"):
            paid = self.weights[:, y] * self.losses[y, z]  # (losses, entries)
        costs = np.zeros(width)
        if several:
            which = np.arange(len(paid))[:, None] + len(at_most)
            rows += [np.broadcast_to(which, paid.shape), which]
            columns += [np.broadcast_to(np.arange(size), paid.shape), np.full(len(paid), width - 1)]
            values += [paid, -np.ones(len(paid))]
            at_most = np.concatenate([at_most, np.zeros(len(paid))])
            costs[:size], costs[-1] = _TIE * paid.mean(axis=0), 1.0
        else:
            costs[:size] = paid[0]
        limits = _matrix(rows, columns, values, (len(at_most), width))
        sums = sparse.csr_array((np.ones(size), (y, np.arange(size))), (len(entries), width))
        answer, prices, cost = _optimum(costs, limits, at_most, sums)
        channel = np.zeros(entries.shape)
        channel[y, z] = answer[:size]
        by_pair = prices[: pairs * published].reshape(pairs, published) / self.scale
        if not several:
            return channel, Prices(by_pair, np.ones(1)), cost
        shares = prices[-len(paid) :] + _TIE / len(paid)
        total = float(shares.sum())
        return channel, Prices(by_pair / total, shares / total), float(answer[-1])


def _optimum(
    costs: Floats, limits: sparse.csr_array, at_most: Floats, sums: sparse.csr_array
) -> tuple[Floats, Floats, float]:
    """What costs least, the multipliers of its limits, and the cost, by HiGHS.

    Where ε is large, the entries of a row are so far apart that the solver gives up: then every row
    is divided by its largest. Its tolerance is no longer relative to what is published by then; but
    what comes out is evaluated in any case. Limits of what is not in the program limit nothing, and
    are left out: they would take a third of the time.
    """
    there = np.diff(limits.indptr) > 0
    limits, at_most, prices = limits[there], at_most[there], np.zeros(len(there))
    largest = np.asarray(abs(limits).max(axis=1).toarray()).ravel()
    for rows in (np.ones(len(at_most)), 1 / np.where(largest > 0, largest, 1.0)):
        found = linprog(
            costs, sparse.diags_array(rows) @ limits, rows * at_most, sums, np.ones(sums.shape[0]),
            (0, None), method="highs",
            options={
                "primal_feasibility_tolerance": _TOLERANCE,
                "dual_feasibility_tolerance": _TOLERANCE,
            },
        )  # fmt: skip
        if found.x is not None and found.status == 0:
            prices[there] = np.maximum(-found.ineqlin.marginals, 0.0) * rows
            return np.asarray(found.x), prices, float(found.fun)
    raise NotSolvedError(f"the solver gave up: {found.message[:200]}")


def _least(values: Floats, count: int) -> NDArray[np.bool_]:
    """Where the so many least values of each row are."""
    last = min(count, values.shape[1]) - 1
    places = np.argpartition(values, last, axis=1)[:, : last + 1]
    found = np.zeros(values.shape, dtype=np.bool_)
    np.put_along_axis(found, places, True, axis=1)
    return found


def _matrix(
    rows: list[NDArray[np.int64]],
    columns: list[NDArray[np.int64]],
    values: list[Floats],
    shape: tuple[int, int],
) -> sparse.csr_array:
    every = [
        np.concatenate([np.ravel(part) for part in parts]) for parts in (rows, columns, values)
    ]
    return sparse.csr_array((every[2], (every[0], every[1])), shape)
