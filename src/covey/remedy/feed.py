"""A feed published line by line: what is there comes in, what is published goes out.

    driving,picking,charging      CSV: the first line names the columns; a line out for each line in
    4,2,2                         with the counts that the mechanism publishes, and nothing else
    {"driving": 4, "picking": 2, "charging": 2}      or an object a line, if the first line is one

Other columns are left out unless they are named (`passed`); those stand before the counts, as they
came in. Whether they tell of the team is the publisher's to know.

Lines are answered as they come, a piece of the feed at a time, and nothing is kept of them. What is
refused says nothing of the team: a first line that does not name the counts, a time that cannot be
placed, a second line where the mechanism is for one snapshot. Any other line is answered, whatever
it says (`Publisher`). What is worth knowing is said at the line where it happens.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from typing import IO

from covey.errors import InputError
from covey.files.csv_cells import write_csv
from covey.files.json_reader import object_in
from covey.remedy.publisher import Publisher

_PIECE = 1 << 16
_LONGEST = 1_000_000  # bytes of a line


def publish_feed(
    publisher: Publisher,
    source: IO[bytes],
    sink: IO[bytes],
    before: Callable[[], None] | None = None,
    say: Callable[[str], None] | None = None,
    *,
    passed: Sequence[str] = (),
    stop_on_error: bool = False,
) -> int:
    """Publishes every line of a feed; says how many there were.

    Args:
        publisher: What draws.
        source: What is there; bytes of lines, as CSV or as JSON lines.
        sink: Where what is published goes; it is flushed whenever the feed pauses.
        before: Called before anything goes there.
        say: Called with what is worth knowing, at the line where it happens: `-:7: …`.
        passed: Columns that are no counts, and go out as they come in.
        stop_on_error: Whether a line that cannot be read ends the feed, instead of being answered
            with the last value.
    """
    if of_team := [name for name in passed if name in publisher.table.counts]:
        raise InputError(f"{of_team[0]} is a count, which the mechanism publishes: it cannot pass")

    def send(out: list[str]) -> None:
        if out:
            if before is not None:
                before()
            sink.write("".join(out).encode())
            sink.flush()

    answer: Callable[[bytes], str] | None = None
    lines = number = 0
    for piece in _pieces(source):
        out = []
        for line in piece:
            number += 1
            if not line.strip():
                continue
            if answer is None:
                if line.lstrip(b"\xef\xbb\xbf \t").startswith(b"{"):
                    answer = _Objects(publisher, passed)
                else:
                    answer = _Cells(publisher, line, passed)
                    out.append(_csv_line([*passed, *publisher.table.counts]))
                    continue
            unreadable = publisher.unreadable
            try:
                answered = answer(line)
                if stop_on_error and publisher.unreadable > unreadable:
                    raise InputError("the line cannot be read, and ends the feed (--stop-on-error)")
            except InputError as error:
                send(out)
                raise error.at(file="-", line=number) from None
            out.append(answered)
            lines += 1
            while say is not None and publisher.notes:
                say(f"-:{number}: {publisher.notes.pop(0)}")
        send(out)
    return lines


def _pieces(source: IO[bytes]) -> Iterator[list[bytes]]:
    """The lines that have come so far, as often as some have."""
    rest = b""
    read: Callable[[int], bytes] = getattr(source, "read1", source.read)
    while piece := read(_PIECE):
        *lines, rest = (rest + piece).split(b"\n")
        if len(rest) > _LONGEST:  # what follows of it cannot make it a line that can be read
            rest = rest[:_LONGEST]
        if lines:
            yield lines
    if rest:
        yield [rest]


class _Cells:
    """Lines of CSV, by the columns that the first one names."""

    def __init__(self, publisher: Publisher, header: bytes, passed: Sequence[str]) -> None:
        self.publisher = publisher
        names = _cells(header.removeprefix(b"\xef\xbb\xbf"))
        timed = publisher.table.every is not None and "time" not in passed
        needed = [*publisher.table.counts, *(["time"] if timed else []), *passed]
        missing = [name for name in needed if names.count(name) != 1]
        if missing:
            raise InputError(
                f"the first line does not name {', '.join(missing[:8])} once: "
                f"{','.join(needed)} is expected",
                file="-",
                line=1,
            )
        self.columns = [names.index(name) for name in publisher.table.counts]
        self.passed = [names.index(name) for name in passed]
        self.time = names.index("time") if "time" in names else len(names)

    def __call__(self, line: bytes) -> str:
        cells = _cells(line)
        found = [cells[i] if i < len(cells) else None for i in self.columns]
        time = cells[self.time] if self.time < len(cells) else None
        passed = [cells[i] if i < len(cells) else "" for i in self.passed]
        return _csv_line([*passed, *self.publisher.draw(found, time)])


class _Objects:
    """JSON lines."""

    def __init__(self, publisher: Publisher, passed: Sequence[str]) -> None:
        self.publisher, self.passed = publisher, passed

    def __call__(self, line: bytes) -> str:
        found = object_in(line) or {}
        passed = {name: found.get(name) for name in self.passed}
        return json.dumps(passed | self.publisher.publish(found)) + "\n"


def _cells(line: bytes) -> list[str]:
    text = line.decode("utf-8", "replace").rstrip("\r")
    if '"' not in text:
        return [cell.strip() for cell in text.split(",")]
    try:
        return [cell.strip() for cell in next(csv.reader([text], skipinitialspace=True), [])]
    except csv.Error:
        return []


def _csv_line(cells: Sequence[object]) -> str:
    if all(isinstance(cell, int) for cell in cells):
        return ",".join(map(str, cells)) + "\n"
    text = io.StringIO()
    write_csv(text, map(str, cells), ())  # names, quoted where they have to be
    return text.getvalue()
