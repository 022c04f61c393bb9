"""Hypothesis: another scenario that the real one must not be told from, under a name for people.

    Neighbour     one robot has another type             one picker turned carrier
    Arrival       so has one that arrived                 a picker that arrived 3 ago instead of ...
    Absent        one robot is not there at all           one picker fewer
    OtherStart    one robot began somewhere else          one picker beginning at dock{picker}
    OtherValues   the file has other values               meet at 0.1

All have the same reactions. The first three are in `team`, which knows its neighbours.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from covey.model.frozen import FrozenMap
from covey.model.species import Species
from covey.numbers import is_whole
from covey.showing import Showing
from covey.words import a_or_an, many


class Hypothesis(Showing):
    """What the scenario could be instead; `str` gives its name."""

    __slots__ = ()

    @property
    def about(self) -> str:
        """The type of the robot that it is about; where it is about none, its name."""
        return str(self)

    @property
    def whose(self) -> str:
        """What somebody learns who tells the two apart."""
        return "which of the two it is"

    @property
    def told(self) -> str:
        """The same after "somebody tells": "one picker from a carrier"."""
        return f"this team from one with {self}"

    @property
    def key(self) -> Hashable:
        """What makes it another one, whenever a robot arrived."""
        return self

    def keys(self) -> dict[str, Any]:
        """It as JSON."""
        raise NotImplementedError


@dataclass(frozen=True)
class OtherStart(Hypothesis):
    """The same team, of which one robot began somewhere else.

    Attributes:
        type: The type of the robot.
        place: Where it began.
    """

    type: str
    place: Species

    @property
    def about(self) -> str:
        """The type of the robot."""
        return self.type

    @property
    def whose(self) -> str:
        """What somebody learns who tells the two apart."""
        return "where a robot began"

    @property
    def told(self) -> str:
        """The same after "somebody tells"."""
        return f"whether {one_robot(self.type)} began at {self.place}"

    def keys(self) -> dict[str, Any]:
        """It as JSON."""
        return {"type": self.type, "start": str(self.place)}

    def __str__(self) -> str:
        return f"{one_robot(self.type)} beginning at {self.place}"


@dataclass(frozen=True, init=False)
class OtherValues(Hypothesis):
    """The scenario with other values: counts, rates, initial places, the time.

    OtherValues({"rates.meet": 0.1}, "a slower shift")

    Args:
        values: Other values by their dotted names.
        name: What people call it; by default what it sets, as "meet at 0.1".
    """

    values: FrozenMap[str, Any]
    name: str

    def __init__(self, values: Mapping[str, Any], name: str = ""):
        object.__setattr__(self, "values", FrozenMap(values))
        object.__setattr__(self, "name", name or _said(values))

    @property
    def of_counts(self) -> bool:
        """Whether only counts and places differ, and neither rates nor the moment."""
        return all(name.startswith(("types.", "resources.", "initial.")) for name in self.values)

    def keys(self) -> dict[str, Any]:
        """It as JSON."""
        return {"set": dict(self.values)}

    def table(self) -> dict[str, Any]:
        """It as a scenario file has it."""
        named = {} if self.name == _said(self.values) else {"name": self.name}
        return {**named, "set": dict(self.values)}

    def __str__(self) -> str:
        return self.name


def one_robot(type_: str) -> str:
    """Some robot of a type, in a sentence."""
    return f"one robot of type {type_}" if type_.isdecimal() else f"one {type_}"


def of_two_types(own: str, other: str) -> str:
    """Two types that somebody tells apart: `picker from a carrier`."""
    if own.isdecimal() or other.isdecimal():
        return f"robot of type {own} from one of type {other}"
    return f"{own} from {a_or_an(other)}"


def _said(values: Mapping[str, Any]) -> str:
    """Other values in the words of people: "meet at 0.1, 3 pickers"."""
    return ", ".join(_one_said(dotted, value) for dotted, value in values.items())


def _one_said(dotted: str, value: object) -> str:
    table, _, name = dotted.partition(".")
    if table in ("types", "resources") and is_whole(value):
        return many(value, name)
    if dotted == "adversary.at":
        return f"seen at {value}"
    if table == "initial" and isinstance(value, str):
        return f"{name} beginning at {value}"
    return f"{name} at {value}"
