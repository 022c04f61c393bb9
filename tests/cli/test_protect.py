"""`covey protect` and `covey publish`, from the shell."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from covey.files.file_lock import alone_with
from covey.model.io.mechanism_file import open_mechanism, save_mechanism
from tests.cli.command import covey
from tests.conftest import EXAMPLES

WAREHOUSE = next(path for path in EXAMPLES if path.stem == "warehouse")


@pytest.fixture(scope="module")
def mechanism(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("protect") / "mechanism.json"
    found = covey(
        "protect", WAREHOUSE, "--epsilon", 0.5, "--only-this-team", "-o", path, "--json"
    ).json
    assert found["leakage_before"] == "inf"
    assert found["leakage"] <= found["upper"] <= 0.5
    assert found["least"] <= found["loss"] < 0.083
    assert 0.979 < found["unchanged"] < 0.98
    names = {row["name"] for row in found["compared"]}
    assert {"the truth", "round to multiples of 2", "do not publish driving"} <= names
    assert all(row["loss"] >= found["loss"] for row in found["compared"] if row["leakage"] != "inf")
    return path


def test_the_sentence() -> None:
    asked = ("protect", WAREHOUSE, "-e", 0.5, "--no-compare", "--loss", "picking=1")
    answer = covey(*asked, "--only-this-team")
    assert "at most a factor" in answer.out
    assert "keep the file as secret as the team is" in " ".join(answer.out.split())
    assert answer.code == 0


def test_teams_moments_and_delta() -> None:
    found = covey(
        *("protect", WAREHOUSE, "-e", 0.5, "--delta", 1e-3, "--json", "--teams", "carrier=6:7,picker=3:4"),
        *("--moments", "5,steady", "--no-compare"),
    ).json  # fmt: skip
    assert found["delta"] == 1e-3
    assert found["compared"] == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-e", "0.5"), "--teams carrier=5:7,picker=3:5"),
        (("-e", "0.5", "--teams", "carrier=5:7"), "nothing is protected there"),
        (("-e", "0.5", "--teams", "carrier=7:8,picker=3:4"), "must have the team itself"),
        (("-e", "0.5", "--only-this-team", "--blind"), "leaves the set of teams out"),
        (("--target", "guess=0.6", "--every", "1", "--for", "9"), "add --only-this-team"),
        (("-e", "0"), "above 0"),
        (("-e", "0.5", "--only-this-team", "--loss", "l3"), "not known"),
        (("-e", "0.5", "--only-this-team", "--loss", "picking=x"), "a number is expected"),
        (("-e", "0.5", "--teams", "carrier=x"), "ranges are expected"),
        (("-e", "0.5", "--only-this-team", "--moments", "x"), "times with commas"),
        (("-e", "0.5", "-o", "mechanism.txt"), ".json is expected"),
        ((), "--epsilon"),
    ],
)
def test_what_is_wrong(options: tuple[str, ...], said: str, tmp_path: Path) -> None:
    answer = covey("protect", WAREHOUSE, *options, cwd=tmp_path)
    assert answer.code == 2
    assert said in answer.err


def test_one_draw(mechanism: Path) -> None:
    answer = covey("publish", mechanism, "driving=4,picking=2,charging=2", "--json")
    assert set(answer.json["published"]) == {"driving", "picking", "charging"}
    plain = covey("publish", mechanism, "driving=4,picking=2,charging=2")
    assert plain.out.count("=") == 3
    assert "another run for the same snapshot would draw anew" in plain.err
    for option in ("--quiet", "--each-is-a-mission"):
        assert covey("publish", mechanism, "driving=4,picking=2,charging=2", option).err == ""


def test_one_snapshot_is_published_once(mechanism: Path, tmp_path: Path) -> None:
    state, counts = tmp_path / "last.json", "driving=4,picking=2,charging=2"
    once = covey("publish", mechanism, counts, "--state", state)
    assert (once.code, once.err) == (0, "")
    again = covey("publish", mechanism, counts, "--state", state)
    assert (again.code, again.out) == (2, "")
    assert "for one snapshot, and one was published" in again.err
    mission = covey("publish", mechanism, counts, "--state", state, "--each-is-a-mission")
    assert mission.code == 0


def test_nothing_is_told_of_what_is_there(mechanism: Path) -> None:
    answer = covey("publish", mechanism, "driving=977,picking=2,charging=2")
    assert answer.code == 0
    assert "977" not in answer.out + answer.err
    assert "1 of 1 observations are not in the mechanism" in answer.err
    unreadable = covey("publish", mechanism, "driving=secret,picking=2,charging=2")
    assert (unreadable.code, unreadable.out) == (2, "")
    assert "secret" not in unreadable.out + unreadable.err


@pytest.mark.parametrize("counts", ["driving", "driving=1", "walking=1,picking=2,charging=2"])
def test_names_are_checked_and_values_not_told(mechanism: Path, counts: str) -> None:
    assert covey("publish", mechanism, counts).code == 2


def test_a_feed(mechanism: Path) -> None:
    lines = "time,driving,picking,charging\n0,4,2,2\n1,5,2,1\n2,99,2,1\n"
    refused = covey("publish", mechanism, stdin=lines)
    assert refused.code == 2
    assert len(refused.out.splitlines()) == 2  # one snapshot is published, and no second one
    assert "-:3" in refused.err
    assert "--each-is-a-mission" in refused.err
    answer = covey("publish", mechanism, "--each-is-a-mission", stdin=lines)
    assert answer.out.splitlines()[0] == "driving,picking,charging"
    assert len(answer.out.splitlines()) == 4
    assert "1 of 3 observations" in answer.err
    quiet = covey("publish", mechanism, "-q", "--each-is-a-mission", stdin=lines)
    assert quiet.err == ""
    objects = covey("publish", mechanism, stdin='{"driving": 4, "picking": 2, "charging": 2}\n')
    assert set(json.loads(objects.out)) == {"driving", "picking", "charging"}
    assert covey("publish", mechanism, "--json", stdin=lines).code == 2
    garbled = covey("publish", mechanism, "--each-is-a-mission", stdin=f"{lines}3,abc,2,1\n4,,,\n")
    assert garbled.code == 2
    shown = garbled.out.splitlines()
    assert shown[4] == shown[5] == shown[3]
    assert "covey: -:5: a count is no whole number" in garbled.err
    assert "2 of 5 observations could not be read" in garbled.err


def test_a_file_that_is_no_mechanism() -> None:
    answer = covey("publish", WAREHOUSE, "driving=4")
    assert answer.code == 2
    assert "not JSON" in answer.err


def test_a_published_scenario(mechanism: Path) -> None:
    text = WAREHOUSE.read_text(encoding="utf-8")
    fleet = mechanism.with_name("fleet.toml")
    fleet.write_text(f'{text}\n[release]\nmechanism = "{mechanism.name}"\n', encoding="utf-8")
    assert covey("leakage", fleet, "--json").json["upper"] <= 0.5
    changed = covey("leakage", fleet, "--set", "rates.meet=0.4", "--json")
    assert "made for another scenario (rates)" in changed.err


def test_one_draw_at_a_time_keeps_to_the_period(mechanism: Path, tmp_path: Path) -> None:
    stream, state = tmp_path / "stream.json", tmp_path / "last.json"
    table = open_mechanism(mechanism)
    even = np.full(table.table.shape, 1 / table.table.shape[1])
    made_for = {"every": 15.0, "until": 60.0, "unit": "minute"}
    save_mechanism(replace(table, table=even, made_for=made_for), stream)
    counts = "driving=4,picking=2,charging=2"
    header = "time,driving,picking,charging\n"
    for given, lines in ((counts, ""), ("", f"{header}0,4,2,2\n")):
        without = covey("publish", stream, *filter(None, [given]), stdin=lines)
        assert (without.code, without.out) == (2, "")
        assert "--state FILE" in without.err
    assert "--time T" in covey("publish", stream, counts, "--state", state).err
    assert not state.exists()

    def at(time: float, counts: str = counts) -> dict[str, int]:
        answer = covey("publish", stream, counts, "--time", time, "--state", state, "--json")
        assert answer.code == 0
        published: dict[str, int] = answer.json["published"]
        return published

    first = at(0)
    assert all(at(time) == first for time in (1, 7, 14.9, -3))
    assert at(9, "driving=977,picking=2,charging=2") == first
    known = json.loads(state.read_text())
    assert (known["time"], known["published"]) == (0, list(first.values()))
    feed = covey(
        "publish",
        stream,
        "--state",
        state,
        stdin=f"{header}9,4,2,2\n30,4,2,2\n",
    )
    shown = feed.out.splitlines()
    assert shown[1] == ",".join(map(str, first.values()))
    assert json.loads(state.read_text())["time"] == 30
    assert ",".join(map(str, at(31).values())) == shown[2]
    assert "covey: -:3: a snapshot was due at 15 minutes" in feed.err
    over = covey("publish", stream, counts, "--time", 60, "--state", state)
    assert "the 4 snapshots that the mechanism was judged for" in over.err
    assert json.loads(state.read_text())["time"] == 30
    with alone_with(state):
        busy = covey("publish", stream, counts, "--time", 60, "--state", state)
    assert (busy.code, busy.out) == (2, "")
    assert "another covey is at work" in busy.err
    state.write_text("{}")
    assert covey("publish", stream, counts, "--time", 60, "--state", state).code == 2


def test_the_front(tmp_path: Path) -> None:
    picture = tmp_path / "front.svg"
    found = covey("protect", WAREHOUSE, "--front", picture, "--json").json
    assert picture.read_text().startswith("<?xml")
    kinds = {point["kind"] for point in found["front"]}
    assert {"program", "truth", "noise", "coarser"} <= kinds
    truth = next(point for point in found["front"] if point["kind"] == "truth")
    assert truth["leakage"] == "inf"
    assert set(truth["epsilon_at"]) == {"delta", "epsilon"}
    assert 0.5 < truth["guess"] < 0.56
    shown = covey("protect", WAREHOUSE, "--front", picture).out
    assert "To give away at most 0.5 it loses 0.0827" in " ".join(shown.split())
    for options in (("--epsilon", 0.5), ("-o", tmp_path / "m.json")):
        assert covey("protect", WAREHOUSE, "--front", picture, *options).code == 2
    assert covey("protect", WAREHOUSE, "--front", tmp_path / "front.txt").code == 2


def test_real_times_are_placed_by_the_unit_of_the_scenario(tmp_path: Path) -> None:
    fleet, stream = tmp_path / "fleet.toml", tmp_path / "stream.json"
    text = WAREHOUSE.read_text(encoding="utf-8")
    assert '[time]\nunit = "minute"' in text
    fleet.write_text(text, encoding="utf-8")
    options = ("--every", 1, "--for", 2, "--target", "guess=0.9", "--only-this-team", "-o", stream)
    assert " every minute through this table" in covey("protect", fleet, *options).out
    made, counts = open_mechanism(stream), "driving=4,picking=2,charging=2"
    assert (made.until, made.unit) == (2, "minute")
    table = replace(made, made_for={**made.made_for, "every": 15.0, "until": 30.0})
    save_mechanism(table, stream)
    for first, early, due in (
        ("1779091200", "1779091215", "1779092100"),  # 15 s and 15 minutes later
        ("2026-05-18T08:00:00Z", "2026-05-18T08:14:59Z", "2026-05-18T08:15:00Z"),
    ):
        state = tmp_path / f"{first[:4]}.json"
        for time, drawn_at in ((first, 0), (early, 0), (due, 15)):
            answer = covey("publish", stream, counts, "--time", time, "--state", state)
            assert answer.code == 0, answer.err
            assert json.loads(state.read_text())["time"] == drawn_at
    unitless = {key: value for key, value in table.made_for.items() if key != "unit"}
    save_mechanism(replace(table, made_for=unitless), stream)
    state = tmp_path / "other.json"
    refused = covey("publish", stream, counts, "--time", "1779091200", "--state", state)
    assert refused.code == 2
    assert "under [time] of the scenario" in refused.err
    assert not state.exists()


def test_a_box_of_rates(tmp_path: Path) -> None:
    asked = ("protect", WAREHOUSE, "-e", 0.5, "--teams", "carrier=6:7,picker=3:4", "--no-compare")
    found = covey(*asked, "--within", "5%", "--json").json
    assert found["lower"] <= found["upper"] <= 0.5
    assert found["within"]["meet"] == pytest.approx([0.19, 0.21])
    rates = {"meet": 0.2, "pick": 0.5, "carrier_low": 0.05, "picker_low": 0.03}
    rates |= {"carrier_full": 0.1, "picker_full": 0.08}
    fit = {
        name: {"value": r, "lower": 0.99 * r, "upper": 1.02 * r, "given": r, "events": 9,
               "exposure": 9.0}
        for name, r in rates.items()
    }  # fmt: skip
    file = tmp_path / "fit.json"
    file.write_text(json.dumps({"covey_fit": 1, "rates": fit, "confidence": 0.95}))
    fitted = covey(*asked, "--fit", file, "--json")
    assert fitted.json["within"]["pick"] == pytest.approx([0.495, 0.51]), fitted.err
    assert fitted.json["loss"] < found["loss"]
    assert covey(*asked, "--fit", file, "--within", "5%").code == 2
    assert "a share is expected" in covey(*asked, "--within", "much").err


def test_the_team_of_a_publisher(tmp_path: Path) -> None:
    tables, counts = tmp_path / "tables.json", "driving=4,picking=2,charging=2"
    teams = ("--teams", "carrier=6:7,picker=3:4")
    assert covey("protect", WAREHOUSE, "-e", 0.5, *teams, "-q", "-o", tables).code == 0
    fleet = tmp_path / "fleet.csv"
    robots = [f"r{i},{'carrier' if i < 6 else 'picker'}" for i in range(10)]
    fleet.write_text("\n".join(["robot,type", *robots]) + "\n")
    for own in (
        ("--team", "carrier=6,picker=4"),
        ("--team-file", WAREHOUSE),
        ("--team-file", fleet),
    ):
        answer = covey("publish", tables, counts, *own, "--json")
        assert set(answer.json["published"]) == {"driving", "picking", "charging"}
    for wrong, said in (
        ((), "does not say which is real"),
        (("--team", "carrier=9,picker=4"), "no table for carrier=9,picker=4"),
        (("--team", "carrier"), "a number of robots for each type"),
        (("--team", "carrier=6,picker=4", "--team-file", fleet), "leave one out"),
    ):
        answer = covey("publish", tables, counts, *wrong)
        assert answer.code == 2
        assert said in answer.err
