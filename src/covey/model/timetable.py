"""Timetable: rates that change at known times, as over a shift with a lunch break.

    [time]
    unit = "minute"
    period = 1440                     # optional: the timetable begins again, day after day

    [[phase]]
    until = 240                       # the morning, at the rates of [rates]
    [[phase]]
    name = "lunch"
    until = 285
    set = { "rates.meet" = 0.02 }     # other rates until then

Phases follow each other from time 0 on; a phase without `until` is the last. After the last phase,
and in a phase that sets nothing, the rates are those of [rates]. Within a phase rates are constant,
so that over a span the chain moves by exp(K_m d_m) ⋯ exp(K_1 d_1), one factor a phase.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from covey.errors import InputError, TooLargeError, did_you_mean, shown
from covey.model.frozen import FrozenMap
from covey.numbers import as_float

MOST_PHASES = 1_000
_MOST_SEGMENTS = 100_000  # of one span
_KEYS = ("name", "until", "set")


@dataclass(frozen=True)
class Phase:
    """A part of the day in which rates are constant.

    Attributes:
        until: When it ends; infinite for one that never does.
        rates: The rates that are not those of [rates] meanwhile.
        name: What it is called; may be empty.
    """

    until: float
    rates: FrozenMap[str, float]
    name: str = ""


@dataclass(frozen=True)
class Timetable:
    """When rates change, and to what; empty where they never do.

    Attributes:
        phases: One after the other, from time 0 on.
        period: After which it begins again; None where it does not.
    """

    phases: tuple[Phase, ...] = ()
    period: float | None = None

    @classmethod
    def read(cls, phases: object, period: object = None) -> Timetable:
        """The timetable that a scenario file writes; errors carry the dotted name as `key`.

        Args:
            phases: The tables [[phase]], in order.
            period: The value of `time.period`, or None.
        """
        if not isinstance(phases, Sequence) or isinstance(phases, str):
            raise InputError(
                f"phase is {shown(phases)}: tables [[phase]] are expected", key="phase"
            )
        if len(phases) > MOST_PHASES:
            raise TooLargeError(
                f"there are {len(phases):,} phases, and at most {MOST_PHASES:,} fit"
            )
        found = tuple(_read_phase(i, one) for i, one in enumerate(phases))
        _check_order(found)
        if period is None:
            return cls(found)
        span = as_float(period, "time.period", "a time", "time.period")
        if not 0 < span < math.inf:
            raise InputError(
                f"time.period is {span:g}: a time above 0 is expected", key="time.period"
            )
        if not found:
            raise InputError(
                "time.period repeats a timetable, and there is none: write tables [[phase]] with "
                "until and set",
                key="time.period",
            )
        last = max((one.until for one in found if math.isfinite(one.until)), default=0.0)
        if last > span or (last == span and math.isinf(found[-1].until)):
            raise InputError(
                f"time.period is {span:g}, and a phase goes on until {last:g}: phases end within "
                "the period",
                key="time.period",
            )
        return cls(found, span)

    def __bool__(self) -> bool:
        return bool(self.phases)

    def check_rates(self, rates: Mapping[str, float]) -> None:
        """Refuses phases that set rates which [rates] does not have.

        Args:
            rates: The named rates of the network.
        """
        for i, phase in enumerate(self.phases):
            for name in phase.rates:
                if name not in rates:
                    hint = did_you_mean(name, rates) or f" Known: {', '.join(rates) or 'none'}."
                    raise InputError(
                        f"phase {i + 1} sets rates.{name[:40]}, which is not in [rates].{hint}",
                        key=f"phase.{i}",
                    )

    def segments(self, begin: float, end: float) -> list[tuple[int, float]]:
        """The phases of a span with their durations; the number after the last is outside all.

        Args:
            begin: When the span begins.
            end: When it ends.
        """
        found: list[tuple[int, float]] = []
        for phase, ends in self._ends(begin):
            until = min(ends, end)
            if until > begin:
                found.append((phase, until - begin))
                begin = until
            if begin >= end:
                return found
            if len(found) > _MOST_SEGMENTS:
                raise TooLargeError(
                    f"by time {end:g} rates change more than {_MOST_SEGMENTS:,} times: ask for an "
                    "earlier time, or for the steady state"
                )
        raise AssertionError("phases end before the span")

    def phase_at(self, time: float) -> int:
        """The number of the phase that a time lies in; at a border, of the one that begins.

        Args:
            time: From 0 on.
        """
        return next(phase for phase, ends in self._ends(time) if ends > time)

    def _ends(self, begin: float) -> Iterator[tuple[int, float]]:
        """The phases from a time on: their numbers, and when each ends; without end if repeated."""
        outside = len(self.phases)
        if self.period is None:
            yield from ((i, phase.until) for i, phase in enumerate(self.phases))
            yield outside, math.inf
            return
        turn = math.floor(begin / self.period)
        while True:
            start = turn * self.period
            for i, phase in enumerate(self.phases):
                yield i, start + min(phase.until, self.period)
            yield outside, start + self.period
            turn += 1

    def table(self) -> list[dict[str, Any]]:
        """The tables [[phase]] that mean this."""
        tables = []
        for phase in self.phases:
            table: dict[str, Any] = {"name": phase.name} if phase.name else {}
            if math.isfinite(phase.until):
                table["until"] = phase.until
            if phase.rates:
                table["set"] = {f"rates.{name}": rate for name, rate in phase.rates.items()}
            tables.append(table)
        return tables

    def __str__(self) -> str:
        begin, parts = 0.0, []
        for i, phase in enumerate(self.phases):
            ends = f"to {phase.until:g}" if math.isfinite(phase.until) else "on"
            rates = ", ".join(f"{name} {rate:g}" for name, rate in phase.rates.items())
            parts.append(f"{phase.name or f'phase {i + 1}'} from {begin:g} {ends}"
                         + (f" ({rates})" if rates else ""))  # fmt: skip
            begin = phase.until
        again = "" if self.period is None else f", again every {self.period:g}"
        return "; ".join(parts) + again


def _read_phase(number: int, table: object) -> Phase:
    key = f"phase.{number}"
    if not isinstance(table, Mapping):
        raise InputError(f"phase {number + 1} is {shown(table)}: a table is expected", key=key)
    for name in table:
        if name not in _KEYS:
            hint = did_you_mean(name, _KEYS) or f" Known: {', '.join(_KEYS)}."
            raise InputError(f"[[phase]] has no {str(name)[:40]}.{hint}", key=f"{key}.{name}")
    until = math.inf
    if "until" in table:
        until = as_float(table["until"], f"{key}.until", "a time", f"{key}.until")
        if not 0 < until < math.inf:
            raise InputError(
                f"phase {number + 1} goes on until {until:g}: a time above 0 is expected",
                key=f"{key}.until",
            )
    name = table.get("name", "")
    if not isinstance(name, str):
        raise InputError(f"its name is {shown(name)}: a text is expected", key=f"{key}.name")
    changes = table.get("set", {})
    if not isinstance(changes, Mapping):
        raise InputError(
            f'set is {shown(changes)}: rates are expected, as {{ "rates.meet" = 0.1 }}',
            key=f"{key}.set",
        )
    return Phase(
        until,
        FrozenMap(read_rate(one, rate, "phase", f"{key}.set") for one, rate in changes.items()),
        name,
    )


def read_rate(name: str, value: object, of: str, key: str | None = "set") -> tuple[str, float]:
    """A rate that holds for a while: its name without the table, and what it is.

    Args:
        name: As the file has it, "rates.meet".
        value: The rate, above 0.
        of: What sets it: a phase, a probe.
        key: The dotted name in the file.
    """
    table, _, rate = name.partition(".")
    if table != "rates" or not rate:
        raise InputError(
            f"a {of} sets {shown(name)}: only rates change with the time, as rates.meet",
            key=key,
        )
    number = as_float(value, name, "a rate", key)
    if not 0 < number < math.inf:
        raise InputError(
            f"{name} is {number:g} in a {of}: a rate above 0 is expected; for a pause take one "
            "that is small beside the others",
            key=key,
        )
    return rate, number


def _check_order(phases: Sequence[Phase]) -> None:
    for i, (one, after) in enumerate(itertools.pairwise(phases)):
        if not one.until < after.until:
            said = "never ends" if math.isinf(one.until) else f"ends at {one.until:g}"
            raise InputError(
                f"phase {i + 1} {said}, and phase {i + 2} comes after it: phases are expected in "
                "the order of time, each with a later until",
                key=f"phase.{i + 1}",
            )
