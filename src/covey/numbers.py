"""Numbers as every room has them: their types, how they round, when they are lost, rows of them.

A double keeps 53 binary digits. Rounding to the nearest one errs by at most UNIT, relatively, and
two neighbouring doubles are SPACING apart: a bound that counts operations by UNIT is as tight as
can be, one that counts them by SPACING is spared the terms of second order.

A solver that works in doubles keeps the relative accuracy of probabilities down to LEAST. What it
finds below that is no probability any more: it is left out, and counted as lost, with LOST for
each such state, which is more than it can have.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from covey.errors import InputError, shown

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

UNIT = 2.0**-53  # unit roundoff: of one operation
SPACING = 2.0**-52  # machine epsilon: from 1 to the next double

LEAST = 1e-290
LOST = 1e-289

_SPARSE = 8  # rows that there can be for each that there is, up to which each has a place


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a real number, of whichever type; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether it is a whole number by its type; True and False are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def as_float(value: object, what: str, expected: str, key: str | None) -> float:
    """A real number as a double, infinite where it is too large for one; `what` it is is said."""
    if not is_number(value):
        raise InputError(f"{what} is {shown(value)}: {expected} is expected", key=key)
    return to_float(value)


def to_float(value: object) -> float:
    """A number or its text as a double: infinite where it is too large, nan where it is none."""
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]
    except (TypeError, ValueError):
        return math.nan


def number_of(text: str) -> float | None:
    """The number that a text writes, infinite and nan too; None where it writes none."""
    try:
        return float(text)
    except ValueError:
        return None


def whole_of(value: object) -> int | None:
    """A whole number or the text of one, however it is written (4, "4", 4.0); None for others.

    Beyond a double there is none.
    """
    number = math.nan if isinstance(value, bool) else to_float(value)
    if not number.is_integer():
        return None
    try:
        return int(value)  # type: ignore[call-overload, no-any-return]  # with all its digits
    except ValueError:  # "4.0"
        return int(number)


def finite_number(
    value: object,
    what: str,
    expected: str = "a number",
    *,
    least: float = -math.inf,
    most: float = math.inf,
    key: str | None = None,
) -> float:
    """A number from outside as a finite double from `least` to `most`; anything else is refused.

    The one gate for what a file, an option or a caller gives: True is no number, nor is what is not
    finite, and a whole number may have any length.
    """
    number = as_float(value, what, expected, key)
    if not (least <= number <= most and math.isfinite(number)):
        raise InputError(f"{what} is {shown(value)}: {expected} is expected", key=key)
    return number


def whole_number(
    value: object,
    what: str,
    *,
    least: int = 0,
    most: int = 2**53,
    key: str | None = None,
) -> int:
    """The same for a whole number, by its type or by its value (4.0 is one)."""
    expected = f"a whole number from {least:,} to {most:,}"
    finite_number(value, what, expected, least=least, most=most, key=key)
    if (whole := whole_of(value)) is None:
        raise InputError(f"{what} is {shown(value)}: {expected} is expected", key=key)
    return whole


def distinct_rows(rows: NDArray[np.integer]) -> tuple[Ints, NDArray[np.intp]]:
    """The distinct rows in lexicographic order, and for each row which of them it is.

    Whole numbers that are not negative.
    """
    columns = np.ascontiguousarray(rows.T, dtype=np.int64)  # read one after the other: fast
    sizes = [int(top) + 1 for top in columns.max(axis=1, initial=0)]
    different = math.prod(sizes)  # rows that there can be
    if different < 2**62:  # one number tells the whole row
        keys = np.zeros(len(rows), dtype=np.int64)
        for column, size in zip(columns, sizes, strict=True):
            keys *= size
            keys += column
        if different <= _SPARSE * len(rows):  # few: each has a place, and nothing is sorted
            where = np.full(different, -1, dtype=np.intp)
            where[keys] = np.arange(len(rows))
            there = where >= 0
            return rows[where[there]].astype(np.int64), (np.cumsum(there) - 1)[keys]
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        return rows[first].astype(np.int64), group
    outcomes, group = np.unique(rows.astype(np.int64), axis=0, return_inverse=True)
    return outcomes, group.ravel()


def rows_in(listed: Ints, wanted: Ints) -> NDArray[np.intp]:
    """Where each wanted row stands in a list of rows; −1 where it does not."""
    place = {row.tobytes(): i for i, row in enumerate(np.ascontiguousarray(listed))}
    found = [place.get(row.tobytes(), -1) for row in np.ascontiguousarray(wanted)]
    return np.array(found, dtype=np.intp)
