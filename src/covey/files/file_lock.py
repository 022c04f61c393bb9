"""One program at a time: a lock that ends with the program that has it, however that ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from covey.errors import InputError


def lock(stream: IO[bytes], path: Path) -> None:
    """Refuses where another program has the lock of this open file; `path` is what is said."""
    try:
        import fcntl  # noqa: PLC0415  (Windows has none)
    except ImportError:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(
            "another covey is at work on this: wait for it, or end it first", file=str(path)
        ) from None
    except OSError:  # a file system without locks
        return


@contextmanager
def alone_with(path: Path) -> Iterator[None]:
    """Nobody else is at work on this file. It may be replaced: one beside it has the lock."""
    try:
        stream = path.with_name(f".{path.name}.lock").open("ab")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=str(path)) from None
    with stream:
        lock(stream, path)
        yield
