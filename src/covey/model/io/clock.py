"""Times as logs and feeds write them: numbers, epoch times, or dates in ISO 8601.

The first row says which it is. A number from 10⁹ on, but below 10¹⁰, is taken for the seconds since
1970 that computers count (2001 to 2286), and 10³, 10⁶ or 10⁹ times as much for milliseconds,
microseconds or nanoseconds. Such times and dates are counted from the first row on, in seconds or
in another unit, and that is said: a rate is per unit of time, and nobody wants one per 1970. All
other numbers stay as they are. A time beyond LATEST is none: a double hardly tells it from the next
one, and whatever came after it would be too early.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from covey.errors import InputError, did_you_mean, shown
from covey.numbers import number_of, to_float, whole_of

LATEST = 1e15  # units of time
UNITS: dict[str, int] = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
_EPOCHS = {1: "seconds", 10**3: "milliseconds", 10**6: "microseconds", 10**9: "nanoseconds"}
_MICROSECOND = timedelta(microseconds=1)
_1970 = datetime(1970, 1, 1, tzinfo=UTC)


def check_unit(unit: object, key: str = "") -> str | None:
    """A unit of time, or None where none is given; anything else is refused."""
    if unit is None or (isinstance(unit, str) and unit in UNITS):
        return unit
    hint = did_you_mean(str(unit), UNITS) or f" Known: {', '.join(UNITS)}."
    raise InputError(f"the unit of time is {shown(unit)}.{hint}", key=key)


class Clock:
    """Reads the times of one log or feed.

    Args:
        unit: What dates and epoch times are counted in; by default seconds.
        dated: Whether times must be dates or epoch times. Otherwise they may be numbers, which are
            in the unit already.
    """

    def __init__(self, unit: str | None = None, dated: bool = False) -> None:
        self.unit, self._only_dated = check_unit(unit), dated
        self.notes: list[str] = []
        self._ticks = 0  # in a second: of an epoch time, or a date's microseconds; 0 for numbers
        self._first: int | float = 0
        self._zoned: bool | None = None  # of dates: whether they say their zone
        self._begun = False

    @property
    def dated(self) -> bool:
        """Whether times are moments, counted from the first row on."""
        return self._ticks > 0

    def read(self, cell: str) -> float:
        """The time that a cell says.

        Args:
            cell: A number or a date.
        """
        if not self._begun:
            self._begin(cell)
        if self._ticks == 0:
            return _possible(_number(cell), cell)
        moment: int | float = self._microseconds(cell) if self._zoned is not None else _exact(cell)
        time = (moment - self._first) / (self._ticks * UNITS[self.unit or "second"])
        return _possible(time, cell)

    def until(self, end: float | str) -> float:
        """An end of the watch as it is given: like the log's times, or counted as they are.

        Args:
            end: A number or a date.
        """
        text = str(end)
        if not self.dated or (
            number_of(text) is not None and (self._zoned is not None or not _epoch(text))
        ):
            if (time := _number(text, "until")) < 0:
                raise InputError(f"until is {time:g}: it must be finite and not negative")
            return time
        return self.read(text)

    def _begin(self, cell: str) -> None:
        """Decides by the first row what times are."""
        if number_of(cell) is not None:
            self._ticks = _epoch(cell)
            if not self._ticks:
                _possible(_number(cell), cell)
            if self._ticks:
                self._first = _exact(cell)
                when = _1970 + timedelta(microseconds=int(self._first * 10**6 // self._ticks))
                kind, first = _EPOCHS[self._ticks], cell.strip()
                self._say(f"epoch {kind}: the first, {first}, is {_shown(when)} and")
        else:
            self._ticks, self._zoned = 10**6, _date(cell).tzinfo is not None
            self._first = self._microseconds(cell)
            self._say(f"dates: the first, {cell.strip()},")
            if not self._zoned:
                self.notes.append(
                    "The dates name no zone and are taken as they stand: where clocks are set to "
                    "summer time, an hour is missing or comes twice."
                )
        if self._only_dated and not self._ticks:
            raise InputError(
                f"the time is {shown(cell)}, a plain number: a unit is for dates and epoch times; "
                "the rates of other logs are per unit of their own times"
            )
        self._begun = True

    def _say(self, what: str) -> None:
        more = "" if self.unit else "; the unit may be minute, hour or day instead"
        self.notes.append(
            f"Times are taken for {what} counts as 0. Rates are per {self.unit or 'second'}{more}."
        )

    def _microseconds(self, cell: str) -> int:
        found = _date(cell)
        if (found.tzinfo is not None) != self._zoned:
            has = "a" if self._zoned else "no"
            raise InputError(
                f"the time is {shown(cell)}: a date with {has} zone is expected, as in the first "
                "row"
            )
        return (found - (_1970 if self._zoned else _1970.replace(tzinfo=None))) // _MICROSECOND


def _epoch(cell: str) -> int:
    """How many ticks a second has where a number is an epoch time; 0 where it is none."""
    value = to_float(cell)
    return next((t for t in _EPOCHS if 1e9 * t <= value < 1e10 * t), 0)


def _exact(cell: str) -> int | float:
    """A number with all its digits."""
    number, whole = _number(cell), whole_of(cell)
    return number if whole is None else whole


def _possible(time: float, cell: str) -> float:
    if not abs(time) <= LATEST:
        raise InputError(f"the time is {shown(cell)}: no time is further than {LATEST:.0e} away")
    return time


def _number(cell: str, what: str = "the time") -> float:
    time = number_of(cell)
    if time is None or not math.isfinite(time):
        kind = "a number is expected" if time is None else "it must be finite"
        raise InputError(f"{what} is {shown(cell)}: {kind}")
    return time


def _date(cell: str) -> datetime:
    try:
        return datetime.fromisoformat(cell.strip())
    except ValueError:
        raise InputError(
            f"the time is {shown(cell)}: a number is expected, or a date in ISO 8601 such as "
            "2026-05-18T13:12:00Z"
        ) from None


def _shown(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
