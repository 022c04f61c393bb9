"""A log as a table: names of columns, and rows of cells with the lines that they stand on.

CSV has them as they are. Of JSON lines the first object names the columns, those of objects inside
it with dots (`batteryState.charging`); what has no value is an empty cell. Whatever the columns are
called in the file, `columns` says which of them is the `time`, the `robot`, and so on.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from covey.dynamics.validation import Progress
from covey.errors import CoveyError, InputError, did_you_mean, shown
from covey.files.csv_cells import read_cell
from covey.files.line_file import is_object, numbered_lines, read_object

WORDS = ("time", "sample", "reaction", "robot", "type", "state", "from", "to")

Cells = Sequence[str]


@dataclass
class BadLines:
    """What happens to lines that cannot be read: the first is an error, or all are skipped.

    Attributes:
        skip: Whether they are skipped.
        skipped: How many were.
        first: What was wrong with the first of them.
    """

    skip: bool = False
    skipped: int = 0
    first: str = ""

    def take(self, error: CoveyError) -> None:
        """One more: raises it, or counts it.

        Args:
            error: What is wrong, and where.
        """
        if not self.skip:
            raise error from None
        if not self.skipped:
            self.first = f"line {error.line:,}: {error.message}" if error.line else error.message
        self.skipped += 1

    def notes(self) -> list[str]:
        """How many were skipped, if any."""
        if not self.skipped:
            return []
        lines = f"{self.skipped:,} line{'s' * (self.skipped != 1)}"
        return [
            f"{lines} could not be read, and {'are' if self.skipped > 1 else 'is'} skipped: "
            f"{'first ' * (self.skipped > 1)}{self.first}."
        ]


@dataclass(frozen=True)
class Table:
    """Rows that are read one by one.

    Attributes:
        columns: What each cell of a row is.
        rows: The line of every row, and its cells.
        file: Where they come from.
        notes: What the reader has to say, once all rows were read.
        bad: What happens to rows that cannot be read.
    """

    columns: tuple[str, ...]
    rows: Iterator[tuple[int, Cells]]
    file: str
    notes: list[str] = field(default_factory=list)
    bad: BadLines = field(default_factory=BadLines)


def open_table(
    file: str,
    columns: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    bad: BadLines | None = None,
) -> Table:
    """The table in a file of CSV or JSON lines; `-` reads standard input.

    Args:
        file: The path, or `-`.
        columns: What columns are called in the file: `{"time": "timestamp", "robot": "agv"}`.
        progress: Called as progress(done, total, text) while rows are read.
        bad: What happens to lines that cannot be read.
    """
    bad = bad or BadLines()
    lines = _text(file, read_progress(file, progress), bad)
    number, first = next(((n, text) for n, text in lines if text.strip()), (0, ""))
    if not first:
        raise InputError(
            "the file is empty: a first line that names the columns is expected", file=file
        )
    try:
        if is_object(first):
            names = list(flat(read_object(first)))
            renamed = _renamed(names, columns or {})
            return Table(renamed, _objects(number, first, lines, names, bad), file, bad=bad)
        return _csv_table(number, first, lines, columns or {}, file, bad)
    except CoveyError as error:
        raise error.at(file=file, line=number) from None


def read_progress(file: str, progress: Progress | None) -> Callable[[int], None] | None:
    """How far a file was read, as `progress` hears of it: nothing where its size is not known."""
    try:
        size = Path(file).stat().st_size if file != "-" else 0
    except OSError:
        return None
    if progress is None or not size:
        return None
    return lambda done: progress(done, size, "reading the log")


def flat(found: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """The values of an object as cells, by names with dots; lists are left out."""
    cells: dict[str, str] = {}
    for name, value in found.items():
        if isinstance(value, Mapping):
            cells |= flat(value, f"{before}{name}.")
        elif isinstance(value, str):
            cells[f"{before}{name}"] = value
        elif not isinstance(value, list):
            cells[f"{before}{name}"] = "" if value is None else json.dumps(value)
    return cells


def _text(
    file: str, notify: Callable[[int], None] | None, bad: BadLines
) -> Iterator[tuple[int, str]]:
    lines = numbered_lines(
        file, "a log", hint="`covey simulate` writes logs of events", notify=notify
    )
    for number, text in lines:
        if isinstance(text, InputError):
            more = ": this is no log" if "megabyte" in text.message else ""
            bad.take(InputError(text.message + more, file=file, line=number))
        else:
            yield number, text


def _csv_table(
    number: int,
    first: str,
    lines: Iterator[tuple[int, str]],
    columns: Mapping[str, str],
    file: str,
    bad: BadLines,
) -> Table:
    def texts() -> Iterator[str]:
        yield first
        for _, text in lines:
            yield text

    reader = csv.reader(texts(), skipinitialspace=True, strict=True)

    def wrong(error: csv.Error) -> InputError:
        return InputError(f"not a CSV file: {error}", file=file, line=reader.line_num + number - 1)

    def rows() -> Iterator[tuple[int, Cells]]:
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                bad.take(wrong(error))
                continue
            if cells is None:
                return
            if any(cell.strip() for cell in cells):
                yield reader.line_num + number - 1, cells

    try:
        names = [read_cell(cell).strip() for cell in next(reader)]
    except csv.Error as error:
        raise wrong(error) from None
    return Table(_renamed(names, columns), rows(), file, bad=bad)


def _objects(
    number: int,
    first: str,
    lines: Iterator[tuple[int, str]],
    names: Sequence[str],
    bad: BadLines,
) -> Iterator[tuple[int, Cells]]:
    known = set(names)
    while True:
        try:
            cells = flat(read_object(first)) if first.strip() else None
        except InputError as error:
            bad.take(error.at(line=number))
            cells = None
        if cells is not None:
            for name in cells.keys() - known:
                if name.lower() in WORDS or "{" in name:
                    raise InputError(
                        f"{shown(name)} is not in the first line, which names all columns: give it "
                        "there, null where it has no value",
                        line=number,
                    )
            yield number, [cells.get(name, "") for name in names]
        if (line := next(lines, None)) is None:
            return
        number, first = line


def _renamed(names: Sequence[str], columns: Mapping[str, str]) -> tuple[str, ...]:
    """The names of columns, those that the user called otherwise by covey's words for them."""
    ours = {}
    for word, name in columns.items():
        if name not in names:
            hint = did_you_mean(name, names) or f" There are {', '.join(names)[:200]}."
            raise InputError(f"there is no column {shown(name)} for {word}.{hint}")
        ours[name] = word
    # A column that has one of covey's words for its name, though another one was given for it.
    theirs = {word for word, name in columns.items() if name != word}
    return tuple(
        ours.get(name) or (f"other {name}" if name.lower() in theirs else name) for name in names
    )
