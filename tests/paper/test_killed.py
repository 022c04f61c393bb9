"""`covey paper` under kill -9: what is done is kept, nothing is done twice, nothing is torn."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import PATIENCE

pytestmark = pytest.mark.slow

# The part with the longest maps, on tiny ones. Before each distribution, and each moment at which
# a file would be moved to its place an event is counted; at the chosen one the process kills itself.
PROGRAM = """
import os, signal, sys
from covey.files import atomic_file
from covey.cli import main
from covey.paper.case_studies import task_distributions
from covey.paper.case_studies import tasks

tasks.ROBOTS, tasks.COARSE_POPULATIONS, tasks.COARSE_ROBOTS, tasks.RATE_COUNT = 2, 3, 1, 3
last, events = int(sys.argv.pop(1)), 0

def counted(function, note):
    def wrapped(*args):
        global events
        events += 1
        if events == last:
            os.kill(os.getpid(), signal.SIGKILL)
        if note:
            with open("computed.txt", "a") as stream:
                print(function.__name__, *args, file=stream)
        return function(*args)
    return wrapped

task_distributions.observed_distribution = counted(task_distributions.observed_distribution, True)
atomic_file._move = counted(atomic_file._move, False)
main()
"""


def run(folder: Path, last: int) -> int:
    folder.mkdir(exist_ok=True)
    arguments = [str(last), "paper", "tasks", "--workers", "1", "--quiet"]
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder, capture_output=True, timeout=PATIENCE, check=False, env=os.environ,
    ).returncode  # fmt: skip


def made(folder: Path) -> dict[str, bytes]:
    """Every file but the records, which say how long a table took."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted((folder / "paper").rglob("[!.]*"))
        if file.is_file() and file.suffix != ".json"
    }


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
def test_it_goes_on_where_it_was(tmp_path: Path) -> None:
    killed = 0
    while (code := run(tmp_path / "killed", 7 * (killed + 1) ** 2)) != 0:
        assert code == -signal.SIGKILL
        killed += 1
    assert killed >= 3
    assert run(tmp_path / "whole", 0) == 0
    assert made(tmp_path / "killed") == made(tmp_path / "whole")
    computed = [
        (tmp_path / name / "computed.txt").read_text().splitlines() for name in ("killed", "whole")
    ]
    assert computed[1]
    assert len(set(computed[0])) == len(computed[0])  # nothing twice
    assert sorted(computed[0]) == sorted(computed[1])
