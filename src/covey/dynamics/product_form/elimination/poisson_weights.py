"""Logarithms of Poisson weights, and windows that hold nearly all of a Poisson distribution.

    ln P[X = x] = x ln λ − λ − ln x!,

whose parts are large and nearly cancel where it matters. They are computed in the widest float
that the machine has and rounded once, so that the result is good to a rounding of itself. Tails
are bounded by Chernoff: with D(k) = k ln(k/λ) − k + λ,

    P[X ≥ k] ≤ exp(−D(k)) for k ≥ λ,      P[X ≤ k] ≤ exp(−D(k)) for k ≤ λ.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from covey.numbers import SPACING, Floats

Wide = np.longdouble
Wides = NDArray[np.longdouble]

_WIDE_UNIT = float(np.finfo(Wide).eps)
_SMALL = 64  # below, ln x! is summed; above, Stirling's series is exact to all digits

# Coefficients of 1/x, 1/x³, …: Bernoulli numbers over 2k (2k − 1).
_STIRLING = ((1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188), (-691, 360360), (1, 156))
_PI = Wide("3.14159265358979323846264338327950288")


def log_poisson(low: int, size: int, log_rate: Wide) -> tuple[Floats, float]:
    """`ln P[X = x]` for x = low, …, low + size − 1, and a bound on the error of all of them."""
    counts = np.arange(low, low + size).astype(Wide)
    factorials = _log_factorial(counts)
    values = counts * log_rate - np.exp(log_rate) - factorials
    parts = counts[-1] * abs(log_rate) + np.exp(log_rate) * (2 + abs(log_rate)) + factorials[-1]
    rounded = values.astype(np.float64)
    error = 16 * _WIDE_UNIT * float(parts) + SPACING * float(np.abs(rounded).max())
    return rounded, error


def log_factorial(counts: NDArray[np.integer]) -> Floats:
    """`ln x!` of any array of counts, to a rounding or two."""
    flat = np.asarray(counts).ravel().astype(Wide)
    return _log_factorial(flat).astype(np.float64).reshape(np.shape(counts))


def wide_log_factorial(counts: NDArray[np.integer]) -> Wides:
    """`ln x!` of an array of counts, in the widest float."""
    return _log_factorial(np.asarray(counts).astype(Wide))


def _log_factorial(counts: Wides) -> Wides:
    table = np.concatenate([[Wide(0)], np.cumsum(np.log(np.arange(1, _SMALL).astype(Wide)))])
    small = counts < _SMALL
    result = np.empty(len(counts), dtype=Wide)
    result[small] = table[counts[small].astype(np.intp)]
    large = counts[~small]
    series = np.zeros(len(large), dtype=Wide)
    for numerator, denominator in reversed(_STIRLING):
        series = series / large**2 + Wide(numerator) / Wide(denominator)
    result[~small] = (large + Wide(0.5)) * np.log(large) - large
    result[~small] += np.log(2 * _PI) / 2 + series / large
    return result


def log_sum(log_rates: Wides) -> Wide:
    """`ln Σ λ`: the log-rate of a sum of independent Poisson counts."""
    top = log_rates.max()
    return Wide(top + np.log(np.exp(log_rates - top).sum()))


def window(log_rate: float, log_tail: float) -> tuple[int, int]:
    """The least and the largest count that leave out at most exp(log_tail) on either side."""
    rate = math.exp(log_rate)
    reach = -log_tail
    # D(k) ≥ (k − λ)²/2λ below and ≥ (k − λ)²/2k above: both give a first bracket.
    wide = rate + math.sqrt(2 * rate * reach) + 2 * reach + 1
    high = _first(lambda k: divergence(k + 1, log_rate) >= reach, int(rate), int(wide) + 1)
    if divergence(0, log_rate) < reach:
        return 0, high
    # The largest k with P[X ≤ k] small enough is left out, with all below it.
    low = _first(lambda k: divergence(k, log_rate) < reach, 0, int(rate) + 1)
    return low, high


def log_tails(low: int, high: int | None, log_rate: float) -> float:
    """The logarithm of a bound on P[X < low] + P[X > high]."""
    rate = math.exp(log_rate)
    tails = [-math.inf]
    if low > 0:
        tails.append(-divergence(low - 1, log_rate) if low - 1 <= rate else 0.0)
    if high is not None:
        tails.append(-divergence(high + 1, log_rate) if high + 1 >= rate else 0.0)
    return float(np.logaddexp.reduce(tails))


def divergence(count: int, log_rate: float) -> float:
    """D(k), rounded down: the bound that it gives stays a bound."""
    rate = math.exp(log_rate)
    if count == 0:
        return rate * (1 - 4 * SPACING)
    parts = count * (math.log(count) - log_rate) - count + rate
    return parts - 8 * SPACING * (count * (abs(math.log(count)) + abs(log_rate) + 1) + rate)


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least whole number from low to high for which a monotone condition holds."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
