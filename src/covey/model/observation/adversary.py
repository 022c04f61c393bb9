"""Adversary: who looks at the team, when, and whom it must not tell apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from covey.errors import InputError, shown
from covey.model.observation.probe import Probe, read_probes
from covey.model.species import natural_order
from covey.numbers import as_float

Steady = Literal["steady"]
Moment = float | Steady  # when somebody looks
Follow = Literal["alone", "beside"]  # the counts


@dataclass(frozen=True)
class Adversary:
    """Who looks, and whom it must not tell apart.

    Args:
        at: When: a time, or "steady" for long after the start.
        smoothing: ν, added to every probability before two are compared.
        protect: The types between which a robot must not be told apart; by default all.
        follow: Whether one robot is followed, and what is seen is what that one does: True or
            "alone", or "beside" where the counts are seen as well; by default nobody is followed.
        probe: What the observer may do to the team, besides looking, to see how it answers: probes,
            or tables as a scenario file has them; by default nothing.
    """

    at: Moment = "steady"
    smoothing: float = 0.0
    protect: tuple[str, ...] | None = None
    follow: Follow | None = None
    probe: tuple[Probe, ...] = ()

    def __post_init__(self) -> None:
        if self.at != "steady":
            object.__setattr__(self, "at", _not_negative(self.at, "at", 'a time or "steady"'))
        smoothing = _not_negative(self.smoothing, "smoothing", "a number")
        object.__setattr__(self, "smoothing", smoothing)
        if self.protect is not None:
            object.__setattr__(self, "protect", _names(self.protect, "adversary.protect"))
        object.__setattr__(self, "follow", _follow(self.follow))
        object.__setattr__(self, "probe", read_probes(self.probe))

    def table(self) -> dict[str, Any]:
        """The same as a scenario file has it; what is not said is left out."""
        said = {
            "protect": list(self.protect or ()),
            "follow": True if self.follow == "alone" else self.follow,
            "probe": [probe.table() for probe in self.probe],
        }
        return {"at": self.at, "smoothing": self.smoothing} | {k: v for k, v in said.items() if v}


def _not_negative(value: object, name: str, expected: str) -> float:
    key = f"adversary.{name}"
    number = as_float(value, key, expected, key)
    if not 0 <= number < math.inf:
        raise InputError(f"{key} is {number:g}: it must be finite and not negative", key=key)
    return number


def _follow(value: object) -> Follow | None:
    if value is None or value is False:
        return None
    if value is True or value == "alone":
        return "alone"
    if value == "beside":
        return "beside"
    raise InputError(
        f"adversary.follow is {shown(value)}: true (one robot is followed, and nothing else seen), "
        '"beside" (the counts are seen as well) or false is expected',
        key="adversary.follow",
    )


def _names(value: object, key: str) -> tuple[str, ...]:
    if not isinstance(value, Iterable) or isinstance(value, str | Mapping):
        raise InputError(f'{key} is {shown(value)}: a list such as ["A", "B"] is expected', key=key)
    if not all(isinstance(name, str) for name in value):
        raise InputError(f"{key} is {shown(value)}: names of types are expected", key=key)
    names = tuple(sorted(set(value), key=natural_order))
    if len(names) < 2:
        raise InputError(f"{key} names {len(names)} types: a robot moves between two", key=key)
    return names
