import csv
import io
import json
from pathlib import Path

import pytest

import covey as library
from tests.cli.command import covey
from tests.conftest import EXAMPLES

pytestmark = pytest.mark.slow  # the whole command, again and again

SHARED = next(path for path in EXAMPLES if path.stem == "shared-resource")
WAREHOUSE = next(path for path in EXAMPLES if path.stem == "warehouse")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "log.csv"
    args = ["--until", 400, "--events", "--samples", 2, "--seed", 1, "-o", path]
    assert covey("simulate", WAREHOUSE, *args).code == 0
    return path


def test_simulate_then_fit(log: Path, tmp_path: Path) -> None:
    fitted = tmp_path / "fitted.toml"
    args = ["--log", log, "--until", 400, "--confidence", 0.999]
    answer = covey("fit", WAREHOUSE, *args, "-o", fitted, "--json").json
    rows = list(csv.DictReader(io.StringIO(log.read_text())))
    assert answer["observations"] == len(rows) - 2
    assert (answer["runs"], answer["duration"], answer["notes"]) == (2, 800, [])
    truth = library.load(WAREHOUSE).network.rates
    assert answer["rates"].keys() == truth.keys()
    for name, rate in answer["rates"].items():
        assert rate["given"] == truth[name]
        assert rate["lower"] < truth[name] < rate["upper"]
        assert rate["value"] == pytest.approx(rate["events"] / rate["exposure"])
    assert answer["file"] == str(fitted)
    saved = library.load(fitted).network.rates
    assert saved == {name: rate["value"] for name, rate in answer["rates"].items()}


def test_the_truth_of_the_log_is_found_from_another_scenario(log: Path) -> None:
    other = ["--set", "rates.meet=99", "--set", "rates.pick=0.001"]
    args = ["--log", log, "--until", 400, "--json"]
    found, same = covey("fit", WAREHOUSE, *args, *other).json, covey("fit", WAREHOUSE, *args).json
    values = [[rate["value"] for rate in one["rates"].values()] for one in (found, same)]
    assert values[0] == values[1]
    assert found["rates"]["meet"]["given"] == 99


def test_people_get_a_table(log: Path) -> None:
    answer = covey("fit", WAREHOUSE, "--log", log)
    assert answer.code == 0
    assert "2 runs, " in answer.out
    assert "95% interval" in answer.out
    assert "slightly too high" in answer.out
    row = next(line.split() for line in answer.out.splitlines() if line.startswith("pick "))
    assert row[1] == "0.5"


def test_snapshots(tmp_path: Path) -> None:
    path = tmp_path / "states.csv"
    covey("simulate", SHARED, "--until", 100, "--points", 401, "-q", "-o", path)
    answer = covey("fit", SHARED, "--log", path, "--confidence", 0.999, "--json").json
    assert answer["sampled"]
    take = answer["rates"]["take"]
    assert take["lower"] < 3 < float(take["upper"])
    assert take["events"] is None


def test_through_a_pipe() -> None:
    text = "time,reaction\n0,\n5,\n"
    answer = covey("fit", SHARED, "--log", "-", "--json", stdin=text).json
    assert answer["rates"]["take"]["value"] == 0
    unknown = answer["rates"]["{B,R} -> {B} + {R}"]
    assert (unknown["value"], unknown["lower"], unknown["upper"]) == (None, 0, "inf")


ROBOTS = """when,agv,state
1747573920,a,{A}
1747573920,b,{A}
1747573920,c,{B}
1747573921,a,"{A,R}"
1747573924,a,{A}
1747573930,c,{B}
"""

STATION = """
[types]
A = 2
B = 1
[network]
reactions = "{A} <-> away{A} @ 1, 2\\n{B} <-> away{B} @ 3, 4"
[observe]
parked = "{A} + {B}"
"""


def test_robots_with_epoch_times_a_fleet_and_a_saved_fit(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(ROBOTS)
    (tmp_path / "fleet.csv").write_text("robot,type\na,A\nb,A\nc,B\n")
    args = ["--columns", "time=when,robot=agv", "--fleet", "fleet.csv", "--unit", "minute"]
    command = ["fit", SHARED, "--log", "log.csv", *args, "--save", "fit.json"]
    answer = covey(*command, "--json", cwd=tmp_path).json
    take = answer["rates"]["take"]
    assert (take["events"], take["exposure"]) == (1, pytest.approx((4 * 1 + 1 * 3 + 4 * 6) / 60))
    assert "2025-05-18 13:12:00 UTC and counts as 0. Rates are per minute." in answer["notes"][0]
    ended = covey(*command, "--until", "1747573980", "--json", cwd=tmp_path).json
    assert ended["duration"] == 1
    dated = covey(*command, "--until", "0.5", "--json", cwd=tmp_path).json
    assert dated["duration"] == 0.5
    assert "saved: fit.json" in covey(*command, cwd=tmp_path).out

    found = covey("leakage", SHARED, "--fit", "fit.json", "--draws", 3, "--json", cwd=tmp_path).json
    low, high = found["range"]["leakage"]
    assert low <= found["leakage"] <= float(high)
    assert found["range"]["kept"] == ["{B,R} -> {B} + {R}"]  # B never had R
    said = covey("leakage", SHARED, "--fit", "fit.json", cwd=tmp_path).out
    assert "The rates are known from a log" in said
    report = ["report", SHARED, "--fit", "fit.json", "--no-changes", "--json"]
    assert covey(*report, cwd=tmp_path).json["range"]["draws"] > 40
    assert "not a bound" in (tmp_path / "report.html").read_text()


def test_how_silence_polls_and_bad_lines_are_read(tmp_path: Path) -> None:
    (tmp_path / "flip.toml").write_text(
        '[types]\nA = 2\n[network]\nreactions = "{A} <-> on{A} @ up, down"\n[rates]\nup = 1\ndown = 1\n'
        '[observe]\nfree = "{A}"\n'
    )
    rows = [f"{60 * k},a,{'on{A}' if k // 3 % 2 else '{A}'}" for k in range(60)]
    rows += [f"{60 * k},b,{'on{A}' if k // 4 % 2 else '{A}'}" for k in range(30)]
    rows.sort(key=lambda row: int(row.split(",")[0]))
    rows.insert(7, "180,a")
    (tmp_path / "log.csv").write_text("\n".join(["time,robot,state", *rows]) + "\n")
    command = ["fit", "flip.toml", "--log", "log.csv"]
    refused = covey(*command, cwd=tmp_path)
    assert refused.code == 2
    assert "log.csv:9: 2 columns, where the header has 3" in refused.err
    command.append("--skip-bad")
    found = covey(*command, "--json", cwd=tmp_path).json
    assert found["sampled"]
    said = covey(*command, cwd=tmp_path).out.replace("\n", " ")
    assert "1 line could not be read, and is skipped: line 9: 2 columns" in said
    assert "The log seems to be polled: rows come every 60" in said
    assert "A robot is not heard of for too long 1 time, first in line 62: b" in said
    command.append("--not-polled")
    lost = covey(*command, "--json", cwd=tmp_path).json
    ever = covey(*command, "--lost-after", 1e5, "--json", cwd=tmp_path).json
    assert not lost["sampled"]
    total = [sum(rate["exposure"] for rate in one["rates"].values()) for one in (lost, ever)]
    assert total == [60 * (59 + 29), 60 * 2 * 59]


def test_a_feed_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "station.toml").write_text(STATION)
    (tmp_path / "feed").mkdir()
    for k, (a, b) in enumerate([(2, 1), (1, 1), (2, 0), (0, 0), (1, 1), (2, 1)]):
        kinds = [{"vehicle_type_id": "A", "count": a}, {"vehicle_type_id": "B", "count": b}]
        status = {"station_id": "1", "vehicle_types_available": kinds}
        document = {"last_updated": 1747573920 + 60 * k, "data": {"stations": [status]}}
        (tmp_path / "feed" / f"{k}.json").write_text(json.dumps(document))
    command = ["fit", "station.toml", "--from", "gbfs", "feed", "--unit", "minute", "--json"]
    answer = covey(*command, cwd=tmp_path).json
    assert (answer["observations"], answer["duration"]) == (5, 5)
    both = covey(*command, "--log", "x.csv", cwd=tmp_path)
    assert both.code == 2
    assert "either --log FILE or --from FORMAT PATH is expected" in both.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--fit", "none.json"], "none.json: there is no such file"),
        (["--fit", "log.csv"], "log.csv: not JSON"),
        (["--draws", "3"], "--draws is for --fit"),
        (["--fit", "log.csv", "--seen", "0.5"], "--fit and --seen do not go together"),
    ],
)
def test_refusals_of_fits(args: list[str], message: str, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(ROBOTS)
    answer = covey("leakage", SHARED, *args, cwd=tmp_path)
    assert answer.code == 2
    assert message in answer.err


@pytest.mark.parametrize(
    ("text", "args", "message"),
    [
        ("time,reaction\n1,1\n", ["--columns", "time"], "NAME=COLUMN is expected"),
        ("time,reaction\n1,1\n", ["--columns", "time=x"], "there is no column 'x' for time"),
        ("time,reaction\n1,1\n", ["--unit", "hour"], "a unit is for dates and epoch times"),
        ("time,reaction\n1,1\n", ["--save", "fit.toml"], ".json is expected"),
        ("", [], "log.csv: the file is empty"),
        ("time,reaction\n1,1\n0.5,1\n", [], "log.csv:3: the time 0.5 comes after 1"),
        ("time,reaction\n1,{A} -> {B}\n", [], "log.csv:2: '{A} -> {B}' is no reaction"),
        ("time,reaction\n0,1\n", [], "log.csv: no time passes in the log"),
        ("time,reaction\n1,1\n", ["--until", "0.5"], "until = 0.5 is before that"),
        ("time,reaction\n1,1\n", ["--until", "nan"], "it must be finite"),
        ("time,reaction\n1,1\n", ["--confidence", "1"], "between 0 and 1, such as 0.95"),
        ("time,reaction\n1,1\n", ["-o", "log.csv"], ".toml is expected"),
        ("time,reaction\n1,1\n", ["-o", "no/such.toml"], "there is no folder no"),
    ],
)
def test_refusals(text: str, args: list[str], message: str, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(text)
    answer = covey("fit", SHARED, "--log", "log.csv", *args, cwd=tmp_path)
    assert answer.code == 2
    assert message in answer.err
    assert "Traceback" not in answer.err


def test_too_many_states_for_snapshots(tmp_path: Path) -> None:
    path = tmp_path / "states.csv"
    big = ["--set", "types.A=40", "--set", "types.B=40", "--set", "resources.R=40"]
    covey("simulate", SHARED, *big, "--until", 1, "-q", "-o", path)
    answer = covey("fit", SHARED, *big, "--log", path)
    assert answer.code == 3
    assert "more than 250 states, seen in 100 pairs of snapshots" in answer.err
