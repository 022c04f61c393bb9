"""The paper's design rules, each by four readings: holds, a tendency, or fails.

A rule says that of two systems the one that follows it gives away less. By a reading it

    holds           if at least 95% of the cases that are decided go with it
    is a tendency   if more go with it than against it
    fails           otherwise
    is open         if no case is decided: all are infinite, or cannot be told apart.

It is confirmed where it holds by all readings that decide it, with a correction where it is a
tendency by some, and false where it fails by one. A rule with a case against it has the smallest
counterexample, of the fewest robots, as two scenario files: one that follows the rule and one that
does not, and gives away less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from covey.model.io.scenario_file import dumps
from covey.paper.case_studies.tree_leakage import TreeTeam, tree_readings
from covey.paper.case_studies.tree_shapes import all_trees, read_tree, symmetric_tree
from covey.paper.case_studies.trees import LEAVES
from covey.paper.claims import OFTEN, Claim, Criterion, judge, mostly
from covey.paper.rules.rule_cases import Rule, every_rule
from covey.paper.rules.rule_systems import (
    ACCURACY,
    EVERY,
    FOLLOWED,
    NEIGHBOURS,
    READINGS,
    SEED,
    SNAPSHOTS,
    System,
    order,
    read_off,
    tree,
)
from covey.paper.rules.rule_table import rule_table
from covey.paper.workspace import Array, Part, Table, Workspace

Pair = tuple[System, System]  # what follows a rule, and the other
Tried = Literal["holds", "tendency", "fails", "open"]
Values = Mapping[System, Sequence[Sequence[float]]]
Columns = Mapping[str, Sequence[Any] | Array]

KEPT = "rule-systems"
_NAMES = {"exact": "exact leakage", "smoothed": "leakage smoothed by 1e-5",
          "tv": "total variation", "guess": "best guess after a day"}  # fmt: skip
_WORDS = {"fails": "fails", "tendency": "a tendency, no rule", "holds": "holds"}  # worst first
_SIXTEEN, _SHALLOW = 2, 5  # robots of each type of trees with 16 leaves, and how deep those are
_CHUNK = 8


@dataclass(frozen=True)
class Trial:
    """One rule by one reading: how many cases go with it and against it, and the smallest such."""

    rule: str
    reading: str
    cases: int
    with_it: int
    against: int
    smallest: Pair | None
    values: tuple[float, float]  # of the smallest: what follows the rule, and the other

    @property
    def verdict(self) -> Tried:
        """By the definition above."""
        decided = self.with_it + self.against
        if not decided:
            return "open"
        if mostly(self.with_it, decided):
            return "holds"
        return "tendency" if self.with_it > self.against else "fails"


def run(workspace: Workspace) -> Part:
    """Every system's readings, every rule's trials, and the counterexamples."""
    rules = every_rule()
    systems = list(dict.fromkeys(s for rule in rules for case in rule.cases for s in case))
    settings = {"systems": systems, "snapshots": SNAPSHOTS, "every": EVERY, "accuracy": ACCURACY,
                "seed": SEED, "followed": [FOLLOWED, NEIGHBOURS]}  # fmt: skip
    readings = workspace.table("rule-systems", settings, lambda: _readings(workspace, systems))
    workspace.forget(KEPT)
    ends = [[readings[f"{name}{end}"] for end in ("", "_low", "_high")] for name in READINGS]
    values = dict(zip(systems, np.array(ends).transpose(2, 0, 1).tolist(), strict=True))
    trials = [trial(rule, reading, values) for rule in rules for reading in READINGS]
    deeper = {"leaves": LEAVES, "depth": _SHALLOW, "robots": _SIXTEEN}
    sixteen = workspace.table("rule-trees", deeper, lambda: _shallow(workspace))
    trials += _sixteen(sixteen)
    tables = {
        "systems": readings,
        "trees": sixteen,
        "rules": workspace.table(
            "design-rules", {**settings, **deeper}, lambda: as_columns(trials)
        ),
    }
    files = {**counterexamples(trials), "design-rules.md": rule_table(tables["rules"])}
    return Part("rules", tables, _claims(rules, trials), files)


def _readings(workspace: Workspace, systems: Sequence[System]) -> Columns:
    found = np.array(workspace.map_kept(read_off, systems, "systems of the rules", KEPT))
    columns: dict[str, Sequence[Any] | Array] = {"system": [str(system) for system in systems]}
    for number, name in enumerate(READINGS):
        for place, end in enumerate(("", "_low", "_high")):
            columns[f"{name}{end}"] = found[:, number, place]
    return columns


def trial(rule: Rule, reading: str, values: Values) -> Trial:
    """A rule by one reading, over all its cases."""
    number = READINGS.index(reading)
    with_it = against = cases = 0
    smallest: Pair | None = None
    for follows, other in rule.cases:
        ours, theirs = values[follows][number], values[other][number]
        if np.isnan([*ours, *theirs]).any():
            continue
        cases += 1
        found = order(ours, theirs)
        with_it += found > 0
        against += found < 0
        if found < 0 and (smallest is None or _robots(follows, other) < _robots(*smallest)):
            smallest = follows, other
    shown = (np.nan, np.nan)
    if smallest is not None:
        shown = values[smallest[0]][number][0], values[smallest[1]][number][0]
    return Trial(rule.name, reading, cases, with_it, against, smallest, shown)


def _robots(follows: System, other: System) -> int:
    return follows.robots + other.robots


def _shallow(workspace: Workspace) -> Columns:
    """The symmetric tree of 16 leaves, and all that are one deeper: the paper's own trees."""
    shapes = [str(tree) for tree in all_trees(LEAVES) if tree.depth <= _SHALLOW]
    pieces = [shapes[i : i + _CHUNK] for i in range(0, len(shapes), _CHUNK)]
    found = workspace.map(_read_trees, pieces, "trees of 16 leaves")
    smoothed, tv = zip(*(row for piece in found for row in piece), strict=True)
    return {"tree": shapes, "smoothed": smoothed, "tv": tv}


def _read_trees(shapes: Sequence[str]) -> list[list[float]]:
    return [tree_readings(TreeTeam(read_tree(shape), _SIXTEEN), [1e-5]) for shape in shapes]


def _sixteen(table: Table) -> list[Trial]:
    """The symmetric tree against the others. The exact leakage is infinite for all of them."""
    shape = str(symmetric_tree(LEAVES.bit_length() - 1))
    here = int(np.flatnonzero(table["tree"] == shape)[0])
    found = []
    for reading in ("smoothed", "tv"):
        values = table[reading]
        least, others = int(values.argmin()), len(values) - 1
        against = int((values < values[here]).sum())
        pair = tree(shape, _SIXTEEN), tree(str(table["tree"][least]), _SIXTEEN)
        shown = (float(values[here]), float(values[least])) if against else (np.nan, np.nan)
        found.append(
            Trial(
                "symmetric-16", reading, others, others - against, against,
                pair if against else None, shown,
            )
        )  # fmt: skip
    return found


def as_columns(trials: Sequence[Trial]) -> Columns:
    """A row for each rule and reading; `files` is what its counterexample's files begin with."""
    named = _names(trials)
    rows = []
    for one in trials:
        pair = [str(system) for system in one.smallest] if one.smallest else ["", ""]
        files = named[one.rule, one.smallest] if one.smallest else ""
        rows.append(
            (one.rule, one.reading, one.cases, one.with_it, one.against, one.verdict, files,
             *pair, *one.values)
        )  # fmt: skip
    heads = ("rule", "reading", "cases", "with", "against", "verdict", "files", "follows",
             "other", "of_follows", "of_other")  # fmt: skip
    return dict(zip(heads, zip(*rows, strict=True), strict=True))


def counterexamples(trials: Sequence[Trial]) -> dict[str, str]:
    """Scenario files of what follows each rule and of what does not and gives away less."""
    files = {}
    for (rule, pair), name in _names(trials).items():
        found = [one for one in trials if (one.rule, one.smallest) == (rule, pair)]
        for place, which in enumerate(("follows", "other")):
            told = "; ".join(f"{_NAMES[one.reading]} {one.values[place]:.6g}" for one in found)
            scenario = pair[place].scenario().with_({"title": f"{name}, {which}: {told}"})
            files[f"counterexamples/{name}-{which}.toml"] = dumps(scenario)
    return files


def _names(trials: Sequence[Trial]) -> dict[tuple[str, Pair], str]:
    """A name for each counterexample: the rule's, and a number, as readings may share one."""
    pairs = list(dict.fromkeys((one.rule, one.smallest) for one in trials if one.smallest))
    rules = [rule for rule, _ in pairs]
    return {pair: f"{pair[0]}-{rules[:i].count(pair[0]) + 1}" for i, pair in enumerate(pairs)}


def _claims(rules: Sequence[Rule], trials: Sequence[Trial]) -> tuple[Claim, ...]:
    return tuple(_claim(rule, [one for one in trials if one.rule == rule.name]) for rule in rules)


def _claim(rule: Rule, tried: Sequence[Trial]) -> Claim:
    decided = [one for one in tried if one.verdict != "open"]
    counts = ", ".join(f"{one.with_it} : {one.against} ({one.reading})" for one in decided)
    worst = next((word for word in _WORDS if any(one.verdict == word for one in decided)), "open")
    return judge(
        "rules", rule.place,
        f"design rule: {rule.says}",
        f"{_WORDS.get(worst, worst)}; with it and against it: {counts}",
        Criterion(
            [(f"{OFTEN} of the cases go with it by {_NAMES[one.reading]}", one.verdict == "holds")
             for one in decided],
            [(f"more go with it than against it by {_NAMES[one.reading]}", one.verdict != "fails")
             for one in decided],
            "confirmed with a correction",
        ),
        f"{'. '.join(_told(one) for one in tried)}. "
        f"Tried on: {rule.tried}. A day is {SNAPSHOTS} snapshots, one each {EVERY:g}, of up to "
        f"{NEIGHBOURS} neighbours and {FOLLOWED:,} states times neighbours; accuracy "
        f"{ACCURACY:g}, seed {SEED}.",
    )  # fmt: skip


def _told(one: Trial) -> str:
    counts = f"{one.with_it} with it, {one.against} against it, of {one.cases}"
    told = f"{_NAMES[one.reading]}: {one.verdict} ({counts})".capitalize()
    if one.smallest is None:
        return told
    follows, other = one.smallest
    return f"{told}, as {follows} has {one.values[0]:.4g} and {other} {one.values[1]:.4g}"
