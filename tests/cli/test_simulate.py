import csv
import io
from pathlib import Path

import pytest

from tests.cli.command import covey
from tests.conftest import EXAMPLES

pytestmark = pytest.mark.slow  # the whole command, again and again

SHARED = next(path for path in EXAMPLES if path.stem == "shared-resource")
TASK = next(path for path in EXAMPLES if path.stem == "task-network")


def test_json_is_reproducible() -> None:
    args = ["simulate", TASK, "--samples", 3, "--points", 5, "--json"]
    first, again = (covey(*args, "--seed", 7).json for _ in range(2))
    assert first == again
    assert first["times"] == [0.0, 2.5, 5.0, 7.5, 10.0]
    assert first["trajectories"][0][0] == [4, 4, 4, 0, 0, 0, 0, 0, 0]
    assert covey(*args, "--seed", 8).json["trajectories"] != first["trajectories"]


def test_events_lead_from_state_to_state(tmp_path: Path) -> None:
    answer = covey("simulate", SHARED, "--until", 3, "--events")
    rows = list(csv.DictReader(io.StringIO(answer.out)))
    assert rows[0]["reaction"] == ""
    assert rows[1]["reaction"].endswith("-> {A,R}") or rows[1]["reaction"].endswith("-> {B,R}")
    assert all(int(row["{A}"]) + int(row["{A,R}"]) == 2 for row in rows)
    times = [float(row["time"]) for row in rows]
    assert times == sorted(times)
    saved = tmp_path / "log.csv"
    covey("simulate", SHARED, "--until", 3, "--events", "-o", saved)
    assert saved.read_text().splitlines() == answer.out.splitlines()


def test_people_see_the_mean_beside_the_mean_field(tmp_path: Path) -> None:
    path = tmp_path / "paths.csv"
    answer = covey("simulate", TASK, "--samples", 50, "-o", path)
    assert answer.code == 0
    assert "mean field" in answer.out
    assert len(path.read_text().splitlines()) == 1 + 50 * 101


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "how long? Say --until T, or give the file a time as adversary.at"),
        (["--until", "-1"], "it must be finite and not negative"),
        (["--until", "nan"], "it must be finite and not negative"),
        (["--until", "1", "--samples", "0"], "--samples must be a whole number from 1 to"),
        (["--until", "1", "--events", "--samples", "9" * 400], "a whole number from 1 to"),
        (["--until", "1", "-o", "x.json"], ".csv is expected"),
    ],
)
def test_refusals(args: list[str], message: str) -> None:
    answer = covey("simulate", SHARED, *args)
    assert answer.code == 2
    assert message in answer.err
    assert "Traceback" not in answer.err


def test_a_team_that_runs_away_is_refused() -> None:
    text = "[network]\nreactions = 'a -> 2 a @ 1'\n[initial]\na = 1\n"
    answer = covey("simulate", "-", "--until", 50, stdin=text)
    assert answer.code == 3
    assert "events" in answer.err
