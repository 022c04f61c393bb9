"""Logs of what a team did, as CSV files: a row for every event, or a row for every glance.

The header says which it is. `time` is always there; `sample` tells several runs apart.

    reaction             every row is an event: `{A} + {R} -> {A,R}`, or the reaction's number from
                         1 (`3` or `r3`). Empty in a run's first row (the start) and wherever
                         nothing happened: in the last row, that is how long was observed
    a species each       the state after the event; the state is counted from the scenario's start
                         where they are left out. With an empty reaction, the change says which
                         reaction it was, or which ones it may have been
    before X, after X    the same, for rows that hold both
    species, no reaction every row is a glance: what happened in between was not seen

Every row is checked against the one before it; a message names the line.
"""

from __future__ import annotations

import csv
import re
from array import array
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.question import check_time
from covey.errors import CoveyError, InputError, did_you_mean, shown
from covey.model.reaction import parse_reaction
from covey.model.scenario import Scenario
from covey.study.fit.event_rows import MAX_LOGGED_COUNT, Header, Row, State, text_lines

_NUMBER = re.compile(r"[rR]?([0-9]{1,9})")


@dataclass(frozen=True)
class Run:
    """One path as logged: from `times[k]` on the team is in `states[k]`, where `events[k]` led.

    Attributes:
        times: When each row was, (rows,).
        states: The state from then on, (rows, species).
        events: What happened, as an index into the log's `choices`; −1 where none is known,
            (rows,).
        lines: Where each row stands in the file; 0 if nowhere, (rows,).
    """

    times: NDArray[np.float64]  # (rows,)
    states: NDArray[np.int64]  # (rows, species)
    events: NDArray[np.int64]  # (rows,)
    lines: NDArray[np.int64]  # (rows,)

    def until(self, time: float) -> Run:
        """The run, watched on to a later time at which nothing had happened since.

        Args:
            time: Not before the last row.
        """
        if time < self.times[-1]:
            raise InputError(
                f"the log goes on to time {self.times[-1]:g}: until = {time:g} is before that",
                line=int(self.lines[-1]) or None,
            )
        return Run(
            np.append(self.times, time),
            np.vstack([self.states, self.states[-1:]]),
            np.append(self.events, -1),
            np.append(self.lines, self.lines[-1]),
        )


@dataclass(frozen=True)
class Log:
    """Runs of one network.

    Attributes:
        runs: A path each.
        choices: The reactions that an event can have been, by their numbers.
        sampled: Whether rows are glances, not events.
        inferred: Whether some reactions are known by their change only.
        file: Where it was read from.
    """

    runs: tuple[Run, ...]
    choices: tuple[tuple[int, ...], ...] = ()
    sampled: bool = False
    inferred: bool = False
    file: str | None = None

    @property
    def ended(self) -> bool:
        """Whether it is known of every run how long it was watched after its last event."""
        return all(len(run.times) > 1 and run.events[-1] < 0 for run in self.runs)

    def until(self, time: float) -> Log:
        """The log, watched to the same time in every run.

        Args:
            time: Not before the last row of any run.
        """
        time = check_time(time, "until")
        if self.sampled:
            raise InputError(
                "until is for logs of events; this one has no reactions, so that every row is a "
                "glance, and nothing is known after the last",
                file=self.file,
            )
        try:
            runs = tuple(run.until(time) for run in self.runs)
        except CoveyError as error:
            raise error.at(file=self.file) from None
        return Log(runs, self.choices, False, self.inferred, self.file)


def read_log(path: str | Path, scenario: Scenario) -> Log:
    """The log in a CSV file (`-` reads standard input), checked against the scenario's network."""
    file = str(path)
    try:
        rows = csv.reader(text_lines(file), skipinitialspace=True, strict=True)
        first = next(rows, None)
        if first is None:
            raise InputError("the file is empty: a first line that names the columns is expected")
        header = Header.of(first, scenario.network)
        paths: dict[str, _Path] = {}
        reader = _Reader(scenario, header)
        for cells in rows:
            if any(cell.strip() for cell in cells):
                try:
                    row = header.row(cells)
                    reader.add(paths.setdefault(row.sample, _Path()), row, rows.line_num)
                except CoveyError as error:
                    raise error.at(line=rows.line_num) from None
        if not paths:
            raise InputError("the log is empty: a row for each event or glance is expected")
    except CoveyError as error:
        raise error.at(file=file) from None
    except csv.Error as error:
        raise InputError(f"not a CSV file: {error}", file=file, line=rows.line_num) from None
    runs = tuple(path.finish(len(scenario.network.species)) for path in paths.values())
    return Log(runs, tuple(reader.choices), header.sampled, reader.inferred, file)


@dataclass
class _Path:
    """A run in the making."""

    times: array[float] = field(default_factory=lambda: array("d"))
    states: array[int] = field(default_factory=lambda: array("q"))
    events: array[int] = field(default_factory=lambda: array("q"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    now: State = ()

    def push(self, time: float, state: State, event: int, line: int) -> None:
        self.times.append(time)
        self.states.extend(state)
        self.events.append(event)
        self.lines.append(line)
        self.now = state

    def finish(self, species: int) -> Run:
        return Run(
            np.array(self.times),
            np.array(self.states).reshape(-1, species),
            np.array(self.events),
            np.array(self.lines),
        )


class _Reader:
    """Follows runs event by event, and finds out which reaction each event was."""

    def __init__(self, scenario: Scenario, header: Header) -> None:
        self.network, self.sampled = scenario.network, header.sampled
        self.start: State = tuple(scenario.start.tolist())
        self.choices: dict[tuple[int, ...], int] = {}
        self.inferred = False
        self.named: dict[str, tuple[int, ...]] = {}
        self.numbers: dict[tuple[str, str], list[int]] = {}
        self.by_change: dict[State, list[int]] = {}
        for number, reaction in enumerate(self.network.reactions):
            sides = str(reaction.reactants), str(reaction.products)
            self.numbers.setdefault(sides, []).append(number)
            change: State = tuple(self.network.changes[number].tolist())
            self.by_change.setdefault(change, []).append(number)
        self.changes = [tuple(row) for row in self.network.changes.tolist()]
        self.reactants = [tuple(row) for row in self.network.reactants.tolist()]

    def add(self, path: _Path, row: Row, line: int) -> None:
        """Takes the run one row further."""
        if path.times and row.time < path.times[-1]:
            raise InputError(
                f"the time {row.time:g} comes after {path.times[-1]:g}: the rows of a run are "
                "expected in the order of time"
            )
        if self.sampled and row.after is not None:
            path.push(row.time, row.after, -1, line)
            return
        if not path.times and self._begin(path, row, line):
            return
        if row.before is not None and row.before != path.now:
            raise InputError(
                f"before the event {self._unlike(row.before, path.now)} as the row above left it: "
                "an event is missing"
            )
        choice = self._named(row, path.now) if row.reaction else self._inferred(row, path.now)
        if not choice:
            path.push(row.time, path.now, -1, line)
            return
        after = _sum(path.now, self.changes[choice[0]])
        if row.after is not None and row.after != after:
            arrow = self.network.reactions[choice[0]].arrow
            raise InputError(f"after {arrow} {self._unlike(row.after, after)}")
        path.push(row.time, after, self.choices.setdefault(choice, len(self.choices)), line)

    def _begin(self, path: _Path, row: Row, line: int) -> bool:
        """Sets the start of a run; whether its first row is no more than that."""
        alone = not row.reaction and (row.before is None or row.before == row.after)
        if row.before is not None:
            state = row.before
        elif row.after is None:
            state = self.start
        elif row.reaction:
            back = self.changes[self._reactions(row.reaction)[0]]
            state = _sum(row.after, tuple(-change for change in back))
        else:
            state = row.after
        if max(state) > MAX_LOGGED_COUNT:
            raise InputError(f"the start has more than {MAX_LOGGED_COUNT:,} of a species")
        if not alone and row.time < 0:
            raise InputError(
                f"the first event is at time {row.time:g}: a run begins at 0, or with a row that "
                "has a time and no reaction"
            )
        path.push(row.time if alone else 0.0, state, -1, line)
        return alone

    def _reactions(self, text: str) -> tuple[int, ...]:
        """The reactions that a cell names: several only where the network has one twice."""
        if text not in self.named:
            self.named[text] = self._look_up(text)
        return self.named[text]

    def _look_up(self, text: str) -> tuple[int, ...]:
        if number := _NUMBER.fullmatch(text):
            if 1 <= int(number[1]) <= len(self.changes):
                return (int(number[1]) - 1,)
            raise InputError(
                f"there is no reaction {text}: they are numbered from 1 to {len(self.changes)}"
            )
        arrows = [reaction.arrow for reaction in self.network.reactions]
        try:
            reaction, *more = parse_reaction(f"{text.partition('@')[0]} @ 1")
            sides = str(reaction.reactants), str(reaction.products)
        except InputError:
            sides, more = ("", ""), []
        if more or sides not in self.numbers:
            hint = did_you_mean(text, arrows) or f" Expected one such as {arrows[0]}."
            raise InputError(f"{shown(text)} is no reaction of the network.{hint}")
        return tuple(self.numbers[sides])

    def _named(self, row: Row, now: State) -> tuple[int, ...]:
        choice = self._reactions(row.reaction)
        lacking = self._lacking(choice[0], now)
        if lacking is not None:
            arrow = self.network.reactions[choice[0]].arrow
            raise InputError(
                f"{arrow} cannot have happened: there are {now[lacking]} "
                f"{self.network.species[lacking]} before it"
            )
        return choice

    def _inferred(self, row: Row, now: State) -> tuple[int, ...]:
        """The reactions that lead from state to state; none where nothing changes."""
        if row.after is None or row.after == now:
            return ()
        change = tuple(a - b for a, b in zip(row.after, now, strict=True))
        same = self.by_change.get(change, [])
        choice = tuple(number for number in same if self._lacking(number, now) is None)
        if not choice:
            terms = zip(self.network.species, change, strict=True)
            found = ", ".join(f"{n:+d} {species}" for species, n in terms if n)
            raise InputError(
                f"no reaction explains the change {found}: one event a row is expected. If the "
                "rows are glances with several events between them, leave the column reaction out"
            )
        self.inferred = True
        return choice

    def _lacking(self, number: int, now: State) -> int | None:
        """A species that a reaction needs more of than there is."""
        for i, (needed, there) in enumerate(zip(self.reactants[number], now, strict=True)):
            if there < needed:
                return i
        return None

    def _unlike(self, found: State, expected: State) -> str:
        for species, one, other in zip(self.network.species, found, expected, strict=True):
            if one != other:
                return f"there are {one} {species}, where {other} are expected"
        return ""


def _sum(state: State, change: State) -> State:
    return tuple(a + b for a, b in zip(state, change, strict=True))
