"""What a log of robots comes to: runs of events, and snapshots where robots were polled.

`RobotTally` hears what `robot_team` finds and adds it up. A run lasts for as long as it is known
where everybody is. Of a log that was polled, the rows of one poll (all within `together`) are a
snapshot: of each robot by itself where robots move alone, else of the team.
"""

from __future__ import annotations

from collections.abc import Mapping

from covey.errors import InputError
from covey.model.scenario import Scenario
from covey.study.fit.logs.log import State
from covey.study.fit.logs.robots.robot_team import Listener, Robot, RobotRow, RobotTeam
from covey.study.fit.polled_likelihood import Snapshots
from covey.study.fit.tally import Choice, Tally, Track
from covey.words import rounded

_BACK = 0.01  # of the rows may be earlier than the row before


class RobotTally(Listener):
    """A log of robots, added up.

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
        self.team = RobotTeam(scenario, fleet, together, self)
        self.tally = kind(scenario.network, unseen=self.team.explanations.unseen)
        self.snapshots = snapshots
        self._track: Track | None = None
        self._first = 0.0
        self._lost_since: float | None = None
        # Of the rows of one poll: since when, and of which robots.
        self._poll, self._polled = float("-inf"), set[str]()

    @property
    def rows(self) -> int:
        """How many were read."""
        return self.team.rows

    def row(self, row: RobotRow, *, lost: bool = False) -> None:
        """Takes everything one row further.

        Args:
            row: What is said.
            lost: Whether the robot is not heard of for too long after it.
        """
        if not self.rows:
            self._first = row.time
        self._close_poll(max(row.time, self.team.now))
        robot = self.team.row(row, lost=lost)
        if robot is not None and self.snapshots is not None:
            self._see(self.snapshots, robot, row.line)

    def finish(self, until: float | None) -> Tally:
        """The end of the log.

        Args:
            until: How long was watched; None if up to the last row.
        """
        team, odd = self.team, self.team.odd
        if not team.rows:
            raise InputError("the log is empty: a row for each robot and change is expected")
        self._close_poll(float("inf"))
        team.advance(float("inf"))
        if until is not None:
            self.tally.until(until)
        if odd.back.times > max(_BACK * team.rows, 3):
            raise InputError(
                f"{odd.back.times:,} of {team.rows:,} rows are earlier than the row before, by up "
                f"to {rounded(odd.back.most, '.6g', 'up')}: rows are expected in the order of "
                "time; sort them",
                line=odd.back.line,
            )
        if not self.tally.tracks or team.where.missing is not None:
            raise InputError(self._never())
        if self.snapshots is not None:
            self.snapshots.finish(team.now if until is None else until)
        elif self.tally.observations == 0 and odd.unexplained.times:
            raise InputError(
                f"no reaction of the network explains any change: {odd.unexplained.what}",
                line=odd.unexplained.line,
            )
        self.tally.snapshots = self.snapshots
        polled = self.snapshots is not None
        self.tally.notes.extend(odd.notes(self.tally.duration, team.states.hint, polled=polled))
        return self.tally

    def begin(self, time: float, state: State, line: int) -> None:
        """A run begins."""
        odd = self.team.odd
        if not self.tally.tracks:
            odd.late = time - self._first
        elif self._lost_since is not None:
            odd.lost += time - self._lost_since
        self._lost_since = None
        self._track = self.tally.begin(time, state, line)

    def happen(self, time: float, choice: Choice, after: State, line: int) -> None:
        """An event of the run."""
        assert self._track is not None
        self.tally.happen(self._track, time, choice, after, line)

    def wait(self, time: float, line: int) -> None:
        """The run goes on."""
        assert self._track is not None
        self.tally.wait(self._track, time, line)

    def change(self, time: float, state: State) -> None:
        """The run goes on with others."""
        assert self._track is not None
        self.tally.wait(self._track, time, self._track.line)
        self._track.state = state

    def end(self, time: float, line: int | None = None) -> None:
        """The run ends."""
        assert self._track is not None
        self.tally.wait(self._track, time, self._track.line if line is None else line)
        self._track.closed = True
        self._track, self._lost_since = None, time

    def joins(self) -> None:
        """What was seen of the team before tells nothing of the team with one more."""
        if self.snapshots is not None and not self.snapshots.alone:
            self.snapshots.forget("")

    def leaves(self, robot: Robot) -> None:
        """Likewise with one less."""
        if self.snapshots is not None:
            self.snapshots.forget(robot.name if self.snapshots.alone else "")

    def _see(self, snapshots: Snapshots, robot: Robot, line: int) -> None:
        """What a row shows to somebody who polls."""
        if not snapshots.alone:
            self._polled.add(robot.name)
        elif robot.place >= 0:
            one = [0] * len(self.team.network.species)
            one[robot.place] = 1
            snapshots.see(robot.name, self.team.now, tuple(one), line)
        else:
            snapshots.forget(robot.name)

    def _close_poll(self, time: float) -> None:
        """All rows of one poll are there: what they show of the team."""
        if self.snapshots is None or time <= self._poll + self.team.together:
            return
        if self._polled and not self.snapshots.alone:
            watched = sum(1 for r in self.team.robots.values() if r and r.watched)
            if len(self._polled) >= watched or not self.snapshots.cadence.repeats:
                state = self.team.where.state()
                if state is None:
                    self.snapshots.forget("")
                else:
                    line = self._track.line if self._track is not None else 0
                    self.snapshots.see("", self._poll, state, line)
        self._poll = time
        self._polled.clear()

    def _never(self) -> str:
        team = self.team
        if (name := team.where.missing) is not None:
            heard = team.where.heard[name]
            return (
                f"{heard} of type {name} are in the log, and the team has {team.team.types[name]}: "
                "every robot has to be heard of; say how many there are, as in --set "
                f"types.{name}={heard}"
            )
        if team.odd.strange:
            return f"states are not known to the network: {team.odd.states(team.states.hint)}"
        return (
            "it never follows from the states where everybody is: a species of several robots "
            "needs all of them in it at once, and docks or such as many as the team has"
        )
