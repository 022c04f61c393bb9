"""The journal of a sweep: finished cells, kept next to the output until all are there.

A text file, a JSON value a line: ["checksum", value]. The first value says which sweep this is and
which settings were fixed when it began, every other one is a cell and what was found for it. Lines
are on the disk before the next cells are waited for. A line that was torn by a crash or a full disk
does not have its checksum: it and whatever follows is cut off, and those cells are computed again.
"""

from __future__ import annotations

import json
import math
import os
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from covey.errors import InputError
from covey.study.sweep.measures import FIELDS, Record

_CHECKSUM = 8  # hexadecimal digits


class Journal:
    """An open journal: `finished` holds the cells of an earlier run, `settings` how it began."""

    def __init__(self, output: Path, job: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        self.path = journal_of(output)
        self.finished: dict[int, Record] = {}
        self.settings = dict(settings)
        try:
            self._stream: IO[bytes] = self.path.open("a+b")
        except OSError as error:
            raise self._refusal(error) from None
        try:
            _lock(self._stream, self.path)
            self._begin(json.loads(_text(job)))
        except BaseException as error:
            self._stream.close()
            raise self._refusal(error) if isinstance(error, OSError) else error from None

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stream.close()

    def append(self, cells: Iterable[tuple[int, Record]]) -> None:
        """Adds finished cells; when this returns they are on the disk."""
        self._write([{"cell": cell, "found": record} for cell, record in cells])

    def remove(self) -> None:
        """Closes and deletes it: the output is complete."""
        self.path.unlink(missing_ok=True)
        self._stream.close()

    def _begin(self, job: Any) -> None:
        """Reads what is there, and cuts off what is torn."""
        self._stream.seek(0)
        raw = self._stream.read()
        values, good = _intact(raw)
        if not values:
            if raw and not raw.startswith(b'["'):  # nothing that was ever a journal
                raise InputError(
                    "this is no journal of a sweep: move it away, or choose another output",
                    file=str(self.path),
                )
            self._stream.truncate(0)
            self._write([{"job": job, "settings": self.settings}])
            return
        self._check(values[0].get("job"), job)
        self.settings = values[0]["settings"]
        for value in values[1:]:
            self.finished[value["cell"]] = _numbers(value["found"])
        self._stream.truncate(good)

    def _check(self, found: Any, job: dict[str, Any]) -> None:
        if found == job:
            return
        found = found if isinstance(found, dict) else {}
        other = [name for name in job if found.get(name) != job[name]] or ["job"]
        raise InputError(
            f"this is the journal of another sweep, which was not finished (another "
            f"{' and '.join(other)}). Run that one again to finish it, delete this file to give "
            "it up, or choose another output",
            file=str(self.path),
        )

    def _write(self, values: list[Mapping[str, Any]]) -> None:
        lines = b"".join(_line(value) for value in values)
        try:
            self._stream.write(lines)
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except OSError as error:
            raise self._refusal(error) from None

    def _refusal(self, error: OSError) -> InputError:
        return InputError(
            f"the journal of finished cells cannot be written: {error.strerror}. What was written "
            "before is kept: mend this and run the same command again",
            file=str(self.path),
        )


def journal_of(output: Path) -> Path:
    """Where the journal of an output is."""
    return output.with_name(f"{output.name}.journal")


def _intact(raw: bytes) -> tuple[list[dict[str, Any]], int]:
    """The values of all lines up to the first that is torn, and how many bytes they take."""
    values: list[dict[str, Any]] = []
    good = 0
    for line in raw.splitlines(keepends=True):
        body = line[_CHECKSUM + 4 : -2]
        if not line.endswith(b"]\n") or _sealed(body) != line:
            break
        values.append(json.loads(body))
        good += len(line)
    return values, good


def _line(value: Mapping[str, Any]) -> bytes:
    return _sealed(_text(value).encode("ascii"))


def _sealed(body: bytes) -> bytes:
    return b'["%08x",%b]\n' % (zlib.crc32(body), body)


def _text(value: Mapping[str, Any]) -> str:
    """JSON in which every number reads back as the same; infinite ones are texts."""
    return json.dumps(_finite(value), allow_nan=False, separators=(",", ":"))


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _numbers(found: Record) -> Record:
    """A record with its infinite numbers as such again."""
    return {name: FIELDS[name](value) for name, value in found.items()}


def _lock(stream: IO[bytes], path: Path) -> None:
    """Two runs that write one journal would do everything twice."""
    try:
        import fcntl  # noqa: PLC0415  (Windows has none)
    except ImportError:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(
            "another covey is at work on this sweep: wait for it, or end it first", file=str(path)
        ) from None
    except OSError:  # a file system without locks
        return
