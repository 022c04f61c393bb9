"""Logs as files: CSV or JSON lines, whose columns say which kind of log it is.

    robot                     a row for every robot and change (`robot_file`)
    reaction, or before X     a row for every event (`event_file`)
    counts, and neither       a row for every snapshot: what happened in between was not seen. The
                              columns are species, or sums that [observe] names; where not all
                              species are there, the others may be anything, and an empty cell, too

Events are added up while they are read; snapshots are kept.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from covey.dynamics.validation import Progress
from covey.errors import CoveyError, InputError, did_you_mean, shown
from covey.files.csv_cells import read_cell
from covey.model.io.clock import Clock
from covey.model.scenario import Scenario
from covey.model.species import Species
from covey.model.team import read_fleet
from covey.numbers import Ints
from covey.study.fit.logs.event_file import read_events
from covey.study.fit.logs.event_rows import read_count
from covey.study.fit.logs.feeds.sources import Source, open_source
from covey.study.fit.logs.log import Log, Run
from covey.study.fit.logs.reading import Reading
from covey.study.fit.logs.robots.robot_file import read_robots
from covey.study.fit.logs.table import BadLines, Table
from covey.study.fit.tally import Tally

UNSEEN = -1  # in the place of a count


def read_log(
    file: str | Path,
    scenario: Scenario,
    reading: Reading | None = None,
    progress: Progress | None = None,
    source: Source = "log",
    until: float | str | None = None,
    kind: type[Tally] = Tally,
) -> tuple[Log | Tally, Clock]:
    """The log in a file (`-` reads standard input), and the clock of its times.

    Args:
        file: The path, or `-`.
        scenario: Its network is what the log is checked against.
        reading: How it is to be read; by default as it is.
        progress: Called as progress(done, total, text) while rows are read.
        source: What it is, if it is not a log: a feed.
        until: How long was watched; by default up to the last row.
        kind: What adds events up.
    """
    how = reading or Reading()
    bad = BadLines(how.skip_bad)
    table = open_source(source, str(file), scenario, how.columns, progress, bad)
    return read_table(table, scenario, how, until, kind)


def read_table(
    table: Table,
    scenario: Scenario,
    how: Reading,
    until: float | str | None = None,
    kind: type[Tally] = Tally,
) -> tuple[Log | Tally, Clock]:
    """The log in a table, and the clock of its times.

    Args:
        table: Its columns say which kind of log it is.
        scenario: Its network is what the log is checked against.
        how: What is to be read how; the columns have their names already.
        until: How long was watched; by default up to the last row.
        kind: What adds events up.
    """
    words = {name.lower().strip() for name in table.columns}
    clock = _clock(scenario, how)
    try:
        found: Log | Tally
        if "robot" in words:
            rows = () if how.fleet is None else read_fleet(how.fleet)
            fleet = {robot: type_ for _, robot, type_ in rows}
            found = read_robots(table, scenario, clock, fleet, how, until, kind)
        elif "reaction" in words or any(word.startswith("before") for word in words):
            found = read_events(table, scenario, clock, kind)
            if until is not None:
                found.until(clock.until(until))
        else:
            found = _read_snapshots(table, scenario, clock)
        if isinstance(found, Tally):
            found.file = table.file
            found.notes[:0] = clock.notes + table.notes + table.bad.notes()
    except CoveyError as error:
        raise error.at(file=table.file) from None
    return found, clock


def _clock(scenario: Scenario, how: Reading) -> Clock:
    if how.unit and scenario.unit and how.unit != scenario.unit:
        raise InputError(
            f"the unit is to be {how.unit}, and the scenario's rates are per {scenario.unit} "
            "([time] unit): leave one of them out",
        )
    return Clock(how.unit or scenario.unit, dated=how.unit is not None)


@dataclass
class _Path:
    """A run of snapshots in the making."""

    times: array[float] = field(default_factory=lambda: array("d"))
    counts: array[int] = field(default_factory=lambda: array("q"))
    lines: array[int] = field(default_factory=lambda: array("q"))

    def finish(self, width: int) -> Run:
        lines = np.array(self.lines)
        counts = np.array(self.counts).reshape(-1, width)
        return Run(np.array(self.times), counts, np.full(len(lines), -1), lines)


def _read_snapshots(table: Table, scenario: Scenario, clock: Clock) -> Log:
    names, columns, seen = _seen(table, scenario)
    species = len(scenario.network.species)
    whole = len(columns) == species and bool((seen.sum(axis=0) == 1).all())
    if whole:
        order = np.argsort(seen.argmax(axis=1))
        names, columns, seen = [names[i] for i in order], [columns[i] for i in order], seen[order]
    words = {name.lower().strip(): i for i, name in enumerate(table.columns)}
    time, sample = words["time"], words.get("sample")
    paths: dict[str, _Path] = {}
    for line, cells in table.rows:
        try:
            if len(cells) != len(table.columns):
                raise InputError(f"{len(cells)} columns, where the header has {len(table.columns)}")
            which = "" if sample is None else read_cell(cells[sample]).strip()
            now = clock.read(cells[time])
            counts = [
                UNSEEN if not cells[c].strip() and not whole else read_count(cells[c], name)
                for c, name in zip(columns, names, strict=True)
            ]
        except CoveyError as error:
            table.bad.take(error.at(line=line))
            continue
        path = paths.setdefault(which, _Path())
        if path.times and now < path.times[-1]:
            raise InputError(
                f"the time {now:g} comes after {path.times[-1]:g}: the rows of a run are expected "
                "in the order of time",
                line=line,
            )
        path.counts.extend(counts)
        path.times.append(now)
        path.lines.append(line)
    if not paths:
        raise InputError("the log is empty: a row for each event or snapshot is expected")
    runs = tuple(path.finish(len(columns)) for path in paths.values())
    notes = (*clock.notes, *table.notes, *table.bad.notes())
    return Log(runs, (), True, False, None if whole else seen, notes, table.file)


def _seen(table: Table, scenario: Scenario) -> tuple[list[str], list[int], Ints]:
    """The columns that count something: their names, where they are, and what they count."""
    network, sums = scenario.network, scenario.query.sums
    names: list[str] = []
    columns: list[int] = []
    rows: list[Ints] = []
    given: set[str] = set()
    for column, cell in enumerate(table.columns):
        word = cell.strip()
        if word.lower() in given or word in names:
            raise InputError(f"the column {shown(word)} is there twice", line=1)
        if word.lower() in ("time", "sample"):
            given.add(word.lower())
            continue
        row = np.zeros(len(network.species), dtype=np.int64)
        if word in sums:
            if sums[word].threshold is not None:
                raise InputError(
                    f"the column {shown(word)} is a threshold, seen as 0 or 1, and rates are "
                    "fitted to sums: leave the column out, or log the sum itself",
                    line=1,
                )
            for species, weight in sums[word].terms:
                row[network.index[species]] = weight
        else:
            row[network.index[_species(word, scenario)]] = 1
        if any((row == other).all() for other in rows):
            raise InputError(f"the column {shown(word)} is there twice", line=1)
        names.append(word)
        columns.append(column)
        rows.append(row)
    if "time" not in given:
        raise InputError(
            f"the first line is {shown(', '.join(table.columns))}: it names the columns, and time "
            "is one of them",
            line=1,
        )
    if not rows:
        raise InputError(
            "neither reactions nor states: besides time, a column reaction is expected, or one for "
            f"every species ({', '.join(map(str, network.species))[:200]}), or what is seen",
            line=1,
        )
    return names, columns, np.array(rows)


def _species(word: str, scenario: Scenario) -> Species:
    try:
        species = Species.parse(word.removeprefix("after ").strip())
    except InputError:
        species = None
    if species is not None and species in scenario.network.index:
        return species
    known = [*map(str, scenario.network.species), *scenario.query.sums, "time", "sample"]
    raise InputError(
        f"the column {shown(word)} is no species of the network, nothing that is seen of it, and "
        f"none of time, reaction, sample and robot.{did_you_mean(word, known)}",
        line=1,
    )
