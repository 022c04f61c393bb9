"""Runs covey in a real pseudo-terminal of a given width."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

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
        env={**kept, "TERM": "xterm-256color", "PYTHONWARNINGS": "error", **environment},
    )
    os.close(slave)
    written = b""
    try:
        while piece := os.read(master, 65_536):
            written += piece
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(master)
    assert running.wait(timeout=120) == 0, written
    return written.decode("utf-8").replace("\r\n", "\n")


def plain(text: str) -> str:
    """Without colours."""
    return _COLOURS.sub("", text)
