"""Logs with a row for every robot and change: who is where from when on.

    time, robot, state            from this time on the robot is in this state
    time, robot, from, to         at this time it went from one state to another
    time, robot, type, state      and it is of this type (else see `robot_states`)

A row that repeats a robot's state says that nothing has changed. How rows come about (`cadence`)
says whether changes are events, or what somebody saw who looked now and then (`polling`), and after
which silence a robot is lost. Rows are read ahead, so that it is lost from its last row on. What
the rows come to is in `robot_tally`.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from covey.errors import CoveyError, InputError
from covey.model.io.clock import Clock
from covey.model.scenario import Scenario
from covey.study.fit.logs.cadence import LOOKED_AT, Cadence
from covey.study.fit.logs.reading import Reading
from covey.study.fit.logs.robots.robot_tally import RobotTally
from covey.study.fit.logs.robots.robot_team import RobotRow
from covey.study.fit.logs.table import Table
from covey.study.fit.polled_likelihood import Snapshots, moves_alone
from covey.study.fit.tally import Tally

_AHEAD = 200_000  # rows that wait until it is known whether a robot is lost after them


def read_robots(
    table: Table,
    scenario: Scenario,
    clock: Clock,
    fleet: Mapping[str, str],
    how: Reading,
    until: float | str | None = None,
    kind: type[Tally] = Tally,
) -> Tally:
    """What a log of robots' changes comes to.

    Args:
        table: Its rows; `robot` is one of its columns.
        scenario: Its network explains the changes, its team says how many robots there are.
        clock: Reads the times.
        fleet: The type of each robot by its name.
        how: How it is to be read.
        until: How long was watched; by default up to the last row.
        kind: What adds the events up.
    """
    for name, value in (("together", how.together), ("lost_after", how.lost_after)):
        if value is not None and not (0 <= value < math.inf):
            raise InputError(f"{name} is {value}: a time from 0 on is expected")
    rows = robot_rows(table, clock)
    first = list(itertools.islice(rows, LOOKED_AT))
    cadence = Cadence.of((row.time, row.robot, row.state) for row in first)
    snapshots = _snapshots(cadence, scenario, how.polled)
    team = RobotTally(scenario, fleet, how.together, snapshots, kind)

    def patience(state: str) -> float:
        return cadence.patience(state) if how.lost_after is None else how.lost_after

    def end(last: float) -> float:
        return last if until is None else max(last, clock.until(until))

    for row, lost in marked(itertools.chain(first, rows), patience, end):
        try:
            team.row(row, lost=lost)
        except CoveyError as error:
            raise error.at(line=row.line) from None
    tally = team.finish(clock.until(until) if until is not None and team.rows else None)
    if cadence.suspect and how.polled is None:
        tally.notes.append(
            f"All changes are at multiples of {cadence.step:.6g}. If the log was polled, rates are "
            "too low, as what is undone in between is not seen: then say so (--polled)."
        )
    return tally


def _snapshots(cadence: Cadence, scenario: Scenario, polled: bool | None) -> Snapshots | None:
    """Where to count snapshots, if the log was polled."""
    if polled and not cadence.step:
        raise InputError(
            "the log is said to be polled, but its times are on no grid, and no row repeats a "
            "state: rows of all robots at every poll are expected, or changes at even times"
        )
    if not (cadence.polled if polled is None else polled):
        return None
    alone = moves_alone(scenario.network, scenario.team)
    return Snapshots(cadence, alone, forced=bool(polled))


def robot_rows(table: Table, clock: Clock) -> Iterator[RobotRow]:
    """Every row that can be read, as it comes.

    Args:
        table: `robot` is one of its columns.
        clock: Reads the times.
    """
    number = {name.lower(): i for i, name in reversed(list(enumerate(table.columns)))}
    if not {"time", "robot"} <= number.keys() or ("state" not in number and "to" not in number):
        raise InputError(
            f"the columns are {', '.join(table.columns)[:200]}: time, robot and state (or from "
            "and to) are expected; --columns says what they are called",
            line=1,
        )
    time, robot = number["time"], number["robot"]
    type_, state = number.get("type"), number.get("state", number.get("to", 0))
    from_ = number.get("from") if "state" not in number else None
    width = len(table.columns)
    for line, cells in table.rows:
        try:
            if len(cells) != width:
                raise InputError(f"{len(cells)} columns, where the header has {width}")
            if not cells[robot].strip():
                raise InputError("the row names no robot")
            row = RobotRow(
                line, clock.read(cells[time]), cells[robot].strip(),
                "" if type_ is None else cells[type_].strip(), cells[state].strip(),
                None if from_ is None else cells[from_].strip(),
            )  # fmt: skip
        except CoveyError as error:
            table.bad.take(error.at(line=line))
        else:
            yield row


@dataclass
class _Waiting:
    """A row until it is known when its robot is heard of next."""

    row: RobotRow
    patience: float
    next: float | None = None


def marked(
    rows: Iterable[RobotRow], patience: Callable[[str], float], end: Callable[[float], float]
) -> Iterator[tuple[RobotRow, bool]]:
    """Every row, and whether its robot is silent for too long after it."""
    waiting: deque[_Waiting] = deque()
    last: dict[str, _Waiting] = {}
    now = -math.inf
    for row in rows:
        now = max(now, row.time)
        if row.robot in last:
            last[row.robot].next = row.time
        last[row.robot] = one = _Waiting(row, patience(row.state))
        waiting.append(one)
        while waiting:
            one = waiting[0]
            heard = now if one.next is None else one.next
            lost = heard - one.row.time > one.patience
            known = lost or one.next is not None or one.patience == math.inf
            if not known and len(waiting) <= _AHEAD:
                break
            waiting.popleft()
            yield one.row, lost
    for one in waiting:
        heard = end(now) if one.next is None else one.next
        yield one.row, heard - one.row.time > one.patience
