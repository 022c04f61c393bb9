"""What a feed published last, in a file: whoever publishes next keeps to the period and the memory.

    {"covey_published": 1, "mechanism": the digest of its table,
     "first": 0.0, "time": 45.0, "origin": "2026-05-18T08:00:00Z", "published": [4, 2]}

Times are numbers in the mechanism's unit; of dates and epoch times, counted from the `origin`.
Nothing but what everybody has seen. The file is written before anything is published that it tells
of, so that a process that ends in between has published too little, and never too often.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covey.errors import InputError
from covey.files.atomic_file import write_whole
from covey.files.bounded_file import read_text
from covey.files.json_reader import object_in
from covey.model.io.clock import Clock
from covey.model.observation.release_table import ReleaseTable
from covey.numbers import finite_number

_VERSION = 1
_MAX_BYTES = 1_000_000
_HINT = "remove it to begin anew, a period after the last publication"


@dataclass(frozen=True)
class LastPublished:
    """A publication.

    Attributes:
        published: What was published, in the order of the table's counts.
        time: When; minus infinity where nobody said.
        first: When the first of the stream was, likewise.
        origin: The date or epoch time, as it was written, from which these are counted; None where
            times are numbers.
    """

    published: tuple[int, ...]
    time: float
    first: float
    origin: str | None = None

    def save(self, table: ReleaseTable, path: str | Path) -> None:
        """Writes it to a file, which appears when it is complete.

        Args:
            table: By which it was published.
            path: The file.
        """
        document = {
            "covey_published": _VERSION,
            "mechanism": table.digest,
            "first": self.first if math.isfinite(self.first) else None,
            "time": self.time if math.isfinite(self.time) else None,
            **({"origin": self.origin} if self.origin is not None else {}),
            "published": list(self.published),
        }
        write_whole(path, json.dumps(document) + "\n")


def last_published(table: ReleaseTable, path: str | Path) -> LastPublished | None:
    """What was published last, by a file; None where there is no file yet.

    Args:
        table: By which it must have been published.
        path: The file.
    """
    if not Path(path).exists():
        return None
    text = read_text(path, "a state file", _MAX_BYTES, hint=_HINT)
    document = object_in(text)
    if document is None or document.get("covey_published") != _VERSION:
        raise InputError(f"this is no file that covey publish wrote; {_HINT}", file=str(path))
    if document.get("mechanism") != table.digest:
        raise InputError(
            f"it is of another mechanism, whose promise ends here; {_HINT}", file=str(path)
        )
    published, times = document.get("published"), []
    for name in ("time", "first"):
        time = document.get(name)
        try:
            times.append(-math.inf if time is None else finite_number(time, name))
        except InputError as error:
            raise InputError(f"{error.message}; {_HINT}", file=str(path)) from None
    if not isinstance(published, list) or published not in table.published.tolist():
        raise InputError(
            f"what it says was published is none of the mechanism's outcomes; {_HINT}",
            file=str(path),
        )
    return LastPublished(tuple(published), times[0], times[1], _origin(document, table, path))


def _origin(document: dict[str, Any], table: ReleaseTable, path: str | Path) -> str | None:
    origin = document.get("origin")
    try:
        if origin is not None:
            Clock(table.unit, dated=True).read(str(origin))
    except InputError as error:
        raise InputError(f"its origin: {error.message}; {_HINT}", file=str(path)) from None
    return None if origin is None else str(origin)
