"""Exp(K h) of a small chain as a matrix, for steps that are taken again and again.

It is one stretch of `squaring`, of at most `STEPS` expected jumps, squared as often as h is longer:
nothing is subtracted, and every entry has a relative error bound, tails included (`propagator` has
bounds on whole rows instead, for chains of any size).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc import squaring
from covey.dynamics.ctmc.generator import Generator
from covey.numbers import LEAST, UNIT, Floats

_SLACK = 1.02  # q over the largest exit rate: P must not be periodic
_MOST_SQUARES = 40  # beyond that nothing is left of the error bound


@dataclass(frozen=True, eq=False)
class StepMatrix:
    """From state i to state j in a time: `matrix[i, j]`, so that rows of laws go on by `@`.

    `log_error` bounds the error of every logarithm but those of `lost` states (of one row, at
    most), which are reached with less probability than numbers can tell.
    """

    matrix: Floats  # (states, states)
    log_error: float
    lost: int


def step_matrix(generator: Generator, step: float) -> StepMatrix | None:
    """Exp(K step), or None where its error cannot be bounded.

    Args:
        generator: Of few states: `squaring.MAX_STATES` take seconds.
        step: A time, not negative.
    """
    n = len(generator)
    rate = _SLACK * float(generator.exits.max(initial=0.0))
    if rate * step == 0:
        return StepMatrix(np.eye(n), 0.0, 0)
    squares = max(math.ceil(math.log2(rate * step / squaring.STEPS)), 0)
    if squares > _MOST_SQUARES:
        return None
    found = squaring.stretch(generator, rate, math.ldexp(step, -squares), generator.roundings)
    if found is None:
        return None
    matrix, error = found  # SCALE times as large, into rows
    for _ in range(squares):
        with np.errstate(under="ignore"):
            matrix = (matrix / squaring.SCALE) @ matrix
        error = 2 * error + (n + 2) * UNIT
    with np.errstate(under="ignore"):
        matrix = matrix.T / squaring.SCALE
    tiny = (matrix <= LEAST) & _reached(generator)
    return StepMatrix(matrix, error + 2 * UNIT, int(tiny.sum(axis=1).max(initial=0)))


def _reached(generator: Generator) -> NDArray[np.bool_]:
    """Which states each one can come to, itself included: (states, states)."""
    paths = (generator.dense_rates() > 0) | np.eye(len(generator), dtype=np.bool_)
    while True:
        longer = (paths.astype(np.float32) @ paths.astype(np.float32)) > 0
        if (longer == paths).all():
            return paths
        paths = longer
