"""All that is heard, from wherever it comes: read, counted, and passed on to the team.

What is not understood may have been an event. A stand-in must not miss one: nothing is known of
anybody from there on, until they are heard of again.
"""

from __future__ import annotations

import json
import os
import time as wall
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import IO, Any

from covey.errors import InputError
from covey.serve.feed_clock import FeedClock
from covey.serve.inside.counters import Counters
from covey.serve.inside.heard import Gap, Reader, RefusedError
from covey.serve.inside.lines import json_object
from covey.serve.inside.team import LiveTeam

_NOT_MEANT = ("another topic",)  # which tells nothing of the team's state
_MOST_LINES = 5_000  # of a body: others wait while it is read
_MISSED = "something was not understood"


class Hearing:
    """Hears.

    Args:
        reader: Reads messages.
        clock: The feed's moments.
        team: Who is heard of.
        counters: What is counted.
        log: A file for all that is heard; None: nothing is written down.
    """

    def __init__(
        self, reader: Reader, clock: FeedClock, team: LiveTeam, counters: Counters,
        log: str | None = None,
    ) -> None:  # fmt: skip
        self._reader, self._clock, self._team, self.counters = reader, clock, team, counters
        self._stack, self._path = ExitStack(), log
        self._log: IO[str] | None = None

    def __enter__(self) -> Hearing:
        if self._path is not None:
            try:
                number = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            except OSError as error:
                raise InputError(f"cannot be written: {error.strerror}", file=self._path) from None
            self._log = self._stack.enter_context(os.fdopen(number, "a", 1, "utf-8"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        with suppress(OSError):  # what could not be written is tried once more
            self._stack.close()

    def take(self, source: str, found: Mapping[str, Any], robot: str = "") -> float | None:
        """Takes a message; gives its time, or None where it is refused.

        Args:
            source: Where it comes from: mqtt, post, stdin or replay.
            found: The message.
            robot: Who said it, where that is known.
        """
        arrived = wall.time()
        self.counters.messages.labels(source).inc()
        self.counters.last.set(arrived)
        if self._log is not None:
            line = {"arrived": arrived, "from": source, "heard": found}
            try:
                self._log.write(json.dumps(line, ensure_ascii=False) + "\n")
            except OSError as error:
                raise InputError(f"cannot be written: {error.strerror}", file=self._path) from None
        try:
            time, heard = self._reader.read(found, arrived)
        except RefusedError as error:
            self.refuse(error.reason, robot)
            return None
        for one in heard:
            self._team.hear(time, one)
        return time

    def taker(self, source: str) -> Callable[[Mapping[str, Any]], float | None]:
        """`take` for one source.

        Args:
            source: Which.
        """
        return lambda found: self.take(source, found)

    def refuse(self, reason: str, robot: str = "") -> None:
        """Something was not understood.

        Args:
            reason: A few words that tell nothing of the team.
            robot: Who said it, where that is known.
        """
        if reason not in _NOT_MEANT:
            self.gap(_MISSED, robot)
        self.counters.refuse(reason)

    def gap(self, why: str, robot: str = "") -> None:
        """Something may have been missed.

        Args:
            why: A few words that tell nothing of the team.
            robot: Of whom, where that is known.
        """
        self._team.hear(self._clock.model(wall.time()), Gap(why, robot))

    def post(self, body: str) -> dict[str, int]:
        """Takes the lines of a body; says how many were taken and refused.

        Args:
            body: Lines of JSON.
        """
        taken = refused = 0
        if (lines := body.count("\n") + 1) > _MOST_LINES:
            self.refuse("too many lines in one body")
            return {"taken": 0, "refused": lines}
        for text in filter(str.strip, body.split("\n")):
            try:
                found = json_object(text)
            except RefusedError as error:
                self.refuse(error.reason)
                refused += 1
                continue
            heard = self.take("post", found) is not None
            taken, refused = taken + heard, refused + (not heard)
        return {"taken": taken, "refused": refused}
