"""The table [log] of a scenario: what a fleet's own logs and feeds call what the network has.

    [log]
    types = { carrier = ["acme/*"], picker = ["2"] }    # names of robots, or of vehicle types
    states = { CHARGING = "charge", IDLE = "" }         # a log's words for activities or species
    charging = "charge"                                 # what VDA 5050 messages say, as activities
    driving = "drive"
    order = "pick"
    idle = ""
    stations = ["31000", "31001"]                       # of a GBFS feed; all where it is left out
    available = ""                                      # what a GBFS vehicle does that is available

It plays no part in any question about privacy: `covey fit` reads it, and so do `covey publish
--from` and `covey serve`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from covey.errors import InputError, shown
from covey.model.frozen import FrozenMap


@dataclass(frozen=True, init=False)
class LogTable:
    """What logs call things; every part may be left out.

    Args:
        types: For each type, names of robots or of vehicle types; `*` stands for anything.
        states: For a log's word for a state, an activity or a species.
        charging: The activity of a robot whose battery is charging (VDA 5050).
        driving: Else, of one that drives.
        order: Else, of one that has an order to fulfil.
        idle: Else; by default none, as in `{A}`.
        stations: The stations of a GBFS feed that are counted; by default all.
        available: The activity of a vehicle that a GBFS feed counts; by default none, as in `{A}`.
    """

    types: FrozenMap[str, tuple[str, ...]]
    states: FrozenMap[str, str]
    charging: str | None
    driving: str | None
    order: str | None
    idle: str | None
    stations: tuple[str, ...]
    available: str | None

    def __init__(
        self,
        types: Mapping[str, Any] | None = None,
        states: Mapping[str, Any] | None = None,
        charging: str | None = None,
        driving: str | None = None,
        order: str | None = None,
        idle: str | None = None,
        stations: Any = (),
        available: str | None = None,
    ) -> None:
        words = {"charging": charging, "driving": driving, "order": order, "idle": idle}
        for name, word in {**words, "available": available}.items():
            if word is not None and not isinstance(word, str):
                raise InputError(
                    f"log.{name} is {shown(word)}: an activity is expected", key=f"log.{name}"
                )
            object.__setattr__(self, name, word)
        named = {name: _texts(of, f"log.types.{name}") for name, of in _map(types, "types")}
        object.__setattr__(self, "types", FrozenMap(named))
        said = {name: _text(to, f"log.states.{name}") for name, to in _map(states, "states")}
        object.__setattr__(self, "states", FrozenMap(said))
        object.__setattr__(self, "stations", _texts(stations, "log.stations"))

    def table(self) -> dict[str, Any]:
        """As a scenario file has it: what was given, and nothing else."""
        found: dict[str, Any] = {}
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(value, Mapping):
                value = {k: list(v) if isinstance(v, tuple) else v for k, v in value.items()}
            elif isinstance(value, tuple):
                value = list(value)
            if value or value == "":
                found[part.name] = value
        return found


def _map(value: object, name: str) -> list[tuple[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, Mapping):
        raise InputError(
            f"log.{name} is {shown(value)}: a table of names is expected", key=f"log.{name}"
        )
    return list(value.items())


def _text(value: object, key: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{key} is {shown(value)}: a text is expected", key=_key(key))
    return value


def _texts(value: object, key: str) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list | tuple):
        raise InputError(f"{key} is {shown(value)}: a list of names is expected", key=_key(key))
    return tuple(_text(one, key) for one in value)


def _key(name: str) -> str:
    """The key of the table that a value is in."""
    return ".".join(name.split(".")[:2])
