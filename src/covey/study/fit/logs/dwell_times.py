"""How long every robot was in a state, from the rows of a log of robots.

A robot enters a species with the row that says so, if it was somewhere else in its row before, and
leaves it with the next row that says something else. Where it was when the log begins it may have
been for any time: that is left out. A time that ends with the log, or with a robot that is lost, is
known from below.
"""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np

from covey.errors import InputError
from covey.model.io.clock import Clock
from covey.model.scenario import Scenario
from covey.model.team import read_fleet
from covey.study.fit.erlang_likelihood import Dwells
from covey.study.fit.logs.cadence import LOOKED_AT, Cadence
from covey.study.fit.logs.feeds.sources import Source, open_source
from covey.study.fit.logs.reading import Reading
from covey.study.fit.logs.robots.robot_file import marked, robot_rows
from covey.study.fit.logs.robots.robot_states import OUT, RobotStates
from covey.study.fit.logs.table import BadLines

Counted = dict[int, str]  # for a species, by its number, the type whose robots are looked at
_NOT_ROBOTS = (
    "how many stages a time has is seen where single robots are: a log with columns time, robot "
    "and state is expected"
)


def dwell_times(
    file: str | Path,
    scenario: Scenario,
    counted: Counted,
    reading: Reading | None,
    source: Source,
    until: float | str | None,
) -> dict[int, Dwells]:
    """The times of robots in some species, in a log with a row for every robot and change.

    Args:
        file: The log; it is read once more, so that it is no stream.
        scenario: Its network, without stages, says what states are.
        counted: Which species, and by robots of which type.
        reading: How the file is to be read.
        source: What the file is, if it is not a log.
        until: How long was watched; by default up to the last row.
    """
    if str(file) == "-":
        raise InputError("stages are found in a second pass through the log: give a file, not -")
    how = reading or Reading()
    table = open_source(source, str(file), scenario, how.columns, None, BadLines(how.skip_bad))
    if "robot" not in {name.lower().strip() for name in table.columns}:
        raise InputError(_NOT_ROBOTS, file=str(file))
    clock = Clock(how.unit or scenario.unit, dated=how.unit is not None)
    fleet = {} if how.fleet is None else {robot: type_ for _, robot, type_ in read_fleet(how.fleet)}
    rows = robot_rows(table, clock)
    first = list(itertools.islice(rows, LOOKED_AT))
    cadence = Cadence.of((row.time, row.robot, row.state) for row in first)
    if cadence.polled if how.polled is None else how.polled:
        raise InputError(
            "the log was polled, so that times in a state are not seen from end to end: how many "
            "stages they have is not told by it",
            file=str(file),
        )

    def patience(state: str) -> float:
        return cadence.patience(state) if how.lost_after is None else how.lost_after

    def end(last: float) -> float:
        return last if until is None else max(last, clock.until(until))

    stays = _Stays(scenario, fleet, counted)
    now = -math.inf
    for row, lost in marked(itertools.chain(first, rows), patience, end):
        now = max(now, row.time)
        stays.row(row.time, row.robot, row.type, row.from_, row.state)
        if lost:
            stays.lose(row.robot, row.time)
    return stays.finish(end(now))


class _Stays:
    """Where every robot is, and since when."""

    def __init__(self, scenario: Scenario, fleet: dict[str, str], counted: Counted) -> None:
        self.states, self.counted = RobotStates(scenario, fleet), counted
        self.types: dict[str, str | None] = {}
        self.places: dict[str, tuple[int, float | None]] = {}  # since when: None is not known
        self.ended: dict[int, list[float]] = {place: [] for place in counted}
        self.cut: dict[int, list[float]] = {place: [] for place in counted}

    def row(self, time: float, robot: str, said: str, before: str | None, state: str) -> None:
        if robot not in self.types:
            self.types[robot] = self.states.type_of(robot, said, before or state)
        type_ = self.types[robot]
        if type_ is None:
            return
        if state == OUT:
            self.lose(robot, time)
            return
        place = self.states.place_of(type_, state)
        here, since = self.places.get(robot, (None, None))
        if place == here:
            return
        if here is not None and since is not None:
            self._note(self.ended, type_, here, time - since)
        known = here is not None or before is not None
        self.places[robot] = place, time if known else None

    def lose(self, robot: str, time: float) -> None:
        """From here on it is not known where a robot is."""
        here, since = self.places.pop(robot, (None, None))
        type_ = self.types.get(robot)
        if here is not None and since is not None and type_ is not None:
            self._note(self.cut, type_, here, time - since)

    def finish(self, until: float) -> dict[int, Dwells]:
        """All times, at the end of the log."""
        for robot in list(self.places):
            self.lose(robot, until)
        return {
            place: Dwells(np.array(self.ended[place]), np.array(self.cut[place]))
            for place in self.counted
        }

    def _note(self, times: dict[int, list[float]], type_: str, place: int, time: float) -> None:
        if self.counted.get(place) == type_ and (time > 0 or times is self.ended):
            times[place].append(time)
