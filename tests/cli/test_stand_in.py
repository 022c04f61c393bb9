"""Stand-ins on the command line: made, fed with events, published on a clock."""

import json
from pathlib import Path

import pytest

from tests.cli.command import covey

MADE = "protect", "examples/warehouse.toml", "--stand-in", "carrier=6,picker=5"


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("stand-in") / "stand-in.json"
    done = covey(*MADE, "--for", "480", "--json", "-o", str(file))
    keys = done.json
    assert (keys["stand_in"], keys["epsilon"]) == ({"carrier": 6, "picker": 5}, 0.0)
    assert keys["least"] <= keys["lower"] <= keys["loss"] <= keys["upper"] < 1.5
    assert [sorted(row) for row in keys["teams"]] == [["loss", "team", "unchanged"]] * 2
    assert [row["within"] for row in keys["misfit"]] == [0.01, 0.03, 0.05, 0.1]
    return file


def test_events_in_and_counts_out(stand_in: Path, tmp_path: Path) -> None:
    log = tmp_path / "events.csv"
    covey("simulate", "examples/warehouse.toml", "--until", "20", "--events", "-o", str(log))
    done = covey("publish", str(stand_in), "--every", "5", stdin=log.read_text())
    header, *rows = done.out.split()
    assert header == "time,driving,picking,charging"
    assert [row.split(",")[0] for row in rows] == ["0", "5", "10", "15"]
    for row in rows:
        _, driving, picking, charging = map(int, row.split(","))
        assert driving + 2 * picking + charging == 11  # the reference's robots, not the team's


def test_json_lines_by_names_of_species(stand_in: Path) -> None:
    state = {"{carrier}": 7, "{picker}": 3, "{dock}": 3}
    lines = [{"time": 0, "state": state}, {"time": 1, "reaction": "r1"}, {"time": 3}]
    done = covey(
        "publish", str(stand_in), "--every", "1", stdin="\n".join(map(json.dumps, lines)) + "\n"
    )
    assert len(done.out.split()) == 4


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("time,driving,picking,charging\n0,4,2,2\n", "-:1: the first line does not name"),
        ("time,reaction\n0.5,1\n", "-:2: the feed begins with an event"),
    ],
)
def test_counts_alone_are_refused(stand_in: Path, lines: str, message: str) -> None:
    done = covey("publish", str(stand_in), "--every", "1", stdin=lines)
    assert done.code == 2
    assert message in " ".join(done.err.split())
    assert "moves along with every robot" in " ".join(done.err.split())


def test_what_cannot_be_used_is_said_without_telling(stand_in: Path) -> None:
    start = '{"time": 0, "state": {"{carrier}": 7, "{picker}": 3, "{dock}": 3}}\n'
    lines = start + '{"time": 1, "reaction": "fly"}\n{"time": 4}\n'
    done = covey("publish", str(stand_in), "--every", "1", stdin=lines)
    assert done.code == 2
    assert "-:2:" in done.err
    assert "goes on alone" in " ".join(done.err.split())
    assert "carrier" not in done.err
    assert len(done.out.split()) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*MADE, "--epsilon", "0.5"), "--epsilon is for a table"),
        ((*MADE[:3], "carier=6"), "no type"),
        ((*MADE[:3], "carrier=many"), "a number of robots for each type is expected"),
    ],
)
def test_what_does_not_go_together(arguments: tuple[str, ...], message: str) -> None:
    assert message in " ".join(covey(*arguments).err.split())


def test_a_stand_in_is_no_table(stand_in: Path, tmp_path: Path) -> None:
    done = covey("publish", str(stand_in), "driving=4,picking=2,charging=2")
    assert "counts alone are not enough" in " ".join(done.err.split())
    done = covey("publish", str(stand_in))
    assert "--every D is needed" in " ".join(done.err.split())
    scenario = tmp_path / "team.toml"
    (tmp_path / "stand-in.json").write_bytes(stand_in.read_bytes())
    text = Path("examples/warehouse.toml").read_text()
    scenario.write_text(text + '\n[release]\nmechanism = "stand-in.json"\n')
    done = covey("leakage", str(scenario))
    assert "this is a stand-in" in " ".join(done.err.split())
