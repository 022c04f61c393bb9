"""Runs covey as a user does: its exit code and its two streams.

What a command answers is asked in this process, which has loaded the libraries already; how it
starts, ends and treats the streams of a system, of another process.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO
from unittest import mock

import click

from covey.cli import main
from covey.cli.command import VERBS
from covey.cli.command import covey as command_line
from covey.dynamics.solver import Solver
from covey.model.scenario import Scenario
from covey.privacy.stream.pace import usual_stream
from covey.privacy.stream.stream import Stream

# covey as a command that heeds Ctrl-C, also where the tests run in the background of a shell that
# has told its jobs to ignore it.
INTERRUPTIBLE = [
    sys.executable,
    "-c",
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from covey.cli import main; main()",
]


# A warning fails a command too; `make oldest` knows some that are not covey's.
WARNINGS = os.environ.get("PYTHONWARNINGS", "error")

# Seconds after which a test gives up on another process: so many that only a hang takes longer.
PATIENCE = 120


def verbs() -> dict[str, click.Command]:
    """Every verb, by its name."""
    context = click.Context(command_line)
    found = {name: command_line.get_command(context, name) for name in VERBS}
    return {name: verb for name, verb in found.items() if verb is not None}


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must be one JSON object and nothing else."""
        assert self.code == 0, self.err
        return json.loads(self.out)


def covey(*args: object, cwd: Path | str = ".", stdin: str = "") -> Answer:
    """The whole command from its arguments to its exit code, with streams that are no terminal."""
    out, err = stream(), stream()
    code = run_here(*args, cwd=cwd, stdin=stream(stdin), stdout=out, stderr=err)
    return Answer(code, read(out), read(err))


def stream(text: str = "") -> TextIO:
    """What a pipe holds."""
    return io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")


def read(pipe: TextIO) -> str:
    """All that was written into it."""
    pipe.seek(0)
    return pipe.read()


def run_here(*args: object, cwd: Path | str, **streams: Any) -> int:
    """The exit code of the command, in this process and with these streams."""
    with (
        streams_once(),
        chdir(cwd),
        warnings.catch_warnings(),  # the command shows them in its own way
        mock.patch.dict(os.environ, PYTHONWARNINGS=WARNINGS),  # for its workers
        mock.patch.multiple(sys, argv=["covey", *map(str, args)], **streams),
    ):
        try:
            main()
        except SystemExit as end:
            return int(end.code or 0)
    return 0


_streams: dict[tuple[object, ...], Stream] = {}


@contextmanager
def streams_once() -> Iterator[None]:
    """What many snapshots of a team tell is computed once for all that ask: it takes two seconds."""
    with (
        mock.patch("covey.privacy.answer.usual_stream", _stream_once),
        mock.patch("covey.study.assessment.usual_stream", _stream_once),
    ):
        yield


def _stream_once(solver: Solver, scenario: Scenario, **asked: Any) -> Stream:
    progress = asked.pop("progress", None)
    key = (scenario, solver.limits, *sorted(asked.items()))
    if key not in _streams:
        _streams[key] = usual_stream(solver, scenario, progress=progress, **asked)
    return _streams[key]


def covey_process(*args: object, cwd: Path | None = None, stdin: str | None = None) -> Answer:
    """The same in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "covey", *map(str, args)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=cwd,
        input=stdin,
        env={**os.environ, "PYTHONWARNINGS": WARNINGS},
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)
