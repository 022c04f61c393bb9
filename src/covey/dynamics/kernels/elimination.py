"""Compiled: elimination without subtractions in numbers that neither underflow nor overflow.

A number is m · B^k with B = 2^512, 1/√B <= m < √B or m = 0, and k a whole number beside it. A
product of two such m is a plain double, and of two numbers whose k differ by two or more the
smaller one is less than 2^-512 of the larger: it is left out of their sum.

A band holds the rate from i to j at [i, j - i + width]. With NUMBA_DISABLE_JIT=1 the same functions
run as plain Python and give the same answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    _F = TypeVar("_F", bound=Callable[..., Any])

    def njit(**options: bool | str) -> Callable[[_F], _F]: ...
else:
    from numba import njit

DIGITS = 512  # binary ones of B
_BASE = 2.0**DIGITS
_TOP = 2.0 ** (DIGITS // 2)
_ONE_LESS = 1 / _BASE


@njit(cache=True, nogil=True)
def _normal(m: float, k: int) -> tuple[float, int]:
    """The same number with m in its range."""
    if m >= _TOP:
        return m * _ONE_LESS, k + 1
    if 0.0 < m < 1 / _TOP:
        return m * _BASE, k - 1
    return m, k


@njit(cache=True, nogil=True)
def _add(m: float, k: int, more: float, level: int) -> tuple[float, int]:
    """The sum m · B^k + more · B^level."""
    if m == 0.0 or level > k + 1:
        return _normal(more, level)
    if level == k:
        return _normal(m + more, k)
    if level == k - 1:
        return _normal(m + more * _ONE_LESS, k)
    if level == k + 1:
        return _normal(m * _ONE_LESS + more, level)
    return m, k


@njit(cache=True, nogil=True)
def normalise(m: NDArray[np.float64], k: NDArray[np.int32]) -> None:
    """Every number of two flat arrays with its m in range, whatever double it was."""
    for i in range(len(m)):
        for _ in range(3):  # a double is less than B^±3
            m[i], k[i] = _normal(m[i], k[i])


@njit(cache=True, nogil=True)
def censor(m: NDArray[np.float64], k: NDArray[np.int32], first: int, last: int) -> None:
    """Censors the states from `last` down to `first`, which is at least 1 (GTH).

    Afterwards the band holds, in the column of each of them, rates into it over its exit rate.
    """
    width = m.shape[1] // 2
    for state in range(last, first - 1, -1):
        low = max(state - width, 0)
        shift = width - state
        exit_m, exit_k = 0.0, 0
        for j in range(low, state):
            if m[state, j + shift] > 0.0:
                exit_m, exit_k = _add(exit_m, exit_k, m[state, j + shift], k[state, j + shift])
        for i in range(low, state):
            place = state - i + width
            if m[i, place] == 0.0:
                continue
            share, level = _normal(m[i, place] / exit_m, k[i, place] - exit_k)
            m[i, place], k[i, place] = share, level
            for j in range(low, state):
                out = m[state, j + shift]
                if out > 0.0 and j != i:
                    at = j - i + width
                    more, deep = share * out, level + k[state, j + shift]
                    if k[i, at] == deep and 1 / _TOP <= m[i, at] + more < _TOP:
                        m[i, at] += more
                    else:
                        m[i, at], k[i, at] = _add(m[i, at], k[i, at], more, deep)


@njit(cache=True, nogil=True)
def restore(
    m: NDArray[np.float64],
    k: NDArray[np.int32],
    distribution: NDArray[np.float64],
    level: NDArray[np.int32],
) -> None:
    """The distribution of all states, up to a factor, from what `censor` left behind."""
    width = m.shape[1] // 2
    distribution[0], level[0] = 1.0, 0
    for state in range(1, len(distribution)):
        for i in range(max(state - width, 0), state):
            place = state - i + width
            if m[i, place] > 0.0:
                distribution[state], level[state] = _add(
                    distribution[state],
                    level[state],
                    distribution[i] * m[i, place],
                    level[i] + k[i, place],
                )
