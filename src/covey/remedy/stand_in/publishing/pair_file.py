"""Where a stand-in and the real team are, in a file, so that a feed goes on after a restart.

    {"covey_pair": 1, "stand_in": the digest of its file,
     "pair": {"time": 44, "stand_in": [4, 2, …], "real": [5, 1, …], "since": 44, "truth": false},
     "begin": 0, "every": 1, "ticks": 45, "complete": true, "origin": null}

It tells of the real team: only its owner may read it (mode 0600). It is written whole, and before a
line that it tells of is published: a process that ends in between has published too little, and
never two lines of one moment. `complete` says that no event was read after it was written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from covey.errors import InputError
from covey.files.atomic_file import whole_file
from covey.files.bounded_file import read_text
from covey.files.json_reader import object_in
from covey.model.io.stand_in_file import Reference
from covey.model.team import MAX_COUNT
from covey.numbers import finite_number, whole_number

_VERSION = 1
_MAX_BYTES = 10_000_000
_HINT = "remove it to begin anew"


@dataclass(frozen=True)
class SavedPair:
    """Both at a time.

    Attributes:
        time: When the stand-in is where it is.
        stand_in: How many there are of each species of it, in the network's order.
        real: Likewise of the real team; None where that is not known.
        since: When the real team was there.
        truth: Whether the coin fell so that the truth is published.
    """

    time: float
    stand_in: list[int]
    real: list[int] | None
    since: float
    truth: bool


@dataclass(frozen=True)
class SavedFeed:
    """A feed that was interrupted.

    Attributes:
        pair: Where both are.
        begin: The first time that was published.
        every: The time from one publication to the next.
        ticks: How many were published.
        complete: Whether the input had ended, so that nothing is missing that was read.
        origin: Live: when the first time was, in seconds since 1970.
    """

    pair: SavedPair
    begin: float
    every: float
    ticks: int
    complete: bool
    origin: float | None = None

    def save(self, public: Reference, path: str | Path) -> None:
        """Writes it to a file that only its owner may read, which appears when it is complete."""
        document = {"covey_pair": _VERSION, "stand_in": public.digest, **asdict(self)}
        with whole_file(path, mode=0o600) as file:
            file.write_text(json.dumps(document) + "\n")


def saved_feed(public: Reference, path: str | Path) -> SavedFeed | None:
    """The feed that was interrupted; None where there is no file yet.

    Args:
        public: Of which stand-in it must be.
        path: The file.
    """
    if not Path(path).exists():
        return None
    text = read_text(path, "a state file", _MAX_BYTES, hint=_HINT)
    document = object_in(text)
    if document is None or document.get("covey_pair") != _VERSION:
        raise InputError(f"this is no file that covey publish wrote; {_HINT}", file=str(path))
    if document.get("stand_in") != public.digest:
        raise InputError(f"it is of another stand-in; {_HINT}", file=str(path))
    try:
        return _read(document, len(public.scenario.network.species))
    except (KeyError, TypeError, ValueError, InputError):
        raise InputError(f"it was cut off or altered; {_HINT}", file=str(path)) from None


def _read(document: dict[str, Any], species: int) -> SavedFeed:
    origin = document["origin"]
    return SavedFeed(
        read_pair(document["pair"], species), finite_number(document["begin"], "begin"),
        finite_number(document["every"], "every"), whole_number(document["ticks"], "ticks"),
        document["complete"] is True,
        None if origin is None else finite_number(origin, "origin"),
    )  # fmt: skip


def read_pair(document: Mapping[str, Any], species: int) -> SavedPair:
    """The pair that `asdict` made a document of; `ValueError` and such where it is none.

    Args:
        document: As JSON has it.
        species: How many the network has.
    """
    real = document["real"]
    try:
        time, since = (finite_number(document[name], name) for name in ("time", "since"))
    except InputError as error:
        raise ValueError(error.message) from None
    return SavedPair(
        time, _counts(document["stand_in"], species),
        None if real is None else _counts(real, species), since, document["truth"] is True,
    )  # fmt: skip


def _counts(value: object, species: int) -> list[int]:
    if not isinstance(value, list) or len(value) != species:
        raise ValueError
    if not all(type(n) is int and 0 <= n <= MAX_COUNT for n in value):
        raise ValueError
    return value
