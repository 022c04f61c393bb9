"""Runs covey in a real pseudo-terminal of a given width."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from tests.cli.command import PATIENCE, WARNINGS, run_here

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def terminal(*args: object, columns: int = 80, **environment: str) -> str:
    """What covey writes on the terminal, standard error included."""
    master, slave = _open(columns)
    size = {"COLUMNS": str(columns), "LINES": "50"}  # libraries ask the first three files for it
    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    with (
        ThreadPoolExecutor() as pool,
        mock.patch.dict(os.environ, {"TERM": "xterm-256color", **size, **environment}),
    ):
        os.environ.pop("NO_COLOR", None)
        written = pool.submit(read_until, master, None)
        with (
            os.fdopen(os.dup(slave), encoding=encoding) as keys,
            os.fdopen(slave, "w", encoding=encoding) as screen,
        ):
            code = run_here(*args, cwd=".", stdin=keys, stdout=screen, stderr=screen)
        text = written.result()
    os.close(master)
    assert code == 0, text
    return text


def terminal_process(*args: object, columns: int = 80, **environment: str) -> str:
    """The same of covey in a process of its own, which asks the terminal how wide it is."""
    master, slave = _open(columns)
    kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
    running = subprocess.Popen(
        [sys.executable, "-m", "covey", *map(str, args)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**kept, "TERM": "xterm-256color", "PYTHONWARNINGS": WARNINGS, **environment},
    )
    os.close(slave)
    written = read_until(master, None)
    os.close(master)
    assert running.wait(timeout=PATIENCE) == 0, written
    return written


def _open(columns: int) -> tuple[int, int]:
    """Both ends of a terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    return master, slave


def read_until(master: int, sign: str | None) -> str:
    """What is written on the terminal up to a sign, or until its other end is closed."""
    written = b""
    end = time.monotonic() + PATIENCE
    while sign is None or sign.encode() not in written:
        ready, _, _ = select.select([master], [], [], max(end - time.monotonic(), 0))
        assert ready, f"still no {sign or 'end'}: {written!r}"
        try:
            piece = os.read(master, 65_536)
        except OSError:  # how Linux says that the other end is closed
            piece = b""
        if not piece:
            assert sign is None, f"it ended without {sign}: {written!r}"
            break
        written += piece
    return written.decode("utf-8", errors="replace").replace("\r\n", "\n")


def plain(text: str) -> str:
    """Without colours."""
    return _COLOURS.sub("", text)
