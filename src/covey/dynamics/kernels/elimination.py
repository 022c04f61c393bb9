"""Compiled: elimination without subtractions in numbers that neither underflow nor overflow.

A number is m · B^k with B = 2^512, 1/√B <= m < √B or m = 0, and k a whole number beside it. A
product of two such m is a plain double, and of two numbers whose k differ by two or more the
smaller one is less than 2^-512 of the larger: it is left out of their sum.

With NUMBA_DISABLE_JIT=1 the same functions
run as plain Python and give the same answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.kernels.njit import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
def merge(
    m: NDArray[np.float64],
    k: NDArray[np.int32],
    more: NDArray[np.float64],
    level: NDArray[np.int32],
    place: NDArray[np.int64],
) -> None:
    """Adds a smaller matrix; place[i] is where its i-th state stands in the larger one."""
    for i in range(len(place)):
        for j in range(len(place)):
            if more[i, j] > 0.0 and i != j:
                row, column = place[i], place[j]
                m[row, column], k[row, column] = _add(
                    m[row, column], k[row, column], more[i, j], level[i, j]
                )


@njit(cache=True, nogil=True)
def censor(
    m: NDArray[np.float64],
    k: NDArray[np.int32],
    count: int,
    exits: NDArray[np.float64],
    levels: NDArray[np.int32],
) -> None:
    """Censors the first `count` states of a matrix of rates from row to column (GTH).

    Afterwards the column of each of them holds, below the diagonal, rates into it over its exit
    rate, and its row the rates out of it at the time; `exits` and `levels` hold the exit rates.
    """
    size = len(m)
    for state in range(count):
        exit_m, exit_k = 0.0, 0
        for j in range(state + 1, size):
            if m[state, j] > 0.0:
                exit_m, exit_k = _add(exit_m, exit_k, m[state, j], k[state, j])
        exits[state], levels[state] = exit_m, exit_k
        for i in range(state + 1, size):
            if m[i, state] == 0.0:
                continue
            share, level = _normal(m[i, state] / exit_m, k[i, state] - exit_k)
            m[i, state], k[i, state] = share, level
            for j in range(state + 1, size):
                out = m[state, j]
                if out > 0.0 and j != i:
                    more, deep = share * out, level + k[state, j]
                    if k[i, j] == deep and 1 / _TOP <= m[i, j] + more < _TOP:
                        m[i, j] += more
                    else:
                        m[i, j], k[i, j] = _add(m[i, j], k[i, j], more, deep)


@njit(cache=True, nogil=True)
def restore(
    shares: NDArray[np.float64],
    levels: NDArray[np.int32],
    places: NDArray[np.int64],
    m: NDArray[np.float64],
    k: NDArray[np.int32],
) -> None:
    """Adds to each censored state what the states after it send there: m · B^k of all states.

    shares, levels: (states of a matrix, censored), as `censor` leaves them. places: (states of a
    matrix,), where each stands among all.
    """
    for state in range(shares.shape[1] - 1, -1, -1):
        at = places[state]
        for i in range(state + 1, len(places)):
            if shares[i, state] > 0.0 and m[places[i]] > 0.0:
                m[at], k[at] = _add(
                    m[at],
                    k[at],
                    m[places[i]] * shares[i, state],
                    k[places[i]] + levels[i, state],
                )


@njit(cache=True, nogil=True)
def pass_on(
    rates: NDArray[np.float64],
    deep: NDArray[np.int32],
    exits: NDArray[np.float64],
    levels: NDArray[np.int32],
    places: NDArray[np.int64],
    m: NDArray[np.float64],
    k: NDArray[np.int32],
) -> None:
    """Divides what begins in each censored state by its exit rate, and sends it on from there.

    rates, deep: (censored, states of a matrix), as `censor` leaves them. m · B^k is what begins in
    each of all states, and then, in those that are censored, for how long it stays.
    """
    for state in range(len(rates)):
        at = places[state]
        if m[at] == 0.0:
            continue
        m[at], k[at] = _normal(m[at] / exits[state], k[at] - levels[state])
        for j in range(state + 1, len(places)):
            if rates[state, j] > 0.0:
                to = places[j]
                m[to], k[to] = _add(m[to], k[to], m[at] * rates[state, j], k[at] + deep[state, j])
