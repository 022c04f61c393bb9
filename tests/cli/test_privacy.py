"""The values of the mathematics page, through the command line."""

import csv
import math
from pathlib import Path

import pytest

from tests.cli.command import covey
from tests.conftest import EXAMPLES

pytestmark = pytest.mark.slow  # the whole command, again and again

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


def test_what_holds_but_for_rare_cases() -> None:
    answer = covey("leakage", THREE, "--json").json
    assert answer["epsilon_at"] == {"delta": 1e-6, "epsilon": "inf"}
    assert answer["settled"] == pytest.approx(3.37e-4, rel=1e-2)
    assert answer["guess"] == pytest.approx(0.5814, abs=1e-3)
    loose = covey("leakage", THREE, "--delta", 0.01, "--json").json["epsilon_at"]
    assert loose["delta"] == 0.01
    assert 0.5 < loose["epsilon"] < 1
    profile = covey("profile", THREE, "--delta", 0.01, "--json").json
    assert profile["epsilon_at"] == loose


def test_the_epsilon_that_was_asked_for_is_said() -> None:
    said = " ".join(covey("profile", SHARED, "--epsilon", 0.3).out.split())
    assert "δ is 0.0101 at ε = 0.3." in said


def test_an_observer_who_misses_robots() -> None:
    exact = covey("leakage", SHARED, "--json").json
    assert covey("leakage", SHARED, "--seen", 0.5, "--json").json["guess"] < exact["guess"]
    assert covey("leakage", SHARED, "--seen", 1, "--json").json["guess"] == pytest.approx(
        exact["guess"]
    )
    some = covey("profile", SHARED, "--seen", "busy=0.5,free=0.5", "--json").json
    half = covey("leakage", SHARED, "--seen", 0.5, "--json").json
    assert some["guess"] == pytest.approx(half["guess"])
    late = covey("trace", SHARED, "--until", 2, "--points", 2, "--seen", 0.5, "--json").json
    alone = covey("leakage", SHARED, "--at", 2, "--seen", 0.5, "--json").json
    assert late["leakage"][1] == pytest.approx(alone["leakage"], rel=1e-9)


def test_groups() -> None:
    answer = covey("groups", SHARED, "--robots", 2, "--json").json
    assert answer["leakage"] == pytest.approx(1.2417131, abs=1e-7)
    assert answer["changes"] == {"A": -2, "B": 2}
    assert answer["by_robots"]["1"] == pytest.approx(math.log(1.8))
    assert len(answer["teams"]) == 3
    assert "up to 2 robots" in covey("groups", SHARED, "--robots", 2).out


def test_account() -> None:
    answer = covey("account", SHARED, "--missions", 10, "--epsilon", 1, "--json").json
    assert answer["guess"] == pytest.approx(0.63965, abs=1e-5)
    assert answer["epsilon_at"]["epsilon"] == pytest.approx(3.5998, abs=1e-3)
    assert answer["epsilon"] == [1]
    assert 0 < answer["delta"][0] < 0.2
    assert "10 independent missions" in covey("account", SHARED, "--missions", 10).out.replace(
        "\n", " "
    )


def test_audit() -> None:
    args = ["audit", SHARED, "--samples", 2000, "--seed", 3]
    answer = covey(*args, "--json").json
    assert 0 < answer["lower"] < math.log(1.8)
    assert 0.5 < answer["guess"] < 0.5534
    assert (answer["steady"], answer["samples"], answer["seed"]) == (True, 2000, 3)
    assert covey(*args, "--at", 2, "--json").json["at"] == 2
    assert "These are lower bounds." in covey(*args).out.replace("\n", " ")


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
    assert "One snapshot" in answer.out


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


def test_single_changes_by_another_measure(tmp_path: Path) -> None:
    args = ["--measure", "mu", "--measure", "js", "-o", tmp_path / "s.csv"]
    found = covey("sensitivity", SHARED, *args, "--json").json
    assert found["measures"].keys() == {"mu", "js"}
    assert all(0 <= change["js"] <= math.log(2) for change in found["changes"])
    rows = list(csv.DictReader((tmp_path / "s.csv").read_text().splitlines()))
    assert [float(row["mu"]) for row in rows] == [change["mu"] for change in found["changes"]]
    assert " mu " in covey("sensitivity", SHARED, *args).out


def test_a_trace_of_several_measures(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    asked = ["--measure", "guess", "--measure", "epsilon=0.01", "--measure", "mu"]
    args = ["--until", 2, "--points", 3, "-o", path, *asked]
    found = covey("trace", SHARED, *args, "--json").json["measures"]
    assert list(found) == ["guess", "epsilon=0.01", "mu"]
    one = covey("leakage", SHARED, "--at", "1", "--json").json
    assert found["guess"]["upper"][1] == pytest.approx(one["guess"], rel=1e-9)
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [float(row["mu.upper"]) for row in rows] == found["mu"]["upper"]
    assert "guess" in covey("trace", SHARED, *args).out
    wrong = covey("trace", SHARED, "--until", 1, "--measure", "gues")
    assert wrong.code == 2
    assert "Did you mean" in wrong.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["leakage", SHARED, "--smoothing", "-1"], "adversary.smoothing is -1"),
        (["leakage", SHARED, "--set", "types.A=0", "--set", "types.B=0"], "there are no robots"),
        (["infer", SHARED, "--observed", "free=2,busy"], "'busy' found, pairs NAME=N"),
        (["infer", SHARED, "--observed", "free=2,free=1"], "free is given twice"),
        (["infer", SHARED, "--observed", "fre=2"], 'Did you mean "free"?'),
        (["infer", SHARED, "--observed", "free=9"], "free"),
        (["infer", SHARED], "give what was seen"),
        (["trace", SHARED, "--until", "nan"], "--until is nan: it must be finite"),
        (["trace", SHARED, "--until", "2", "--points", "1"], "--points is 1: 2 to 100,000"),
        (["profile", SHARED, "--epsilon", "-1"], "-1"),
        (["leakage", SHARED, "--delta", "2"], "--delta is 2: a number from 0 to 1"),
        (["leakage", SHARED, "--seen", "2"], "the probability of seeing a robot of free is 2.0"),
        (["leakage", SHARED, "--seen", "fre=0.5"], 'Did you mean "free"?'),
        (["leakage", SHARED, "--seen", "half"], "pairs NAME=N with numbers are expected"),
        (["groups", SHARED, "--robots", "9"], "a whole number from 1 to 3 is expected"),
        (["account", SHARED, "--missions", "0"], "missions is 0: a whole number of at least 1"),
        (["account", SHARED], "Missing option '--missions'"),
        (["audit", SHARED, "--samples", "1"], "samples is 1: a whole number of at least 2"),
        (["audit", SHARED, "--confidence", "1"], "the confidence is 1.0"),
    ],
)
def test_refusals(args: list[object], message: str) -> None:
    answer = covey(*args)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err
    assert "Traceback" not in answer.err


def test_twelve_counts_in_a_pipe_keep_their_heads(tmp_path: Path) -> None:
    file = tmp_path / "sites.toml"
    sites = [f"a_place_with_a_name_{i}" for i in range(12)]
    file.write_text(
        "types = { A = 1, B = 1 }\n"
        f"sets.sites = {sites}\nsets.roads = {[f'{sites[0]} -> {site}' for site in sites[1:]]}\n"
        f'initial = {{ A = "{sites[0]}{{A}}", B = "{sites[0]}{{B}}" }}\n[network]\n'
        'reactions = "$s{$i} <-> $t{$i} @ 1, 1 for i in types, s -> t in roads"\n'
        '[observe]\n"$s" = "$s{$i} for s in sites, i in types"\n'
    )
    answer = covey("leakage", file, "--at", 1)
    assert answer.code == 0, answer.err
    head = next(line for line in answer.out.splitlines() if line.startswith("neighbour"))
    assert head.split() == ["neighbour", "leakage", *sites, "P(team)", "P(neighbour)"]
