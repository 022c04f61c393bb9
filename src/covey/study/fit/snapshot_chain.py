"""The likelihood of snapshots of a chain with few states, and its gradient for all rates at once.

P(t) = exp(Qt) is computed without a subtraction, and differentiated by going back through the same
products (`propagator_adjoint`). Where a snapshot shows the state,

    ln L(κ) = Σ_k ln P(t_{k+1} − t_k)[x_k, x_{k+1}].

Where it shows only sums of it, the distribution of the state given what was seen so far is carried
along as in `forward_filter`: with E(y) keeping the states that look like y, p_0 the distribution at
the first snapshot,

    p_k ∝ p_{k−1} P(t_k − t_{k−1}) E(y_k),        ln L(κ) = Σ_{k ≥ 1} ln P(y_k | y_0, …, y_{k−1}),

and going back through these products gives what each entry of P is worth, W, as pairs / P is where
states are seen. The first snapshot only says where the team was: what it says itself is not
counted. p_0 is the distribution of a team that has stationary, differentiated by −Q z = v − (π v)
1, d(π v) = π dQ z; or that of a known start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.sensitivity.propagator_adjoint import propagators
from covey.numbers import Floats, Ints

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
        stationary: Whether the team had settled before the first snapshot of a walk; else the first
            snapshot is of a known state.
    """

    moves: Floats
    gaps: Floats
    pairs: Floats
    walks: tuple[Walk, ...] = field(default=())
    stationary: bool = True

    def likelihood(self, rates: Floats) -> tuple[float, Floats]:
        """What the snapshots say of κ: ln L and its gradient, (parameters,)."""
        Q = np.tensordot(rates, self.moves, axes=1)
        value, sensitivity = 0.0, np.zeros_like(Q)
        P, adjoint = propagators(Q, self.gaps)
        P = np.maximum(P, _LEAST)
        value += float((self.pairs * np.log(P)).sum())
        worth = self.pairs / P
        if self.walks:
            distribution = _stationary(Q) if self.stationary else np.ones(len(Q))
            felt = np.zeros(len(Q))
            for walk in self.walks:
                value += _walk(walk, P, distribution, worth, felt)
            if self.stationary:
                sensitivity += np.outer(
                    distribution, _solve(distribution[None] - Q, felt - distribution @ felt)
                )
        sensitivity += adjoint(worth)
        return value, np.tensordot(self.moves, sensitivity, axes=2)


def _walk(walk: Walk, P: Floats, first: Floats, worth: Floats, felt: Floats) -> float:
    """`ln L` of one run; adds what every entry of P and of the first distribution is worth."""
    parts = [P[gap][np.ix_(before, after)] for gap, before, after in walk.blocks]
    worths = [np.zeros_like(part) for part in parts]
    steps = walk.steps.tolist()
    start = first[walk.first]
    distributions, chances = [start / start.sum()], []
    for step in steps:
        moved = distributions[-1] @ parts[step]
        chances.append(max(float(moved.sum()), _LEAST))
        distributions.append(moved / chances[-1])
    rest = np.ones(len(distributions[-1]))
    for k in range(len(steps) - 1, -1, -1):
        rest = rest / chances[k]
        worths[steps[k]] += distributions[k][:, None] * rest
        rest = parts[steps[k]] @ rest
    felt[walk.first] += (rest - 1) / start.sum()
    for (gap, before, after), one in zip(walk.blocks, worths, strict=True):
        worth[gap][np.ix_(before, after)] += one
    return float(np.log(chances).sum())


def _stationary(Q: Floats) -> Floats:
    """The stationary distribution of an irreducible chain."""
    A = Q.T.copy()
    A[-1] = 1.0
    distribution = np.maximum(_solve(A, np.eye(len(Q))[-1]), _LEAST)
    return np.asarray(distribution / distribution.sum())


def _solve(A: Floats, b: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.solve(A, b))
    except np.linalg.LinAlgError:  # at rates that are as good as 0, on the way to better ones
        return np.asarray(np.linalg.lstsq(A, b, rcond=None)[0])
