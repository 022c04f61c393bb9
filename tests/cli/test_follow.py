"""Following one robot at the command line."""

import json
from pathlib import Path

from tests.cli.command import covey
from tests.privacy.following.test_certainty import PAIR


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "pair.toml"
    file.write_text(PAIR.replace("follow = true\n", ""))
    asked = ["certainty", str(file), "--follow", "--every", "1", "--for", "6", "--paths", "60"]
    table, picture = tmp_path / "t.csv", tmp_path / "p.svg"
    found = covey(*asked, "--json", "-o", str(table), "--plot", str(picture))
    said = found.json
    assert [one["names"] for one in said["of"]] == [["A", "B"], ["B", "A"]]
    assert len(said["of"][0]["guess"]) == len(said["snapshots"]) == len(said["times"])
    assert table.read_text().startswith("question,snapshots,time,guess")
    assert picture.read_text().startswith("<?xml")
    assert "90% sure by then" in covey(*asked, "--continuous").out


def test_a_series_of_what_the_robot_does(tmp_path: Path) -> None:
    file, series = tmp_path / "pair.toml", tmp_path / "robot.csv"
    file.write_text(PAIR)
    series.write_text("time,followed\n0,free\n1,busy\n2,-\n3,flying\n")
    found = covey("infer", str(file), "--series", str(series), "--json")
    assert found.code == 2
    said = json.loads(found.out)
    assert said["observed"][1] == {"free": 0, "busy": 1}
    assert said["observed"][2] == {"free": 0, "busy": 0}
    assert set(said["prior"]) == {"A", "A->B", "B", "B->A"}
    assert [one["line"] for one in said["skipped"]] == [5]
    assert "nothing that a robot is seen doing" in said["skipped"][0]["why"]
    series.write_text('{"time": 0, "followed": "busy", "free": 1, "busy": 1}\n')
    beside = covey("infer", str(file), "--series", str(series), "--follow-beside", "--json")
    assert beside.json["observed"][0]["followed_busy"] == 1


def test_a_series_of_changes(tmp_path: Path) -> None:
    file, series = tmp_path / "pair.toml", tmp_path / "robot.csv"
    file.write_text(PAIR)
    series.write_text("time,followed\n0,free\n1,busy\n6,free\n")
    asked = ["infer", str(file), "--series", str(series), "--json"]
    every, looks = covey(*asked, "--changes").json, covey(*asked).json
    assert every["posterior"][0] == looks["posterior"][0]
    assert every["posterior"][2]["A"]["A"] < looks["posterior"][2]["A"]["A"]  # A is busy for less
    refused = covey("infer", str(file), "--observed", "free=1", "--changes")
    assert (refused.code, "--changes is for --series" in refused.err) == (2, True)
