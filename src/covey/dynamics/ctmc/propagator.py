"""exp(Kt) as a matrix: from every state, the distribution a time later.

With q above every exit rate and P = I + K/q >= 0, a short time h is summed from all states at once,
and squared as often as t is longer:

    S = e^(Kh) = sum_k w_k(qh) P^k,    e^(K 2^j h) = S^(2^j),    w_k(m) = e^-m m^k / k!.

Nothing is subtracted: in every entry, however small, a square doubles the error that its root has
in logarithms, and adds one rounding a term,

    e_0 = what is left out of the sum and its roundings,    e_{j+1} = 2 e_j + (n + 1) u.

What may be left out is asked for. Of every entry: the sum goes on until its rest is negligible in
each of them (as in `uniformization`), and h is so long that rounding is mostly that of its steps;
the bound is relative, tails included. Or of whole rows, for chains of any size: the sum ends with
the Poisson weights, h makes sum and squares together cheapest, and the bound is one in total
variation.

On some of the states only, whoever leaves them is lost: K keeps all its exits, and rows add up to
the probability of having stayed. Matrices are kept 2^500 times as large meanwhile, which holds
entries down to 1e-450.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.poisson_weights import SCALE as WEIGHT_SCALE
from covey.dynamics.ctmc.poisson_weights import PoissonRange, PoissonWeights, term_count
from covey.dynamics.ctmc.uniformized_chain import rest_of_sum, uniformization_rate
from covey.dynamics.threads import on_threads, one_blas_thread
from covey.dynamics.validation import Progress
from covey.numbers import LEAST, UNIT, Floats

MAX_STATES = 1000  # of every entry: a second or two of products of matrices
STEPS = 256  # in a sum, at most: so many that its rounding is mostly that of its steps
SCALE = 2.0**500

# Entries of SCALE * P^k, and of SCALE * S, below this say nothing any more. Together they are less
# than n 2^-1400 of a row, and no product enlarges what an earlier one lost: after 1e11 of them
# that is far below any probability that is told.
_DEAD = 2.0**-900
_DENSE = 64  # states up to which a product with a dense matrix is the quicker one
_COMPILED = 400  # states from which on compiled sums are worth it, if numba is for them alone
_BLOCK = 2**15  # numbers, at least 32 starts, that are moved together: they stay in cache
_ROWS = 256  # of a product of matrices
_TERMS = 3000  # a chain of so few states reaches all it can reach before
_LOOKED_AT = 8  # every so many terms the rest is looked at, which takes as long as they do
_LEFT_OUT = 1e-18  # what the rest of a sum may be, relative to every entry,
_TAIL = 1e-17  # and what it may be of a row
_MOST_SQUARES = 60
_MOST_JUMPS = 2.0**48  # expected: beyond, rounding leaves nothing of a bound


@dataclass(frozen=True, eq=False)
class Propagator:
    """From state i to state j in a time: `matrix[i, j]`, so that distributions go on by `@`.

    Attributes:
        matrix: (states, states).
        error: Of every entry: bounds the error of each logarithm, but those of `lost` states. Of
            whole rows: how far any row may be from the true one, in total variation.
        lost: Of every entry: how many states of one row, at most, are reached with less
            probability than numbers can tell.
    """

    matrix: Floats
    error: float
    lost: int = 0


@one_blas_thread
def propagator(
    generator: Generator,
    time: float,
    *,
    whole_rows: bool = False,
    cores: int | None = None,
    progress: Progress | None = None,
) -> Propagator | None:
    """The matrix exp(K time), or None where its error cannot be bounded.

    Args:
        generator: Of the chain, or of a part of it; for bounds of every entry, of few states:
            `MAX_STATES` take seconds.
        time: Not negative.
        whole_rows: Whether a bound in total variation will do.
        cores: Threads to compute on; by default one on each core. The numbers are the same.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    size, rate = len(generator), uniformization_rate(generator)
    jumps = rate * time
    if time == 0 or not generator.exits.any():
        return Propagator(np.eye(size), 0.0)
    if jumps > _MOST_JUMPS:
        return None
    if whole_rows:
        squares = _cheapest(jumps, size, len(generator.indices))
    else:
        squares = max(math.ceil(math.log2(jumps / STEPS)), 0)

    def notify(done: float) -> None:
        if progress is not None:
            progress(done, squares + 1, f"distributions after {time:g}")

    h = math.ldexp(time, -squares)
    found = short_step(generator, rate, h, whole_rows=whole_rows, cores=cores, notify=notify)
    if found is None:
        return None
    matrix, error = found
    spare = np.empty_like(matrix) if squares else matrix
    with np.errstate(under="ignore"):
        for turn in range(squares):
            square(matrix, spare, cores)
            matrix, spare = spare, matrix
            error = square_error(error, size)
            notify(turn + 2)
        matrix /= SCALE
    if whole_rows:
        return Propagator(matrix, error)
    tiny = (matrix <= LEAST) & _reached(generator)
    return Propagator(matrix, error + 2 * UNIT, int(tiny.sum(axis=1).max(initial=0)))


def short_step(
    generator: Generator,
    rate: float,
    h: float,
    *,
    whole_rows: bool = False,
    cores: int | None = None,
    notify: Callable[[float], None] = lambda _: None,
) -> tuple[Floats, float] | None:
    """SCALE * e^(Kh), (from, to), and a bound on the error of its logarithms, or of its rows.

    None without one. `notify` hears which part of it is done.
    """
    n, weights = len(generator), PoissonWeights(rate * h)
    last = PoissonRange(rate * h, _TAIL / 2).last if whole_rows else _TERMS
    add_term = _adder(generator, rate, compiled=n > (_DENSE if whole_rows else _COMPILED))
    out, lengths = np.empty((n, n)), []
    most = max(_BLOCK // n, 32)

    def block(begin: int) -> None:
        width = min(most, n - begin)
        power = SCALE * np.eye(n, width, -begin)  # SCALE * P^k, (to, from)
        spare, total = np.empty_like(power), np.zeros_like(power)
        for k in range(last + 1):
            after = add_term(power, weights.at(k), total, spare)
            looked_at = not whole_rows and k > rate * h and k % _LOOKED_AT == 0
            if looked_at and _left_out(weights, k, power, after, total):
                break
            power, spare = after, power
        lengths.append(k + 1)
        out[begin : begin + width] = total.T

    blocks = range(0, n, most)
    on_threads(block, blocks, cores, lambda done: notify(done / len(blocks)))
    if max(lengths) > _TERMS and not whole_rows:
        return None
    out /= WEIGHT_SCALE
    left_out = _TAIL if whole_rows else _LEFT_OUT
    return out, left_out + (generator.roundings * max(lengths) + 8) * UNIT


def _left_out(weights: PoissonWeights, k: int, power: Floats, after: Floats, total: Floats) -> bool:
    """Whether the terms after the k-th are negligible in every entry."""
    if np.count_nonzero(after) != np.count_nonzero(power):
        return False
    there = (power > _DEAD) & (total > _DEAD * WEIGHT_SCALE)
    ratio = float((after[there] / power[there]).max(initial=0.0))
    return rest_of_sum(weights, k, ratio, power[there], total[there]) < _LEFT_OUT


def _adder(
    generator: Generator, rate: float, *, compiled: bool
) -> Callable[[Floats, float, Floats, Floats], Floats]:
    """What adds a weight of P^k to a sum, and goes on to P^(k+1): of any columns of them.

    It may put P^(k+1) into the array that it is given last.
    """
    stay = rate - generator.exits
    if compiled:
        from covey.dynamics.kernels.sampling import paths as kernels  # noqa: PLC0415  (numba)

        chain = generator.indptr, generator.indices, generator.rates / rate, stay / rate

        def add(power: Floats, weight: float, total: Floats, spare: Floats) -> Floats:
            kernels.add_term(*chain, power, weight, total, spare)
            return spare

        return add
    from scipy.sparse import csr_array, diags_array  # noqa: PLC0415

    step = (generator.moves() + diags_array(stay)) / rate  # (to, from)
    matrix = step.toarray() if len(generator) <= _DENSE else csr_array(step)

    def add_plainly(power: Floats, weight: float, total: Floats, _: Floats) -> Floats:
        total += weight * power
        after: Floats = matrix @ power
        return after

    return add_plainly


def square(matrix: Floats, out: Floats, cores: int | None = None) -> None:
    """Sets `out` to the square of a matrix, both SCALE times as large."""

    def block(begin: int) -> None:
        rows = slice(begin, begin + _ROWS)
        np.matmul(matrix[rows], matrix, out=out[rows])
        out[rows] /= SCALE

    on_threads(block, range(0, len(matrix), _ROWS), cores, lambda _: None)


def square_error(error: float, states: int) -> float:
    """The error of the square of a matrix with such an error."""
    return 2 * error + (states + 1) * UNIT


def _cheapest(jumps: float, size: int, transitions: int) -> int:
    """As many squares as make the least work of sum and squares together."""
    work = [
        term_count(jumps / 2**squares) * transitions + squares * size**2
        for squares in range(_MOST_SQUARES)
    ]
    return work.index(min(work))


def _reached(generator: Generator) -> NDArray[np.bool_]:
    """Which states each one can come to, itself included: (states, states)."""
    paths = (generator.dense_rates() > 0) | np.eye(len(generator), dtype=np.bool_)
    while True:
        longer = (paths.astype(np.float32) @ paths.astype(np.float32)) > 0
        if (longer == paths).all():
            return paths
        paths = longer
