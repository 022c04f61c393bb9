"""Where every robot of a team is, row after row, and what that comes to.

Rows at the same time, or within `together` of the first, are one moment: reactions that explain all
its changes at once are looked for (`robot_changes`), and a reaction that moves several robots needs
the rows of all of them. A change that no reactions explain ends the run, and another begins as soon
as it is known again where everybody is: the time before and after counts, the change does not.
While a robot is in a state that the network does not know, nothing is watched.

A robot that is lost, or does not work by itself (`OUT`), is not watched from its last row to its
next one, and a change in between is left out; one that is heard of late is watched from then on.
The others go on (`whereabouts` says when that is right).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from covey.errors import InputError, shown
from covey.model.scenario import Scenario
from covey.study.fit.logs.anomalies import Anomalies
from covey.study.fit.logs.robot_changes import Change, Explanations
from covey.study.fit.logs.robot_states import NOWHERE, OUT, UNKNOWN, RobotStates
from covey.study.fit.logs.whereabouts import Whereabouts
from covey.study.fit.polled_likelihood import Snapshots
from covey.study.fit.tally import Tally, Track
from covey.words import rounded

_BACK = 0.01  # of the rows may be earlier than the row before


class RobotRow(NamedTuple):
    """A row of a log of robots; `from_` is None where there is no such column."""

    line: int
    time: float
    robot: str
    type: str
    state: str
    from_: str | None = None


@dataclass
class _Robot:
    name: str
    type: str
    place: int = NOWHERE
    since: float = float("-inf")  # its last row
    watched: bool = False


@dataclass
class _Moment:
    """Changes that are taken to be at one time."""

    begin: float = 0.0
    end: float = 0.0
    line: int = 0
    changes: list[Change] = field(default_factory=list)


class RobotTeam:
    """The robots of a team.

    Args:
        scenario: Its network explains the changes, its team says how many robots there are.
        fleet: The type of each robot by its name.
        together: How far apart in time the changes of one event may be logged.
        snapshots: Where to count what was seen, if the log was polled.
        kind: What adds the events up.
    """

    def __init__(
        self,
        scenario: Scenario,
        fleet: Mapping[str, str],
        together: float,
        snapshots: Snapshots | None,
        kind: type[Tally] = Tally,
    ) -> None:
        self.network, self.team, self.together = scenario.network, scenario.team, together
        self.states = RobotStates(scenario, fleet)
        self.explanations = Explanations(self.network, self.team)
        self.tally = kind(self.network, unseen=self.explanations.unseen)
        self.robots: dict[str, _Robot | None] = {}  # None: of no type of the team
        self.where = Whereabouts(scenario)
        self.track: Track | None = None
        self.moment = _Moment()
        self.leaving: list[_Robot] = []
        self.stale = False  # whether others are watched than the track's state says
        self.first, self.now, self.rows = 0.0, float("-inf"), 0
        self.lost_since: float | None = None
        self.odd = Anomalies()
        self.snapshots = snapshots
        # Of the rows of one poll: since when, and of which robots.
        self._poll, self._polled = float("-inf"), set[str]()

    def row(self, row: RobotRow, *, lost: bool = False) -> None:
        """Takes everything one row further.

        Args:
            row: What is said.
            lost: Whether the robot is not heard of for too long after it.
        """
        self.rows += 1
        time, line = row.time, row.line
        if self.rows == 1:
            self.first = time
        if time < self.now:
            late = self.now - time
            self.odd.back.note(line, f"{late:.6g} before the row above", late)
            time = self.now
        self._advance(time, line)
        robot = self._robot(row)
        if robot is None:
            return
        if row.state == OUT:
            self._introduce(line, robot)
            robot.since = time
            self._leave(robot)
            return
        place = self._place(line, robot, row.state)
        if robot.watched:
            self._check_place(row, robot, place, time)
            self._move(line, robot, place)
        else:
            self._join(line, robot, place)
        robot.since = time
        if self.snapshots is not None:
            self._seen(robot, line)
        if lost:
            self.odd.silent.note(line, row.robot)
            self._leave(robot)

    def finish(self, until: float | None) -> Tally:
        """The end of the log.

        Args:
            until: How long was watched; None if up to the last row.
        """
        if not self.rows:
            raise InputError("the log is empty: a row for each robot and change is expected")
        self._advance(float("inf"), 0)
        if until is not None:
            self.tally.until(until)
        if self.odd.back.times > max(_BACK * self.rows, 3):
            raise InputError(
                f"{self.odd.back.times:,} of {self.rows:,} rows are earlier than the row before, "
                f"by up to {rounded(self.odd.back.most, '.6g', 'up')}: rows are expected in the "
                "order of time; sort "
                "them",
                line=self.odd.back.line,
            )
        if not self.tally.tracks or self.where.missing is not None:
            raise InputError(self._never())
        if self.snapshots is not None:
            self.snapshots.finish(self.now if until is None else until)
        elif self.tally.observations == 0 and self.odd.unexplained.times:
            raise InputError(
                f"no reaction of the network explains any change: {self.odd.unexplained.what}",
                line=self.odd.unexplained.line,
            )
        self.tally.snapshots = self.snapshots
        polled = self.snapshots is not None
        self.tally.notes.extend(
            self.odd.notes(self.tally.duration, self.states.hint, polled=polled)
        )
        return self.tally

    def _robot(self, row: RobotRow) -> _Robot | None:
        if row.robot in self.robots:
            return self.robots[row.robot]
        state = row.from_ or row.state
        found = self.states.type_of(row.robot, row.type, state)
        if found is None:
            self.odd.others.note(row.line, row.robot)
            self.robots[row.robot] = None
            return None
        self.robots[row.robot] = robot = _Robot(row.robot, found)
        return robot

    def _introduce(self, line: int, robot: _Robot) -> None:
        """One robot more is heard of; refused where the team does not have so many."""
        if robot.since != float("-inf"):
            return
        self.where.hear(robot.type)
        most = self.team.types[robot.type]
        if self.where.heard[robot.type] > most and robot.type not in self.where.open:
            raise InputError(
                f"{shown(robot.name)} is robot {most + 1} of type {robot.type}, and the team has "
                f"{most}: say how many there are, as in --set types.{robot.type}={most + 1}",
                line=line,
            )

    def _place(self, line: int, robot: _Robot, state: str) -> int:
        place = self.states.place_of(robot.type, state)
        if place == UNKNOWN:
            self.odd.state(line, state)
        return place

    def _check_place(self, row: RobotRow, robot: _Robot, place: int, time: float) -> None:
        """Says where a robot is in two places."""
        where = self._name(robot.place)
        if row.from_ is not None and self._place(row.line, robot, row.from_) != robot.place:
            come = f"{robot.name} comes from {row.from_ or 'nowhere'}, and was in {where}"
            self.odd.twice.note(row.line, come)
        elif time == robot.since and place != robot.place:
            self.odd.twice.note(row.line, f"{robot.name} is in {row.state} and in {where} at once")

    def _move(self, line: int, robot: _Robot, place: int) -> None:
        """A robot that is watched is in a place."""
        if place == robot.place:
            if not self.moment.changes and self.track is not None:
                self.tally.wait(self.track, self.now, line)
            return
        if not self.moment.changes:
            self.moment = _Moment(self.now, self.now, line)
        self.moment.changes.append((robot.type, robot.place, place))
        self.moment.end, self.moment.line = self.now, line
        self.where.move(robot.type, robot.place, place)
        robot.place = place

    def _join(self, line: int, robot: _Robot, place: int) -> None:
        """A robot is watched from now on: for the first time, or again."""
        first = robot.since == float("-inf")
        self._introduce(line, robot)
        robot.watched = True
        if first and robot.type in self.where.open and self.track is not None:  # it arrives
            self.where.watch(robot.type, NOWHERE, NOWHERE)
            self._move(line, robot, place)
            return
        if self.snapshots is not None and not self.snapshots.alone:
            self.snapshots.forget("")
        self.where.watch(robot.type, robot.place, place)
        robot.place = place
        self.stale = True
        if not self.moment.changes:
            self._renew()

    def _leave(self, robot: _Robot) -> None:
        """A robot is not watched any more, once the moment is over."""
        if robot.watched and robot not in self.leaving:
            self.leaving.append(robot)

    def _advance(self, time: float, line: int) -> None:
        """Everything that was at one time is known, as rows go on to another."""
        if self.snapshots is not None and time > self._poll + self.together:
            self._close_poll(time)
        if self.moment.changes and time > self.moment.begin + self.together:
            self._settle()
        if time > self.now and not self.moment.changes:
            self._let_go()
            self._renew()
            if self.track is None and self.rows > 1:
                self._begin(self.now, line - 1)
        self.now = time if time < float("inf") else self.now

    def _settle(self) -> None:
        """Explains the changes of a moment, or says that nothing does."""
        moment, self.moment = self.moment, _Moment()
        found = None
        if self.track is not None:
            if all(place != UNKNOWN for _, *places in moment.changes for place in places):
                found = self.explanations.of(moment.changes, self.track.state)
                if found is None:
                    self.odd.unexplained.note(moment.line, self._as_text(moment.changes))
            for choice, after in found or []:
                self.tally.happen(self.track, moment.end, choice, after, moment.line)
            if found is None:
                self._end(moment.begin, moment.line)
        self._let_go()
        self._renew()
        if self.track is None:
            self._begin(moment.end, moment.line)

    def _let_go(self) -> None:
        """Those that leave are not watched any more."""
        for robot in self.leaving:
            robot.watched = False
            self.where.let_go(robot.type, robot.place)
            self.stale = True
            if self.snapshots is not None:
                self.snapshots.forget(robot.name if self.snapshots.alone else "")
        self.leaving.clear()

    def _renew(self) -> None:
        """The run goes on with others than before."""
        if self.stale and self.track is not None:
            state = self.where.state()
            if state is None:
                self._end(self.now, self.track.line)
            elif state != self.track.state:
                self.tally.wait(self.track, self.now, self.track.line)
                self.track.state = state
        self.stale = False

    def _end(self, time: float, line: int) -> None:
        """The run ends, as it is not known any more where everybody is."""
        if self.track is not None:
            self.tally.wait(self.track, time, line)
            self.track.closed = True
            self.track, self.lost_since = None, time

    def _begin(self, time: float, line: int) -> None:
        """A run begins, if it is known where everybody is."""
        state = self.where.state()
        if state is not None:
            if not self.tally.tracks:
                self.odd.late = time - self.first
            elif self.lost_since is not None:
                self.odd.lost += time - self.lost_since
            self.lost_since = None
            self.track = self.tally.begin(time, state, line)

    def _seen(self, robot: _Robot, line: int) -> None:
        """What a row shows to somebody who polls."""
        assert self.snapshots is not None
        if not self.snapshots.alone:
            self._polled.add(robot.name)
        elif robot.place >= 0:
            one = [0] * len(self.network.species)
            one[robot.place] = 1
            self.snapshots.see(robot.name, self.now, tuple(one), line)
        else:
            self.snapshots.forget(robot.name)

    def _close_poll(self, time: float) -> None:
        """All rows of one poll are there: what they show of the team."""
        assert self.snapshots is not None
        if self._polled and not self.snapshots.alone:
            whole = len(self._polled) >= sum(1 for r in self.robots.values() if r and r.watched)
            if whole or not self.snapshots.cadence.repeats:
                state = self.where.state()
                if state is None:
                    self.snapshots.forget("")
                else:
                    line = self.track.line if self.track is not None else 0
                    self.snapshots.see("", self._poll, state, line)
        self._poll = time
        self._polled.clear()

    def _as_text(self, changes: list[Change]) -> str:
        return ", ".join(
            f"a {type_} from {self._name(before)} to {self._name(after)}"
            for type_, before, after in changes[:4]
        )

    def _name(self, place: int) -> str:
        return str(self.network.species[place]) if place >= 0 else "nowhere"

    def _never(self) -> str:
        if (name := self.where.missing) is not None:
            heard = self.where.heard[name]
            return (
                f"{heard} of type {name} are in the log, and the team has {self.team.types[name]}: "
                "every robot has to be heard of; say how many there are, as in --set "
                f"types.{name}={heard}"
            )
        if self.odd.strange:
            return f"states are not known to the network: {self.odd.states(self.states.hint)}"
        return (
            "it never follows from the states where everybody is: a species of several robots "
            "needs all of them in it at once, and docks or such as many as the team has"
        )
