"""`covey first` as a user runs it."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from tests.cli.command import covey
from tests.conftest import EXAMPLES

WAREHOUSE = next(path for path in EXAMPLES if path.stem == "warehouse")
DECAY = "[network]\nreactions = 'a -> b @ 0.5'\n[initial]\na = 3\n[observe]\nleft = 'a'\n"


def test_json() -> None:
    answer = covey("first", "-", "left == 0", "--at", 2, "--points", 3, "--json", stdin=DECAY).json
    true = (1 - math.exp(-1)) ** 3
    assert answer["lower"] <= answer["probability"] <= answer["upper"]
    assert answer["probability"] == pytest.approx(true, rel=1e-12)
    assert answer["mean"] == pytest.approx(2 * (1 + 1 / 2 + 1 / 3), rel=1e-12)
    low, high = answer["mean_bounds"]
    assert low <= answer["mean"] <= high
    assert answer["curve"]["time"] == [0.0, 1.0, 2.0]
    assert answer["curve"]["probability"][-1] == answer["probability"]
    assert (answer["at"], answer["why"], answer["states"]) == (2, None, 3)


def test_what_need_not_happen_has_an_infinite_mean() -> None:
    text = DECAY.replace("'a -> b @ 0.5'", "'''\na -> b @ 0.5\na -> c @ 0.5\n'''")
    answer = covey("first", "-", "b >= 3", "--json", stdin=text).json
    assert answer["mean"] == "inf"
    assert answer["at"] == "steady"
    assert answer["lower"] <= 1 / 8 <= answer["upper"]
    assert "do not lead there" in answer["why"]
    assert answer["curve"]["time"] == []


def test_people_read_a_table() -> None:
    answer = covey("first", WAREHOUSE, "driving <= 1", "--at", 10)
    assert answer.code == 0
    assert "driving <= 1 holds for the first time after 16 minutes on average." in answer.out
    assert "by time in minutes   probability   certain to within" in answer.out


@pytest.mark.slow
def test_saved_table_and_picture(tmp_path: Path) -> None:
    table, picture = tmp_path / "first.csv", tmp_path / "first.svg"
    asked = ("first", WAREHOUSE, "picking >= 4", "--at", 60, "--points", 4)
    assert covey(*asked, "-o", table, "--plot", picture).code == 0
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert [row["time"] for row in rows] == ["0.0", "20.0", "40.0", "60.0"]
    assert float(rows[-1]["probability"]) == pytest.approx(0.835781, abs=1e-6)
    assert b"<svg" in picture.read_bytes()


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        (("driving",), 2, "[driving] is no condition"),
        (("driving <= 1", "--points", 1), 2, "--points is 1"),
        (("driving <= 1", "--at", -1), 2, "adversary.at"),
        (("driving <= 1", "--max-states", 0), 2, "max_states is 0"),
        (("driving <= 1", "--max-states", 5), 3, "more than 5 states are passed before"),
        ((), 2, "CONDITION"),
    ],
)
def test_refusals(asked: tuple[object, ...], code: int, said: str) -> None:
    answer = covey("first", WAREHOUSE, *asked)
    assert answer.code == code
    assert said in answer.err
