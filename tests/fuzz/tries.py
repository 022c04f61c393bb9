"""One input tried in this process, with a limit on its time."""

from __future__ import annotations

import json
import shutil
import signal
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from tests.cli.command import covey
from tests.fuzz.kinds import Input

SECONDS = 30  # of computing, whatever else the machine does
WAITING = 300  # in all


LONG = f"more than {SECONDS} s of computing"


class TooSlowError(BaseException):
    """An input took longer than any may; no `Exception`, which a command would explain."""


def wrong_with(one: Input, corpus: Path) -> str:
    """What is wrong with how covey takes an input; empty where nothing is."""
    try:
        with _limited():
            return _asked(one) if one.question is not None else _run(one, corpus)
    except TooSlowError:
        return f"{LONG}\n{traceback.format_exc()[-1500:]}"
    except BaseException:
        return traceback.format_exc()[-1500:]


@contextmanager
def _limited() -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise TooSlowError

    clocks = {signal.SIGPROF: signal.ITIMER_PROF, signal.SIGALRM: signal.ITIMER_REAL}
    before = {number: signal.signal(number, stop) for number in clocks}
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WAITING)
    try:
        yield
    finally:
        for number, clock in clocks.items():
            signal.setitimer(clock, 0)
            signal.signal(number, before[number])


def _run(one: Input, corpus: Path) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in corpus.iterdir():
            if path.name in one.arguments:
                shutil.copy(path, folder)
        for file, content in one.files.items():
            (folder / file).write_bytes(content)
        stdin = one.stdin.encode("utf-8", "replace").decode()
        answer = covey(*one.arguments, cwd=folder, stdin=stdin)
    if "Traceback" in answer.err or answer.code not in (0, 2, 3):
        return f"exit code {answer.code}\n{answer.err[-1500:]}"
    if "memory ran out" in answer.err:
        return f"took more memory than there is\n{answer.err[-500:]}"
    if answer.code and not answer.err.strip():
        return f"exit code {answer.code} without a word"
    return ""


def _asked(one: Input) -> str:
    """A question as a worker of the app answers it."""
    from covey.app.answering import said
    from covey.app.answers import QUESTIONS, question
    from covey.app.answers.asked import Asked, Kept
    from covey.report.json_keys.text import json_text

    # As it comes over the wire: numbers beyond a float are infinite there, texts are UTF-8.
    message = json.loads(json.dumps(one.question))
    name = message.pop("question", None)
    if not isinstance(name, str) or name not in QUESTIONS:
        return ""
    try:
        for part, value in question(name)(Asked(message, Kept(), lambda *_: None)):
            json_text({"part": part, "value": value}).encode()
    except Exception as error:
        told = said(error)
        if told["kind"] == "bug" or isinstance(error, MemoryError):
            return "".join(traceback.format_exception(error))[-1500:]
    return ""
