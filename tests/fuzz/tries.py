"""One input tried in this process, with a limit on its time."""

from __future__ import annotations

import io
import json
import shutil
import signal
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from tests.cli.command import Answer, covey, streams_once
from tests.fuzz.inputs import Input

if TYPE_CHECKING:
    from covey.app.answering import Answering

SECONDS = 30  # of computing, whatever else the machine does
WAITING = 300  # in all


LONG = f"more than {SECONDS} s of computing"


class TooSlowError(BaseException):
    """An input took longer than any may; no `Exception`, which a command would explain."""


def wrong_with(one: Input, corpus: Path) -> str:
    """What is wrong with how covey takes an input; empty where nothing is."""
    try:
        with _limited():
            return _wrong_part(one.question) if one.question else _wrong_answer(one, corpus)
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


def _wrong_answer(one: Input, corpus: Path) -> str:
    told = answer(one, corpus)
    if "Traceback" in told.err or told.code not in (0, 2, 3):
        return f"exit code {told.code}\n{told.err[-1500:]}"
    if " encountered in " in told.err:
        return f"a warning of numpy's, where a sentence is expected\n{told.err[-500:]}"
    if "memory ran out" in told.err:
        return f"took more memory than there is\n{told.err[-500:]}"
    if told.code and not told.err.strip():
        return f"exit code {told.code} without a word"
    return ""


def answer(one: Input, corpus: Path) -> Answer:
    """What the command says, in a folder of its own with the files that it names."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        models = {name.replace(".toml", ".xml") for name in one.arguments}
        for file in {*one.arguments, *models} & {path.name for path in corpus.iterdir()}:
            shutil.copy(corpus / file, folder)
        for file, content in one.files.items():
            (folder / file).write_bytes(content)
        stdin = one.stdin.encode("utf-8", "replace").decode()
        return covey(*one.arguments, cwd=folder, stdin=stdin)


def _wrong_part(question: dict[str, Any]) -> str:
    from covey.app.answering import said

    try:
        try:
            parts(question)
        except Exception as error:
            told = said(error)
            _sending().write({"error": told})
            if told["kind"] == "bug" or isinstance(error, MemoryError):
                raise
    except Exception as error:
        return "".join(traceback.format_exception(error))[-1500:]
    return ""


def parts(asked: dict[str, Any]) -> None:
    """All parts of an answer, as a worker of the app sends them."""
    from covey.app.answers import QUESTIONS, question
    from covey.app.answers.asked import Asked, Kept

    # As it comes over the wire: numbers beyond a float are infinite there.
    message = json.loads(json.dumps(asked))
    name = message.pop("question", None)
    if not isinstance(name, str) or name not in QUESTIONS:
        return
    now = _sending()
    with streams_once():
        for part, value in question(name)(Asked(message, Kept(), now.progress)):
            now.write({"part": part, "value": value})


def _sending() -> Answering:
    from covey.app.answering import Answering, Counter

    return Answering(1, Counter(), io.BytesIO())
