"""Publishing through a mechanism, draw after draw, for a feed that runs all day.

A draw takes 128 bits from the operating system and looks up where they fall among the sums of a
row, which are whole numbers of 2^-128: so draws follow the table to far below its own rounding,
and nobody can foresee them. No draw depends on another.

A mechanism that was made for a stream says how often it may be drawn from. Whoever asks earlier, or
does not say when, gets the last value again: what was promised is for so many draws in so long. One
with a memory gives the last value again while the truth is near it, which is a publication too.

Nothing is refused: a refusal would tell. What the table has no row for is published as the nearest
outcome that has one, and counted; a count that cannot be read is taken for 0, and counted too.
"""

from __future__ import annotations

import math
import os
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from covey.model.release_file import MAX_COUNT
from covey.model.release_table import ReleaseTable
from covey.remedy.last_published import LastPublished

_BYTES = 16  # of one draw
_POOL = 4096  # draws for which randomness is fetched at a time
_ONE = 1 << (8 * _BYTES)
_REMEMBERED = 100_000  # outcomes whose row is known at once


class Publisher:
    """Draws what is published: `Publisher(table).publish({"driving": 4, "picking": 2})`.

    `unknown` is how many observations the table had no row for so far, and `unreadable` how many
    had a count that is no whole number from 0 on; `overdue` is how many publications came after all
    of the stream that the mechanism was made for.

    Args:
        table: The table, as `open_mechanism` reads it or a `Mechanism` has it.
        last: What was published before, where it goes on from there.
    """

    def __init__(self, table: ReleaseTable, last: LastPublished | None = None) -> None:
        self.table, self.last = table, last
        self.unknown = 0
        self.unreadable = 0
        self.overdue = 0
        self._published = [tuple(row) for row in table.published.tolist()]
        self._row_of = {tuple(row): i for i, row in enumerate(table.seen.tolist())}
        self._nearest: dict[tuple[int, ...], int] = {}
        self._steps: dict[int, tuple[list[int], list[tuple[int, ...]]]] = {}
        self._bits, self._used = b"", 0
        self._every, self._until, self._hold = table.every, table.until, table.hold

    @property
    def remembers(self) -> bool:
        """Whether what is published depends on what was published before."""
        return self._every is not None or self._hold > 0

    def publish(self, observed: Mapping[str, object]) -> dict[str, int]:
        """What is published of what is there.

        Args:
            observed: A number for each count of the table; others are not looked at, but for
                `time`, and one that is missing is taken for 0.
        """
        counts = [observed.get(name) for name in self.table.counts]
        drawn = self.draw(counts, observed.get("time"))
        return dict(zip(self.table.counts, drawn, strict=True))

    def draw(self, counts: Sequence[object], time: object = None) -> tuple[int, ...]:
        """The same, for counts in the order of the table.

        Args:
            counts: What is there; texts of whole numbers will do.
            time: When; only a mechanism that was made for a stream looks at it, and publishes the
                last value again where it is missing.
        """
        if not self.remembers:
            return self._drawn(self._whole(counts))
        now, last = _moment(time), self.last
        if last is not None and self._every is not None:
            if last.time == -math.inf and now is not None:  # the clock starts here at the latest
                self.last = last = LastPublished(last.published, now, now)
            if now is None or now < last.time + self._every * (1 - 1e-9):
                return last.published
        whole = self._whole(counts)
        if last is None or _away(whole, last.published) >= self._hold:
            published = self._drawn(whole)
        else:
            published = last.published
        when = -math.inf if now is None else now
        self.last = LastPublished(published, when, when if last is None else last.first)
        self.overdue += self._until is not None and when >= self.last.first + self._until
        return published

    def _whole(self, counts: Sequence[object]) -> tuple[int, ...]:
        """What is there, as well as it can be read; counted where it is not known."""
        outcome = tuple(map(_count, counts))
        whole = tuple(count or 0 for count in outcome)
        if None in outcome:
            self.unreadable += 1
        elif whole not in self._row_of:
            self.unknown += 1
        return whole

    def _drawn(self, whole: tuple[int, ...]) -> tuple[int, ...]:
        steps, outcomes = self._stairs(self._row(whole))
        return outcomes[bisect_right(steps, self._random())]

    def _row(self, whole: tuple[int, ...]) -> int:
        if whole in self._row_of:
            return self._row_of[whole]
        if whole not in self._nearest:
            if len(self._nearest) >= _REMEMBERED:
                self._nearest.clear()
            self._nearest[whole] = int(self.table.rows_of(np.array([whole]))[0][0])
        return self._nearest[whole]

    def _stairs(self, row: int) -> tuple[list[int], list[tuple[int, ...]]]:
        """Where the bits have to fall for each outcome that the row can publish."""
        if row in self._steps:
            return self._steps[row]
        chances = self.table.table[row].tolist()
        total = sum(map(Fraction, chances))
        steps, outcomes, sofar = [], [], Fraction(0)
        for chance, outcome in zip(chances, self._published, strict=True):
            if chance > 0:
                sofar += Fraction(chance)
                steps.append(int(sofar / total * _ONE))
                outcomes.append(outcome)
        self._steps[row] = steps[:-1], outcomes
        return self._steps[row]

    def _random(self) -> int:
        if self._used == len(self._bits):
            self._bits, self._used = os.urandom(_BYTES * _POOL), 0
        begin = self._used
        self._used += _BYTES
        return int.from_bytes(self._bits[begin : self._used], "little")


def _away(whole: Sequence[int], published: Sequence[int]) -> int:
    """By how many robots the one is off the other."""
    return sum(abs(a - b) for a, b in zip(whole, published, strict=True))


def _moment(value: object) -> float | None:
    try:
        now = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return now if math.isfinite(now) else None


def _count(value: object) -> int | None:
    """A whole number from 0 on, however it is written (4, "4", 4.0); None where it is none."""
    try:
        number = int(value) if isinstance(value, str) else value
    except ValueError:
        number = value
    try:
        size = float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return int(min(size, MAX_COUNT)) if size >= 0 and (size % 1 == 0 or size == math.inf) else None
