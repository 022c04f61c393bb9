"""The design rules: how they are judged, and their counterexamples as scenario files."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import covey
from covey.executors import InThisProcess
from covey.paper.case_studies.tree_leakage import TreeTeam, tree_readings
from covey.paper.case_studies.tree_shapes import all_trees, read_tree, symmetric_tree
from covey.paper.rules import rules
from covey.paper.rules.rule_cases import Rule, every_rule
from covey.paper.rules.rule_systems import (
    ACCURACY,
    EVERY,
    READINGS,
    SEED,
    SNAPSHOTS,
    order,
    tasks,
    three,
    tree,
)
from covey.paper.rules.rule_table import rule_table
from covey.paper.rules.rules import as_columns, counterexamples, trial
from covey.paper.workspace import Workspace
from tests.paper.compact import kept

ROOT = Path(__file__).parents[3]
FILES = ROOT / "examples" / "counterexamples"
RULES = kept("design-rules")
NAMED = [i for i, name in enumerate(RULES["files"]) if name]


def exactly(value: float) -> list[list[float]]:
    return [[value] * 3] * 4


def test_what_gives_away_less() -> None:
    assert order([1.0] * 3, [2.0] * 3) == 1
    assert order([2.0] * 3, [1.0] * 3) == -1
    assert order([1.0] * 3, [1.0 + 1e-12] * 3) == 0
    assert order([1.0] * 3, [math.inf] * 3) == 1
    assert order([math.inf] * 3, [math.inf] * 3) == 0
    assert order([0.6, 0.58, 0.62], [0.65, 0.63, 0.67]) == 1
    assert order([0.6, 0.58, 0.64], [0.65, 0.63, 0.67]) == 0  # their intervals meet


def test_verdicts_and_the_smallest_counterexample() -> None:
    one, two, six = (three((n, n, n)) for n in (1, 2, 6))
    cases = ((six, two), (two, one), (one, six))
    rule = Rule("rule", "says", "place", "tried", cases)
    values = {one: exactly(1.0), two: exactly(2.0), six: exactly(3.0)}
    found = trial(rule, "tv", values)
    assert (found.cases, found.with_it, found.against, found.verdict) == (3, 1, 2, "fails")
    assert found.smallest == (two, one)
    assert found.values == (2.0, 1.0)
    assert trial(Rule("r", "", "", "", cases[2:]), "tv", values).verdict == "holds"
    more = (*cases[1:], cases[2])
    assert trial(Rule("r", "", "", "", more), "tv", values).verdict == "tendency"
    unknown = {**values, one: exactly(math.nan)}
    assert trial(Rule("r", "", "", "", cases[1:]), "tv", unknown).verdict == "open"
    same = [trial(rule, reading, values) for reading in ("exact", "tv")]
    assert list(counterexamples(same)) == [
        f"counterexamples/rule-1-{which}.toml" for which in ("follows", "other")
    ]
    assert list(as_columns(same)["files"]) == ["rule-1", "rule-1"]


def test_systems_are_scenarios() -> None:
    assert tasks((2, 1, 1)).scenario().team.types == {"1": 2, "2": 1, "3": 1}
    shape = str(symmetric_tree(2))
    assert tree(shape, 2).scenario().network == symmetric_tree(2).network()
    assert all(read_tree(str(one)) == one for one in all_trees(7))


def test_every_rule_has_cases_and_every_case_two_systems() -> None:
    for rule in every_rule():
        assert len(set(rule.cases)) == len(rule.cases) > 0
        assert all(follows != other for follows, other in rule.cases)


def test_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = {"more-of-two": 2, "balanced-pairs": 3}
    chosen = tuple(
        replace(rule, cases=rule.cases[: few[rule.name]])
        for rule in every_rule()
        if rule.name in few
    )
    monkeypatch.setattr(rules, "every_rule", lambda: chosen)
    monkeypatch.setattr(rules, "LEAVES", 8)
    monkeypatch.setattr(rules, "_SHALLOW", 4)
    part = rules.run(Workspace(tmp_path, full=False, executor=InThisProcess()))
    assert [claim.part for claim in part.claims] == ["rules"] * 2
    table = part.tables["rules"]
    assert len(table) == 2 * len(READINGS) + 2
    assert len(part.tables["trees"]) == 1 + sum(tree.depth == 4 for tree in all_trees(8))
    assert (table.where(rule="balanced-pairs", reading="exact")["verdict"] == "open").all()
    for name in set(table["files"]) - {""}:
        for which in ("follows", "other"):
            text = part.files[f"counterexamples/{name}-{which}.toml"]
            assert covey.loads(text).title.startswith(f"{name}, {which}: ")
    assert not list(tmp_path.glob("*.jsonl"))


def read(scenario: covey.Scenario, reading: str, name: str) -> tuple[float, float]:
    """The ends of a reading, by the functions that everybody has."""
    if len(scenario.team.types) == 16:
        return of_sixteen(scenario, reading, name)
    if reading == "guess":
        day = covey.stream(
            scenario, every=EVERY, until=EVERY * SNAPSHOTS, snapshots=[SNAPSHOTS], accuracy=ACCURACY,
            seed=SEED,
        )  # fmt: skip
        return day.bayes_success[-1].lower, day.bayes_success[-1].upper
    if reading == "tv":
        value = max(pair.total_variation for pair in covey.profile(scenario).pairs)
    else:
        value = covey.leakage(scenario, smoothing=1e-5 if reading == "smoothed" else 0.0).value
    return value, value


def of_sixteen(scenario: covey.Scenario, reading: str, name: str) -> tuple[float, float]:
    """All 240 neighbours at once; that the file is of this tree is checked."""
    shape = read_tree(name.removeprefix("tree ").split(",")[0])
    assert scenario.network == shape.network()
    assert set(scenario.team.types.values()) == {2}
    smoothed, tv = tree_readings(TreeTeam(shape, 2), [1e-5])
    value = {"smoothed": smoothed, "tv": tv}[reading]
    return value, value


@pytest.mark.parametrize("row", NAMED, ids=lambda i: f"{RULES['files'][i]}-{RULES['reading'][i]}")
def test_a_counterexample_is_one(row: int) -> None:
    reading = RULES["reading"][row]
    found = {}
    for which in ("follows", "other"):
        scenario = covey.load(FILES / f"{RULES['files'][row]}-{which}.toml")
        low, high = found[which] = read(scenario, reading, RULES[which][row])
        assert low * (1 - 1e-5) <= RULES[f"of_{which}"][row] <= high * (1 + 1e-5)
    assert found["follows"][0] > found["other"][1]


def test_the_files_are_those_of_the_table() -> None:
    names = {f"{RULES['files'][i]}-{which}.toml" for i in NAMED for which in ("follows", "other")}
    assert {path.name for path in FILES.glob("*.toml")} == names
    assert ((RULES["against"] > 0) == (RULES["files"] != "")).all()
    share = RULES["with"] / np.maximum(RULES["with"] + RULES["against"], 1)
    assert ((RULES["verdict"] == "holds") == (share >= 0.95)).all()  # one tolerance


def test_the_table_of_the_documentation() -> None:
    assert rule_table(RULES) in (FILES / "README.md").read_text(encoding="utf-8")
