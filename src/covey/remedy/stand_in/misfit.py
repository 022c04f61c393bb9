"""What can be learnt of a stand-in at most, where the model's rates are not quite right.

If the real rates are λ_r (1 + η_r), the stand-in does s at the rate b_s = μ_s + Σ_r η_r m_rs, and
the reference itself, at those rates, would at a_s = μ_s (1 + η_s). Both begin alike. The relative
entropy of what is published to the path of the reference over a span T is at most

    KL ≤ E ∫ k dt,      k = Σ_s b_s ln(b_s / a_s) − b_s + a_s

(that of two jump processes, and Jensen's inequality: an observer knows less than the pair; k is
convex). Only what does not go together counts. Nothing is left out of this, so it is a bound:

- k is convex in η, so that in every pair it is at most K, what it is at the worst of the corners of
  each s: η_s at one of its ends, and the others all at one of theirs.
- The pair, too, moves at the real rates. For *any* function f of the pair with
  K + Q_η f ≤ g at every pair and for every η, E ∫ K dt ≤ g T + max f − min f. Q_η f is linear in η,
  so that its largest value is known. A good f is what lies ahead of each pair at the worst rates,
  by policy iteration; a bad one gives a worse bound, which still holds.

Total variation is at most √(KL / 2) [Pinsker] and √(1 − e^−KL) [Bretagnolle and Huber].
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from covey.model.network import Network
from covey.numbers import Floats
from covey.remedy.mechanism.rate_box import RateBox
from covey.remedy.stand_in.pairs import Coupling
from covey.remedy.stand_in.poisson_equation import lies_ahead

WITHIN = (0.01, 0.03, 0.05, 0.1)
_ROUNDS = 4
_ROUNDING = 1 + 1e-9


class Box(NamedTuple):
    """By which share each reaction's rate may be off: from `low` to `high`, (reactions,)."""

    low: Floats
    high: Floats


def misfit(coupling: Coupling, span: float) -> tuple[tuple[float, float], ...]:
    """For rates within 1, 3, 5 and 10%: how often an observer of a span is right, at most.

    Args:
        coupling: The coupling.
        span: For how long what is published is watched.
    """
    ones = np.ones(coupling.pairs.real.rates.shape[1])
    moves = _Moves(coupling)
    return tuple(
        (within, right_at_most(moves.entropy(Box(-within * ones, within * ones), span)))
        for within in WITHIN
    )


def misfit_within(coupling: Coupling, span: float, network: Network, rates: RateBox) -> float:
    """How often an observer of a span is right, at most, with every rate in its own interval.

    Args:
        coupling: The coupling.
        span: For how long what is published is watched.
        network: At its rates both were taken to move.
        rates: The least and the most of each rate.
    """
    low, high = np.zeros(len(network.reactions)), np.zeros(len(network.reactions))
    for number, reaction in enumerate(network.reactions):
        law, rate = reaction.rate_law, reaction.rate
        factors = law.factors if law is not None else [rate] if isinstance(rate, str) else []
        for end, share in enumerate((low, high)):
            off = (rates.rates[f][end] / network.rates[f] for f in factors if f in rates.rates)
            share[number] = math.prod(off) - 1
    return right_at_most(_Moves(coupling).entropy(Box(low, high), span))


def right_at_most(entropy: float) -> float:
    """How often the better guess of two is right, by a bound on their relative entropy."""
    variation = min(math.sqrt(entropy / 2), math.sqrt(-math.expm1(-entropy)))
    return (1 + variation) / 2


class _Moves:
    """The generator of a pair, by what the real team does: Q_η = alone + Σ_r (1 + η_r) by[r]."""

    def __init__(self, coupling: Coupling) -> None:
        pairs = coupling.pairs
        real, reference = pairs.sides
        m, n = reference.rates.shape
        size = len(pairs)
        i, j = np.divmod(np.arange(size), m)
        left, right = real.rates[i], reference.rates[j]  # (pairs, reactions): what is left of each
        self.speeds = reference.rates[j]  # μ
        self.own = np.zeros((size, n))  # m_ss
        self.entries: list[tuple[Any, Any, Any, Floats]] = []
        for place in range(coupling.which.shape[1]):
            at = np.flatnonzero(coupling.which[:, place] >= 0)
            at = at[(coupling.which[at, : place + 1] >= 0).all(axis=1)]
            r, s = np.divmod(coupling.which[at, place], n)
            rates = coupling.rates[at, place]
            left[at, r] -= rates
            right[at, s] -= rates
            same = r == s
            self.own[at[same], r[same]] += rates[same]
            self.entries.append((at, r, s, rates))
        everything = np.arange(size)
        self.by = []
        for r in range(n):
            parts = [(everything, real.into[i, r] * m + j, np.maximum(left[:, r], 0.0))]
            for at, ours, theirs, rates in self.entries:
                on = ours == r
                into = real.into[i[at[on]], r] * m + reference.into[j[at[on]], theirs[on]]
                parts.append((at[on], into, rates[on]))
            self.by.append(_generator(parts, size))
        self.alone = _generator(
            [
                (everything, i * m + reference.into[j, s], np.maximum(right[:, s], 0.0))
                for s in range(n)
            ],
            size,
        )

    def entropy(self, box: Box, span: float) -> float:
        """The relative entropy over a span, at most, for rates that are off within a box."""
        from scipy.sparse import diags_array  # noqa: PLC0415

        worst = self._worst(box)
        nominal = self.alone + sum(self.by[1:], self.by[0])
        ahead, generator, least = np.zeros(len(worst)), nominal, span * float(worst.max())
        for _ in range(_ROUNDS):
            ahead = lies_ahead(generator, worst, ahead)
            moved = [part @ ahead for part in self.by]
            off = [
                np.where(change > 0, high, low)
                for change, low, high in zip(moved, *box, strict=True)
            ]
            pace = worst + nominal @ ahead
            for share, change in zip(off, moved, strict=True):
                pace = pace + share * change
            total = span * float(pace.max()) + float(np.ptp(ahead))
            if total >= least:
                break
            least = total
            generator = nominal
            for share, part in zip(off, self.by, strict=True):
                generator = generator + diags_array(share) @ part
            generator = generator.tocsr()
        return max(0.0, least) * _ROUNDING

    def _worst(self, box: Box) -> Floats:
        """K: the largest k of each pair."""
        size, n = self.speeds.shape
        others = {end: np.zeros((size, n)) for end in (0, 1)}  # Σ_{r≠s} η_r m_rs
        for at, r, s, rates in self.entries:
            on = r != s
            for end, shares in enumerate(box):
                np.add.at(others[end], (at[on], s[on]), shares[r[on]] * rates[on])
        total = np.zeros(size)
        for s in range(n):
            largest = np.zeros(size)
            able = self.speeds[:, s] > 0
            mu = self.speeds[able, s]
            for own in (box.low[s], box.high[s]):
                a = mu * (1 + own)
                for end in (0, 1):
                    b = mu + own * self.own[able, s] + others[end][able, s]
                    k = b * np.log(b / a) - b + a
                    largest[able] = np.maximum(largest[able], k)
            total += largest
        return total


def _generator(parts: list[tuple[Any, Any, Floats]], size: int) -> Any:
    """The sparse array of moves (from, to, how fast), with what leaves on its diagonal."""
    from scipy.sparse import csr_array, diags_array  # noqa: PLC0415

    sources, targets, rates = (np.concatenate(column) for column in zip(*parts, strict=True))
    moves = csr_array((rates, (sources, targets)), shape=(size, size))
    return (moves - diags_array(np.asarray(moves.sum(axis=1)).ravel())).tocsr()
