"""`covey audit` with logs: two of them, a feed and its stand-in, a model and its events."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import covey
from tests.conftest import EXAMPLES
from tests.privacy.small_teams import shared_resource
from tests.study.audit.test_feed_audit import feeds

SHARED = next(path for path in EXAMPLES if path.stem == "shared-resource")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of a team, of another one, of its events, and a stand-in with its feed."""
    place = tmp_path_factory.mktemp("desk")
    made = [
        ["simulate", SHARED, "--until", 10, "--points", 21, "--samples", 40, "-o", "real.csv"],
        ["simulate", SHARED, "--until", 10, "--points", 21, "--samples", 40, "-o", "other.csv",
         "--seed", 1, "--set", "rates.take=1"],
        ["simulate", SHARED, "--until", 400, "--events", "-o", "events.csv"],
        ["protect", SHARED, "--stand-in", "A=1,B=2", "-o", "stand-in.json"],
    ]  # fmt: skip
    for command in made:
        assert covey(*command, cwd=place).code == 0, command
    reference = shared_resource(1, 2)  # seen late: a stand-in begins at rest
    (log,) = feeds(reference, 1, 200, 1, after=50.0)
    rows = zip(log.runs[0].times.tolist(), log.runs[0].counts.tolist(), strict=True)
    lines = [f"{time:g},{free:g},{busy:g}" for time, (free, busy) in rows]
    (place / "published.csv").write_text("time,free,busy\n" + "\n".join(lines), encoding="utf-8")
    return place


def test_two_logs(desk: Path) -> None:
    args = ["audit", "--logs", "real.csv", "--logs", "other.csv"]
    found = covey(*args, "--json", cwd=desk).json
    assert 0 < found["lower"] < 1
    assert found["guess"] == pytest.approx((1 + found["lower"]) / 2)
    assert found["confidence"] == 0.95
    assert found["tried"] == 40
    assert found["leakage"] > found["lower"]
    shown = covey(*args, "--plot", "logs.svg", cwd=desk)
    assert "With confidence 0.95 an observer of one run" in shown.out
    assert "40 runs of real.csv and 40 runs of other.csv" in shown.out
    assert (desk / "logs.svg").exists()


def test_a_pattern_is_one_log(desk: Path) -> None:
    found = covey("audit", "--logs", "[ro]*.csv", "--logs", "real.csv", "--json", cwd=desk)
    assert found.json["runs"] == [80, 40]  # of other.csv and real.csv


def test_a_feed(desk: Path) -> None:
    found = covey("audit", "stand-in.json", "--logs", "published.csv", "--json", cwd=desk).json
    assert not found["rejected"]
    assert found["level"] == pytest.approx(0.05)
    shown = covey("audit", "stand-in.json", "--logs", "published.csv", "--samples", 99,
                  "--plot", "feed.svg", cwd=desk)  # fmt: skip
    assert "The feed passes for one of its reference, 1 A, 2 B, 2 R" in shown.out
    assert (desk / "feed.svg").exists()
    wrong = covey("audit", SHARED, "--logs", "published.csv", "--set", "rates.take=0.1", cwd=desk)
    assert "The feed is not that of its reference" in wrong.out


def test_events(desk: Path) -> None:
    found = covey("audit", SHARED, "--events", "events.csv", "--json", cwd=desk).json
    assert found["fits"]
    assert len(found["reactions"]) == 4
    shown = covey("audit", SHARED, "--events", "events.csv", "--set", "rates.take=9", "--plot", "r.svg",
                  "--until", 500, cwd=desk)  # fmt: skip
    assert "as often as its rate says" in shown.out
    assert (desk / "r.svg").exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ("audit", "a scenario file is expected, or --logs REAL --logs OTHER"),
        ("audit --logs real.csv", "a scenario file is expected, or --logs REAL --logs OTHER"),
        (
            "audit FILE --logs real.csv --logs other.csv",
            "--logs is given twice to compare two logs",
        ),
        ("audit --logs real.csv --logs other.csv --at 3", "--set or --at says nothing here"),
        ("audit --logs real.csv --logs other.csv --against rates.take=1", "--against says nothing"),
        ("audit --logs real.csv --logs other.csv --samples 9", "--samples says nothing here"),
        ("audit --logs real.csv --logs events.csv", "a single run: its rows are not independent"),
        ("audit --logs real.csv --logs none.csv", "none.csv: there is no such file"),
        ("audit FILE --block 3", "--block and --classifier are for two --logs"),
        ("audit FILE --logs real.csv --events events.csv", "--logs or --events is expected"),
        ("audit FILE --until 3", "--until is for --events"),
        ("audit FILE --plot x.svg", "--columns, --unit and --plot are for --logs and --events"),
        ("audit FILE --events events.csv --samples 3", "--samples is for simulated teams"),
        ("audit FILE --events real.csv", "residuals need every event"),
        ("audit stand-in.json", "a stand-in is audited by its feed: --logs CSV"),
        ("audit stand-in.json --logs real.csv", "is nothing that the reference shows"),
    ],
)
def test_what_is_refused(desk: Path, args: str, message: str) -> None:
    words = [SHARED if word == "FILE" else word for word in args.split()]
    found = covey(*words, cwd=desk)
    assert found.code == 2
    assert message in found.err.replace("\n", " ")
