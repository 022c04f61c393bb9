"""Where every robot of a team is, row after row, and which reactions explain it.

Rows at the same time, or within `together` of the first, are one moment: reactions that explain all
its changes at once are looked for (`robot_changes`), and a reaction that moves several robots needs
the rows of all of them. A change that no reactions explain ends the run, and another begins as soon
as it is known again where everybody is: the time before and after counts, the change does not.
While a robot is in a state that the network does not know, nothing is watched.

A robot that is lost, or does not work by itself (`OUT`), is not watched from its last row to its
next one, and a change in between is left out; one that is heard of late is watched from then on.
The others go on (`whereabouts` says when that is right).

What is found goes to a `Listener`: the tally of a fit (`robot_tally`), or a stand-in that is
published (`live_fleet`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from covey.errors import InputError, shown
from covey.model.scenario import Scenario
from covey.study.fit.logs.anomalies import Anomalies
from covey.study.fit.logs.log import State
from covey.study.fit.logs.robots.robot_changes import Change, Explanations
from covey.study.fit.logs.robots.robot_states import NOWHERE, OUT, UNKNOWN, RobotStates
from covey.study.fit.logs.robots.whereabouts import Whereabouts
from covey.study.fit.tally import Choice


class RobotRow(NamedTuple):
    """A row of a log of robots; `from_` is None where there is no such column."""

    line: int
    time: float
    robot: str
    type: str
    state: str
    from_: str | None = None


@dataclass
class Robot:
    """A robot as far as it was heard of: `since` is the time of its last row."""

    name: str
    type: str
    place: int = NOWHERE
    since: float = float("-inf")
    watched: bool = False


class Listener:
    """Hears what a team does, in the order of time; whatever it does not want it leaves out."""

    def begin(self, time: float, state: State, line: int) -> None:
        """From a time on it is known where everybody is."""

    def happen(self, time: float, choice: Choice, after: State, line: int) -> None:
        """One of these reactions happened, and led to a state."""

    def wait(self, time: float, line: int) -> None:
        """Up to a time nothing has happened."""

    def change(self, time: float, state: State) -> None:
        """Others are watched from a time on."""

    def end(self, time: float, line: int | None = None) -> None:
        """From a time on it is not known any more where everybody is."""

    def joins(self) -> None:
        """A robot is watched from now on that was not."""

    def leaves(self, robot: Robot) -> None:
        """A robot is not watched any more."""


@dataclass
class _Moment:
    """Changes that are taken to be at one time."""

    begin: float = 0.0
    end: float = 0.0
    line: int = 0
    changes: list[tuple[float, Change]] = field(default_factory=list)


class RobotTeam:
    """The robots of a team.

    Args:
        scenario: Its network explains the changes, its team says how many robots there are.
        fleet: The type of each robot by its name.
        together: How far apart in time the changes of one event may be logged.
        listener: Hears what is found.
    """

    def __init__(
        self, scenario: Scenario, fleet: Mapping[str, str], together: float, listener: Listener
    ) -> None:
        self.network, self.team, self.together = scenario.network, scenario.team, together
        self.states = RobotStates(scenario, fleet)
        self.explanations = Explanations(self.network, self.team)
        self.listener = listener
        self.robots: dict[str, Robot | None] = {}  # None: of no type of the team
        self.where = Whereabouts(scenario)
        self.state: State | None = None  # None while it is not known where everybody is
        self.moment = _Moment()
        self.leaving: list[Robot] = []
        self.stale = False  # whether others are watched than the state says
        self.now, self.rows = float("-inf"), 0
        self.odd = Anomalies()

    def row(self, row: RobotRow, *, lost: bool = False) -> Robot | None:
        """Takes everything one row further; says whose row it was, if that robot is watched.

        Args:
            row: What is said.
            lost: Whether the robot is not heard of for too long after it.
        """
        self.rows += 1
        time, line = row.time, row.line
        if time < self.now:
            late = self.now - time
            self.odd.back.note(line, f"{late:.6g} before the row above", late)
            time = self.now
        self.advance(time, line)
        robot = self._robot(row)
        if robot is None:
            return None
        if row.state == OUT:
            self._introduce(line, robot)
            robot.since = time
            self.leave(robot)
            return None
        place = self._place(line, robot, row.state)
        if robot.watched:
            self._check_place(row, robot, place, time)
            self._move(line, robot, place)
        else:
            self._join(line, robot, place)
        robot.since = time
        if lost:
            self.odd.silent.note(line, row.robot)
            self.leave(robot)
        return robot

    def advance(self, time: float, line: int = 0, *, including: bool = False) -> None:
        """Everything that was at one time is known, as rows go on to another.

        Args:
            time: To when; all rows before it were read.
            line: Where that stands.
            including: Whether all rows of that time were read, too.
        """
        end = self.moment.begin + self.together
        if self.moment.changes and (time > end or (including and time == end)):
            self._explain()
        if (time > self.now or including) and not self.moment.changes:
            self._let_go()
            self._renew()
            if self.state is None and (self.rows > 1 or including):
                self._begin(self.now if self.now > float("-inf") else time, line - 1)
        self.now = time if time < float("inf") else self.now

    def leave(self, robot: Robot) -> None:
        """A robot is not watched any more, once the moment is over.

        Args:
            robot: Which.
        """
        if robot.watched and robot not in self.leaving:
            self.leaving.append(robot)

    def lose(self) -> None:
        """Something happened that nobody was told of: the run ends here."""
        self._end(self.now)

    def _place(self, line: int, robot: Robot, state: str) -> int:
        place = self.states.place_of(robot.type, state)
        if place == UNKNOWN:
            self.odd.state(line, state)
        return place

    def _robot(self, row: RobotRow) -> Robot | None:
        if row.robot in self.robots:
            return self.robots[row.robot]
        state = row.from_ or row.state
        found = self.states.type_of(row.robot, row.type, state)
        if found is None:
            self.odd.others.note(row.line, row.robot)
            self.robots[row.robot] = None
            return None
        self.robots[row.robot] = robot = Robot(row.robot, found)
        return robot

    def _introduce(self, line: int, robot: Robot) -> None:
        """One robot more is heard of; refused where the team does not have so many."""
        if robot.since != float("-inf"):
            return
        most = self.team.types[robot.type]
        if self.where.heard[robot.type] >= most and robot.type not in self.where.open:
            raise InputError(
                f"{shown(robot.name)} is robot {most + 1} of type {robot.type}, and the team has "
                f"{most}: say how many there are, as in --set types.{robot.type}={most + 1}",
                line=line,
            )
        self.where.hear(robot.type)

    def _check_place(self, row: RobotRow, robot: Robot, place: int, time: float) -> None:
        """Says where a robot is in two places."""
        where = self._name(robot.place)
        if row.from_ is not None and self._place(row.line, robot, row.from_) != robot.place:
            come = f"{robot.name} comes from {row.from_ or 'nowhere'}, and was in {where}"
            self.odd.twice.note(row.line, come)
        elif time == robot.since and place != robot.place:
            self.odd.twice.note(row.line, f"{robot.name} is in {row.state} and in {where} at once")

    def _move(self, line: int, robot: Robot, place: int) -> None:
        """A robot that is watched is in a place."""
        if place == robot.place:
            if not self.moment.changes and self.state is not None:
                self.listener.wait(self.now, line)
            return
        if not self.moment.changes:
            self.moment = _Moment(self.now, self.now, line)
        self.moment.changes.append((self.now, (robot.type, robot.place, place)))
        self.moment.end, self.moment.line = self.now, line
        self.where.move(robot.type, robot.place, place)
        robot.place = place

    def _join(self, line: int, robot: Robot, place: int) -> None:
        """A robot is watched from now on: for the first time, or again."""
        first = robot.since == float("-inf")
        self._introduce(line, robot)
        robot.watched = True
        if first and robot.type in self.where.open and self.state is not None:  # it arrives
            self.where.watch(robot.type, NOWHERE, NOWHERE)
            self._move(line, robot, place)
            return
        self.listener.joins()
        self.where.watch(robot.type, robot.place, place)
        robot.place = place
        self.stale = True
        if not self.moment.changes:
            self._renew()

    def _explain(self) -> None:
        """Explains the changes of a moment, or says that nothing does."""
        moment, self.moment = self.moment, _Moment()
        found = None
        if self.state is not None:
            changes = [change for _, change in moment.changes]
            if all(place != UNKNOWN for _, *places in changes for place in places):
                found = self.explanations.of(moment.changes, self.state)
                if found is None:
                    self.odd.unexplained.note(moment.line, self._as_text(changes))
            for time, choice, after in found or []:
                self.listener.happen(time, choice, after, moment.line)
                self.state = after
            if found is None:
                self._end(moment.begin, moment.line)
        self._let_go()
        self._renew()
        if self.state is None:
            self._begin(moment.end, moment.line)

    def _let_go(self) -> None:
        """Those that leave are not watched any more."""
        for robot in self.leaving:
            robot.watched = False
            self.where.let_go(robot.type, robot.place)
            self.stale = True
            self.listener.leaves(robot)
        self.leaving.clear()

    def _renew(self) -> None:
        """The run goes on with others than before."""
        if self.stale and self.state is not None:
            state = self.where.state()
            if state is None:
                self._end(self.now)
            elif state != self.state:
                self.state = state
                self.listener.change(self.now, state)
        self.stale = False

    def _end(self, time: float, line: int | None = None) -> None:
        """The run ends, as it is not known any more where everybody is."""
        if self.state is not None:
            self.state = None
            self.listener.end(time, line)

    def _begin(self, time: float, line: int) -> None:
        """A run begins, if it is known where everybody is."""
        self.state = self.where.state()
        if self.state is not None:
            self.listener.begin(time, self.state, line)

    def _as_text(self, changes: list[Change]) -> str:
        return ", ".join(
            f"a {type_} from {self._name(before)} to {self._name(after)}"
            for type_, before, after in changes[:4]
        )

    def _name(self, place: int) -> str:
        return str(self.network.species[place]) if place >= 0 else "nowhere"
