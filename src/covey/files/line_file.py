"""Feeds and logs of lines: CSV, or an object of JSON a line, from strangers and of any length.

Lines come one by one with their numbers, so that a file may be larger than memory and a feed may
never end. What is no line of text is an error in its place: whoever reads decides whether to go on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

from covey.errors import InputError
from covey.files.bounded_file import not_utf8, open_bytes
from covey.files.json_reader import read_json

_OBJECT = re.compile(r'\s*\{\s*(?:"|\}\s*$)')
_LONGEST_LINE = 1_000_000  # bytes
_ENDLESS = 1_000_000_000  # bytes of a line after which nobody waits for its end
_OFTEN = 1 << 14  # lines between two words about how far it is


def numbered_lines(
    file: str,
    expected: str,
    *,
    hint: str = "",
    notify: Callable[[int], None] | None = None,
) -> Iterator[tuple[int, str | InputError]]:
    """Every line with its number, as it comes; `-` reads standard input.

    Args:
        file: The path, or `-`.
        expected: What it should be, such as "a log".
        hint: Where to get one if there is none.
        notify: Called now and then with the number of bytes that were read so far.
    """
    with open_bytes(file, expected, hint=hint) as stream:
        yield from lines_of(stream, file, notify)


def lines_of(
    stream: IO[bytes], file: str, notify: Callable[[int], None] | None = None
) -> Iterator[tuple[int, str | InputError]]:
    """The same of a file that is open.

    Args:
        stream: It.
        file: What it is called.
        notify: As `numbered_lines` has it.
    """
    number, read = 0, 0
    while raw := stream.readline(_LONGEST_LINE):
        number += 1
        read += len(raw)
        if notify is not None and number % _OFTEN == 0:
            notify(read)
        if len(raw) == _LONGEST_LINE and not raw.endswith(b"\n"):
            yield number, InputError("a line of a megabyte", file=file, line=number)
            if not _skipped(stream):
                endless = f"a line of more than {_ENDLESS // 10**9} GB: nothing is read after it"
                yield number, InputError(endless, file=file, line=number)
                return
            continue
        try:
            yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            wrong = not_utf8(raw[error.start], number).message
            yield number, InputError(wrong, file=file, line=number)


def _skipped(stream: IO[bytes]) -> bool:
    """Goes to the end of a line; not where that does not come."""
    for _ in range(_ENDLESS // _LONGEST_LINE):
        if not (rest := stream.readline(_LONGEST_LINE)) or rest.endswith(b"\n"):
            return True
    return False


def is_object(line: str) -> bool:
    """Whether a first line says that objects follow, not cells.

    Args:
        line: The first line that is not empty.
    """
    return _OBJECT.match(line) is not None  # {A} is a species, and names a column


def read_object(line: str) -> Mapping[str, Any]:
    """The object of JSON that a line holds.

    Args:
        line: All of it.
    """
    found = read_json(line)
    if not isinstance(found, dict):
        raise InputError('an object such as {"time": 0, …} is expected in every line')
    return found
