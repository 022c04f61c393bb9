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

from tests.cli.command import PATIENCE, WARNINGS

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def terminal(*args: object, columns: int = 80, **environment: str) -> str:
    """What covey writes on the terminal, standard error included."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
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
