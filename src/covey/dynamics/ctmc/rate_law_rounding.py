"""How far rounding may take rate laws, for truncations that promise to lie below the exact rates.

Mass action multiplies, so that its relative error is one unit for each factor. A rate law may
subtract, and lose digits where it does. So every step's error is followed beside its value [1], in
units of
u = 2⁻⁵³, to first order in u and a thousandth more:

    e(a ± b) = e(a) + e(b) + |a ± b|,        e(a b) = |a| e(b) + |b| e(a) + |a b|,
    e(a / b) = (e(a) + |a/b| e(b)) / |b| + |a/b|,      e(min), e(max) = the larger of both,
    e(a^b)   = |a^b| (|b| e(a)/|a| + |ln a| e(b) + 4),

counts and constants being exact. A comparison holds where it holds for the rounded numbers: that is
what a rate law means, as is a rate that rounds to 0.

1. N. J. Higham, Accuracy and Stability of Numerical Algorithms, section 3.3.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from covey.model.network import Network
from covey.model.rate_laws import program as op
from covey.model.rate_laws.program import Program
from covey.numbers import Floats

_SECOND_ORDER = 1.001
_HOPELESS = 2.0**50  # units: nothing is left of a rate that may be off by so many


def rate_law_roundings(network: Network, columns: NDArray[np.integer]) -> int:
    """By how many units the rate of a rate law may be off, relatively, in the worst of some states.

    0 where no reaction has a rate law; `columns` holds the states as (species, states).
    """
    worst = 0.0
    for program in network.programs.values():
        values, errors = _followed(program, columns)
        there = values > 0
        worst = max(worst, float((errors[there] / values[there]).max(initial=0.0)))
    return math.ceil(min(_SECOND_ORDER * worst, _HOPELESS))


def _followed(program: Program, columns: NDArray[np.integer]) -> tuple[Floats, Floats]:
    """The rate in every state, and its error in units."""
    values, exact = program.values(columns), np.zeros(columns.shape[1])
    errors = dict.fromkeys(range(program.first), exact)
    with np.errstate(all="ignore"):
        for i, (operation, left, right) in enumerate(program.steps):
            value = np.abs(values[program.first + i])
            a, b = np.abs(values[left]), np.abs(values[right])
            found = _error(operation, value, (a, errors[left]), (b, errors[right]))
            errors[program.first + i] = np.where(np.isnan(found), 0.0, found)
    return values[program.result], errors[program.result]


def _error(
    operation: int, value: Floats, left: tuple[Floats, Floats], right: tuple[Floats, Floats]
) -> Floats:
    (a, of_a), (b, of_b) = left, right
    if operation in (op.ADD, op.SUBTRACT):
        return of_a + of_b + value
    if operation == op.MULTIPLY:
        return a * of_b + b * of_a + value
    if operation == op.DIVIDE:
        return (of_a + value * of_b) / b + value
    if operation == op.POWER:
        carried = np.where(of_a > 0, b * of_a / a, 0.0)
        growth = np.where(of_b > 0, np.abs(np.log(a)) * of_b, 0.0)
        return np.asarray(value * (carried + growth + 4), dtype=np.float64)
    if operation in (op.LEAST, op.MOST):
        return np.maximum(of_a, of_b)
    return np.zeros_like(value)
