"""Logs of events: what happened when, as CSV or JSON lines with these columns.

    reaction             every row is an event: `{A} + {R} -> {A,R}`, or the reaction's number from
                         1 (`3` or `r3`). Empty in a run's first row (the start) and wherever
                         nothing happened: in the last row, that is how long was observed
    a species each       the state after the event; the state is counted from the scenario's start
                         where they are left out. With an empty reaction, the change says which
                         reaction it was, or which ones it may have been
    before X, after X    the same, for rows that hold both

`time` is always there; `sample` tells several runs apart. Every row is checked against the one
before it, added up (`tally`) and forgotten; a message names the line.
"""

from __future__ import annotations

import re

from covey.errors import CoveyError, InputError, did_you_mean, shown
from covey.model.io.clock import Clock
from covey.model.reaction import parse_reaction
from covey.model.scenario import Scenario
from covey.study.fit.logs.event_rows import MAX_LOGGED_COUNT, Header, Row
from covey.study.fit.logs.log import State
from covey.study.fit.logs.table import Table
from covey.study.fit.tally import Tally, Track

_NUMBER = re.compile(r"[rR]?([0-9]{1,9})")


def read_events(table: Table, scenario: Scenario, clock: Clock, kind: type[Tally] = Tally) -> Tally:
    """What a log of events comes to, checked against the scenario's network.

    Args:
        table: Its rows.
        scenario: Its network has the reactions; runs begin at its start where they do not say.
        clock: Reads the times.
        kind: What adds the events up.
    """
    header = Header.of(table.columns, scenario.network, clock)
    reader = _Reader(scenario, clock, kind)
    tracks: dict[str, Track] = {}
    for line, cells in table.rows:
        try:
            row = header.row(cells)
        except CoveyError as error:
            table.bad.take(error.at(line=line))
            continue
        try:
            if row.sample not in tracks:
                tracks[row.sample] = reader.begin(row, line)
            else:
                reader.add(tracks[row.sample], row, line)
        except CoveyError as error:
            raise error.at(line=line) from None
    if not tracks:
        raise InputError("the log is empty: a row for each event or snapshot is expected")
    return reader.finish()


class _Reader:
    """Follows runs event by event, and finds out which reaction each event was."""

    def __init__(self, scenario: Scenario, clock: Clock, kind: type[Tally]) -> None:
        self.network, self.clock = scenario.network, clock
        self.tally = kind(self.network)
        self.start: State = tuple(scenario.start.tolist())
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

    def begin(self, row: Row, line: int) -> Track:
        """Sets the start of a run by its first row, and takes that row, too."""
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
        from_zero = not alone and not self.clock.dated
        track = self.tally.begin(0.0 if from_zero else row.time, state, line)
        if not alone:
            self.add(track, row, line)
        return track

    def add(self, track: Track, row: Row, line: int) -> None:
        """Takes the run one row further."""
        if row.time < track.time:
            raise InputError(
                f"the time {row.time:g} comes after {track.time:g}: the rows of a run are "
                "expected in the order of time"
            )
        if row.before is not None and row.before != track.state:
            raise InputError(
                f"before the event {self._unlike(row.before, track.state)} as the row above left "
                "it: an event is missing"
            )
        now = track.state
        choice = self._named(row, now) if row.reaction else self._inferred(row, now)
        if not choice:
            self.tally.wait(track, row.time, line)
            return
        after = _sum(now, self.changes[choice[0]])
        if row.after is not None and row.after != after:
            arrow = self.network.reactions[choice[0]].arrow
            raise InputError(f"after {arrow} {self._unlike(row.after, after)}")
        self.tally.happen(track, row.time, choice, after, line)

    def finish(self) -> Tally:
        """What all of it comes to."""
        if self.inferred:  # then what changes nothing was never told
            self.tally.unseen = {r for r, change in enumerate(self.changes) if not any(change)}
        return self.tally

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
                "rows are snapshots with several events between them, leave the column reaction out"
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
