"""Lines of a feed about the real team: events, or whole states at times.

    sample,time,reaction,{carrier},{dock},…     CSV, as `covey simulate --events` writes it: the
    0,0.0,,6,3,4,0,0,0                          first row has no reaction, but the whole state
    0,0.63,"{carrier} + {picker} -> …",…
    time,{carrier},{dock},…                     without a column reaction: whole states at times
    {"time": 0.63, "reaction": "meet"}          or an object a line; {"time": 0, "state": {…}} tells
                                                the whole state, {"time": 9} that it is 9 by now

A reaction is named as the network writes it, by its name, or by its number from 1 (`3` or `r3`). A
row with a reaction and the counts of all species tells what the reaction led to: it is checked.
Times are numbers in the scenario's unit, dates or epoch times (`Clock`).
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from covey.errors import InputError
from covey.files.json_reader import object_in
from covey.model.io.clock import Clock
from covey.model.network import Network
from covey.model.team import MAX_COUNT
from covey.numbers import whole_of

Say = Callable[[str], None]
_NOT_ENOUGH = "Counts that are seen are not enough, since the stand-in moves along with every robot"
UNIT = (
    'write unit = "minute" (or second, hour, day) under [time] of the scenario and make the '
    "stand-in anew"
)
BEGIN = (
    "the feed begins with an event: a first row that tells the whole state, with no reaction, is "
    f"expected. {_NOT_ENOUGH}"
)


@dataclass(frozen=True)
class Line:
    """What a line tells.

    Attributes:
        number: Of the line.
        time: When; 0 where the wall's clock counts.
        reaction: The number of a reaction, -1 for one that is not known; None where none is told.
        state: How many there are of each species; None where that is not told.
    """

    number: int
    time: float
    reaction: int | None
    state: dict[str, int] | None


class FeedLines:
    """Reads the lines of one feed.

    Args:
        network: Whose reactions and species they name.
        unit: What dates are counted in.
        say: Called with what could not be used: `-:7: …`.
        live: Whether the wall's clock counts, and no time is read.
    """

    def __init__(self, network: Network, unit: str | None, say: Say, *, live: bool = False) -> None:
        self._reactions = reaction_numbers(network)
        self._species = {str(one) for one in network.species}
        self.clock, self._say, self._live = Clock(unit), say, live
        self._header: list[str] | None = None
        self._objects = False  # whether the first line was one: then a broken line names no columns
        self._number = 0

    @property
    def states_only(self) -> bool:
        """Whether the first line names no column for reactions."""
        return self._header is not None and "reaction" not in self._header

    def read(self, text: str) -> Line | None:
        """The next line; None where it tells nothing."""
        self._number += 1
        text = text.removeprefix("\ufeff")
        if not text.strip():
            return None
        self._objects = self._objects or (self._header is None and text.lstrip().startswith("{"))
        if self._header is None and not self._objects:
            self._header = self._names(text)
            return None
        cells = self._cells(text)
        time = 0.0 if self._live else self._time(cells)
        if time is None:
            self._say(f"-:{self._number}: there is no time that can be read: the line is left out")
            return None
        named = str(cells.get("reaction") or "").strip()
        reaction = self._reactions.get(named.replace(" ", ""), -1) if named else None
        return Line(self._number, time, reaction, self._state(cells))

    def _names(self, text: str) -> list[str]:
        try:
            names = [cell.strip() for cell in next(csv.reader([text]))]
        except csv.Error as error:
            raise InputError(f"not a line of CSV: {error}", file="-", line=self._number) from None
        timed = self._live or "time" in names
        if not timed or not ("reaction" in names or self._species <= set(names)):
            raise InputError(
                "the first line does not name the columns time and reaction: events are expected, "
                "as covey simulate --events writes them, or a column for each species. "
                f"{_NOT_ENOUGH}",
                file="-",
                line=self._number,
            )
        return names

    def _cells(self, text: str) -> Mapping[str, Any]:
        """What a line holds, by name; nothing where it cannot be read."""
        if self._header is None:
            return object_in(text) or {}
        try:
            return dict(zip(self._header, next(csv.reader([text]), []), strict=False))
        except csv.Error:
            return {}

    def _time(self, cells: Mapping[str, Any]) -> float | None:
        try:
            time = self.clock.read(str(cells["time"]))
        except (KeyError, InputError):
            return None
        if self.clock.dated and self.clock.unit is None:
            raise InputError(
                f"times are dates: give them as numbers, or {UNIT}", file="-", line=self._number
            )
        return time

    def _state(self, cells: Mapping[str, Any]) -> dict[str, int] | None:
        """The whole state that a line tells; None where it tells none."""
        told = cells.get("state")
        if not isinstance(told, dict):
            told = {name: value for name, value in cells.items() if name in self._species}
            if len(told) < len(self._species):
                return None
        elif not set(told) <= self._species:
            return None
        counts: dict[str, int] = {}
        for name, value in told.items():
            count = whole_of(value)
            if count is None or not 0 <= count <= MAX_COUNT:
                return None
            counts[str(name)] = count
        return counts or None


def reaction_numbers(network: Network) -> dict[str, int]:
    """The number of each reaction, by all that it may be called.

    Args:
        network: Whose reactions they are.
    """
    found: dict[str, int] = {}
    for number, reaction in enumerate(network.reactions):
        for name in (reaction.arrow, reaction.name or "", str(number + 1), f"r{number + 1}"):
            if name:
                found.setdefault(name.replace(" ", ""), number)
    return found
