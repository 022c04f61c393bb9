"""Files that are written whole or not at all: what was there before stays until then."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from covey.errors import InputError


@contextmanager
def whole_file(path: str | Path, advice: str = "", mode: int | None = None) -> Iterator[Path]:
    """Gives a file beside `path` to write to, and moves it there when it is complete and on disk.

    It is there already, empty, and nobody may read it who may not read what it will replace; with a
    `mode`, that is its mode whatever is replaced.

    A link stays one: the file that it leads to is written. A device or a pipe stays what it is, and
    gets the text. What the system refuses is an `InputError` that names the file, followed by
    `advice`.
    """
    path = Path(path)
    target = unfinished = path
    try:
        target, unfinished = _places(path)
        if unfinished != target:
            own = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666
            unfinished.touch(own if mode is None else mode, exist_ok=False)
        yield unfinished
        if unfinished != target:
            _move(unfinished, target, mode)
    except FileNotFoundError:
        raise InputError(
            f"there is no folder {path.parent}: make it first, or choose another", file=str(path)
        ) from None
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or error
        raise InputError(f"cannot be written: {reason}{advice}", file=str(path)) from None
    finally:
        if unfinished != target:
            with suppress(OSError):
                unfinished.unlink()


def check_writable(path: str | Path, endings: Sequence[str]) -> None:
    """Refuses, before any work is done, a file that could not be written or is named otherwise.

    It is tried: who may write where, on which disk, only the system knows.
    """
    path = Path(path)
    try:
        target, unfinished = _places(path)
        if path.suffix.lower() not in endings:
            raise InputError(
                f'the ending is "{path.suffix}": {endings[0]} is expected', file=str(path)
            )
        if not target.parent.is_dir():
            raise InputError(f"there is no folder {path.parent}: make it first", file=str(path))
        _try(target, unfinished)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or error
        raise InputError(
            f"cannot be written: {reason}; choose another place", file=str(path)
        ) from None


def _try(target: Path, unfinished: Path) -> None:
    if unfinished == target:  # opening a pipe would wait for its reader
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return
    with suppress(FileNotFoundError):
        target.lstat()  # a name may be too long
    unfinished.touch(exist_ok=False)
    unfinished.unlink()


def _places(path: Path) -> tuple[Path, Path]:
    """The file that is meant, and the one to write first, which is the same for a device."""
    if not path.name or path.is_dir():
        raise InputError("this is a directory; the name of a file is expected", file=str(path))
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():  # nothing that could be moved onto
        return target, target
    # the ending is kept: some writers go by it
    return target, target.with_name(f".covey-{secrets.token_hex(6)}{path.suffix}")


def _move(unfinished: Path, target: Path, mode: int | None) -> None:
    with unfinished.open("rb+") as stream:
        os.fsync(stream.fileno())
    if mode is None and target.exists():
        shutil.copymode(target, unfinished)
    unfinished.replace(target)
    with suppress(OSError):  # Windows opens no folders
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # or a power cut may bring back what was there before
        finally:
            os.close(folder)


def write_whole(path: str | Path, text: str) -> None:
    """Writes a text as it is, line ends included."""
    with whole_file(path) as file:
        file.write_text(text, encoding="utf-8", newline="")


def write_new(path: Path, text: str) -> None:
    """Writes a text where there is no file yet; on a disk that is full nothing is left of it."""
    begun = False
    try:
        with path.open("x", encoding="utf-8") as stream:
            begun = True
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
    except FileExistsError:
        raise InputError("exists already; choose another name", file=str(path)) from None
    except (OSError, ValueError) as error:
        if begun:
            path.unlink(missing_ok=True)
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot be written: {reason}", file=str(path)) from None
