"""Mechanism files: a release table as JSON, checked before anything is published through it.

    {"covey_mechanism": 2, "kind": "table", "counts": ["driving", …], "seen": [[4, 2], …],
     "published": [[4, 2], …], "table": [[0.98, 0.02, …], …], "epsilon": 0.5, "delta": 0,
     "leakage": 0.5, "made_for": {…}}

One row of `table` for each seen outcome, one number in it for each published one. For a public set
of teams `"tables": [{"team": {"carrier": 7, "picker": 3}, "table": …}, …]` stands in place of
`"table"`: one for each team of the set, and no word on which of them is real. `"hold": 3` may
follow: a memory (`ReleaseTable.hold`). Version 1 has no kind and one table. `made_for` holds
a digest of all the rest: a file that was cut off or changed by hand after it was made is refused. A
table from elsewhere has an empty `made_for`, and nothing is promised of it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from covey.errors import InputError, shown
from covey.files.atomic_file import write_whole
from covey.files.bounded_file import read_text
from covey.files.json_reader import read_json
from covey.model.frozen import FrozenMap
from covey.model.io.stand_in_file import is_stand_in, open_stand_in
from covey.model.observation.release_table import ReleaseTable
from covey.model.observation.stand_in_release import StandInRelease
from covey.numbers import Floats, Ints, finite_number

MAX_BYTES = 400_000_000
MAX_COUNT = 10**9
VERSION = 2
_READ = (1, 2)
_MAX_TEAMS = 10_000
_KEYS = ("counts", "seen", "published", "epsilon", "delta", "leakage", "made_for")
_HINT = "`covey protect FILE --epsilon 0.5 -o mechanism.json` writes one"


def save_mechanism(table: ReleaseTable, path: str | Path) -> None:
    """Writes a release table to a file; it appears when it is complete."""
    write_whole(path, mechanism_text(table))


def mechanism_text(table: ReleaseTable) -> str:
    """What the file of a release table holds."""
    document = {
        "covey_mechanism": VERSION,
        "kind": "table",
        "counts": list(table.counts),
        "seen": table.seen.tolist(),
        "published": table.published.tolist(),
        **_stored(table),
        "epsilon": table.epsilon,
        "delta": table.delta,
        "leakage": table.leakage if table.leakage < math.inf else "inf",
        **({"hold": table.hold} if table.hold else {}),
        "made_for": {**table.made_for, "digest": table.digest},
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"


def _stored(table: ReleaseTable) -> dict[str, Any]:
    if not table.teams:
        return {"table": table.table.tolist()}
    each = zip(table.teams, table.table.tolist(), strict=True)
    return {"tables": [{"team": dict(team), "table": rows} for team, rows in each]}


def open_mechanism(path: str | Path, *, only_files: bool = False) -> ReleaseTable:
    """The release table in a file; `InputError` says what is wrong with it.

    Args:
        path: A JSON file that `covey protect` or `Mechanism.save` wrote.
        only_files: Whether to refuse pipes and devices: for names that are not the user's own.
    """
    text = read_text(path, "a mechanism file", MAX_BYTES, hint=_HINT, only_files=only_files)
    try:
        return replace(read_mechanism(text), file=Path(path).name)
    except InputError as error:
        raise error.at(file=str(path)) from None


def read_mechanism(text: str) -> ReleaseTable:
    """The release table that such a text holds; `InputError` says what is wrong with it."""
    return _table(_parsed(text))


def beside(name: object, folder: Path) -> ReleaseTable | StandInRelease:
    """The table or stand-in that a scenario names: it lies beside the file, and nowhere else."""
    key = "release.mechanism"
    if not isinstance(name, str) or not name or "\0" in name:
        raise InputError(
            f"{key} is {shown(name)}: the name of a mechanism file is expected", key=key
        )
    if Path(name).name != name or "\\" in name or name in (".", ".."):
        raise InputError(
            f"{key} is {shown(name)}: the name of a file beside the scenario is expected, without "
            "a folder",
            key=key,
        )
    path = folder / name
    if path.is_file() and is_stand_in(path):
        return open_stand_in(path, only_files=True).release(name)
    return open_mechanism(path, only_files=True)


def _parsed(text: str) -> Mapping[str, Any]:
    document = read_json(text)
    if not isinstance(document, dict) or "covey_mechanism" not in document:
        raise InputError(f"this is no mechanism file: it has no covey_mechanism; {_HINT}")
    if document.get("kind") == "stand-in":
        raise InputError(
            "this is a stand-in, and here a table is expected: a stand-in is published from every "
            "event of the team, by covey publish"
        )
    version, kind = document["covey_mechanism"], document.get("kind", "table")
    if version not in _READ or isinstance(version, bool):
        raise InputError(
            f"covey_mechanism is {shown(version)}: version {VERSION} (or 1) is expected; make the "
            "mechanism anew"
        )
    if kind != "table":
        raise InputError(f"kind is {shown(kind)}: table or stand-in is expected")
    for key in (*_KEYS, "tables" if "tables" in document else "table"):
        if key not in document:
            raise InputError(f"{key} is missing: the file was cut off or altered; make it anew")
    return document


def _table(document: Mapping[str, Any]) -> ReleaseTable:
    counts = document["counts"]
    if not isinstance(counts, list) or not counts or not all(isinstance(n, str) for n in counts):
        raise InputError(f"counts is {shown(counts)}: a list of names is expected")
    if len(set(counts)) < len(counts):
        raise InputError("counts names something twice")
    seen = _outcomes(document["seen"], "seen", len(counts))
    published = _outcomes(document["published"], "published", len(counts))
    teams, table = _tables(document, len(seen), len(published))
    epsilon, delta, leakage = (
        _number(document[key], key) for key in ("epsilon", "delta", "leakage")
    )
    made_for = document["made_for"]
    if not isinstance(made_for, dict):
        raise InputError(f"made_for is {shown(made_for)}: an object is expected")
    hold = document.get("hold", 0)
    if type(hold) is not int or not 0 <= hold <= MAX_COUNT:
        raise InputError(f"hold is {shown(hold)}: a whole number of robots from 0 on is expected")
    _check_times(made_for)
    found = ReleaseTable(
        tuple(counts), seen, published, table, epsilon, delta, leakage, made_for, hold,
        teams=teams,
    )  # fmt: skip
    if made_for and made_for.get("digest") != found.digest:
        raise InputError(
            "the table is not the one that was made (its digest differs): the file was altered, "
            "and nothing can be promised of it; make it anew"
        )
    return found


def _check_times(made_for: Mapping[str, Any]) -> None:
    """Refuses a schedule that limits nothing: no time between publications, or one below 0."""
    for name in ("every", "until"):
        if made_for.get(name) is not None:
            key, least = f"made_for.{name}", math.ulp(0.0)
            finite_number(made_for[name], key, "a time above 0", least=least)


def _tables(
    document: Mapping[str, Any], rows: int, columns: int
) -> tuple[tuple[FrozenMap[str, int], ...], Floats]:
    """The table, or one for each team."""
    if "tables" not in document:
        return (), _probabilities(document["table"], rows, columns)
    listed = document["tables"]
    if not isinstance(listed, list) or not 0 < len(listed) <= _MAX_TEAMS or "table" in document:
        raise InputError("tables is no list of tables, one for each team, in place of table")
    teams, found = [], []
    for number, one in enumerate(listed, start=1):
        team = one.get("team") if isinstance(one, dict) else None
        if not isinstance(team, dict) or not team or not all(
            type(n) is int and 0 <= n <= MAX_COUNT for n in team.values()
        ):  # fmt: skip
            raise InputError(
                f"team {number:,} of tables is {shown(team)}: a number of robots for each type is "
                'expected, as {"carrier": 7, "picker": 3}'
            )
        teams.append(FrozenMap(team))
        try:
            found.append(_probabilities(one.get("table"), rows, columns))
        except InputError as error:
            raise InputError(f"team {number:,} of tables: {error.message}") from None
    if len(set(teams)) < len(teams) or len({frozenset(team) for team in teams}) > 1:
        raise InputError("tables has a team twice, or teams of different types")
    return tuple(teams), np.array(found)


def _outcomes(value: object, key: str, width: int) -> Ints:
    if not isinstance(value, list) or not value:
        raise InputError(f"{key} is {shown(value)}: a list of outcomes is expected")
    for number, row in enumerate(value, start=1):
        whole = isinstance(row, list) and all(type(n) is int and 0 <= n <= MAX_COUNT for n in row)
        if not whole or len(row) != width:
            raise InputError(
                f"outcome {number:,} of {key} is {shown(row)}: {width} whole numbers from 0 on are "
                "expected"
            )
    outcomes = np.array(value, dtype=np.int64)
    if len(np.unique(outcomes, axis=0)) < len(outcomes):
        raise InputError(f"{key} has an outcome twice")
    return outcomes


def _probabilities(value: object, rows: int, columns: int) -> Floats:
    if not isinstance(value, list) or len(value) != rows:
        raise InputError(f"table is not a list of {rows:,} rows, one for each outcome of seen")
    for number, row in enumerate(value, start=1):
        if not isinstance(row, list) or len(row) != columns:
            raise InputError(f"row {number:,} of table has not {columns:,} numbers")
        if not all(type(chance) in (int, float) and 0 <= chance <= 1 for chance in row):
            raise InputError(f"row {number:,} of table has what is no probability")
        if not abs(math.fsum(row) - 1) <= 1e-9:
            raise InputError(
                f"row {number:,} of table adds up to {math.fsum(row):.6g}: 1 is expected"
            )
    return np.array(value, dtype=np.float64)


def _number(value: object, key: str) -> float:
    if key == "leakage" and value == "inf":  # it is bounded up to δ only
        return math.inf
    return finite_number(value, key, "a number from 0 on", least=0)
