"""A worker of the app: questions on standard input, lines of answers on standard output, all JSON.

    {"number": 7, "question": "answer", "text": …}
    {"stop": 7}

    {"part": "model", "value": …}
    {"progress": {"done", "total", "text"}}
    {"error": {"message", "line", "key", "kind"}}
    {"done": {"seconds": 0.04, "computing": 0.03}}

`done` is the last line of every answer. A question that nobody waits for any more is stopped at
the next part, or when the work says how far it is; whoever finds that too long ends the process.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Mapping
from typing import IO, Any

from covey.app.examples import first_example
from covey.errors import (
    CoveyError,
    CoveyWarning,
    InputError,
    TooLargeError,
    UnsupportedError,
    shown,
)
from covey.report.json_keys.text import json_text
from covey.worker import connected

MEMORY = "COVEY_APP_MEMORY"  # the environment's name for how many bytes a worker may take
_OFTEN = 0.1  # seconds between two lines that say how far the work is


class Stopped(KeyboardInterrupt):
    """Nobody waits for the answer any more. The library gives up on this, as on Ctrl-C."""


class Counter:
    """Where questions come in; says which of them were called off."""

    def __init__(self) -> None:
        self.called_off = 0

    def read(self, stream: IO[bytes]) -> dict[str, Any]:
        """The next question."""
        while True:
            line = stream.readline()
            if not line:
                raise EOFError
            message: dict[str, Any] = json.loads(line)
            if "stop" not in message:
                return message
            self.called_off = max(self.called_off, message["stop"])


class Answering:
    """One question while it is answered."""

    def __init__(self, number: int, counter: Counter, out: IO[bytes]) -> None:
        self._number, self._counter, self._out = number, counter, out
        self._said = time.monotonic()
        self._one_at_a_time = threading.Lock()

    def check(self) -> None:
        """Raises `Stopped` where the question was called off."""
        if self._counter.called_off >= self._number:
            raise Stopped

    def progress(self, done: float, total: float, text: str) -> None:
        """How far the work is."""
        self.check()
        now = time.monotonic()
        if now - self._said >= _OFTEN:
            self._said = now
            self.write({"progress": {"done": done, "total": total, "text": text}})

    def write(self, line: Mapping[str, Any]) -> None:
        """One line of the answer."""
        with self._one_at_a_time:
            # A half of a pair of UTF-16, which JSON can name, is no text: a question mark.
            self._out.write(json_text(line).encode("utf-8", "replace") + b"\n")
            self._out.flush()


def main() -> None:
    """Answers until nobody asks any more."""
    _limit_memory(int(os.environ.get(MEMORY, "0")))
    counter = Counter()
    questions, out = connected(counter.read)
    warnings.simplefilter("ignore", CoveyWarning)
    # After standard input is listened to: loading what answers takes a second.
    from covey.app.answers import QUESTIONS, question  # noqa: PLC0415
    from covey.app.answers.asked import Asked, Kept  # noqa: PLC0415

    kept = Kept()
    if questions.empty():  # nobody waits: the first question finds everything loaded
        for _ in question("answer")(Asked({"text": first_example()}, kept, lambda *_: None)):
            pass
    for name in QUESTIONS:
        if questions.empty():
            question(name)
    while True:
        message = questions.get()
        began, used = time.perf_counter(), time.process_time()
        now = Answering(message.pop("number"), counter, out)
        try:
            name = message.pop("question", None)
            if name not in QUESTIONS:
                raise InputError(f"no question is called {shown(name)}: {', '.join(QUESTIONS)} are")
            for part, value in question(name)(Asked(message, kept, now.progress)):
                now.check()
                now.write({"part": part, "value": value})
        except BrokenPipeError:
            return
        except BaseException as error:
            if isinstance(error, MemoryError):
                kept = Kept()
            now.write({"error": said(error)})
        seconds, computing = time.perf_counter() - began, time.process_time() - used
        now.write({"done": {"seconds": seconds, "computing": computing}})


def _limit_memory(most: int) -> None:
    """Lets this process take so many bytes; covey goes by it when it says what fits.

    Where the system has no such limit, covey's own bounds on states are all there is.
    """
    try:
        import resource  # noqa: PLC0415  (Windows has none)
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if most and (hard == resource.RLIM_INFINITY or most <= hard):
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def said(error: BaseException) -> dict[str, Any]:
    """What went wrong, where, and of what kind."""
    if isinstance(error, CoveyError):
        kind = "input"
        if isinstance(error, TooLargeError):
            kind = "too_large"
        elif isinstance(error, UnsupportedError):
            kind = "unsupported"
        message = f"{error.case}: {error.message}" if error.case else error.message
        if isinstance(error, TooLargeError) and "max_states" in error.larger:
            message += ", or take the file to the command line, which may follow more states"
        return {"message": message, "line": error.line, "key": error.key, "kind": kind}
    kind, message = "bug", f"this is a bug of covey's: {type(error).__name__}: {error}"
    if isinstance(error, Stopped):
        kind, message = "stopped", "stopped"
    elif isinstance(error, MemoryError):
        kind, message = "too_large", "memory ran out: take a smaller team"
    elif isinstance(error, RecursionError):
        kind, message = "input", "the text is nested too deeply to be followed: write it flatter"
    else:
        traceback.print_exception(error, file=sys.stderr)
    return {"message": message, "line": None, "key": None, "kind": kind}
