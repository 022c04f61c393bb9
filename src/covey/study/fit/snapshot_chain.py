"""The likelihood of snapshots of a chain with few states, and its gradient for all rates at once.

P(t) = exp(Qt) is computed without a subtraction (Q + qI ≥ 0, Taylor and squaring), and
differentiated by going back through the same products. Where a snapshot shows the state,

    ln L(κ) = Σ_k ln P(t_{k+1} − t_k)[x_k, x_{k+1}].

Where it shows only sums of it, the law of the state given what was seen so far is carried along as
in `forward_filter`: with E(y) keeping the states that look like y, p_0 the law at the first
snapshot,

    p_k ∝ p_{k−1} P(t_k − t_{k−1}) E(y_k),        ln L(κ) = Σ_{k ≥ 1} ln P(y_k | y_0, …, y_{k−1}),

and going back through these products gives what each entry of P is worth, W, as pairs / P is where
states are seen. The first snapshot only says where the team was: what it says itself is not
counted. p_0 is the law of a team that has settled, differentiated by −Q z = v − (π v) 1, d(π v) = π
dQ z; or that of a known start.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from covey.numbers import Floats, Ints

_TERMS = 9  # of the Taylor series of a matrix of norm 1/16: the rest is below 1e-18
_LEAST = 1e-300  # a probability below all that numbers can tell

Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Walk:
    """A run whose snapshots show sums.

    Attributes:
        first: The states that look like the first snapshot.
        blocks: The different steps: which gap, from which states, to which.
        steps: (snapshots − 1,): which of them each one is.
    """

    first: Places
    blocks: tuple[tuple[int, Places, Places], ...]
    steps: Ints

    @classmethod
    def of(cls, looks: Sequence[Places], which: Ints) -> Walk:
        """The walk of a run.

        Args:
            looks: Of each snapshot, the states that look like it; the same object where they do.
            which: (snapshots − 1,): which gap it is to the next.
        """
        known: dict[tuple[int, int, int], int] = {}
        blocks: list[tuple[int, Places, Places]] = []
        steps = np.empty(len(which), dtype=np.int64)
        for k, gap in enumerate(which.tolist()):
            key = gap, id(looks[k]), id(looks[k + 1])
            if key not in known:
                known[key] = len(blocks)
                blocks.append((gap, looks[k], looks[k + 1]))
            steps[k] = known[key]
        return cls(looks[0], tuple(blocks), steps)


@dataclass(frozen=True, eq=False)
class SnapshotChain:
    """The states of some runs, and how the runs went.

    Attributes:
        moves: (parameters, states, states): dQ/dκ.
        gaps: (gaps,): the different times between two snapshots.
        pairs: (gaps, states, states): how often one state was followed by another.
        walks: Runs that show sums of the state only.
        settled: Whether the team had settled before the first snapshot of a walk; else the first
            snapshot is of a known state.
    """

    moves: Floats
    gaps: Floats
    pairs: Floats
    walks: tuple[Walk, ...] = field(default=())
    settled: bool = True

    def likelihood(self, rates: Floats) -> tuple[float, Floats]:
        """What the snapshots say of κ: ln L and its gradient, (parameters,)."""
        Q = np.tensordot(rates, self.moves, axes=1)
        value, slope = 0.0, np.zeros_like(Q)
        q = float(-Q.diagonal().min()) or 1.0
        jumps = np.maximum(q * self.gaps, 1.0)
        halvings = np.ceil(np.log2(16 * jumps)).astype(int)
        P, backs = np.empty((len(self.gaps), *Q.shape)), []
        for s in np.unique(halvings):
            members = np.flatnonzero(halvings == s)
            P[members], back = exponential(Q, q, self.gaps[members], int(s))
            backs.append((members, back))
        P = np.maximum(P, _LEAST)
        value += float((self.pairs * np.log(P)).sum())
        worth = self.pairs / P
        if self.walks:
            law = _settled(Q) if self.settled else np.ones(len(Q))
            felt = np.zeros(len(Q))
            for walk in self.walks:
                value += _walk(walk, P, law, worth, felt)
            if self.settled:
                slope += np.outer(law, _solve(law[None] - Q, felt - law @ felt))
        for members, back in backs:
            slope += back(worth[members])
        return value, np.tensordot(self.moves, slope, axes=2)


def exponential(
    Q: Floats, q: float, gaps: Floats, halvings: int
) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Exp(Q gap) for every gap; and what Q is worth if these are worth so much each.

    Args:
        Q: A generator, by rows.
        q: Its largest exit rate.
        gaps: Times.
        halvings: Of the gaps, until q times each of them is at most 1/16.
    """
    delta = gaps[:, None, None] / 2.0**halvings
    one = np.eye(len(Q))
    A = (Q + q * one) * delta  # (gaps, states, states), none negative
    series = [np.broadcast_to(one, A.shape)]
    for j in range(_TERMS, 0, -1):
        series.append(one + A @ series[-1] / j)
    shrink = np.exp(-q * delta)
    powers = [shrink * series[-1]]
    for _ in range(halvings):
        square = powers[-1] @ powers[-1]
        powers.append(square / square.sum(axis=2, keepdims=True))  # or roundings would double

    def back(worth: Floats) -> Floats:
        for power in reversed(powers[:-1]):
            X = power.transpose(0, 2, 1)
            worth = worth @ X + X @ worth
        worth = shrink * worth
        slope, across = np.zeros_like(A), A.transpose(0, 2, 1)
        for j, T in enumerate(reversed(series[:-1]), start=1):
            slope += worth @ T.transpose(0, 2, 1) / j
            worth = across @ worth / j
        return np.asarray((delta * slope).sum(axis=0))

    return powers[-1], back


def _walk(walk: Walk, P: Floats, first: Floats, worth: Floats, felt: Floats) -> float:
    """Ln L of one run; adds what every entry of P is worth, and every one of the first law."""
    parts = [P[gap][np.ix_(before, after)] for gap, before, after in walk.blocks]
    worths = [np.zeros_like(part) for part in parts]
    steps = walk.steps.tolist()
    start = first[walk.first]
    laws, chances = [start / start.sum()], []
    for step in steps:
        moved = laws[-1] @ parts[step]
        chances.append(max(float(moved.sum()), _LEAST))
        laws.append(moved / chances[-1])
    rest = np.ones(len(laws[-1]))
    for k in range(len(steps) - 1, -1, -1):
        rest = rest / chances[k]
        worths[steps[k]] += laws[k][:, None] * rest
        rest = parts[steps[k]] @ rest
    felt[walk.first] += (rest - 1) / start.sum()
    for (gap, before, after), one in zip(walk.blocks, worths, strict=True):
        worth[gap][np.ix_(before, after)] += one
    return float(np.log(chances).sum())


def _settled(Q: Floats) -> Floats:
    """The stationary law of an irreducible chain."""
    A = Q.T.copy()
    A[-1] = 1.0
    law = np.maximum(_solve(A, np.eye(len(Q))[-1]), _LEAST)
    return np.asarray(law / law.sum())


def _solve(A: Floats, b: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.solve(A, b))
    except np.linalg.LinAlgError:  # at rates that are as good as 0, on the way to better ones
        return np.asarray(np.linalg.lstsq(A, b, rcond=None)[0])
