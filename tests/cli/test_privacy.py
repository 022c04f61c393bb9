"""The values of the mathematics page, through the command line."""

import csv
import math
from pathlib import Path

import pytest

from tests.cli.command import covey
from tests.conftest import EXAMPLES

pytestmark = pytest.mark.slow  # a process for every command

BY_NAME = {path.stem: path for path in EXAMPLES}
SHARED, TASK, THREE = (BY_NAME[n] for n in ("shared-resource", "task-network", "three-types"))


def test_leakage_json() -> None:
    answer = covey("leakage", SHARED, "--json").json
    assert answer["leakage"] == pytest.approx(math.log(1.8), rel=1e-12)
    assert answer["lower"] <= math.log(1.8) <= answer["upper"]
    assert answer["neighbour"] == {"from": "A", "to": "B"}
    assert answer["observation"] == {"free": 3, "busy": 0}
    assert answer["probability"] == pytest.approx({"team": 1 / 45, "neighbour": 1 / 25})
    assert answer["method"] == "product-form"
    assert len(answer["pairs"]) == 2


def test_infinite_is_a_text() -> None:
    answer = covey("leakage", THREE, "--json").json
    assert (answer["leakage"], answer["lower"], answer["upper"]) == ("inf", "inf", "inf")
    smoothed = covey("leakage", THREE, "--smoothing", "1e-6", "--json").json
    assert smoothed["leakage"] == pytest.approx(4.061047, abs=5e-7)


def test_equal_types_leak_nothing() -> None:
    assert covey("leakage", SHARED, "--set", "rates.take=1", "--json").json["leakage"] < 1e-9


def test_every_example_has_a_sentence(example: Path) -> None:
    answer = covey("leakage", example)
    assert answer.code == 0
    assert "One glance" in answer.out


def test_profile() -> None:
    answer = covey("profile", SHARED, "--epsilon", 0, "--epsilon", 0.5, "--json").json
    # at (1,2): 30/45 against 14/25, the only outcome more likely for the team than for 1A 2B
    assert answer["total_variation"] == pytest.approx(30 / 45 - 14 / 25)
    assert answer["epsilon"] == [0, 0.5]
    assert answer["delta"][0] == pytest.approx(answer["total_variation"])
    assert 0 <= answer["delta"][1] < answer["delta"][0]


def test_inference() -> None:
    seen = ["infer", SHARED, "--observed", "free=2,busy=1", "--json"]
    assert covey(*seen).json["posterior"]["A"] == pytest.approx({"A": 7 / 16, "B": 9 / 16})
    between = covey(*seen, "--prior", "team=1,A->B=1").json["teams"]
    assert between["team"] == pytest.approx(7 / 16)
    assert between["A->B"] == pytest.approx(9 / 16)
    knowing = covey(*seen, "--knowing", "{A}=1,{B}=1").json["posterior"]["A"]
    assert knowing == pytest.approx({"A": 5 / 8, "B": 3 / 8})


def test_trace(tmp_path: Path) -> None:
    path, picture = tmp_path / "trace.csv", tmp_path / "trace.svg"
    args = ["--until", 2, "--points", 5, "-o", path, "--plot", picture, "--json"]
    answer = covey("trace", SHARED, *args).json
    assert answer["times"] == [0, 0.5, 1, 1.5, 2]
    assert answer["leakage"][0] == 0
    assert answer["limit"] == pytest.approx(math.log(1.8))
    alone = covey("leakage", SHARED, "--at", "1.5", "--json").json["leakage"]
    assert answer["leakage"][3] == pytest.approx(alone, rel=1e-9)
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [float(row["leakage"]) for row in rows] == answer["leakage"]
    assert picture.read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["leakage", SHARED, "--smoothing", "-1"], "adversary.smoothing is -1"),
        (["leakage", SHARED, "--set", "types.A=0", "--set", "types.B=0"], "there are no robots"),
        (["infer", SHARED, "--observed", "free=2,busy"], "'busy' found, pairs NAME=N"),
        (["infer", SHARED, "--observed", "free=2,free=1"], "free is given twice"),
        (["infer", SHARED, "--observed", "fre=2"], 'Did you mean "free"?'),
        (["infer", SHARED, "--observed", "free=9"], "free"),
        (["infer", SHARED], "Missing option '--observed'"),
        (["trace", SHARED, "--until", "nan"], "--until is nan: it must be finite"),
        (["trace", SHARED, "--until", "2", "--points", "1"], "--points is 1: at least 2"),
        (["profile", SHARED, "--epsilon", "-1"], "-1"),
    ],
)
def test_refusals(args: list[object], message: str) -> None:
    answer = covey(*args)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err
    assert "Traceback" not in answer.err
