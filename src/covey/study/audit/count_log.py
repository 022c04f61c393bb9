"""Logs of counts at times, written by any program: CSV or JSON lines, and no model of the team.

    run,time,driving,charging      the first line names the columns
    1,0,5,0                        `run`, or `sample`, tells runs apart; without, a file is one run
    1,0.5,4,1                      every other column is a number that can be seen

Rows of a run come in the order of time. Between two rows the counts are taken to be as they were.
A column `reaction`, which `covey simulate --events` writes, is left out: it is not seen.
"""

from __future__ import annotations

import glob
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from covey.dynamics.validation import Progress
from covey.errors import CoveyError, InputError, TooLargeError, shown
from covey.files.csv_cells import read_cell
from covey.model.io.clock import Clock
from covey.numbers import Floats, to_float
from covey.study.fit.logs.table import Table, open_table

_MOST_NUMBERS = 50_000_000  # that are kept: 400 MB
_LARGEST = 1e12  # whose squares are still exact enough
_RUN = ("run", "sample")
_UNSEEN = ("reaction",)
_WILD = frozenset("*?[")

Files = str | Path | Iterable[str | Path]


@dataclass(frozen=True, eq=False)
class CountRun:
    """One run: from `times[k]` on the counts are `counts[k]`.

    Attributes:
        name: The file, and which run of it.
        times: When each row was, (rows,).
        counts: What was seen from then on, (rows, counts).
    """

    name: str
    times: Floats
    counts: Floats

    @property
    def duration(self) -> float:
        """From the first row to the last."""
        return float(self.times[-1] - self.times[0])


@dataclass(frozen=True, eq=False)
class CountLog:
    """Runs of one kind.

    Attributes:
        name: How the log is called in sentences.
        names: What is counted, in the order of the columns.
        runs: The runs.
        notes: What was odd.
    """

    name: str
    names: tuple[str, ...]
    runs: tuple[CountRun, ...]
    notes: tuple[str, ...] = ()


def read_counts(
    files: Files,
    columns: Mapping[str, str] | None = None,
    unit: str | None = None,
    progress: Progress | None = None,
    *,
    usual_unit: str | None = None,
) -> CountLog:
    """The log in a file, or in several that hold runs of the same kind.

    Args:
        files: A path, a pattern such as `real/*.csv`, or several of them; `-` is standard input.
        columns: What columns are called in the files: `{"time": "when", "run": "mission"}`.
        unit: What dates and epoch times are counted in; by default seconds.
        progress: Called as progress(done, total, text) while rows are read.
        usual_unit: What they are counted in where no unit is given; times may then be numbers.
    """
    given = [str(files)] if isinstance(files, str | Path) else [str(file) for file in files]
    paths = [path for file in given for path in _matching(file)]
    if not paths:
        raise InputError("no log is given: a file of counts at times is expected")
    parts = []
    room = _MOST_NUMBERS
    for path in paths:
        clock = Clock(unit or usual_unit, dated=unit is not None)
        parts.append(_read(path, columns or {}, clock, progress, len(paths) > 1, room))
        room -= sum(run.counts.size + run.times.size for run in parts[-1].runs)
    first = parts[0]
    runs = [run for part in parts for run in _in_order_of(first.names, part, paths[0])]
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    return CountLog(", ".join(given)[:200], first.names, tuple(runs), notes)


def same_counts(one: CountLog, other: CountLog) -> CountLog:
    """The second log with its columns in the order of the first; refused where they differ."""
    runs = _in_order_of(one.names, other, one.name)
    return CountLog(other.name, one.names, tuple(runs), other.notes)


def _matching(file: str) -> list[str]:
    """The files that a pattern means; a name without signs of one means itself."""
    if not _WILD & set(file) or Path(file).exists():
        return [file]
    found = sorted(glob.glob(file, recursive=True))  # noqa: PTH207  (an absolute one, too)
    if not found:
        raise InputError("no file has a name like this", file=file)
    return found


def _in_order_of(names: tuple[str, ...], part: CountLog, first: str) -> list[CountRun]:
    if set(names) != set(part.names):
        only = sorted(set(names) ^ set(part.names))
        raise InputError(
            f"the columns are not those of {first}: {', '.join(only)[:200]} "
            f"{'is' if len(only) == 1 else 'are'} in one of them alone. Logs that are compared "
            "show the same counts: leave other columns out of both",
            file=part.name,
        )
    order = [part.names.index(name) for name in names]
    return [CountRun(run.name, run.times, run.counts[:, order]) for run in part.runs]


@dataclass
class _Rows:
    """A run in the making."""

    times: array[float] = field(default_factory=lambda: array("d"))
    counts: array[float] = field(default_factory=lambda: array("d"))


def _read(
    path: str,
    columns: Mapping[str, str],
    clock: Clock,
    progress: Progress | None,
    several: bool,
    room: int,
) -> CountLog:
    table = open_table(path, columns, progress)
    try:
        return _read_table(table, clock, several, room)
    except CoveyError as error:
        raise error.at(file=path) from None


def _read_table(table: Table, clock: Clock, several: bool, room: int) -> CountLog:
    time, run, places = _header(table)
    names = tuple(table.columns[c] for c in places)
    rows: dict[str, _Rows] = {}
    kept = 0
    for line, cells in table.rows:
        if len(cells) != len(table.columns):
            raise InputError(
                f"{len(cells)} columns, where the header has {len(table.columns)}", line=line
            )
        try:
            now = clock.read(cells[time])
            counts = [_number(cells[c], name) for c, name in zip(places, names, strict=True)]
        except InputError as error:
            raise error.at(line=line) from None
        mine = rows.setdefault("" if run is None else read_cell(cells[run]).strip(), _Rows())
        if mine.times and now < mine.times[-1]:
            raise InputError(
                f"the time {now:g} comes after {mine.times[-1]:g}: the rows of a run are expected "
                "in the order of time, and runs are told apart by a column run",
                line=line,
            )
        mine.times.append(now)
        mine.counts.extend(counts)
        kept += 1 + len(places)
        if kept > room:
            raise TooLargeError(
                f"more than {_MOST_NUMBERS:,} numbers: compare fewer runs, or look less often"
            )
    if not rows:
        raise InputError("the log is empty: a row for every time is expected")
    found = []
    for which, mine in rows.items():
        name = table.file if not which else f"{table.file if several else 'run'} {which}"
        counts_of = np.array(mine.counts).reshape(-1, len(places))
        found.append(CountRun(name, np.array(mine.times), counts_of))
    notes = [] if not clock.dated else clock.notes[:1]
    return CountLog(table.file, names, tuple(found), (*notes, *table.notes))


def _header(table: Table) -> tuple[int, int | None, list[int]]:
    """Where the time is, where the run, and where the counts are."""
    words = [name.strip().lower() for name in table.columns]
    for name in words:
        if words.count(name) > 1:
            raise InputError(f"the column {shown(name)} is there twice", line=1)
    if "robot" in words:
        raise InputError(
            "this log has a row for every robot: counts at times are expected, a column for each "
            "number that can be seen",
            line=1,
        )
    if "time" not in words:
        raise InputError(
            f"the first line is {shown(', '.join(table.columns))}: it names the columns, and time "
            "is one of them (--columns time=NAME says which)",
            line=1,
        )
    runs = [words.index(word) for word in _RUN if word in words]
    if len(runs) > 1:
        raise InputError("run and sample are both there: one of them is expected", line=1)
    places = [i for i, word in enumerate(words) if word not in ("time", *_RUN, *_UNSEEN)]
    if not places:
        raise InputError("nothing is counted: besides time, a column for each count", line=1)
    return words.index("time"), runs[0] if runs else None, places


def _number(cell: str, name: str) -> float:
    value = to_float(cell)
    if not abs(value) <= _LARGEST:
        raise InputError(
            f"{name} is {shown(cell)}: a number of at most {_LARGEST:g} is expected in every "
            "column but time and run"
        )
    return value
