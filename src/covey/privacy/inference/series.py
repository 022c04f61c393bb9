"""A feed of what was published, a line for every snapshot, as CSV or as JSON lines.

    time,free,busy                          the first line names the columns
    0,3,0                                   a cell may be empty: that count was not published
    {"time": 0, "free": 3, "busy": 0}       or an object a line, if the first line is one

    time,followed                           where one robot is followed, what it does:
    0,busy                                  the sum that it is in, free+busy where it is in two
    1,-                                     and - where it is in none

A feed may never end, so it is read line by line, and a line is judged by itself: one that is wrong
is handed on as an error with its number, and the next one is read.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from covey.errors import CoveyError, InputError, did_you_mean, shown
from covey.files.csv_cells import read_cell
from covey.files.line_file import is_object, numbered_lines, read_object
from covey.model.following import COLUMN
from covey.model.io.clock import LATEST
from covey.model.team import check_count
from covey.numbers import finite_number

_TIME = "time"


@dataclass(frozen=True)
class Line:
    """What one line says."""

    number: int
    time: float
    counts: Mapping[str, int]


def read_series(
    file: str, names: Sequence[str], activities: Mapping[str, str] | None = None
) -> Iterator[Line | InputError]:
    """Every line, or what is wrong with it; `-` reads standard input as it comes.

    Raises `InputError` where the file cannot be read, or its first line names no columns.

    Args:
        file: The path, or `-`.
        names: What is seen: the counts that may be there.
        activities: Where one robot is followed, what it may be doing, and how each is counted.
    """
    robot = _Robot(activities or {})
    read: Callable[[str], Mapping[str, Any]] | None = None
    for number, text in numbered_lines(file, "a series of counts"):
        if isinstance(text, InputError):
            yield text
            continue
        if not text.strip():
            continue
        if read is None:
            if is_object(text):
                read = _json_row
            else:
                try:
                    read = _Header(list(map(read_cell, _cells(text))), names, robot.columns).row
                except InputError as error:
                    raise error.at(file=file, line=number) from None
                continue
        try:
            line = _line(number, robot.counted(read(text)), names)
        except CoveyError as error:
            yield InputError(error.message, file=file, line=number)
        else:
            yield line
    if read is None:
        raise InputError(
            f"nothing to read: a first line {_TIME},{','.join(names)} is expected", file=file
        )


class _Robot:
    """The column that says what a followed robot does."""

    def __init__(self, activities: Mapping[str, str]) -> None:
        self.activities = activities
        self.columns = [COLUMN] if activities else []

    def counted(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """A row with a count, 0 or 1, for every activity."""
        if not self.activities or COLUMN not in row:
            return row
        said = row[COLUMN]
        doing = [] if said == "-" else [word.strip() for word in str(said).split("+")]
        for word in doing:
            if word not in self.activities:
                listed = ", ".join(list(self.activities)[:8])
                hint = did_you_mean(word, self.activities) or f" Seen are {listed}, and - for none."
                raise InputError(f"{shown(word)} is nothing that a robot is seen doing.{hint}")
        rest = {name: value for name, value in row.items() if name != COLUMN}
        return rest | {count: int(name in doing) for name, count in self.activities.items()}


class _Header:
    """The columns that the first line names."""

    def __init__(self, cells: list[str], counts: Sequence[str], texts: Sequence[str]) -> None:
        self.cells, self.texts = cells, texts
        names = [*counts, *texts]
        expected = f"{_TIME},{','.join(names)} is expected"
        for name in cells:
            if name != _TIME and name not in names:
                hint = did_you_mean(name, [_TIME, *names]) or f" As a first line {expected}."
                raise InputError(f"the column {shown(name)} is nothing that is seen here.{hint}")
            if cells.count(name) > 1:
                raise InputError(f"the column {name} is there twice")
        if _TIME not in cells or len(cells) < 2:
            raise InputError(f"the first line names no {_TIME} and counts: {expected}")

    def row(self, text: str) -> Mapping[str, Any]:
        """A line, by its columns; empty cells are left out."""
        cells = _cells(text)
        if len(cells) != len(self.cells):
            raise InputError(f"{len(cells)} columns, where the first line has {len(self.cells)}")
        named = zip(self.cells, cells, strict=True)
        return {
            name: cell if name in self.texts else _number(name, cell)
            for name, cell in named
            if cell
        }


def _cells(text: str) -> list[str]:
    try:
        (cells,) = csv.reader([text.rstrip("\r\n")], skipinitialspace=True, strict=True)
    except csv.Error as error:
        raise InputError(f"not a line of CSV: {error}") from None
    return [cell.strip() for cell in cells]


def _number(name: str, cell: str) -> float | int:
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    raise InputError(f"{name} is {shown(cell)}: a number is expected")


def _json_row(text: str) -> Mapping[str, Any]:
    return {name: value for name, value in read_object(text).items() if value is not None}


def _line(number: int, row: Mapping[str, Any], names: Sequence[str]) -> Line:
    if _TIME not in row:
        raise InputError(f"there is no {_TIME}")
    counts = {name: value for name, value in row.items() if name != _TIME}
    for name in counts:
        if name not in names:
            hint = did_you_mean(name, names) or f" Seen are {', '.join(names[:8])}."
            raise InputError(f"{shown(name)} is nothing that is seen here.{hint}")
    whole = {name: check_count(value, name) for name, value in counts.items()}
    time = finite_number(row[_TIME], _TIME, "a time from 0 on", least=0, most=LATEST)
    return Line(number, time, whole)
