"""The ledger: what was published and spent, in a file that outlives the process.

    {"covey_serve": 1, "mechanism": its digest, "origin": 1763460000, "every": 1, "moments": 45,
     "spent": 45, "recent": [[44, [4, 2, 2]], …], "kept": {…the pair or the last value…}}

It is written whole, before a value that it tells of is handed over: whoever is killed in between
has published one value too few (or as many as are made ahead), and never two for one moment. Of a
stand-in it tells of the team: only its owner may read it (mode 0600). One process at a time has it
(`alone_with`).
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from covey.errors import InputError
from covey.files.atomic_file import whole_file
from covey.files.bounded_file import read_text
from covey.files.json_reader import object_in
from covey.numbers import finite_number

_VERSION = 1
_MAX_BYTES = 50_000_000
_MOST_RECENT = 2_000  # publications: all of them are written each time
_HINT = "remove it to begin anew, with nothing spent"

Published = tuple[int, list[int]]  # which moment, and the counts


@dataclass
class Ledger:
    """What was published.

    Attributes:
        path: The file; None where none is kept.
        digest: Of the mechanism.
        origin: The moment 0, in seconds since 1970; None where it is not known yet.
        every: From one moment to the next, in the unit of the model.
        most: How many may be published in all; None: any number.
        moments: The first moment of which nothing was published yet.
        spent: How many publications count against `most`.
        recent: The last ones.
        kept: What the publisher needs to go on.
    """

    path: Path | None
    digest: str
    origin: float | None
    every: float
    most: int | None
    moments: int = 0
    spent: int = 0
    recent: deque[Published] = field(default_factory=deque)
    kept: dict[str, Any] | None = None

    @property
    def is_spent(self) -> bool:
        """Whether nothing more may be drawn."""
        return self.most is not None and self.spent >= self.most

    def enter(self, moment: int, kept: dict[str, Any]) -> None:
        """Writes down that a value is about to be published.

        Args:
            moment: Of which.
            kept: What the publisher needs to go on from here.
        """
        self.moments, self.kept = moment + 1, kept
        self._save()

    def confirm(self, moment: int, counts: list[int]) -> None:
        """It was published; the file has it with the next one.

        Args:
            moment: Of which.
            counts: What.
        """
        self.recent.append((moment, counts))

    def _save(self) -> None:
        if self.path is None:
            return
        document = {
            "covey_serve": _VERSION, "mechanism": self.digest, "origin": self.origin,
            "every": self.every, "moments": self.moments, "spent": self.spent,
            "recent": list(self.recent), "kept": self.kept,
        }  # fmt: skip
        with whole_file(self.path, mode=0o600) as file:
            file.write_text(json.dumps(document) + "\n", encoding="utf-8")


def open_ledger(
    path: Path | None, digest: str, every: float, most: int | None, recent: int
) -> Ledger:
    """The ledger that goes on, or a new one.

    Args:
        path: Its file; None: none is kept.
        digest: Of the mechanism that it must be of.
        every: From one moment to the next, as it must be.
        most: How many may be published in all.
        recent: How many publications are kept.
    """
    new = Ledger(path, digest, None, every, most, recent=deque(maxlen=min(recent, _MOST_RECENT)))
    if path is None or not path.exists():
        return new
    text = read_text(path, "a ledger", _MAX_BYTES, hint=_HINT)
    document = object_in(text)
    if document is None or document.get("covey_serve") != _VERSION:
        raise InputError(f"this is no file that covey serve wrote; {_HINT}", file=str(path))
    if document.get("mechanism") != digest:
        raise InputError(f"it is of another mechanism; {_HINT}", file=str(path))
    try:
        _fill(new, document)
    except (KeyError, TypeError, ValueError, InputError):
        raise InputError(f"it was cut off or altered; {_HINT}", file=str(path)) from None
    if document["every"] != every:
        raise InputError(
            f"every is {every:g}, and the feed that goes on here published every "
            f"{document['every']:g}: go on as it began",
            file=str(path),
        )
    if new.path is not None:
        new.path.chmod(0o600)
    return new


def _fill(ledger: Ledger, document: dict[str, Any]) -> None:
    for name in ("moments", "spent"):
        if type(document[name]) is not int or document[name] < 0:
            raise ValueError
    ledger.moments, ledger.spent = document["moments"], document["spent"]
    ledger.origin = finite_number(document["origin"], "origin")
    if not isinstance(document["kept"], dict | None):
        raise ValueError
    ledger.kept = document["kept"]
    for moment, counts in document["recent"]:
        if not all(type(n) is int for n in [moment, *counts]):
            raise ValueError
        ledger.recent.append((moment, counts))
