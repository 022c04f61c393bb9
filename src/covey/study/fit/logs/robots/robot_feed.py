"""A stand-in published from what robots say of themselves, as `covey fit` reads it, on a clock.

Out go the times t, t + D, t + 2 D, … from the first row on (`stand_in_feed`). A time is published
once all is known that was up to it: when a row came that is later by more than `together`. Rows are
read in the order of time; one that is earlier than what was published is late (`live_fleet`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from covey.errors import InputError
from covey.model.io.clock import Clock
from covey.model.scenario import Scenario
from covey.model.team import read_fleet
from covey.remedy.stand_in.publishing.coupled_publisher import CoupledPublisher
from covey.remedy.stand_in.publishing.feed_lines import UNIT
from covey.remedy.stand_in.publishing.stand_in_feed import Published, StandInFeed
from covey.study.fit.logs.reading import Reading
from covey.study.fit.logs.robots.live_fleet import LiveFleet
from covey.study.fit.logs.robots.robot_file import robot_rows
from covey.study.fit.logs.table import Table

_MOST_AHEAD = 100_000  # lines that would be published before a row: more is a wrong time


@dataclass(eq=False)
class RobotFeed(StandInFeed):
    """Publishes a stand-in from rows of robots.

    Args:
        scenario: The team's own: how many robots there are, and in [log] what they call states.
        reading: Which robot is of which type, how far apart rows of one event may be, and after
            which silence a robot has left.
    """

    scenario: Scenario | None = None
    reading: Reading = field(default_factory=Reading)
    _fleet: LiveFleet | None = field(default=None, init=False)

    def published(self, table: Table) -> Iterator[Published]:
        """What is published, by the times of the rows.

        Args:
            table: The rows; what cannot be read of it is skipped and counted.
        """
        clock = Clock(self.public.scenario.unit)
        last = -math.inf
        for row in robot_rows(table, clock):
            if clock.dated and (clock.unit is None or self.file is not None):
                raise InputError(
                    f"times are dates: give them as numbers, or {UNIT}"
                    if clock.unit is None
                    else "--state goes with times that are numbers: dates are counted from the "
                    "first line on, which another run does not know"
                )
            fleet = self._fleet or self._hear(row.time)
            if row.time - max(last, self._begin) > _MOST_AHEAD * self._step:
                table.bad.take(InputError("the time lies too far ahead", line=row.line))
                continue
            yield from self._before(fleet, row.time)
            fleet.row(row.time, row.robot, row.state, row.type)
            last = max(last, row.time)
        if self._fleet is None:
            raise InputError("no row could be read: a row for each robot and change is expected")
        yield from self._before(self._fleet, math.nextafter(last + self._fleet.together, math.inf))
        self._save(complete=True)

    @property
    def refused(self) -> Mapping[str, int]:
        """How many rows could not be used, by why; none tells anything of the team."""
        return {} if self._fleet is None else self._fleet.refused

    @property
    def _step(self) -> float:
        if self.every is None:
            raise InputError("what robots say is published on a clock: --every D is needed")
        return self.every

    def _hear(self, time: float) -> LiveFleet:
        """The first row: the stand-in begins, anew or as the run before left it, alone."""
        own, how, saved = self.scenario, self.reading, self._saved
        assert own is not None
        start = dict(zip(map(str, own.network.species), own.start.tolist(), strict=True))
        self._publisher = CoupledPublisher(
            self.public, start, time, network=own.network,
            saved=None if saved is None else saved.pair,
        )  # fmt: skip
        self._begin = time
        if not time + self._step > time:
            raise InputError(f"every is {self._step:g}: beside the time {time:g} that is nothing")
        if saved is not None:
            self._begin, self._ticks = saved.begin, saved.ticks
        rows = () if how.fleet is None else read_fleet(how.fleet)
        fleet = {robot: type_ for _, robot, type_ in rows}
        self._fleet = LiveFleet(
            own, fleet, self._publisher, together=how.together, lost_after=how.lost_after
        )
        return self._fleet

    def _before(self, fleet: LiveFleet, time: float) -> Iterator[Published]:
        """What is due by now, as all rows before a time are there."""
        while (due := self._begin + self._ticks * self._step) + fleet.together < time:
            fleet.advance(max(due + fleet.together, fleet.heard_until))
            yield from self._due(due, including=True)
        assert self._publisher is not None
        self._publisher.notes.clear()  # `refused` counts them
