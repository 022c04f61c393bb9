"""What a message or a line says about the team.

{"serialNumber": …, "driving": …}           a message of VDA 5050, bare or wrapped
{"time": …, "robot": "r1", "state": "charge", "type": "carrier"}      a robot's state
{"time": …, "reaction": "meet"}             an event: as written, by name or number
{"time": …, "state": {"{carrier}": 4, …}}   the whole state; or a column for each species
{"time": …, "driving": 4, "picking": 2, …}  what would be seen, which is enough for a table
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from covey.errors import InputError
from covey.model.io.log_table import LogTable
from covey.model.network import Network
from covey.numbers import whole_of
from covey.remedy.stand_in.publishing.feed_lines import reaction_numbers
from covey.serve.inside.times import Times
from covey.study.fit.logs.feeds.vda5050 import Messages, is_message, unwrapped


class Robot(NamedTuple):
    """A robot is in a state."""

    name: str
    state: str
    type: str


class Event(NamedTuple):
    """The team did something: the number of a reaction, -1 for one that is not known."""

    reaction: int


class State(NamedTuple):
    """How many there are of each species."""

    counts: dict[str, int]


class Seen(NamedTuple):
    """How many there are of each count that is published."""

    counts: tuple[object, ...]


class Gap(NamedTuple):
    """Something may have been missed: nothing is known until those are heard of again.

    `robot` is whose messages; empty: anybody's.
    """

    why: str
    robot: str = ""


Heard = Robot | Event | State | Seen | Gap


class RefusedError(Exception):
    """Something that is not understood; the reason is a few words that tell nothing of the team."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Reader:
    """Reads what was said.

    Args:
        network: Whose species and reactions are named; None for a table without a scenario.
        log: The words of messages.
        names: The counts of a table; empty for a stand-in, to which counts are not enough.
        times: When things happened.
    """

    def __init__(
        self, network: Network | None, log: LogTable, names: tuple[str, ...], times: Times
    ) -> None:
        self._species = set() if network is None else {str(one) for one in network.species}
        self._reactions = {} if network is None else reaction_numbers(network)
        self._names, self._times = names, times
        self._log, self._messages = log, None if network is None else _messages(log)

    def read(self, found: Mapping[str, Any], arrived: float) -> tuple[float, list[Heard]]:
        """When, and what.

        Args:
            found: An object, or the cells of a row by the names of their columns.
            arrived: When it came, in seconds since 1970.
        """
        try:
            message = unwrapped(found)
            if "serialNumber" in message:
                return self._robot(message, arrived)
            heard = self._heard(found)
            return self._time(found.get("time"), arrived), heard
        except InputError:
            raise RefusedError("not understood") from None

    def _robot(self, message: Mapping[str, Any], arrived: float) -> tuple[float, list[Heard]]:
        if self._messages is None:
            raise RefusedError("a message of VDA 5050, and no [log] of a scenario to read it by")
        row = self._messages.row(message)
        if row is None:
            if not is_message(message):
                raise RefusedError("another topic")
            return self._times.clock.model(arrived), []
        time, robot, state = row
        return self._time(time, arrived), [Robot(robot, state, "")]

    def _time(self, cell: object, arrived: float) -> float:
        try:
            return self._times.read(cell, arrived)
        except InputError:
            raise RefusedError("no time that can be read") from None

    def _heard(self, found: Mapping[str, Any]) -> list[Heard]:
        if robot := found.get("robot"):
            return [Robot(str(robot), str(found.get("state", "")), str(found.get("type") or ""))]
        heard: list[Heard] = []
        if named := str(found.get("reaction") or "").strip():
            heard.append(Event(self._reactions.get(named.replace(" ", ""), -1)))
        if (state := self._state(found)) is not None:
            heard.append(state)
        elif self._names and all(name in found for name in self._names):
            heard.append(Seen(tuple(found[name] for name in self._names)))
        if not heard:
            raise RefusedError("neither a robot, an event nor a whole state")
        return heard

    def _state(self, found: Mapping[str, Any]) -> State | None:
        told = found.get("state")
        if not isinstance(told, Mapping):
            told = {name: value for name, value in found.items() if name in self._species}
            if not told or len(told) < len(self._species):
                return None
        counts: dict[str, int] = {}
        for name, value in told.items():
            if (count := whole_of(value)) is None:
                raise RefusedError("a count that is no whole number")
            counts[str(name)] = count
        if not set(counts) <= self._species or min(counts.values(), default=-1) < 0:
            raise RefusedError("a state with an unknown species or a negative count")
        return State(counts)


def _messages(log: LogTable) -> Messages | None:
    try:
        return Messages(log, sorted_later=True)
    except InputError:  # it has no words for what such messages say
        return None
