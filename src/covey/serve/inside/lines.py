"""Lines about the team: JSON objects, or CSV whose first line names the columns.

Standard input is heard as it comes. A log is replayed at the pace of its times: a line is read when
the feed's clock is about to get there, so that a log may be larger than memory.
"""

from __future__ import annotations

import asyncio
import csv
import os
import sys
import threading
import time as wall
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any

from covey.errors import InputError
from covey.files.json_reader import read_json
from covey.files.line_file import is_object, lines_of, numbered_lines
from covey.serve.feed_clock import FeedClock
from covey.serve.inside.heard import RefusedError

Take = Callable[[Mapping[str, Any]], float | None]  # the time at which it was, in the model's unit
_OFTEN = 200  # lines, after which others get a turn


class Lines:
    """The objects of lines."""

    def __init__(self) -> None:
        self._header: list[str] | None = None
        self._begun = False

    def read(self, text: str) -> Mapping[str, Any] | None:
        """What a line holds, by name; None where it holds nothing.

        Args:
            text: The line.
        """
        text = text.removeprefix("\ufeff").strip()
        if not text:
            return None
        if not self._begun:
            self._begun = True
            if not is_object(text):
                self._header = [cell.strip() for cell in next(csv.reader([text]))]
                return None
        if self._header is None:
            return json_object(text)
        try:
            cells = next(csv.reader([text]), [])
        except csv.Error:
            raise RefusedError("a line that is no CSV") from None
        if len(cells) != len(self._header):
            raise RefusedError("a line with too few or too many cells")
        return dict(zip(self._header, cells, strict=True))


def json_object(text: str | bytes) -> Mapping[str, Any]:
    """The object that a text is.

    Args:
        text: JSON.
    """
    try:
        found = read_json(text)
    except InputError:
        raise RefusedError("not JSON") from None
    if not isinstance(found, dict):
        raise RefusedError("no object of JSON")
    return found


async def hear_standard_input(
    take: Callable[[Mapping[str, Any]], object], refuse: Callable[[str], None]
) -> None:
    """Hears standard input until it ends.

    Args:
        take: Called with each object.
        refuse: Called with why a line cannot be read.
    """
    if sys.stdin is None:
        raise InputError("standard input is closed, and --stdin hears it: leave that out")
    loop, waiting = asyncio.get_running_loop(), asyncio.Queue[str | InputError | None](1000)
    # A copy: Python closes its own at the end, and would wait for whoever still reads from it.
    stream = os.fdopen(os.dup(sys.stdin.fileno()), "rb")

    def put(line: str | InputError | None) -> None:
        asyncio.run_coroutine_threadsafe(waiting.put(line), loop).result()

    def read() -> None:
        with suppress(RuntimeError, CancelledError):  # the feed has ended
            with suppress(OSError):  # a terminal that has gone
                for _, line in lines_of(stream, "-"):
                    put(line)
            put(None)

    threading.Thread(target=read, daemon=True).start()
    lines = Lines()
    while (line := await waiting.get()) is not None:
        _take(lines, line, take, refuse)


async def replay(path: str, clock: FeedClock, take: Take, refuse: Callable[[str], None]) -> float:
    """Hears a log at the pace of the feed's clock; gives the time of its last line.

    Args:
        path: The log.
        clock: The feed's moments.
        take: Called with each object; gives its time.
        refuse: Called with why a line cannot be read.
    """
    lines, last = Lines(), 0.0
    numbered: Iterator[tuple[int, str | InputError]] = numbered_lines(path, "a log")
    for number, line in numbered:
        time = _take(lines, line, take, refuse)
        if time is not None:
            last = max(last, time)
        ahead = clock.moment(0) + last * clock.unit - wall.time()
        if ahead > 0 or number % _OFTEN == 0:
            await asyncio.sleep(max(ahead, 0))
    return last


def _take(
    lines: Lines, line: str | InputError, take: Callable[[Mapping[str, Any]], Any],
    refuse: Callable[[str], None],
) -> float | None:  # fmt: skip
    try:
        if isinstance(line, InputError):
            raise RefusedError("a line that is no text")
        found = lines.read(line)
    except RefusedError as error:
        refuse(error.reason)
        return None
    if found is None:
        return None
    time = take(found)
    return time if isinstance(time, float) else None
