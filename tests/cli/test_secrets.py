"""Other secrets through every verb: the answers of scenarios built by hand, and their words."""

import math
from pathlib import Path

import numpy as np
import pytest

import covey as library
from covey.report.distribution_pair import of_leakage
from tests.cli.command import covey
from tests.conftest import EXAMPLES

SHARED = next(path for path in EXAMPLES if path.stem == "shared-resource")
SLOWER = '\n[[secret.against]]\nname = "a slower shift"\nset = { "rates.take" = 1.5 }\n'
SETS = "\n[secret.teams]\nA = [1, 3]\nB = [0, 2]\n"
MEMBERSHIP = '\n[secret]\nprotect = ["membership"]\n'
BUSY = '\n[observe]\nbusy = "{A,R} + {B,R}"\n'  # alone: how many there are does not show


def written(folder: Path, secret: str, *, busy: bool = False) -> Path:
    """The example with another secret; with `busy` only that is seen."""
    text = SHARED.read_text()
    if busy:
        text = text.partition("\n[observe]")[0] + BUSY
    path = folder / "scenario.toml"
    path.write_text(text + secret)
    return path


def by_hand(path: Path, changes: dict[str, object]) -> tuple[float, float]:
    """Leakage and total variation between a scenario and the same with other values."""
    own = library.load(path)
    pair = [library.distribution(one) for one in (own, own.with_(changes))]
    seen = {tuple(row) for one in pair for row in one.outcomes.tolist()}
    names = pair[0].names
    p, q = (
        np.array([one.probability(**dict(zip(names, row, strict=True))) for row in sorted(seen)])
        for one in pair
    )
    return float(np.abs(np.log(p / q)).max()), float(np.abs(p - q).sum() / 2)


CASES: dict[str, tuple[str, list[dict[str, object]], bool]] = {
    "other rates": (SLOWER, [{"rates.take": 1.5}], False),
    "another mix": (
        '\n[[secret.against]]\nset = { "types.A" = 1, "types.B" = 2 }\n',
        [{"types.A": 1, "types.B": 2}],
        False,
    ),
    "another time": (
        '\n[[secret.against]]\nset = { "adversary.at" = 0.3 }\n',
        [{"adversary.at": 0.3}],
        False,
    ),
    "membership": (MEMBERSHIP, [{"types.A": 1}, {"types.B": 0}], True),
}


@pytest.mark.parametrize("case", CASES)
def test_every_verb_compares_with_that_scenario(case: str, tmp_path: Path) -> None:
    secret, others, busy = CASES[case]
    path = written(tmp_path, secret, busy=busy)
    pairs = [by_hand(path, changes) for changes in others]
    leak, apart = (max(column) for column in zip(*pairs, strict=True))

    assert covey("leakage", path, "--json").json["leakage"] == pytest.approx(leak, rel=1e-9)
    right = pytest.approx((1 + apart) / 2, rel=1e-9)
    assert covey("profile", path, "--json").json["guess"] == right
    account = covey("account", path, "--missions", 1, "--json").json
    assert account["guess"] >= (1 + apart) / 2 - 1e-12
    assert account["guess"] == pytest.approx((1 + apart) / 2, abs=1e-4)
    moves = covey("sensitivity", path, "--json").json
    assert moves["leakage"] == pytest.approx(leak, rel=1e-9)
    assert moves["total_variation"] == pytest.approx(apart, rel=1e-9)
    vary = ("--vary", "rates.take=0.5:4", "--starts", 1, "--workers", 1)
    before = covey("design", path, *vary, "--json").json["before"]
    assert before["leakage"] == pytest.approx(leak, rel=1e-9)
    assert before["guess"] == right
    table = tmp_path / "map.csv"
    covey("sweep", path, "--vary", "rates.take=3:4:2", "--workers", 1, "-o", table)
    assert float(table.read_text().splitlines()[1].split(",")[1]) == pytest.approx(leak, rel=1e-6)
    if case != "another time":
        every = covey("stream", path, "--every", 1, "--for", 1, "--json").json
        assert every["guess"][0] == right


def test_a_table_speaks_of_its_secret(tmp_path: Path) -> None:
    ask = ("--epsilon", 0.5, "--only-this-team", "--no-compare")
    said = " ".join(covey("protect", written(tmp_path, SLOWER), *ask).out.split())
    assert "shifts the odds on whether this is a team with a slower shift by at most" in said
    said = " ".join(covey("protect", written(tmp_path, MEMBERSHIP), *ask).out.split())
    assert "shifts the odds on whether any one robot is there by at most" in said
    assert "robot's type" not in said
    assert "--teams" not in said  # tables for a set are about types


def test_what_somebody_infers_of_other_rates_is_about_no_robot(tmp_path: Path) -> None:
    said = " ".join(covey("infer", written(tmp_path, SLOWER), "free=2,busy=1").out.split())
    assert "all else being known, a slower shift has probability 0.5687 (0.5 before)." in said


def test_single_changes_over_a_set_are_those_of_the_own_team(tmp_path: Path) -> None:
    found = covey("sensitivity", written(tmp_path, SETS), "--json").json
    changes = {effect["change"] for effect in found["changes"]}
    assert {"A: 2 → 1", "A: 2 → 3", "B: 1 → 0", "B: 1 → 2"} <= changes
    assert not any(effect["error"] for effect in found["changes"])


def test_over_a_set_a_trace_names_the_team(tmp_path: Path) -> None:
    ask = ("trace", written(tmp_path, SETS), "--until", 2, "--points", 3)
    said = " ".join(covey(*ask).out.split())
    assert "against a team with one B turned A; the team is 1 A, 1 B, 2 R)" in said


def test_check_counts_the_states_of_the_own_team(tmp_path: Path) -> None:
    said = " ".join(covey("check", written(tmp_path, SETS)).out.split())
    assert "on 6 states for the largest neighbour, on 5 for the team" in said


@pytest.mark.parametrize("secret", [MEMBERSHIP + SETS, SLOWER + SETS])
@pytest.mark.parametrize("reference", ["A=2,B=2", "best"])
def test_a_stand_in_is_refused_for_other_secrets(
    secret: str, reference: str, tmp_path: Path
) -> None:
    answer = covey("protect", written(tmp_path, secret), "--stand-in", reference)
    assert answer.code == 2
    assert "a stand-in compares a team with its neighbours only" in answer.err


def test_a_set_without_the_own_team_is_refused_by_its_option() -> None:
    for verb in (["leakage"], ["stream", "--every", 1, "--for", 2], ["protect", "--epsilon", 1]):
        answer = covey(verb[0], SHARED, *verb[1:], "--teams", "A=3:4,B=0:2")
        assert answer.code == 2
        assert answer.err.startswith("covey: --teams A=3:4,B=0:2: secret.teams has 3 to 4 A, and")


def test_a_table_of_a_stream_is_refused_for_a_set(tmp_path: Path) -> None:
    ask = ("--every", 1, "--for", 3, "--target", "guess=0.6", "--only-this-team")
    answer = covey("protect", written(tmp_path, SETS), *ask)
    assert answer.code == 2
    assert "--only-this-team leaves the set of teams out" in answer.err


def test_a_table_for_another_secret_is_not_promised_for_a_set(tmp_path: Path) -> None:
    answer = covey("protect", written(tmp_path, SLOWER), "--epsilon", 0.5)
    assert answer.code == 2
    assert "Tables for a set of teams are about types only: make it with --only" in answer.err
    assert "as --teams" not in answer.err


def test_a_report_speaks_of_its_secret(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    ask = ("--workers", 1, "--no-changes", "-o", page)
    assert covey("report", written(tmp_path, SLOWER), *ask).code == 0
    text = " ".join(page.read_text().split())
    assert "Compared is what must look the same: a slower shift." in text
    assert "shifts the odds on whether this is a team with a slower shift" in text
    assert "Everything but which of two scenarios it is." in text
    for wrong in ("robot of type a slower", "Robots of type", "any robot's type", "robot but one"):
        assert wrong not in text


def test_a_report_over_a_set_names_the_team(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    ask = ("--workers", 1, "--no-changes", "-o", page)
    path = written(tmp_path, SLOWER + SETS)
    assert covey("report", path, *ask).code == 0
    worst = library.leakage(library.load(path)).team
    text = " ".join(page.read_text().split())
    assert f"for a team of {worst} and for a team with a slower shift" in text
    assert "3 A, 2 B, 2 R: a slower shift" in text


def test_the_pair_that_is_drawn_is_the_worst_team_s() -> None:
    scenario = library.load(SHARED).keeping(
        against=[{"rates.take": 1.5}], teams={"A": (1, 3), "B": (0, 2)}
    )
    found = library.leakage(scenario)
    both = of_leakage(found.distributions, found)
    assert both.pair == found.worst
    p, q = both.probabilities
    assert math.log(max((p / q).max(), (q / p).max())) == pytest.approx(found.value, rel=1e-9)
