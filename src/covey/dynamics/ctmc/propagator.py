"""exp(Δ K) as a matrix: from every state of a set, the law a step Δ later on that set.

Uniformisation with positive numbers alone, for a short step, from all states at once; then as many
squarings as are cheaper than longer series. Errors in total variation add up: a row of the short
step is off by the tail that was left out and by rounding, and each squaring doubles what it is
given and adds the rounding of its sums. `error` is the bound that comes of this. It holds for whole
rows; the relative accuracy of single far tails is for `transient`.

On some of the states only, whoever leaves them is lost: K keeps all its exits, and rows add up to
the probability of having stayed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.poisson_weights import SCALE, PoissonWeights
from covey.dynamics.threads import on_threads
from covey.dynamics.validation import Progress
from covey.errors import UnsupportedError
from covey.numbers import UNIT, Floats

_TAIL = 1e-17  # of the Poisson weights, left out
_BLOCK = 32  # starts that are moved together
_MOST_SQUARINGS = 60
_MOST_JUMPS = 1e6  # of the part of a step that is summed


@dataclass(frozen=True, eq=False)
class Propagator:
    """Laws a step later.

    Attributes:
        laws: (states, states): row i is the law a step after state i, given that it stayed among
            these states; it adds up to one.
        stayed: (states,): the probability of that.
        error: How far any row may be from the true one, in total variation.
    """

    laws: Floats
    stayed: Floats
    error: float


def propagator(
    generator: Generator, step: float, *, cores: int | None = None, progress: Progress | None = None
) -> Propagator:
    """The laws a step after every state.

    Args:
        generator: Of the chain, or of a part of it.
        step: How much later, not negative.
        cores: Threads to compute on; by default one on each core. The numbers are the same.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    size, fastest = len(generator), float(generator.exits.max(initial=0.0))
    if fastest * step == 0:
        return Propagator(np.eye(size), np.ones(size), 0.0)
    squarings = _squarings(fastest * step, size, len(generator.indices))
    if fastest * step / 2**squarings > _MOST_JUMPS:
        raise UnsupportedError(
            f"a step of {step:.3g} has some {fastest * step:.0e} events, more than can be "
            "followed. Look more often, or leave out what is fastest or slowest"
        )
    weights = _weights(fastest * step / 2**squarings)
    from covey.dynamics.kernels import paths as kernels  # noqa: PLC0415  (numba)

    def said(turn: int) -> Callable[[int, int], None]:
        def say(done: int, whole: int) -> None:
            if progress is not None:
                progress(turn * whole + done, (squarings + 1) * whole, f"laws after {step:g}")

        return say

    stay, rates = fastest - generator.exits, generator.rates
    laws = np.empty((size, size))

    def short_step(begin: int, end: int) -> None:
        kernels.step_laws(
            generator.indptr, generator.indices, rates, stay, 1 / fastest, weights,
            laws, begin, end,
        )  # fmt: skip

    _in_blocks(short_step, size, cores, said(0))
    # What is left out, and the rounding of as many products of a row.
    entries = int(generator.lengths.max(initial=0)) + 4
    error = _TAIL + len(weights) * entries * UNIT
    spare = np.empty((size, size) if squarings else (0, 0))
    for turn in range(squarings):

        def square(begin: int, end: int, factor: Floats = laws, out: Floats = spare) -> None:
            kernels.multiply_rows(factor, factor, out, begin, end)

        _in_blocks(square, size, cores, said(turn + 1))
        laws, spare = spare, laws
        error = 2 * error + (size + 2) * UNIT
    stayed = laws.sum(axis=1)
    laws /= stayed[:, None]
    return Propagator(laws, np.minimum(stayed, 1.0), 2 * (error + size * UNIT))


def among(generator: Generator, states: NDArray[np.intp]) -> Generator:
    """The part of a generator on some states, ascending; whoever leaves them is lost."""
    place = np.full(len(generator), -1)
    place[states] = np.arange(len(states))
    targets = np.repeat(np.arange(len(generator)), generator.lengths)
    sources = generator.indices.astype(np.intp)
    inside = (place[targets] >= 0) & (place[sources] >= 0)
    lengths = np.bincount(place[targets[inside]], minlength=len(states))
    return Generator(
        np.concatenate([[0], np.cumsum(lengths)]).astype(generator.indptr.dtype),
        place[sources[inside]].astype(np.uint32),
        generator.stored[inside],
        generator.exits[states],
        generator.table,
    )


def _squarings(mean: float, size: int, transitions: int) -> int:
    """As many as make the least work of series and squarings together."""
    work = {
        turns: _terms(mean / 2**turns) * transitions + turns * size**2
        for turns in range(_MOST_SQUARINGS)
    }
    return min(work, key=lambda turns: work[turns])


def _terms(mean: float) -> float:
    """How long a series is, nearly."""
    return mean + 9 * math.sqrt(mean) + 20


def _weights(mean: float) -> Floats:
    """Poisson weights from 0 on, up to where less than the tail is left; they add up to one."""
    poisson = PoissonWeights(mean)
    last = poisson.first
    while poisson.beyond(last) > _TAIL:
        last += 1
    weights: Floats = np.array([poisson.at(k) / SCALE for k in range(last + 1)])
    weights /= weights.sum()
    return weights


def _in_blocks(
    work: Callable[[int, int], None],
    size: int,
    cores: int | None,
    said: Callable[[int, int], None],
) -> None:
    """Call work(begin, end) for all rows, in blocks of one width, on as many cores as there are."""
    edges = range(0, size, _BLOCK)
    on_threads(
        lambda begin: work(begin, min(begin + _BLOCK, size)),
        edges,
        cores,
        lambda done: said(done, len(edges)),
    )
