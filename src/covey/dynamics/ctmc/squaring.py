"""p(t) of a small chain after very many steps: fast and slow rates may lie far apart.

With S = e^(Kh) of some hundred steps (see `propagator`),

    p(m h + r) = S^m p(r),

where S^m is made of the squares S, S^2, S^4, ... that m has bits for. Ten million steps are some
twenty squares, and the bound grows with time as that of the steps themselves does: squares keep one
for some 1e13 of them. What lies beyond is as it was there, if it is at rest there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.propagator import MAX_STATES, SCALE, STEPS, short_step, square_error
from covey.dynamics.threads import one_blas_thread
from covey.numbers import UNIT, Floats

if TYPE_CHECKING:
    from covey.dynamics.ctmc.generator import Generator

WORST = 1e-2  # the largest error of ln p that is worth an answer
_LOST = 2.0**-962  # a probability below this is given up; it is less than `numbers.LOST`


def worth(states: int) -> float:
    """Plain steps that take about as long as S and its squares; inf for many states."""
    return min(max(1_000, 40 * states), 20_000) if states <= MAX_STATES else math.inf


@one_blas_thread
def by_squaring(
    generator: Generator,
    rate: float,
    times: Floats,
    begin: Callable[[Floats], tuple[Floats, Floats]],
    scale: float,
) -> tuple[Floats, Floats, float] | None:
    """The distributions at times, bounds on the errors of ln p, and up to when squares reach.

    Args:
        generator: Of few states.
        rate: The q of its steps.
        times: Ascending.
        begin: The distributions p(r) at times r, `scale` times as large, and their errors.
        scale: So much larger are rows here as well, (times, states); they are 0 where probabilities
            are lost.
    """
    h = 2.0 ** math.floor(math.log2(STEPS / rate))  # so that m h is exact
    found = short_step(generator, rate, h)
    if found is None:
        return None
    matrix, error = found
    reach = h * math.floor(0.9 * WORST / (error + (len(matrix) + 1) * UNIT))
    ends = np.minimum(times, reach)
    short = np.fmod(ends, h)
    counts = np.rint((ends - short) / h).astype(np.int64)
    rows, errors = _follow(matrix, error, *begin(short), counts)
    errors /= 1 - errors
    rows[rows <= _LOST * scale] = 0.0
    if times[-1] > reach:
        errors += _moving(generator, rows[-1] / scale) * (times - ends)
    return rows, errors, reach


def _follow(
    matrix: Floats, error: float, start: Floats, start_errors: Floats, counts: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """S^m p for every m of `counts` and row p of `start`, with bounds on the relative errors.

    `matrix` is SCALE * S, of relative error `error`; rows are of any scale, (times, states).
    """
    rows, errors = start.copy(), start_errors.copy()
    left = counts.copy()
    while True:
        odd = left % 2 == 1
        rows[odd] = (rows[odd] / SCALE) @ matrix
        errors[odd] += error + (len(matrix) + 1) * UNIT
        left //= 2
        if not left.any():
            return rows, errors
        matrix = (matrix @ matrix) / SCALE
        error = square_error(error, len(matrix))


def _moving(generator: Generator, distribution: Floats) -> float:
    """How fast any logarithm of a distribution may change, now or later; it is 0 where it is lost.

    With v the distribution and w the same but for 2 _LOST where it is lost, −η v ≤ K v and
    K w ≤ η w bound every later one between e^−ηt v and e^ηt w, because e^(Kt) keeps inequalities.
    Where nothing leads to lost states, all of them together keep below what they have now, and the
    second is needed of the others only.
    """
    there = distribution > 0
    left = not generator.inflow(there.astype(np.float64))[~there].any()
    above = np.where(there, distribution, _LOST * (np.count_nonzero(~there) if left else 2))
    least = generator.product(distribution)[there] / distribution[there]
    most = (generator.product(above) / above)[there | (not left)]
    return max(-float(least.min()), float(most.max()), 0.0) + generator.roundings * UNIT * float(
        generator.exits.max()
    )
