"""Cells of the CSV files that covey writes, and reads back.

A spreadsheet takes a cell that begins with = + - or @ for a formula, and runs it. Names are data,
and may be a stranger's; so a text that begins like a formula gets an apostrophe before it, which
spreadsheets take for "this is text". Numbers stay numbers, and a text that is one stays as it is.
Reading takes the apostrophe off again: `read_cell(safe_cell(x)) == x` for every text x.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from typing import IO

from covey.numbers import number_of

# A text's own apostrophes count as well, or reading would take one of them. The wide signs are
# those of East Asian keyboards; spaces and line breaks may be dropped before a spreadsheet looks.
_FORMULA = re.compile(r"'*(?:\s*[=+\-@＝＋－＠]|[\t\r\n])")


def write_csv(
    stream: IO[str],
    header: Iterable[str],
    rows: Iterable[Sequence[object]],
    line_end: str = "\n",
) -> None:
    """A table: the names of the columns, then the rows; every text in it is safe to open."""
    writer = csv.writer(_Lines(stream, line_end))
    writer.writerow([safe_cell(name) for name in header])
    for row in rows:
        writer.writerow([safe_cell(value) for value in row])


class _Lines:
    """Takes lines as `csv` ends them, with both characters: it quotes no others in a cell."""

    def __init__(self, stream: IO[str], end: str) -> None:
        self.stream, self.end = stream, end

    def write(self, line: str) -> int:
        return self.stream.write(line.removesuffix("\r\n") + self.end)


def safe_cell(value: object) -> object:
    """The value; a text that a spreadsheet would take for a formula with an apostrophe first."""
    if isinstance(value, str) and _FORMULA.match(value) and number_of(value) is None:
        return f"'{value}"
    return value


def read_cell(text: str) -> str:
    """The text that `safe_cell` was given."""
    return text[1:] if text[:1] == "'" and _FORMULA.match(text, 1) else text
