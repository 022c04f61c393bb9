"""Logs with a row for every robot and change: who is where from when on.

    time, robot, state            from this time on the robot is in this state
    time, robot, from, to         at this time it went from one state to another
    time, robot, type, state      and it is of this type (else see `robot_states`)

A row that repeats a robot's state says that nothing has changed. Rows at the same time, or within
`together` of the first, are one moment: reactions that explain all its changes at once are looked
for (`robot_changes`), and a reaction that moves several robots needs the rows of all of them.

What is watched. A state x of the network says where everybody is, so a run begins once every robot
of the team has been heard of. The docks that are free are those that nobody is at. A change that no
reactions explain ends the run, and another begins as soon as it is known again where everybody is:
the time before and after counts, the change does not. While a robot is in a state that the network
does not know, nothing is watched. All that is said, with its first line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from covey.errors import CoveyError, InputError, shown
from covey.model.arrivals import comes
from covey.model.clock import Clock
from covey.model.scenario import Scenario
from covey.study.fit.oddities import Oddities
from covey.study.fit.robot_changes import Change, Explanations
from covey.study.fit.robot_states import NOWHERE, UNKNOWN, RobotStates
from covey.study.fit.table import Table
from covey.study.fit.tally import State, Tally, Track

_BACK = 0.01  # of the rows may be earlier than the row before


@dataclass
class _Robot:
    name: str
    type: str
    place: int
    since: float  # of its last row


@dataclass
class _Moment:
    """Changes that are taken to be at one time."""

    begin: float = 0.0
    end: float = 0.0
    line: int = 0
    changes: list[Change] = field(default_factory=list)


def read_robots(
    table: Table,
    scenario: Scenario,
    clock: Clock,
    *,
    fleet: Mapping[str, str] | None = None,
    together: float = 0.0,
) -> Tally:
    """What a log of robots' changes comes to.

    Args:
        table: Its rows; `robot` is one of its columns.
        scenario: Its network explains the changes, its team says how many robots there are.
        clock: Reads the times.
        fleet: The type of each robot by its name.
        together: How far apart in time the changes of one event may be logged.
    """
    follower = _Follower(scenario, fleet, together)
    number = {name.lower(): i for i, name in reversed(list(enumerate(table.columns)))}
    _check_columns(table, number)
    time, robot = number["time"], number["robot"]
    type_, state = number.get("type"), number.get("state", number.get("to"))
    from_ = number.get("from") if "state" not in number else None
    width = len(table.columns)
    for line, cells in table.rows:
        try:
            if len(cells) != width:
                raise InputError(f"{len(cells)} columns, where the header has {width}")
            if not cells[robot].strip():
                raise InputError("the row names no robot")
            follower.row(
                line, clock.read(cells[time]), cells[robot].strip(),
                "" if type_ is None else cells[type_].strip(),
                cells[state].strip() if state is not None else "",
                None if from_ is None else cells[from_].strip(),
            )  # fmt: skip
        except CoveyError as error:
            raise error.at(line=line) from None
    return follower.finish()


def _check_columns(table: Table, number: Mapping[str, int]) -> None:
    if "time" not in number or ("state" not in number and "to" not in number):
        raise InputError(
            f"the columns are {', '.join(table.columns)[:200]}: besides robot, time and state (or "
            "from and to) are expected; --columns says what they are called",
            line=1,
        )


class _Follower:
    """Where every robot is, row after row."""

    def __init__(
        self, scenario: Scenario, fleet: Mapping[str, str] | None, together: float
    ) -> None:
        self.network, self.team, self.together = scenario.network, scenario.team, together
        self.states = RobotStates(scenario, fleet)
        self.explanations = Explanations(self.network, self.team)
        self.tally = Tally(self.network, unseen=self.explanations.unseen)
        self.robots: dict[str, _Robot | None] = {}  # None: of no type of the team
        self.at: Counter[tuple[str, int]] = Counter()  # robots of a type in a place
        self.heard: Counter[str] = Counter()
        self.track: Track | None = None
        self.moment = _Moment()
        self.now, self.rows = float("-inf"), 0
        self.lost_since: float | None = None
        self.odd = Oddities()
        self._free_places = _free_places(scenario)

    def row(
        self, line: int, time: float, name: str, type_: str, state: str, from_: str | None
    ) -> None:
        """Takes everything one row further."""
        self.rows += 1
        if time < self.now:
            late = self.now - time
            self.odd.back.note(line, f"{late:.6g} before the row above", late)
            time = self.now
        if self.moment.changes and time > self.moment.begin + self.together:
            self._settle()
        elif self.track is None and time > self.now and not self.moment.changes:
            self._begin(self.now, line - 1)
        self.now = time
        robot = self._robot(line, name, type_, state if from_ is None else from_ or state)
        if robot is None:
            return
        place = self._place(line, robot, state)
        if robot.since == float("-inf"):  # heard of for the first time
            self._introduce(line, robot)
            if from_ is not None and self.track is None:
                robot.place = self._place(line, robot, from_)
            self.at[robot.type, robot.place] += 1
        elif from_ is not None and self._place(line, robot, from_) != robot.place:
            where = self._name(robot.place)
            self.odd.twice.note(line, f"{name} comes from {from_ or 'nowhere'}, and was in {where}")
        elif time == robot.since and place != robot.place:
            self.odd.twice.note(
                line, f"{name} is in {state} and in {self._name(robot.place)} at once"
            )
        robot.since = time
        if place == robot.place:
            if not self.moment.changes:
                self._wait(line)
            return
        if not self.moment.changes:
            self.moment = _Moment(time, time, line)
        self.moment.changes.append((robot.type, robot.place, place))
        self.moment.end, self.moment.line = time, line
        self.at[robot.type, robot.place] -= 1
        self.at[robot.type, place] += 1
        robot.place = place

    def finish(self) -> Tally:
        """The end of the log."""
        if not self.rows:
            raise InputError("the log is empty: a row for each robot and change is expected")
        if self.moment.changes:
            self._settle()
        if self.odd.back.times > max(_BACK * self.rows, 3):
            raise InputError(
                f"{self.odd.back.times:,} of {self.rows:,} rows are earlier than the row before, "
                f"by up to {self.odd.back.most:.6g}: rows are expected in the order of time; sort "
                "them",
                line=self.odd.back.line,
            )
        if not self.tally.tracks:
            raise InputError(self._never())
        if self.tally.events == 0 and self.odd.unexplained.times:
            raise InputError(
                f"no reaction of the network explains any change: {self.odd.unexplained.what}",
                line=self.odd.unexplained.line,
            )
        self.tally.notes.extend(self.odd.notes(self.tally.duration, self.states.hint))
        return self.tally

    def _robot(self, line: int, name: str, type_: str, state: str) -> _Robot | None:
        if name in self.robots:
            return self.robots[name]
        found = self.states.type_of(name, type_, state)
        if found is None:
            self.odd.others.note(line, name)
            self.robots[name] = None
            return None
        self.robots[name] = robot = _Robot(name, found, NOWHERE, float("-inf"))
        return robot

    def _introduce(self, line: int, robot: _Robot) -> None:
        """One robot more is heard of; refused where the team does not have so many."""
        self.heard[robot.type] += 1
        most = self.team.types[robot.type]
        if self.heard[robot.type] > most and not comes(self.network, robot.type):
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

    def _wait(self, line: int) -> None:
        """Nothing has changed up to now."""
        if self.track is not None:
            self.tally.wait(self.track, self.now, line)

    def _settle(self) -> None:
        """Explains the changes of a moment, or says that nothing does."""
        moment, self.moment = self.moment, _Moment()
        if self.track is not None:
            found = None
            if all(place != UNKNOWN for _, *places in moment.changes for place in places):
                found = self.explanations.of(moment.changes, self.track.state)
                if found is None:
                    self.odd.unexplained.note(moment.line, self._told(moment.changes))
            if found is not None:
                for choice, after in found:
                    self.tally.happen(self.track, moment.end, choice, after, moment.line)
                return
            self.tally.wait(self.track, moment.begin, moment.line)
            self.track, self.lost_since = None, moment.begin
        self._begin(moment.end, moment.line)

    def _begin(self, time: float, line: int) -> None:
        """A run begins, if it is known where everybody is."""
        state = self._state()
        if state is not None:
            if self.lost_since is not None:
                self.odd.lost += time - self.lost_since
                self.lost_since = None
            self.track = self.tally.begin(time, state, line)

    def _state(self) -> State | None:
        """The state x, where it follows from where the robots are."""
        if any(self.heard[name] < count for name, count in self.team.types.items()):
            return None
        counts = [0] * len(self.network.species)
        members: dict[int, dict[str, int]] = {}
        for (type_, place), robots in self.at.items():
            if robots and place == UNKNOWN:
                return None
            if robots and place >= 0:
                members.setdefault(place, {})[type_] = robots
        used: Counter[str] = Counter()
        for place, found in members.items():
            need = self.network.species[place].counts()
            private = {name: n for name, n in need.items() if name in self.team.types}
            many, *others = {found.get(name, 0) / n for name, n in private.items()}
            if others or not many.is_integer():
                return None  # somebody is on the way
            counts[place] = int(many)
            for name, n in need.items():
                if name in self.team.resources:
                    used[name] += n * counts[place]
        for name, there in self.team.resources.items():
            if used[name] > there:
                return None
            if name in self._free_places:
                counts[self._free_places[name]] += there - used[name]
        return tuple(counts)

    def _told(self, changes: list[Change]) -> str:
        return ", ".join(
            f"a {type_} from {self._name(before)} to {self._name(after)}"
            for type_, before, after in changes[:4]
        )

    def _name(self, place: int) -> str:
        return str(self.network.species[place]) if place >= 0 else "nowhere"

    def _never(self) -> str:
        for name, count in self.team.types.items():
            if self.heard[name] < count:
                return (
                    f"{self.heard[name]} of type {name} are in the log, and the team has {count}: "
                    "every robot has to be heard of before it is known what the team does; say how "
                    f"many there are, as in --set types.{name}={self.heard[name]}"
                )
        if self.odd.strange:
            return f"states are not known to the network: {self.odd.states(self.states.hint)}"
        return (
            "it never follows from the states where everybody is: a species of several robots "
            "needs all of them in it at once, and docks or such as many as the team has"
        )


def _free_places(scenario: Scenario) -> dict[str, int]:
    """Where the resources are that no robot is with; refused where that does not follow."""
    network, team = scenario.network, scenario.team
    free: dict[str, int] = {}
    for index, species in enumerate(network.species):
        if any(member in team.types for member in species.members):
            continue
        for name in species.members:
            if name in free or species.is_compound:
                raise InputError(
                    f"where a {name} is that no robot is with does not follow from a log of robots "
                    f"({species} is one place): give the counts of all species in every row"
                )
            free[name] = index
        counted = any(r.law is not None and str(species) in r.law.words for r in network.reactions)
        if species.is_plain and (counted or network.reactants[:, index].any()):
            raise InputError(
                f"how much {species} there is does not follow from a log of robots: give the "
                "counts of all species in every row"
            )
    return free
