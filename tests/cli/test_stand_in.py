"""Stand-ins on the command line: made, fed with events, published on a clock."""

import itertools
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
        ((*MADE, "--only-this-team"), "--only-this-team is for a table"),
        ((*MADE, "--within", "5%"), "--within is for a table"),
        ((*MADE, "--weigh", "mean"), "--weigh is for a table"),
        ((*MADE, "--every", "5"), "covey publish --every says how often"),
        ((*MADE[:3], "carier=6"), "no type"),
        ((*MADE[:3], "carrier=many"), "a number of robots for each type is expected"),
    ],
)
def test_what_does_not_go_together(arguments: tuple[str, ...], message: str) -> None:
    assert message in " ".join(covey(*arguments).err.split())


def test_a_stand_in_is_no_table(stand_in: Path) -> None:
    done = covey("publish", str(stand_in), "driving=4,picking=2,charging=2")
    assert "counts alone are not enough" in " ".join(done.err.split())
    done = covey("publish", str(stand_in))
    assert "--every D is needed" in " ".join(done.err.split())


@pytest.fixture(scope="module", params=["", "--truth"])
def released(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The warehouse with a stand-in that is published, with and without a coin for the truth."""
    folder = tmp_path_factory.mktemp("released")
    coin = ("--truth", "0.2") if request.param else ()
    covey(*MADE, *coin, "-o", str(folder / "s.json"))
    text = Path("examples/warehouse.toml").read_text()
    file = folder / ("coin.toml" if coin else "team.toml")
    file.write_text(text + '\n[release]\nevery = 1\nuntil = 480\nmechanism = "s.json"\n')
    return file


def test_what_is_published_tells_nothing(released: Path) -> None:
    """Or, with a coin, as much as a fifth of the truth would; for any number of snapshots."""
    coin = 0.2 if released.stem == "coin" else 0.0
    truth = covey("profile", "examples/warehouse.toml", "--json").json["total_variation"]
    leakage = covey("leakage", str(released), "--json").json
    profile = covey("profile", str(released), "--json").json
    stream = covey("stream", str(released), "--json").json
    assert profile["total_variation"] == pytest.approx(coin * truth, abs=1e-9)
    assert stream["snapshots"][-1] == 480
    assert max(stream["guess"]) == (1 + coin) / 2
    assert (leakage["leakage"] == 0) == (coin == 0)
    said = " ".join(covey("leakage", str(released)).out.split())
    assert "It has the distribution of that reference whatever the team is" in said
    assert "if the reference was chosen without looking at the team" in said
    assert ("total variation is at most 0.2" in said) == (coin > 0)


def test_what_is_seen_leaves_the_prior_as_it_was(released: Path) -> None:
    done = covey("infer", str(released), "--observed", "driving=4,picking=2", "--json")
    lines = "time,driving,picking,charging\n0,4,2,3\n9,5,2,2\n"
    series = released.parent / "seen.csv"
    series.write_text(lines)
    watched = covey("infer", str(released), "--series", str(series), "--json")
    if released.stem == "coin":
        assert "total variation is at most 0.2" in " ".join(done.err.split())
        assert watched.code == 2
        return
    for teams in [done.json["teams"], *watched.json["teams"]]:
        assert list(teams.values()) == pytest.approx([1 / 3] * 3)
    knows = covey("infer", str(released), "--observed", "driving=4", "--knowing", "picking=2")
    assert "nothing is promised of somebody who knows more" in " ".join(knows.err.split())


def test_what_a_stand_in_cannot_be_asked(released: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "sweep.csv")
    swept = covey("sweep", str(released), "--vary", "rates.meet=0.1:2:3", "-o", out)
    assert "a sweep asks of the team itself" in " ".join(swept.err.split())
    other = tmp_path / "other.toml"
    (tmp_path / "s.json").write_bytes((released.parent / "s.json").read_bytes())
    text = released.read_text()
    other.write_text(text.replace("[observe]", '[observe]\nall = "{carrier} + {picker}"'))
    assert "other counts than [observe]" in " ".join(covey("leakage", str(other)).err.split())


def test_what_the_intervals_of_a_fit_leave_open(tmp_path: Path) -> None:
    log, fit = tmp_path / "events.csv", tmp_path / "fit.json"
    scenario = "examples/warehouse.toml"
    covey("simulate", scenario, "--until", "3000", "--events", "-o", str(log))
    assert covey("fit", scenario, "--log", str(log), "--save", str(fit)).code == 0
    keys = covey(*MADE, "--fit", str(fit), "--for", "60", "--json").json
    assert 0.5 < keys["fitted"] <= 1
    refused = covey(*MADE, "--fit", str(fit))
    assert refused.code == 2
    assert "--for S" in " ".join(refused.err.split())


def test_lines_at_the_stand_in_s_changes(stand_in: Path, tmp_path: Path) -> None:
    log = tmp_path / "events.csv"
    covey("simulate", "examples/warehouse.toml", "--until", "40", "--events", "-o", str(log))
    done = covey("publish", str(stand_in), "--on-change", stdin=log.read_text())
    rows = [row.split(",") for row in done.out.split()[1:]]
    assert len(rows) > 5
    assert all(one[1:] != other[1:] for one, other in itertools.pairwise(rows))
