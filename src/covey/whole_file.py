"""Files that are written whole or not at all: what was there before stays until then."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from covey.errors import InputError


@contextmanager
def whole_file(path: str | Path, advice: str = "") -> Iterator[Path]:
    """Gives a file beside `path` to write to, and moves it there when it is complete and on disk.

    A link stays one: the file that it leads to is written. A device or a pipe stays what it is, and
    gets the text. What the system refuses is an `InputError` that names the file, followed by
    `advice`.
    """
    path = Path(path)
    target = unfinished = path
    try:
        target, unfinished = _places(path)
        yield unfinished
        if unfinished != target:
            _move(unfinished, target)
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


def _places(path: Path) -> tuple[Path, Path]:
    """Where the file is to be in the end, and where it is written."""
    if not path.name or path.is_dir():
        raise InputError("this is a directory; the name of a file is expected", file=str(path))
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():  # nothing that could be moved onto
        return target, target
    # The ending is kept: some writers go by it.
    return target, target.with_name(f".covey-{secrets.token_hex(6)}{path.suffix}")


def _move(unfinished: Path, target: Path) -> None:
    with unfinished.open("rb+") as stream:
        os.fsync(stream.fileno())
    if target.exists():
        shutil.copymode(target, unfinished)
    unfinished.replace(target)


def write_whole(path: str | Path, text: str) -> None:
    """Writes a text as it is, line ends included."""
    with whole_file(path) as file:
        file.write_text(text, encoding="utf-8", newline="")
