"""The mechanism of a feed: what its file is, what it promises, and the publisher that it makes.

a stand-in              publishes all day
a table for a stream    at the moments that it was judged for, as many as those are
a table for a snapshot  refused, unless each moment is an independent mission
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from covey.errors import InputError
from covey.model.io.clock import UNITS
from covey.model.io.mechanism_file import open_mechanism
from covey.model.io.scenario_file import load
from covey.model.io.stand_in_file import Reference, is_stand_in, open_stand_in
from covey.model.observation.release_table import ReleaseTable
from covey.model.scenario import Scenario
from covey.remedy.own_team import own_team
from covey.serve.inside.stand_in import ServedStandIn
from covey.serve.inside.table import ServedTable
from covey.serve.settings import Settings

_UNIT = 'write unit = "minute" (or second, hour, day) under [time] of the scenario and make it anew'


class Publisher(Protocol):
    """What a feed is published by."""

    @property
    def now(self) -> float:
        """Up to when it has moved."""

    @property
    def known(self) -> bool:
        """Whether the team's state is known."""

    def event(self, time: float, reaction: int) -> None:
        """The team did something."""

    def state(self, time: float, counts: Mapping[str, int]) -> None:
        """Where the team is, as a whole."""

    def lose(self, time: float, why: str) -> None:
        """It is not known any more where the team is."""

    def seen(self, time: float, counts: tuple[object, ...]) -> None:
        """What would be seen."""

    def published(self, time: float) -> dict[str, int] | None:
        """What is published at a time; None where there is nothing yet."""

    def notes(self) -> list[str]:
        """What could not be used since the last time, in words that tell nothing of the team."""

    def saved(self) -> dict[str, Any]:
        """What it needs to go on after a restart."""


@dataclass(frozen=True)
class Mechanism:
    """What is published by.

    Attributes:
        names: The counts.
        digest: By which the file is known again.
        unit: The unit of its times.
        every: From one moment to the next.
        most: How many publications it was judged for; None: any number.
        by_moments: Whether it was judged for so long a time, whether published or not.
        seen: Whether counts alone are enough for it.
        scenario: Its own, where its file has one.
        make: A publisher, from when it begins and what was kept of an earlier one.
    """

    names: tuple[str, ...]
    digest: str
    unit: str
    every: float
    most: int | None
    by_moments: bool
    seen: bool
    scenario: Scenario | None
    make: Callable[[float, Mapping[str, Any] | None], Publisher]

    @property
    def seconds(self) -> int:
        """In a unit."""
        return UNITS[self.unit]


def own_scenario(settings: Settings) -> Scenario | None:
    """The team's own scenario, where one is named."""
    return None if settings.scenario is None else load(settings.scenario)


def mechanism_of(settings: Settings, own: Scenario | None) -> Mechanism:
    """The mechanism that the settings name; refused where it cannot be a feed.

    Args:
        settings: Its file, and how it is to be published.
        own: The team's own scenario.
    """
    if is_stand_in(settings.mechanism):
        return _stand_in(open_stand_in(settings.mechanism), settings, own)
    return _table(open_mechanism(settings.mechanism), settings, own)


def _stand_in(public: Reference, settings: Settings, own: Scenario | None) -> Mechanism:
    for name in ("team", "team_file", "each_is_a_mission"):
        if getattr(settings, name):
            raise InputError(f"{name} is for tables: a stand-in needs none")
    if settings.every is None:
        raise InputError("every is missing, the time from one publication to the next: --every 1")
    scenario = public.scenario
    if own is not None:
        public.check_reactions(own.network, str(settings.scenario))

    def make(begin: float, kept: Mapping[str, Any] | None) -> Publisher:
        return ServedStandIn(public, own, begin, kept, polled=settings.polled)

    return Mechanism(
        tuple(scenario.query.groups(scenario.network)), public.digest,
        _unit(scenario.unit), settings.every, settings.snapshots, False, False, scenario, make,
    )  # fmt: skip


def _table(table: ReleaseTable, settings: Settings, own: Scenario | None) -> Mechanism:
    missions = settings.each_is_a_mission
    if settings.polled:
        raise InputError("polled is for a stand-in: a table draws for what is there at its moments")
    if table.every is None and not missions:
        raise InputError(
            "this mechanism is for one snapshot, and a feed has many: make a stand-in (covey "
            "protect --stand-in) or a table for a stream (covey protect --target), or say that "
            "each moment is an independent mission (--each-is-a-mission)",
            file=settings.mechanism,
        )
    if table.every is not None and settings.every not in (None, table.every):
        raise InputError(
            f"every is {settings.every:g}, and the mechanism was judged for every {table.every:g}: "
            "leave it out"
        )
    every = settings.every if table.every is None else table.every
    if every is None:
        raise InputError("every is missing, the time from one mission to the next: --every 1")
    if own is not None:
        table.check_counts(tuple(own.query.groups(own.network)))
    team = own_team(settings.team, settings.team_file, table)
    unit = _unit(table.unit or (None if own is None else own.unit))
    stale = None if settings.lost_after is None else settings.lost_after / UNITS[unit]

    def make(begin: float, kept: Mapping[str, Any] | None) -> Publisher:
        return ServedTable(table, own, team=team, missions=missions, stale=stale, saved=kept)

    limits = [n for n in (table.snapshots, settings.snapshots) if n is not None]
    return Mechanism(
        table.counts, table.digest, unit, every,
        min(limits, default=None), not missions, True, None, make,
    )  # fmt: skip


def _unit(unit: str | None) -> str:
    if unit is None:
        raise InputError(f"a live feed needs a unit of time: {_UNIT}")
    return unit
