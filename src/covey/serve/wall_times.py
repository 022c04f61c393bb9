"""Moments in time as people and programs write them: dates in ISO 8601, or epoch times."""

from __future__ import annotations

from covey.errors import InputError
from covey.model.io.clock import Clock
from covey.numbers import number_of

_EPOCHS = (1, 10**3, 10**6, 10**9)


def epoch_seconds(text: str) -> float:
    """Seconds since 1970; a date without a zone is taken for UTC, as VDA 5050 has it.

    Args:
        text: A date, or the seconds, milliseconds, microseconds or nanoseconds since 1970.
    """
    if (number := number_of(text)) is None:
        dates = Clock("second")
        dates.read("1970-01-01T00:00:00Z")  # from which they are counted
        try:
            return dates.read(text)
        except InputError:
            return dates.read(f"{text}Z")
    if (ticks := epoch_ticks(number)) == 0:
        raise InputError("a date is expected, or an epoch time")
    return number / ticks


def epoch_ticks(number: float) -> int:
    """How many ticks a second has, where a number is an epoch time; 0 where it is none."""
    return next((ticks for ticks in _EPOCHS if 1e9 * ticks <= number < 1e10 * ticks), 0)
