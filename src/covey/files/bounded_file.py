"""Files from strangers: opened without waiting for ever, never more of them than is allowed.

`-` is standard input. What is read otherwise is a regular file, or what a shell puts in the place
of one: a character device (`/dev/stdin`) or a pipe (`<(command)`). A pipe that nobody has opened
for writing would be waited for without end; it gets a few seconds for somebody to come. As long as
somebody is there it is waited for, as standard input is.

Whatever is wrong is an `InputError` that names the file.
"""

from __future__ import annotations

import io
import os
import select
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from covey.errors import CoveyError, InputError

_PATIENCE = 3.0  # seconds for a pipe to be opened by somebody who writes
_LOOK = 0.05  # seconds between two looks whether somebody has

# Windows has neither: it has no pipes among its files.
_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_AS_IT_IS = getattr(os, "O_BINARY", 0)

_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a disk"),
    (stat.S_ISSOCK, "a socket"),
)


def read_text(
    path: str | Path, expected: str, most: int, *, hint: str = "", only_files: bool = False
) -> str:
    """The text of a file in UTF-8, without a byte order mark; the arguments are `read_bytes`'."""
    raw = read_bytes(path, expected, most, hint=hint, only_files=only_files)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        bad = error.start + (3 if raw.startswith(b"\xef\xbb\xbf") else 0)
        raise not_utf8(raw[bad], raw.count(b"\n", 0, bad) + 1).at(file=str(path)) from None


def read_bytes(
    path: str | Path, expected: str, most: int, *, hint: str = "", only_files: bool = False
) -> bytes:
    """All of a file of at most `most` bytes.

    `expected` says what it should be ("a scenario file"), `hint` where to get one if there is none.
    `only_files` refuses pipes and devices: for names that are not the user's but in another file.
    """
    with open_bytes(path, expected, hint=hint, only_files=only_files) as stream:
        raw = stream.read(most + 1)
    if len(raw) > most:
        size = f"{most // 2**30} GB" if most >= 2**30 else f"{most // 10**6} MB"
        raise InputError(f"more than {size}: this is too large for {expected}", file=str(path))
    return raw


@contextmanager
def open_bytes(
    path: str | Path, expected: str, *, hint: str = "", only_files: bool = False
) -> Iterator[IO[bytes]]:
    """A file to be read piece by piece; whoever reads it sets the bounds."""
    file = str(path)
    try:
        if file == "-" and not only_files:
            if sys.stdin is None:
                raise InputError("standard input is closed")
            yield sys.stdin.buffer
        else:
            with _open(file, expected, only_files) as stream:
                yield stream
    except CoveyError as error:
        raise error.at(file=file) from None
    except FileNotFoundError:
        raise InputError(
            "there is no such file" + (f"; {hint}" if hint else ""), file=file
        ) from None
    except BrokenPipeError:  # of whoever writes meanwhile: reading never meets one
        raise
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=file) from None


def not_utf8(byte: int, line: int) -> InputError:
    """The error for a byte that is no text."""
    return InputError(f"byte 0x{byte:02x} is not UTF-8: save the file as UTF-8 text", line=line)


def _open(file: str, expected: str, only_files: bool) -> IO[bytes]:
    try:
        descriptor = os.open(file, os.O_RDONLY | _WITHOUT_WAITING | _AS_IT_IS)
    except ValueError as error:  # a name with a null character, say
        raise InputError(f"cannot be read: {error}") from None
    try:
        mode = os.fstat(descriptor).st_mode
        stands_for_file = stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)
        if not stat.S_ISREG(mode) and (only_files or not stands_for_file):
            kind = next((name for test, name in _KINDS if test(mode)), "no file")
            raise InputError(f"this is {kind}; {expected} is expected")
        if stat.S_ISFIFO(mode):
            return io.BufferedReader(_Pipe(descriptor))
        if _WITHOUT_WAITING:
            os.set_blocking(descriptor, True)
        return open(descriptor, "rb")  # noqa: PTH123  (a descriptor, not a path)
    except BaseException:
        os.close(descriptor)
        raise


class _Pipe(io.RawIOBase):
    """A pipe that was opened without waiting for somebody to write to it."""

    def __init__(self, descriptor: int) -> None:
        self._pipe = io.FileIO(descriptor)
        self._until = time.monotonic() + _PATIENCE
        self._written_to = False
        self._events = select.poll()
        self._events.register(descriptor, select.POLLIN)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """How many bytes came; none where nobody will write any more."""
        while True:
            count: int | None = self._pipe.readinto(buffer)
            if count is None:  # there is somebody, who has not written yet
                self._written_to = True
                os.set_blocking(self._pipe.fileno(), True)
            elif count or self._written_to or self._has_ended():
                self._written_to = True
                return count
            elif time.monotonic() > self._until:
                raise InputError(
                    f"nobody has written to this pipe for {_PATIENCE:g} seconds: start what "
                    "writes to it first, or give a file"
                )

    def _has_ended(self) -> bool:
        """Whether somebody came and went meanwhile; waits a moment for it."""
        found = self._events.poll(1000 * _LOOK)
        return any(event & select.POLLHUP and not event & select.POLLIN for _, event in found)

    def close(self) -> None:
        self._pipe.close()
        super().close()
