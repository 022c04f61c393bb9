"""Mechanism files: they come back as they were, and what is wrong with one is said."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from covey.errors import InputError
from covey.model.io.mechanism_file import open_mechanism, save_mechanism
from covey.model.observation.release_table import ReleaseTable

SEEN = np.array([[0, 3], [1, 2]])
TABLE = ReleaseTable(
    ("free", "busy"), SEEN, SEEN, np.array([[1 / 3, 2 / 3], [0.1, 0.9]]), 0.5, 0.0, 0.4999,
    {"rates": {"meet": 0.2}},
)  # fmt: skip


def test_it_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "mechanism.json"
    for table in (TABLE, replace(TABLE, delta=1e-6, leakage=math.inf)):
        save_mechanism(table, path)
        back = open_mechanism(path)
        assert back == table
        assert (back.table == table.table).all()
        assert back.made_for["rates"] == {"meet": 0.2}
        assert back.file == "mechanism.json"
    keys = ["covey_mechanism", "kind", "counts", "seen", "published", "table", "epsilon", "delta", "leakage", "made_for"]  # fmt: skip
    assert list(json.loads(path.read_text())) == keys


def written(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    path = tmp_path / "mechanism.json"
    save_mechanism(TABLE, path)
    return path, json.loads(path.read_text())


@pytest.mark.parametrize("kept", [1, 20, 100, -2])
def test_a_truncated_file(tmp_path: Path, kept: int) -> None:
    path, _ = written(tmp_path)
    path.write_text(path.read_text()[:kept])
    with pytest.raises(InputError, match=r"mechanism\.json.*cut off"):
        open_mechanism(path)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("covey_mechanism", 3, r"version 2 \(or 1\)"),
        ("covey_mechanism", True, r"version 2 \(or 1\)"),
        ("counts", [], "names"),
        ("counts", ["free", "free"], "twice"),
        ("seen", [[0, 3], [1, -2]], "outcome 2 of seen"),
        ("seen", [[0, 3], [0, 3]], "twice"),
        ("seen", [[0, 3], [1, True]], "outcome 2 of seen"),
        ("published", [[0, 3, 1], [1, 2, 1]], "outcome 1 of published"),
        ("published", [], "list of outcomes"),
        ("table", [[0.5, 0.5]], "2 rows"),
        ("table", [[0.5, 0.5], [1.0]], "row 2"),
        ("table", [[0.5, 0.5], [1.5, -0.5]], "no probability"),
        ("table", [[0.5, 0.5], [0.5, 0.4]], "adds up to 0.9"),
        ("table", [[0.5, 0.5], [0.2, 0.8]], "was altered"),
        ("epsilon", 0.1, "was altered"),
        ("epsilon", -1, "from 0 on"),
        ("leakage", "none", "from 0 on"),
        ("made_for", [], "an object"),
        ("made_for", {"rates": {}}, "was altered"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, key: str, value: object, said: str) -> None:
    path, document = written(tmp_path)
    path.write_text(json.dumps(document | {key: value}))
    with pytest.raises(InputError, match=said) as error:
        open_mechanism(path)
    assert error.value.file == str(path)


@pytest.mark.parametrize("text", ["[]", '{"seen": 1}', "types = 3", "", "[" * 100_000, "\0"])
def test_a_foreign_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"other\.json"):
        open_mechanism(path)


def test_a_key_that_is_missing(tmp_path: Path) -> None:
    path, document = written(tmp_path)
    del document["table"]
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="table is missing"):
        open_mechanism(path)


def test_what_is_no_number(tmp_path: Path) -> None:
    path, document = written(tmp_path)
    path.write_text(json.dumps(document | {"epsilon": math.nan}))
    with pytest.raises(InputError, match="no number"):
        open_mechanism(path)


def test_a_table_from_elsewhere_promises_nothing(tmp_path: Path) -> None:
    path, document = written(tmp_path)
    path.write_text(json.dumps(document | {"made_for": {}, "table": [[0.5, 0.5], [0.2, 0.8]]}))
    assert open_mechanism(path).table[1].tolist() == [0.2, 0.8]
