"""When something happened, in the unit of the model, counted from the feed's moment 0.

A message says a date (ISO 8601; without a zone it is taken for UTC, as VDA 5050 has it), an epoch
time, or a plain number, which is in the model's unit already. Nothing is told before it happens: a
time that lies ahead, of a robot whose clock is fast, is the time of arrival. Times of a log that is
replayed are counted from its first line.
"""

from __future__ import annotations

import math

from covey.errors import InputError
from covey.model.io.clock import UNITS
from covey.numbers import number_of
from covey.serve.feed_clock import FeedClock
from covey.serve.wall_times import epoch_seconds, epoch_ticks


class Times:
    """Reads times.

    Args:
        clock: The feed's moments.
        by_arrival: Whether only arrival counts.
        unit: Of the log that is replayed; None where everything happens now.
    """

    def __init__(
        self, clock: FeedClock, *, by_arrival: bool = False, unit: str | None = None
    ) -> None:
        self.clock, self._by_arrival, self._unit = clock, by_arrival, unit
        self._first: float | None = None

    def read(self, cell: object, arrived: float) -> float:
        """The time of something.

        Args:
            cell: What its message says; None where it says nothing.
            arrived: When the message came, in seconds since 1970.
        """
        here = self.clock.model(arrived)
        if self._unit is not None:
            return self._replayed(cell)
        if cell is None or cell == "" or self._by_arrival:
            return here
        number, dated = _number(cell)
        return min(self.clock.model(number) if dated else number, here)

    def _replayed(self, cell: object) -> float:
        number, dated = _number(cell)
        if self._first is None:
            self._first = number
        since = number - self._first
        return since / UNITS[self._unit or "second"] if dated else since


def _number(cell: object) -> tuple[float, bool]:
    """A number, and whether it is one of seconds since 1970."""
    text = str(cell).strip()
    number = number_of(text)
    if number is None or epoch_ticks(number):
        return epoch_seconds(text), True
    if not math.isfinite(number):
        raise InputError("the time is not finite")
    return number, False
