"""p(t) of a small chain after very many steps: fast and slow rates may lie far apart.

With q above every exit rate, P = I + K/q >= 0 and a stretch h of some hundred steps,

    S = e^(Kh) = sum_k w_k(qh) P^k,    p(m h + r) = S^m p(r),

where S^m is made of the squares S, S^2, S^4, ... that m has bits for. Ten million steps are some
twenty squares. Nothing is subtracted: in every entry, however small, a square doubles the relative
error of its root and adds one rounding a term,

    e_0 = what the sum has,    e_{j+1} = 2 e_j + (n + 1) u,

so that the bound grows with time as that of the steps themselves does. S is kept 2^500 times as
large, which holds entries down to 1e-450.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.poisson_weights import SCALE as WEIGHT_SCALE
from covey.dynamics.ctmc.poisson_weights import PoissonWeights
from covey.numbers import UNIT, Floats

if TYPE_CHECKING:
    from covey.dynamics.ctmc.generator import Generator


MAX_STATES = 1000  # a second or two of products of matrices
_DENSE = 64  # states up to which a product with a dense matrix is the quicker one
STEPS = 256  # in a stretch, at most: so many that rounding in its sum is mostly that of its steps
SCALE = 2.0**500
LOST = 2.0**-962  # a probability below this is given up; it is less than `numbers.LOST`

# Entries of SCALE * P^k, and of SCALE * S, below this say nothing any more. Together they are less
# than n 2^-1400 of a stretch, and no stretch enlarges what an earlier one lost: after 1e11 of them
# that is far below LOST.
_DEAD = 2.0**-900
_ROOM = 2.0**1000  # probabilities are kept so much larger: small ones survive as well
_SLACK = 1.02  # q over the largest exit rate: P must not be periodic
_WORTH = 1e-6  # the largest relative error that whoever moves laws has use for
_TERMS = 3000  # a chain of so few states reaches all it can reach before
_TRUNCATED = 1e-18  # what the rest of the sum may be, relative to every entry


def worth(states: int) -> float:
    """Plain steps that take about as long as the stretch and its squares; inf for many states."""
    return min(max(1_000, 40 * states), 20_000) if states <= MAX_STATES else math.inf


def stretch(
    generator: Generator, rate: float, h: float, roundings: int
) -> tuple[Floats, float] | None:
    """SCALE * e^(Kh), (states, states), and a bound on its relative error; None without one.

    `roundings` is how many a step may have in an entry; rate * h must not exceed STEPS.
    """
    n = len(generator)
    stay = (rate - generator.exits) / rate
    moves = generator.moves() / rate  # (states, states): into rows, from columns
    moves = moves.toarray() if n <= _DENSE else moves
    weights = PoissonWeights(rate * h)
    power = SCALE * np.eye(n)  # SCALE * P^k
    total = np.zeros((n, n))
    for k in range(_TERMS):
        total += weights.at(k) * power
        after = moves @ power + stay[:, None] * power
        if k > rate * h and np.count_nonzero(after) == np.count_nonzero(power):
            there = (power > _DEAD) & (total > _DEAD * WEIGHT_SCALE)
            ratio = float((after[there] / power[there]).max(initial=0.0))
            rest = weights.rest(k, ratio) * float((power[there] / total[there]).max(initial=0.0))
            if rest < _TRUNCATED:
                return total / WEIGHT_SCALE, _TRUNCATED + (roundings * (k + 1) + 8) * UNIT
        power = after
    return None


def moved(generator: Generator, starts: Floats, step: float) -> tuple[Floats, float] | None:
    """Every row of `starts` a step later, and a bound on the error of ln p; None without one.

    A step has far fewer stretches than a life: what underflow takes is far below any probability.
    """
    rate = _SLACK * float(generator.exits.max(initial=0.0)) or 1.0
    halvings = max(math.ceil(math.log2(rate * step / STEPS)), 0)
    found = stretch(generator, rate, step / 2**halvings, generator.roundings)
    if found is None:
        return None
    counts = np.full(len(starts), 2**halvings)
    rows, errors = follow(*found, starts * _ROOM, np.zeros(len(starts)), counts)
    error = float(errors.max(initial=0.0))
    return (rows / _ROOM, error / (1 - error)) if error < _WORTH else None


def moving(generator: Generator, law: Floats, roundings: int) -> float:
    """How fast any logarithm of a law may change, now or later; the law is 0 where it is lost.

    With v the law and w the same but for 2 LOST where it is lost, −η v ≤ K v and K w ≤ η w bound
    every later law between e^−ηt v and e^ηt w, because e^(Kt) keeps inequalities. Where nothing
    leads to lost states, all of them together keep below what they have now, and the second is
    needed of the others only.
    """
    there = law > 0
    left = not generator.inflow(there.astype(np.float64))[~there].any()
    above = np.where(there, law, LOST * (np.count_nonzero(~there) if left else 2))
    least = generator.product(law)[there] / law[there]
    most = (generator.product(above) / above)[there | (not left)]
    return max(-float(least.min()), float(most.max()), 0.0) + roundings * UNIT * float(
        generator.exits.max()
    )


def follow(
    matrix: Floats, error: float, start: Floats, start_errors: Floats, counts: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """S^m p for every m of `counts` and row p of `start`, with bounds on the relative errors.

    `matrix` is SCALE * S, of relative error `error`; rows are of any scale, (times, states).
    """
    rows, errors = start.copy(), start_errors.copy()
    roundings = (len(matrix) + 1) * UNIT
    left = counts.copy()
    while True:
        odd = left % 2 == 1
        rows[odd] = (rows[odd] / SCALE) @ matrix.T
        errors[odd] += error + roundings
        left //= 2
        if not left.any():
            return rows, errors
        matrix = (matrix @ matrix) / SCALE
        error = 2 * error + roundings
