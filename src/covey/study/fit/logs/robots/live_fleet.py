"""What robots say, while they say it, as the events and states that a stand-in's publisher takes.

Rows wait until `advance` says that all up to a time are there; then they are taken in the order of
time, whatever the order they came in. What they come to (`robot_team`, as for `covey fit`) is told
to the publisher up to `told_until` = that time − `together`: until then no row can be missing of a
reaction that several robots report. So a value for time t may be published once `advance` was
called with t + `together`.

As long as it is not known where everybody is, the publisher is told so (`lose`) and the stand-in
goes on alone; as soon as it is known (again), it is told the state. A robot that is `OUT`, or
silent for longer than `lost_after`, has left: the others are the team, until it is heard of again.

**When what is published has the reference's distribution.** An event that is told is answered with
the probability m_rs/λ_r(x). So the stand-in does s at the rate μ_s(w), exactly, if the team does r
at the rate λ_r(x) whenever the publisher takes its state for x, and all of that is told:

- the model's rates are right, and each robot tells each of its changes, at the time of the change;
- `advance` is called late enough: a change that comes later was waited for in vain, from when it
  was to when it came. It is counted (`late`), and its robot's place is known from then on;
- the rows of one reaction are no further apart than `together`. Where another reaction falls into
  that time, both are told at the times of their own rows; two robots that set out alone within it
  are taken for a meeting if they could have met;
- a robot that has left neither takes nor returns a resource, such as a dock, and moves nobody.

It does not depend on how the rows are ordered, on duplicates, on robots that are left out, nor on
changes that the model does not have: these are counted and left out, and the stand-in goes on alone
until the state is known. But a change that the model has and that is not explained, because the row
of a partner is missing, was waited for: as many events as that go unanswered, and a robot that
falls silent is waited for until `lost_after` has passed. A robot that says where it is only now and
then (a poll, a heartbeat without changes) breaks the first condition.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

import numpy as np

from covey.dynamics.ctmc.propensity import propensity
from covey.errors import InputError
from covey.model.scenario import Scenario
from covey.remedy.stand_in.publishing.draws import Draws
from covey.study.fit.logs.log import State
from covey.study.fit.logs.robots.robot_states import OUT, UNKNOWN
from covey.study.fit.logs.robots.robot_team import Listener, Robot, RobotRow, RobotTeam
from covey.study.fit.tally import Choice

MOST_WAITING = 200_000  # rows that are ahead of `advance`
MOST_ROBOTS = 100_000  # names that are remembered
_LONGEST = 200  # letters of a name or a state

HARMLESS = (  # reasons that rows are full of, and that leave nothing out
    "a duplicate",
    "a robot that does not work by itself",
    "a robot that fell silent",
)
NOT_YET = "it is not known where everybody is"
_GAP = "\0gap"  # in the place of a state: rows may be missing


class Publisher(Protocol):
    """What hears of the team: a `CoupledPublisher`, or anything that has these of it."""

    @property
    def known(self) -> bool:
        """Whether the team's state is known."""

    @property
    def now(self) -> float:
        """Up to when it has moved."""

    def event(self, time: float, reaction: int) -> None:
        """The team did something."""

    def state(self, time: float, counts: Mapping[str, int]) -> None:
        """The team as a whole."""

    def lose(self, time: float, why: str) -> None:
        """The team's state is not known from a time on."""


class _Told(NamedTuple):
    """What the publisher is to be told: an event with the state after it, a state, or neither."""

    time: float
    reaction: int | None
    state: State | None


class LiveFleet(Listener):
    """The robots of a team, heard live.

    Args:
        scenario: The team's own: its network explains the changes, its team says how many robots
            there are, its [log] what they call types and states.
        fleet: The type of each robot by its name, where [log] or the rows do not say it.
        publisher: Hears what the team does.
        together: How far apart in time the rows of one reaction may be.
        lost_after: After which silence a robot has left; None where robots are silent for as long
            as nothing changes.
        random: Draws which of several reactions it was that make the same change.
    """

    def __init__(
        self,
        scenario: Scenario,
        fleet: Mapping[str, str],
        publisher: Publisher,
        *,
        together: float = 0.0,
        lost_after: float | None = None,
        random: Callable[[], float] | None = None,
    ) -> None:
        if not 0 <= together < math.inf:
            raise InputError(f"together is {together:g}: a time from 0 on is expected")
        if lost_after is not None and not 0 < lost_after < math.inf:
            raise InputError(f"lost_after is {lost_after:g}: a time above 0 is expected")
        self.publisher, self.together, self.lost_after = publisher, together, lost_after
        self._team = RobotTeam(scenario, fleet, together, self)
        _check(self._team)
        self._random = random or Draws().one
        self._names = [str(species) for species in scenario.network.species]
        self._rows: list[tuple[float, int, str, str, str]] = []  # a heap
        self._came = 0
        self._until = self._since = -math.inf  # since when everybody is waited for
        self._awaited: set[str] = set()  # of those that were known, after messages were missed
        self._heard: OrderedDict[str, float] = OrderedDict()  # when, the longest ago first
        self._before: State | None = None  # the state as the publisher will know it
        self._told: deque[_Told] = deque()
        self._refused: Counter[str] = Counter()
        if publisher.known:
            publisher.lose(publisher.now, NOT_YET)

    @property
    def told_until(self) -> float:
        """Up to when the publisher was told all: as late as may be published."""
        return self._until - self.together

    @property
    def heard_until(self) -> float:
        """Up to when all rows are there, as `advance` was told."""
        return self._until

    @property
    def known(self) -> bool:
        """Whether it is known where everybody is."""
        return self._before is not None

    @property
    def refused(self) -> Counter[str]:
        """How often what could not be used, by a short reason; none tells anything of the state."""
        odd = self._team.odd
        found = Counter(self._refused)
        found["no reaction explains it"] = odd.unexplained.times
        found["a robot of no type of the team"] = odd.others.times
        return +found

    def row(self, time: float, robot: str, state: str, type_: str = "") -> None:
        """A robot says where it is.

        Args:
            time: From when on.
            robot: Its name.
            state: As a log for `covey fit` has it, or `OUT`: it does not work by itself.
            type_: Its type, where rows say it.
        """
        if not math.isfinite(time):
            self._refused["a time that cannot be read"] += 1
        elif not 0 < len(robot) <= _LONGEST:
            self._refused["a row that cannot be used"] += 1
        elif robot not in self._team.robots and len(self._team.robots) >= MOST_ROBOTS:
            self._refused["too many robots"] += 1
        elif time <= self._until:
            self._late(time, robot, state[:_LONGEST], type_[:_LONGEST])
        elif len(self._rows) >= MOST_WAITING:
            self._refused["too many rows ahead of the clock"] += len(self._rows) + 1
            self._rows.clear()
            self.forget(self._until)
        else:
            self._came += 1
            row = time, self._came, robot, state[:_LONGEST], type_[:_LONGEST]
            heapq.heappush(self._rows, row)

    def forget(self, time: float, robot: str = "") -> None:
        """Rows may be missing: nobody's place is known until those were heard of again.

        Args:
            time: Before when they would have been.
            robot: Whose rows; by default anybody's.
        """
        self._came += 1
        heapq.heappush(self._rows, (max(time, self._until), self._came, robot, _GAP, ""))

    def advance(self, time: float) -> None:
        """All rows up to a time are there: the publisher is told what that comes to.

        Args:
            time: When; not before the last one.
        """
        if not self._until <= time < math.inf:
            raise InputError(f"the time is {time:g}, and {self._until:g} was before it")
        while self._rows and self._rows[0][0] <= time:
            when, _, robot, state, type_ = heapq.heappop(self._rows)
            self._leave_silent(when)
            self._take(when, robot, state, type_)
        self._leave_silent(time)
        self._team.advance(time, including=True)
        self._until = time
        if not self._team.moment.changes and self._before is None:
            self._know(time, self._team.state)
        while self._told and self._told[0].time <= self.told_until:
            self._tell(self._told.popleft())

    def begin(self, time: float, state: State, line: int) -> None:
        """It is known where those are that are watched."""
        self._know(time, state)

    def change(self, time: float, state: State) -> None:
        """Others are watched."""
        self._lose(time)
        self._know(time, state)

    def end(self, time: float, line: int | None = None) -> None:
        """It is not known any more."""
        self._lose(time)

    def happen(self, time: float, choice: Choice, after: State, line: int) -> None:
        """A reaction: of several that make the same change, each as likely as it is fast."""
        if self._before is None:
            return
        self._told.append(_Told(time, self._one_of(choice, self._before), after))
        self._before = after

    def _take(self, time: float, robot: str, state: str, type_: str) -> None:
        """A row at its turn."""
        if state == _GAP:
            self._forget(time, robot)
            return
        if self._since == -math.inf:
            self._since = time
        self._awaited.discard(robot)
        known = self._team.robots.get(robot)
        if known is not None and known.since == time and self._is_at(known, state):
            self._refused["a duplicate"] += 1
        try:
            found = self._team.row(RobotRow(0, time, robot, type_, state))
            if found is not None and found.place == UNKNOWN:
                self._refused["a state that the network does not know"] += 1
        except InputError:
            self._refused["a row that cannot be used"] += 1
            known = self._team.robots.get(robot)
            if known is not None and known.watched:  # somewhere, but who knows where
                self._team.leave(known)
            elif known is not None:  # more than the team has
                self._team.robots[robot] = None
        if state == OUT:
            self._refused["a robot that does not work by itself"] += 1
        if self._team.robots.get(robot) is not None:
            self._heard[robot] = time
            self._heard.move_to_end(robot)

    def _forget(self, time: float, of: str) -> None:
        """All that were watched are waited for, or one of them."""
        missed = [
            robot
            for name, robot in self._team.robots.items()
            if robot is not None and robot.watched and of in ("", name)
        ]
        if of and not missed:  # of no robot of the team
            return
        self._refused["messages may be missing"] += 1
        self._team.advance(max(time, self._team.now))
        self._team.lose()
        self._since = time
        for robot in missed:
            self._awaited.add(robot.name)
            self._team.leave(robot)

    def _late(self, time: float, robot: str, state: str, type_: str) -> None:
        """A row that comes too late: what it tells of now counts, and nothing else."""
        known = self._team.robots.get(robot)
        if known is not None and known.since >= time:  # its robot has said something newer
            same = known.since == time and self._is_at(known, state)
            self._refused["a duplicate" if same else "late"] += 1
            return
        self._refused["late"] += 1
        if known is not None and known.watched and not self._is_at(known, state):
            self._team.lose()  # something happened that nobody was told of
        self._take(self._team.now, robot, state, type_)

    def _is_at(self, robot: Robot, state: str) -> bool:
        """Whether a robot is watched, and where it says."""
        try:
            place = self._team.states.place_of(robot.type, state)
        except InputError:
            return False
        return robot.watched and state != OUT and place == robot.place

    def _leave_silent(self, time: float) -> None:
        """Those that were silent for too long by a time have left."""
        while self.lost_after is not None and self._heard:
            name, since = next(iter(self._heard.items()))
            if not since + self.lost_after < time:
                return
            del self._heard[name]
            robot = self._team.robots.get(name)
            if robot is not None and robot.watched:
                self._refused["a robot that fell silent"] += 1
                self._team.advance(max(since + self.lost_after, self._team.now))
                self._team.leave(robot)

    def _know(self, time: float, state: State | None) -> None:
        """The publisher is to know the state, if everybody was heard of, or has left."""
        waited = self.lost_after is not None and time > self._since + self.lost_after
        missing = self._awaited or self._team.where.missing is not None
        if state is not None and (waited or not missing):
            self._told.append(_Told(time, None, state))
            self._before = state

    def _lose(self, time: float) -> None:
        if self._before is not None:
            self._told.append(_Told(time, None, None))
            self._before = None

    def _tell(self, told: _Told) -> None:
        publisher, time = self.publisher, max(told.time, self.publisher.now)
        if told.state is None:
            publisher.lose(time, NOT_YET)
            return
        if told.reaction is not None:
            publisher.event(time, told.reaction)
            if publisher.known:
                return
            self._refused["a reaction whose rate is 0"] += 1
        publisher.state(time, dict(zip(self._names, told.state, strict=True)))

    def _one_of(self, choice: Choice, state: State) -> int:
        if len(choice) == 1:
            return choice[0]
        column = np.array(state, dtype=np.int64)[:, None]
        rates = [float(propensity(self._team.network, r, column)[0]) for r in choice]
        left = self._random() * sum(rates)
        for reaction, rate in zip(choice, rates, strict=True):
            left -= rate
            if left < 0:
                return reaction
        return choice[-1]


def _check(team: RobotTeam) -> None:
    """Refuses a network some of whose events rows of robots never tell, or not apart."""
    found, arrow = team.explanations, [r.arrow for r in team.network.reactions]
    for number in sorted(found.unseen):
        raise InputError(
            f"{arrow[number]} may move no robot, so that what robots say never tells of it, and "
            "the stand-in would wait for it: feed it with every event instead (covey publish)"
        )
    for numbers in found.by_moves.values():
        for other in numbers[1:]:
            if found.changes[other] != found.changes[numbers[0]]:
                raise InputError(
                    f"{arrow[numbers[0]]} and {arrow[other]} move robots alike, so that what "
                    "robots say does not tell them apart: feed it with every event instead"
                )
