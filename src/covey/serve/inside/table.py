"""A table as the publisher of a feed: at its own moments it draws for what would be seen.

Where that is not known, or is older than `lost_after`, the last value is published again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from covey.errors import InputError
from covey.model.observation.release_table import ReleaseTable
from covey.model.scenario import Scenario
from covey.numbers import Ints, is_number, to_float
from covey.remedy.last_published import LastPublished
from covey.remedy.publisher import Publisher


class ServedTable:
    """Publishes through a table.

    Args:
        table: The table.
        own: The team's own scenario, by which events are counted; None where only counts come.
        team: The team, where the table is one a team.
        missions: Whether each moment is an independent mission.
        stale: How old counts may be that were told; None: any age.
        saved: What `saved` gave before a restart.
    """

    def __init__(
        self,
        table: ReleaseTable,
        own: Scenario | None,
        *,
        team: Mapping[str, int] | None = None,
        missions: bool = False,
        stale: float | None = None,
        saved: Mapping[str, Any] | None = None,
    ) -> None:
        last = None if saved is None else _last(table, saved)
        self._publisher = Publisher(table, last, team=team, each_is_a_mission=missions)
        self._scenario, self._missions = own, missions
        self._stale = math.inf if stale is None else stale
        self._state: Ints | None = None
        self._seen: tuple[object, ...] | None = None
        self._since = -math.inf
        self.now = -math.inf
        self._unknown = self._unreadable = 0
        self._notes: list[str] = []

    @property
    def known(self) -> bool:
        """Whether it is known what would be seen."""
        return self._state is not None or self._seen is not None

    def event(self, time: float, reaction: int) -> None:
        """The team did something."""
        if self._state is None or self._scenario is None:
            return
        changes = self._scenario.network.changes
        after = (
            self._state + changes[reaction] if 0 <= reaction < len(changes) else -self._state - 1
        )
        if (after < 0).any():
            self.lose(time, "a reaction that is not known or cannot happen where the team is")
        else:
            self._state = after

    def state(self, time: float, counts: Mapping[str, int]) -> None:
        """Where the team is, as a whole."""
        if self._scenario is None:
            raise InputError("a whole state, and no scenario that says what is seen of it")
        index = {str(species): i for species, i in self._scenario.network.index.items()}
        state = np.zeros(len(index), dtype=np.int64)
        for name, many in counts.items():
            state[index[name]] = many
        self._state, self._seen, self._since = state, None, math.inf

    def lose(self, time: float, why: str) -> None:
        """It is not known any more where the team is."""
        self._state = self._seen = None
        self._notes.append(why)

    def seen(self, time: float, counts: tuple[object, ...]) -> None:
        """What would be seen."""
        self._seen, self._state, self._since = counts, None, time

    def published(self, time: float) -> dict[str, int] | None:
        """What is published at a time; None where there is nothing yet."""
        self.now = time
        counts = self._counts(time)
        if counts is None and self._missions:
            last = self._publisher.last
            return None if last is None else self._named(last.published)
        try:
            return self._named(self._publisher.draw(counts or self._nothing, time))
        except InputError:  # nothing was published yet that could be repeated
            return None

    @property
    def _nothing(self) -> tuple[None, ...]:
        return (None,) * len(self._publisher.table.counts)

    def _named(self, published: tuple[int, ...]) -> dict[str, int]:
        return dict(zip(self._publisher.table.counts, published, strict=True))

    def _counts(self, time: float) -> tuple[object, ...] | None:
        if self._state is not None and self._scenario is not None:
            query, index = self._scenario.query, self._scenario.network.index
            return tuple(query.shown(self._state[None], index)[0].tolist())
        return self._seen if time - self._since <= self._stale else None

    def notes(self) -> list[str]:
        """What could not be used since the last time; it tells nothing of the team."""
        notes, self._notes = self._notes, []
        publisher = self._publisher
        publisher.notes.clear()
        if publisher.unknown > self._unknown:
            notes.append("what is there is not in the mechanism")
        if publisher.unreadable > self._unreadable:
            notes.append("the last value was published again")
        self._unknown, self._unreadable = publisher.unknown, publisher.unreadable
        return notes

    def saved(self) -> dict[str, Any]:
        """What was published last, for a restart."""
        last = self._publisher.last
        if last is None:
            return {}
        times = {"time": last.time, "first": last.first}
        finite = {name: t if math.isfinite(t) else None for name, t in times.items()}
        return {"published": list(last.published), **finite}


def _last(table: ReleaseTable, saved: Mapping[str, Any]) -> LastPublished | None:
    if not saved:
        return None
    published = saved["published"]
    times = [-math.inf if saved[n] is None else saved[n] for n in ("time", "first")]
    if published not in table.published.tolist() or not all(map(is_number, times)):
        raise ValueError
    time, first = map(to_float, times)
    if max(time, first) == math.inf:
        raise ValueError
    return LastPublished(tuple(published), time, first)
