"""`covey performance` and `covey design`, from the shell."""

from __future__ import annotations

import csv
from pathlib import Path
from tomllib import loads

import pytest

from tests.cli.command import covey
from tests.remedy.test_design import TASKS


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    path = tmp_path / "fleet.toml"
    text = TASKS.format(n=2).replace("m1 = 0.2", "m1 = 0.2   # meets per minute")
    path.write_text("# A fleet.\n" + text, encoding="utf-8")
    return path


def test_performance(fleet: Path) -> None:
    found = covey("performance", fleet, "--json").json
    low, high = found["bounds"]["throughput"]
    assert low <= found["performance"]["throughput"] <= high
    assert "throughput" in covey("performance", fleet).out
    bare = covey("performance", fleet, "--set", "performance.throughput=rate(done)")
    assert bare.code == 2
    assert "there is no reaction called 'done'. Did you mean" in bare.err


def test_a_file_that_leaks_less(fleet: Path, tmp_path: Path) -> None:
    better = tmp_path / "better.toml"
    found = covey(
        "design", fleet, "--vary", "rates.*=0.1:1", "--keep", "throughput=1", "-o", better,
        "--starts", 1, "--json",
    ).json  # fmt: skip
    assert found["met"]
    assert found["after"]["guess"] < found["before"]["guess"]
    assert found["after"]["throughput"] >= found["before"]["throughput"]
    text = better.read_text(encoding="utf-8")
    assert text.startswith("# A fleet.\n")
    assert "# was 0.2; meets per minute" in text
    fresh = covey("leakage", better, "--json").json
    assert fresh["upper"] == found["after"]["leakage"]
    assert fresh["guess"] == found["after"]["guess"]
    done = covey("performance", better, "--json").json
    assert done["performance"]["throughput"] == found["after"]["throughput"]


def test_values_of_the_command_line_are_written_too(fleet: Path, tmp_path: Path) -> None:
    better = tmp_path / "better.toml"
    answer = covey(
        "design", fleet, "--vary", "rates.m1=0.1:1", "-o", better, "--starts", 1, "--set",
        "types.1=1",
    )  # fmt: skip
    assert answer.code == 0
    text = better.read_text(encoding="utf-8")
    assert "1 = 1" in text.replace('"', "")
    assert text.startswith("# A fleet.\n")
    assert "# was 0.2; meets per minute" in text


def test_the_words_and_the_front(fleet: Path, tmp_path: Path) -> None:
    csv, png, points = (tmp_path / f"front.{ending}" for ending in ("csv", "png", "toml"))
    answer = covey(
        "design", fleet, "--vary", "rates.*=0.1:1", "--keep", "throughput=1", "--front", 3,
        "--csv", csv, "--plot", png, "--points", points, "--starts", 1,
    )  # fmt: skip
    assert "a local search proves no optimum" in answer.out
    assert csv.read_text(encoding="utf-8").startswith("rates.m1,rates.m2,rates.g1,rates.g2,leakage")
    assert png.stat().st_size > 5_000
    rows = csv.read_text(encoding="utf-8").splitlines()[1:]
    written = sorted(tmp_path.glob("front-*.toml"))
    assert [path.name for path in written] == [f"front-{i + 1}.toml" for i in range(len(rows))]
    for row, path in zip(rows, written, strict=True):
        values = loads(path.read_text(encoding="utf-8"))["rates"].values()
        assert row.split(",")[:4] == list(map(str, values))
    assert not list(tmp_path.glob("*.journal"))


def test_a_floor_that_nothing_meets(fleet: Path, tmp_path: Path) -> None:
    better = tmp_path / "better.toml"
    answer = covey(
        "design", fleet, "--vary", "rates.m1=0.1:0.3", "--keep", "throughput>=9", "-o", better,
        "--starts", 1,
    )  # fmt: skip
    assert answer.code == 2
    assert "the nearest: throughput is" in answer.err
    assert not better.exists()
    for options, said in (
        (("--vary", "rates.m1=0.1:0.3", "--csv", "x.csv"), "--front 8"),
        (("--vary", "rates.m1=0.1:0.3", "-o", "x.json"), ".toml"),
    ):
        wrong = covey("design", fleet, *options)
        assert wrong.code == 2
        assert said in wrong.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--vary", "m1=0.1:1"], "there is no 'm1' to vary. Did you mean \"rates.m1\"?"),
        (["--vary", "rates.m1=0.1:1", "--seed", -1], "the seed is -1"),
        (["--vary", "types.1=1:2", "--within", "1.2.3 types.1 <= 4"], "'1.2.3' in"),
        (["--vary", "types.1=1:2", "--within", "types.1 <= inf"], "'inf' in"),
        (["--vary", "rates.m1=0.1:1", "--front", 1], "a front of 1: at least 2"),
        (["--vary", "rates.m1=0.1:1", "--front", -2], "a front of -2: at least 2"),
    ],
)
def test_what_is_mistyped_is_said(fleet: Path, options: list[object], said: str) -> None:
    answer = covey("design", fleet, *options)
    assert answer.code == 2
    assert said in answer.err


@pytest.mark.parametrize("options", [["--keep", "throughput=1"], ["--front", 3]])
def test_without_performance_it_is_said_how_to_write_it(fleet: Path, options: list[object]) -> None:
    text = fleet.read_text(encoding="utf-8")
    fleet.write_text(text.partition("[performance]")[0], encoding="utf-8")
    answer = covey("design", fleet, "--vary", "rates.m1=0.1:1", *options)
    assert answer.code == 2
    assert "the scenario has no [performance]: say what the team is for" in answer.err


def test_a_front_that_begins_with_what_is_there_has_whole_rows(fleet: Path, tmp_path: Path) -> None:
    table = tmp_path / "front.csv"
    answer = covey(
        "design", fleet, "--vary", "rates.m2=0.8:4", "--starts", 1, "--front", 2, "--csv", table
    )
    assert answer.code == 0
    assert "Nothing that was tried is better than what is there now" in answer.out.replace(
        "\n", " "
    )
    with table.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert float(rows[0]["rates.m2"]) == 0.8
    assert all(0.8 < float(row["rates.m2"]) <= 4 for row in rows[1:])
    assert all(None not in row and None not in row.values() for row in rows)
