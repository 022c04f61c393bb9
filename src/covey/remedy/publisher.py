"""Publishing through a mechanism, draw after draw, for a feed that runs all day.

A draw takes 128 bits from the operating system and looks up where they fall among the sums of a
row, which are whole numbers of 2^-128: so draws follow the table to far below its own rounding,
and nobody can foresee them. No draw depends on another.

What is promised of a mechanism was judged for certain moments, and only then is it drawn from:

    one snapshot     once. To draw again is allowed where each observation is an independent mission
    a stream         at t, t + every, t + 2 every, …, t being the first, until / every times; in
                     between and after the last of them the last value is published again

A moment that no observation is of is left out; what is published then is a part of what was judged.
Not so with a memory (`hold`), where later values depend on the one that is missing: it is not drawn
from any more. Times are numbers in the mechanism's unit, or dates and epoch times (`Clock`), which
need the unit to be known.

With one table a team (`ReleaseTable.teams`) the publisher says which team is its own; the mechanism
does not.

An outcome is never refused: that would tell. What the table has no row for is published as the
nearest outcome that has one, and counted. What cannot be read, counts or time, tells nothing of the
team: the last value is published again, and it is counted; it is refused where there is none yet.
"""

from __future__ import annotations

import math
import os
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from covey.errors import InputError
from covey.model.io.clock import Clock
from covey.model.io.mechanism_file import MAX_COUNT
from covey.model.observation.release_table import ReleaseTable
from covey.numbers import Floats, to_float, whole_of
from covey.remedy.last_published import LastPublished

_BYTES = 16  # of one draw
_POOL = 4096  # draws for which randomness is fetched at a time
_ONE = 1 << (8 * _BYTES)
_REMEMBERED = 100_000  # outcomes whose row is known at once
_FOREVER = 1e15  # periods; whatever is later is as late
_ON_TIME = 1e-6  # of a period: how far a time may be rounded off the moment that it is of


class Publisher:
    """Draws what is published: `Publisher(table).publish({"driving": 4, "picking": 2})`.

    `unknown` is how many published observations the table had no row for so far, `unreadable` how
    many had a count that is no whole number from 0 on or a time that cannot be placed. `notes` has
    a sentence for all that is worth knowing of times, added when it happens: that a moment was
    missed, that the stream is over.

    Args:
        table: The table, as `open_mechanism` reads it or a `Mechanism` has it.
        team: How many robots there are of each type, where the mechanism has one table a team: it
            says for which teams, and only the publisher knows which of them is real.
        last: What was published before, where it goes on from there.
        each_is_a_mission: Whether every observation is of an independent mission, so that a table
            for one snapshot may be drawn from each time.
    """

    def __init__(
        self,
        table: ReleaseTable,
        last: LastPublished | None = None,
        *,
        team: Mapping[str, int] | None = None,
        each_is_a_mission: bool = False,
    ) -> None:
        if each_is_a_mission and table.every is not None:
            raise InputError(
                "this mechanism was made for a stream, whose publications are of one mission: "
                "leave out --each-is-a-mission (each_is_a_mission)"
            )
        self.table, self.last = table, last
        self._own = _own_table(table, team)
        self.unknown = 0
        self.unreadable = 0
        self.notes: list[str] = []
        self._published = [tuple(row) for row in table.published.tolist()]
        self._row_of = {tuple(row): i for i, row in enumerate(table.seen.tolist())}
        self._nearest: dict[tuple[int, ...], int] = {}
        # all before the first draw: how long a draw takes must not tell what was drawn before
        self._steps = [self._stairs(row) for row in self._own.table]
        self._bits, self._used = os.urandom(_BYTES * _POOL), 0
        self._every, self._snapshots, self._hold = table.every, table.snapshots, table.hold
        self._missions = each_is_a_mission
        self._clock, self._origin = Clock(table.unit), None if last is None else last.origin
        if self._origin is not None:
            self._clock.read(self._origin)
            self._clock.notes.clear()  # which was said when it began
        self._said: set[str | int] = set()

    @property
    def remembers(self) -> bool:
        """Whether it was made for a stream: what was published before decides what may be next."""
        return self._every is not None or self._hold > 0

    def publish(self, observed: Mapping[str, object]) -> dict[str, int]:
        """What is published of what is there.

        Args:
            observed: A number for each count of the table, and `time` where it was made for a
                stream; others are not looked at.
        """
        counts = [observed.get(name) for name in self.table.counts]
        drawn = self.draw(counts, observed.get("time"))
        return dict(zip(self.table.counts, drawn, strict=True))

    def draw(self, counts: Sequence[object], time: object = None) -> tuple[int, ...]:
        """The same, for counts in the order of the table.

        Args:
            counts: What is there; texts of whole numbers will do.
            time: When: a number in the mechanism's unit of time, a date or an epoch time. Only a
                mechanism that was made for a stream looks at it.
        """
        if self._every is None and self.last is not None and not self._missions:
            raise InputError(
                "this mechanism is for one snapshot, and one was published: another draw would "
                "tell more than it promises. Make one for a stream (covey protect --target), or "
                "say that each observation is an independent mission (--each-is-a-mission)"
            )
        now = None if self._every is None else self._moment(time)
        if isinstance(now, str):
            return self._again(now)
        outcome = tuple(map(_count, counts))
        if None in outcome:
            return self._again("a count is no whole number from 0 on")
        whole = tuple(count or 0 for count in outcome)
        last = self.last
        if last is not None and now is not None and not self._due(now, last):
            return last.published
        if last is None or _away(whole, last.published) >= self._hold:
            published = self._drawn(whole)
        else:
            published = last.published
        when = -math.inf if now is None else now
        first = when if last is None else last.first
        self.last = LastPublished(published, when, first, self._origin)
        return published

    def _again(self, why: str) -> tuple[int, ...]:
        """The last value, for what cannot be read."""
        if self.last is None:
            raise InputError(f"{why}, and nothing was published yet that could be shown instead")
        self.unreadable += 1
        self._say("unreadable", f"{why}: the last value is published again, as for all such lines")
        return self.last.published

    def _moment(self, time: object) -> float | str:
        """When that is, in the mechanism's unit; or what is wrong with it."""
        text = "" if time is None else str(time).strip()
        if not text:
            return "the time is missing"
        try:
            now = self._clock.read(text)
        except InputError as error:
            return error.message
        if self._clock.dated and self.table.unit is None:
            raise InputError(
                f"the time is {text[:40]}, and the mechanism publishes every {self._every:g} "
                'without a unit: write unit = "minute" (or second, hour, day) under [time] of the '
                "scenario and make the mechanism anew, or give times as numbers"
            )
        if self._clock.dated and self._origin is None:
            if self.last is not None:
                raise InputError(
                    f"the time is {text[:40]}, and that of the last publication is a number, "
                    f"{self.last.time:g}: go on as it began"
                )
            self._origin = text
        self.notes += self._clock.notes
        self._clock.notes.clear()
        return now

    def _due(self, now: float, last: LastPublished) -> bool:
        """Whether this is a moment that was judged, and nothing was published for it yet."""
        assert self._every is not None
        if last.time == -math.inf:  # nobody said when: the clock starts here at the latest
            self.last = replace(last, time=now, first=now)
            return False
        at, before = ((t - last.first) / self._every for t in (now, last.time))
        at, before = min(max(at, -1.0), _FOREVER), min(before, _FOREVER)
        here, done = math.floor(at + _ON_TIME), round(before)
        if self._snapshots is not None and here >= self._snapshots:
            self._say("over", self._over)
            return False
        on_time = at - here <= _ON_TIME
        missed = here - 1 if on_time else here
        if missed > done:
            self._missed(missed, last)
        return here > done and on_time and not (self._hold and missed > done)

    @property
    def _over(self) -> str:
        return (
            f"the {self._snapshots:,} snapshots that the mechanism was judged for, every "
            f"{self._every:.10g}, are over: from here on the last value is published"
        )

    def _missed(self, moment: int, last: LastPublished) -> None:
        assert self._every is not None
        due = last.first + moment * self._every
        what = (
            "the last value is published until the end, as the mechanism has a memory and was "
            "judged with every snapshot"
            if self._hold
            else "the last value is published again until the next"
        )
        self._say(
            "missed" if self._hold else moment,
            f"a snapshot was due at {due:.10g}{f' {self.table.unit}s' if self.table.unit else ''}"
            f"{' after the first time' if self._origin else ''}, and no line of that time could "
            f"be read: {what}",
        )

    def _say(self, kind: str | int, note: str) -> None:
        """Once of its kind."""
        if kind not in self._said:
            self._said.add(kind)
            self.notes.append(note)

    def _drawn(self, whole: tuple[int, ...]) -> tuple[int, ...]:
        self.unknown += whole not in self._row_of
        steps, outcomes = self._steps[self._row(whole)]
        return outcomes[bisect_right(steps, self._random())]

    def _row(self, whole: tuple[int, ...]) -> int:
        if whole in self._row_of:
            return self._row_of[whole]
        if whole not in self._nearest:
            if len(self._nearest) >= _REMEMBERED:
                self._nearest.clear()
            self._nearest[whole] = int(self._own.rows_of(np.array([whole]))[0][0])
        return self._nearest[whole]

    def _stairs(self, row: Floats) -> tuple[list[int], list[tuple[int, ...]]]:
        """Where the bits have to fall for each outcome that a row can publish, exactly."""
        possible = np.flatnonzero(row > 0).tolist()
        ratios = [float(row[i]).as_integer_ratio() for i in possible]
        common = max(below for _, below in ratios)  # powers of 2: each divides the largest
        upto = list(accumulate(above * (common // below) for above, below in ratios))
        steps = [sofar * _ONE // upto[-1] for sofar in upto[:-1]]
        return steps, [self._published[i] for i in possible]

    def _random(self) -> int:
        if self._used == len(self._bits):
            self._bits, self._used = os.urandom(_BYTES * _POOL), 0
        begin = self._used
        self._used += _BYTES
        return int.from_bytes(self._bits[begin : self._used], "little")


def _own_table(table: ReleaseTable, team: Mapping[str, int] | None) -> ReleaseTable:
    """The table of the publisher's team."""
    if not table.teams:
        if team is not None:
            raise InputError(
                "this mechanism has one table for all teams, and needs no team: leave out --team "
                "and --team-file (team)"
            )
        return table
    if team is None:
        raise InputError(
            f"this mechanism has one table for each of {len(table.teams):,} teams, and does not "
            "say which is real: name yours, as --team "
            f"{','.join(f'{name}={count}' for name, count in table.teams[0].items())}, or "
            "--team-file with a file that only you have (team)"
        )
    return table.for_team(team)


def _away(whole: Sequence[int], published: Sequence[int]) -> int:
    """By how many robots the one is off the other."""
    return sum(abs(a - b) for a, b in zip(whole, published, strict=True))


def _count(value: object) -> int | None:
    """A whole number from 0 on, however it is written (4, "4", 4.0); None where it is none."""
    number = MAX_COUNT if to_float(value) == math.inf else whole_of(value)
    return None if number is None or number < 0 else min(number, MAX_COUNT)
