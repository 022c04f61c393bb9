"""`covey infer --state`: where robots are, after a snapshot and over a feed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import covey

SHARED = Path(__file__).parents[2] / "examples" / "shared-resource.toml"


def test_where_robots_are_after_a_snapshot() -> None:
    told = covey("infer", SHARED, "free=2,busy=1", "--state")
    assert told.code == 0, told.err
    assert "a robot of type A is in {A} with probability 0.5714" in " ".join(told.out.split())
    keys = covey("infer", SHARED, "--observed", "free=2,busy=1", "--state", "--json").json
    assert keys["places"]["B"]["{B,R}"] == pytest.approx(1 / 7)
    assert keys["counts"]["{A,R}"] == pytest.approx({"0": 1 / 7, "1": 6 / 7})
    assert keys["error"] < 1e-9


def test_where_robots_are_over_a_feed(tmp_path: Path) -> None:
    (tmp_path / "day.csv").write_text("time,free,busy\n0,2,1\n0.5,0,3\n1,1,2\n")
    keys = covey("infer", SHARED, "--series", tmp_path / "day.csv", "--state", "--json").json
    assert keys["times"] == [0, 0.5, 1]
    assert keys["possible"] == [True, False, True]
    assert keys["places"][0]["B"]["{B,R}"] == pytest.approx(1 / 7)
    told = covey("infer", SHARED, "--series", tmp_path / "day.csv", "--state")
    assert "impossible: left out" in told.out
    assert "A in {A}" in told.out
    live = covey("infer", SHARED, "--series", "-", "--state", "--json", stdin="time,free\n0,2\n")
    assert live.json["places"] == keys["places"][0]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["free=0,busy=3", "--state"], "impossible at steady state for this team"),
        (["free=2", "--observed", "free=2"], "given twice"),
        (["free=2", "--state", "--prior", "A=1"], "with --state the team is known"),
        (["--state"], "give what was seen"),
    ],
)
def test_bad_input_is_refused(args: list[str], message: str) -> None:
    answer = covey("infer", SHARED, *args)
    assert answer.code == 2
    assert message in answer.err
