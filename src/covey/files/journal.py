"""The journal of long work: finished cells, kept next to the output until all are there.

A text file, a JSON value a line: ["checksum", value]. The first value says which work this is and
which settings were fixed when it began, every other one is a cell and what was found for it. Lines
are on the disk before the next cells are waited for. A line that was torn by a crash or a full disk
does not have its checksum: it and whatever follows is cut off, and those cells are computed again.
A line that has its checksum but says something else than a journal does was written by something
else: the journal is refused, and stays as it is.
"""

from __future__ import annotations

import json
import math
import os
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, TypeGuard

from covey.errors import InputError
from covey.files.file_lock import lock
from covey.files.json_reader import read_json
from covey.numbers import is_whole

Kind = type[float | int | str]
Record = dict[str, float | int | str]  # what was found for one cell

_CHECKSUM = 8  # hexadecimal digits


class Journal:
    """An open journal: `finished` holds the cells of an earlier run, `settings` how it began."""

    def __init__(
        self,
        output: Path,
        job: Mapping[str, Any],
        settings: Mapping[str, Any],
        fields: Mapping[str, Kind],
        work: str = "sweep",
    ) -> None:
        self._fields, self._work = fields, work
        self.path = journal_of(output)
        self.finished: dict[int, Record] = {}
        self.settings = dict(settings)
        try:
            if self.path.exists() and not self.path.is_file():
                raise self._foreign("this is no file")
            self._stream: IO[bytes] = self.path.open("a+b")
        except OSError as error:
            raise self._refusal(error) from None
        try:
            lock(self._stream, self.path)  # two runs would do everything twice
            self._begin(json.loads(_text(job)))
        except BaseException as error:
            with suppress(OSError):  # what could not be written is tried once more
                self._stream.close()
            raise self._refusal(error) if isinstance(error, OSError) else error from None

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, *failure: object) -> None:
        try:
            self._stream.close()
        except OSError as error:  # what could not be written is tried once more
            if kind is None:
                raise self._refusal(error) from None

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
        try:
            values, good = _intact(raw)
            if values:
                self._take(values, job)
        except _StrangeLineError as error:
            raise self._foreign(f"line {error.line} has {error.what}") from None
        if values:
            self._stream.truncate(good)
            return
        if raw and not raw.startswith(b'["'):  # nothing that was ever a journal
            raise self._foreign("it does not begin as one")
        self._stream.truncate(0)
        self._write([{"job": job, "settings": self.settings}])

    def _take(self, values: list[Any], job: dict[str, Any]) -> None:
        """What the lines say, where all of them say what they should."""
        head = values[0] if isinstance(values[0], dict) else {}
        self._check(head.get("job"), job)
        settings = head.get("settings")
        if not isinstance(settings, dict) or _kinds(settings) != _kinds(self.settings):
            raise _StrangeLineError(1, f"no settings of a {self._work}")
        self.settings = settings
        self.finished.update(
            _read_cell(value, line, self._fields) for line, value in enumerate(values[1:], 2)
        )

    def _check(self, found: Any, job: dict[str, Any]) -> None:
        if found == job:
            return
        found = found if isinstance(found, dict) else {}
        other = [name for name in job if found.get(name) != job[name]] or ["job"]
        raise InputError(
            f"this is the journal of another {self._work}, which was not finished (another "
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

    def _foreign(self, why: str) -> InputError:
        return InputError(
            f"this is no journal of a {self._work}: {why}. Move it away to begin the "
            f"{self._work} anew, or choose another output",
            file=str(self.path),
        )

    def _refusal(self, error: OSError) -> InputError:
        return InputError(
            f"the journal of finished cells cannot be written: {error.strerror}. What was written "
            "before is kept: mend this and run the same command again",
            file=str(self.path),
        )


def journal_of(output: Path) -> Path:
    """Where the journal of an output is."""
    return output.with_name(f"{output.name}.journal")


class _StrangeLineError(Exception):
    """A line is whole, but no line of a journal."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__()
        self.line, self.what = line, what


def _intact(raw: bytes) -> tuple[list[Any], int]:
    """The values of all lines up to the first that is torn, and how many bytes they take."""
    values: list[Any] = []
    good = 0
    for number, line in enumerate(raw.splitlines(keepends=True), 1):
        body = line[_CHECKSUM + 4 : -2]
        if not line.endswith(b"]\n") or _with_checksum(body) != line:
            break
        try:
            values.append(read_json(body))
        except InputError:
            raise _StrangeLineError(number, "a checksum, but no JSON") from None
        good += len(line)
    return values, good


def _kinds(settings: Mapping[str, Any]) -> dict[str, type]:
    return {name: type(value) for name, value in settings.items()}


def _read_cell(value: Any, line: int, fields: Mapping[str, Kind]) -> tuple[int, Record]:
    """A line after the first: the number of a cell, and what was found for it."""
    value = value if isinstance(value, dict) else {}
    cell, found = value.get("cell"), value.get("found")
    if not _is_count(cell) or not isinstance(found, dict):
        raise _StrangeLineError(line, "no finished cell")
    if not ("value" in found or "error" in found):
        raise _StrangeLineError(line, "a cell without a value")
    try:
        return cell, {name: _field(fields[name], item) for name, item in found.items()}
    except (KeyError, TypeError, ValueError, OverflowError):
        raise _StrangeLineError(line, "something else than what is found for a cell") from None


def _is_count(value: Any) -> TypeGuard[int]:
    return is_whole(value) and 0 <= value < 2**63


def _field(kind: Kind, value: Any) -> float | int | str:
    """What is found, as it was before it was written: infinite numbers are texts there."""
    if kind is float and (isinstance(value, float | int) or value in ("inf", "-inf", "nan")):
        return float(value)
    if isinstance(value, kind) and (kind is str or _is_count(value)):
        return value
    raise TypeError(value)


def _line(value: Mapping[str, Any]) -> bytes:
    return _with_checksum(_text(value).encode("ascii"))


def _with_checksum(body: bytes) -> bytes:
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
