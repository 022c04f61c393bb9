"""Compiled sums of independent robots: arrays in, arrays out. See `monomolecular/convolution`.

With NUMBA_DISABLE_JIT=1 the same functions run as plain Python and give the same answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.kernels.njit import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from covey.numbers import Floats, Ints


DIGIT = 512  # a number is part * 2^(DIGIT * power), the part from 2^-258 up to 2^256, or 0
_LARGE = 2.0**256
_SMALL = 2.0**-256
_DOWN = 2.0**-DIGIT
_UP = 2.0**DIGIT
_NONE = -(2**30)


@njit(cache=True, nogil=True)
def _plus(total: float, power: int, part: float, its: int) -> tuple[float, int]:
    """The sum of two numbers; a part of the second that is too small is first brought in range."""
    if part < _SMALL:
        part, its = part * _UP, its - 1
    if its == power:
        return total + part, power
    if its == power + 1:
        return total * _DOWN + part, its
    if its == power - 1:
        return total + part * _DOWN, power
    return (part, its) if its > power else (total, power)


@njit(cache=True, nogil=True)
def add_robots(
    parts: Floats,
    powers: NDArray[np.int32],
    top: int,
    counts: Ints,
    offsets: Ints,
    share_parts: Floats,
    share_powers: Ints,
) -> None:
    """Multiply a flat array by (Σ_c share_c x^offset_c)^count for each kind, in place.

    Offsets are not negative, and nothing is beyond `top` at first. Parts of shares are at most 2.
    Terms below 2^-500 of the largest one are left out: that is less than any rounding.
    """
    kinds, terms = offsets.shape
    for kind in range(kinds):
        longest = offsets[kind].max()
        for _ in range(counts[kind]):
            top = min(top + longest, len(parts) - 1)
            for i in range(top, -1, -1):
                total, power = 0.0, _NONE
                for c in range(terms):
                    j = i - offsets[kind, c]
                    part = parts[j] * share_parts[kind, c] if j >= 0 else 0.0
                    if part > 0.0:
                        its = powers[j] + share_powers[kind, c]
                        total, power = _plus(total, power, part, its)
                if total >= _LARGE:
                    total, power = total * _DOWN, power + 1
                parts[i] = total
                powers[i] = power if total > 0.0 else 0


@njit(cache=True, nogil=True)
def spread_rows(
    before: Floats,
    weights: Floats,
    stay: float,
    move: float,
    wide: int,
    kernel: Floats,
    first_row: int,
    first_column: int,
    out: Floats,
) -> None:
    """Fill out[t, y] = Σ_j weights[j] (before[t − j] * V^j * kernel)[y], V = stay + move x.

    By Horner's rule, row by row; `wide` columns are kept before the kernel is applied. Rows and
    columns of `out` begin at `first_row`, `first_column`.
    """
    rows, columns = before.shape
    now, old = np.zeros(wide + 1), np.zeros(wide + 1)
    for r in range(len(out)):
        t = r + first_row
        now[:] = 0.0
        for j in range(min(len(weights) - 1, t), max(0, t - rows + 1) - 1, -1):
            now, old = old, now
            for y in range(1, wide + 1):  # column 0 stays 0
                now[y] = stay * old[y] + move * old[y - 1]
            weight = weights[j]
            for y in range(min(columns, wide)):
                now[y + 1] += weight * before[t - j, y]
        for _ in range(max(0, t - rows + 1)):
            now, old = old, now
            for y in range(1, wide + 1):
                now[y] = stay * old[y] + move * old[y - 1]
        for k in range(len(kernel)):
            weight = kernel[k]
            low = max(first_column - k, 0)
            high = min(out.shape[1] + first_column - k, wide)
            for y in range(low, high):
                out[r, y + k - first_column] += weight * now[y + 1]
