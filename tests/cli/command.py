"""Runs covey as a user does: another process, its exit code, its two streams."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


def covey(
    *args: object, cwd: Path | None = None, stdin: str | None = None, patience: float = PATIENCE
) -> Answer:
    done = subprocess.run(
        [sys.executable, "-m", "covey", *map(str, args)],
        capture_output=True,
        text=True,
        timeout=patience,
        cwd=cwd,
        input=stdin,
        env={**os.environ, "PYTHONWARNINGS": WARNINGS},
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)
