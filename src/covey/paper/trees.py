"""All binary trees with 16 leaves: leakage against depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from covey.paper.claims import Claim, agrees, judge
from covey.paper.desk import Array, Desk, Part, Table
from covey.paper.readings import pearson
from covey.paper.tree_leakage import tree_leakage
from covey.paper.tree_shapes import Tree, all_trees

LEAVES = 16
NU = 1e-5
SEED = 2016
COARSE = 300  # trees of the sample
VARIED = tuple((robots, nu) for robots in (1, 2) for nu in (1e-3, 1e-5, 1e-10))
SAMPLE = 120  # trees on which robots and ν are varied
PAPER, PAPER_COUNT = 0.74, 10_905
_CHUNK = 16


@dataclass(frozen=True)
class _Job:
    trees: tuple[Tree, ...]
    robots: int
    smoothing: float


def run(desk: Desk) -> Part:
    """Leakage and depth of each tree, for 1 and for 2 robots of each type."""
    every = all_trees(LEAVES)
    number = len(every) if desk.full else COARSE
    settings = {"leaves": LEAVES, "seed": SEED, "nu": NU, "trees": number}
    tables = {
        f"depth{robots}": desk.table(
            desk.name(f"tree-depth-{robots}-per-type"),
            {**settings, "robots": robots},
            partial(_depths, desk, every, number, robots),
        )
        for robots in (1, 2)
    }
    tables["settings"] = desk.table(
        "tree-depth-settings",
        {"leaves": LEAVES, "seed": SEED, "trees": SAMPLE, "varied": VARIED},
        lambda: _settings(desk, every),
    )
    return Part("trees", tables, _claims(tables, len(set(map(str, every)))))


def sample(every: Sequence[Tree], number: int) -> list[int]:
    """The numbers of so many trees, drawn without repeats; all where as many are wanted."""
    if number >= len(every):
        return list(range(len(every)))
    drawn = np.random.default_rng(SEED).choice(len(every), number, replace=False)
    return sorted(drawn.tolist())


def _depths(
    desk: Desk, every: Sequence[Tree], number: int, robots: int
) -> Mapping[str, Sequence[Any] | Array]:
    chosen = sample(every, number)
    trees = [every[i] for i in chosen]
    return {
        "tree": [str(tree) for tree in trees],
        "number": chosen,
        "depth": [tree.depth for tree in trees],
        "leakage": _leakages(desk, trees, robots, NU),
    }


def _settings(desk: Desk, every: Sequence[Tree]) -> Mapping[str, Sequence[Any] | Array]:
    trees = [every[i] for i in sample(every, SAMPLE)]
    depths = np.array([float(tree.depth) for tree in trees])
    found = [pearson(depths, np.array(_leakages(desk, trees, robots, nu))) for robots, nu in VARIED]
    robots_, nus = zip(*VARIED, strict=True)
    return {"robots": robots_, "nu": nus, "trees": [SAMPLE] * len(found), "pearson": found}


def _leakages(desk: Desk, trees: Sequence[Tree], robots: int, nu: float) -> list[float]:
    pieces = [tuple(trees[i : i + _CHUNK]) for i in range(0, len(trees), _CHUNK)]
    jobs = [_Job(piece, robots, nu) for piece in pieces]
    what = f"trees, {robots} robots of each type"
    return [value for piece in desk.map(_leakages_of, jobs, what) for value in piece]


def _leakages_of(job: _Job) -> list[float]:
    return [tree_leakage(t, job.robots, smoothing=job.smoothing).value for t in job.trees]


def _claims(tables: Mapping[str, Table], every: int) -> tuple[Claim, ...]:
    found = {
        n: pearson(tables[f"depth{n}"]["depth"], tables[f"depth{n}"]["leakage"]) for n in (1, 2)
    }
    count = len(tables["depth2"])
    settings = tables["settings"]
    moves = "; ".join(
        f"{robots:.0f} a type, ν = {nu:g}: {value:.2f}"
        for robots, nu, value in zip(
            settings["robots"], settings["nu"], settings["pearson"], strict=True
        )
    )
    over = "all trees" if count == every else f"a random sample of {count} trees, seed {SEED}"
    place = "Sec. Impact of Topology and Parameters"
    near = agrees(found[2], PAPER)
    return (
        judge(
            "trees", place,
            "there are 10905 unlabelled binary rooted trees with 16 leaves",
            [("as many different trees are listed", every == PAPER_COUNT)],
            f"{every:,} different ones are listed",
            "the 16th Wedderburn-Etherington number",
        ),
        judge(
            "trees", f"{place}, Fig. leakage against depth",
            f"deeper trees leak more: Pearson {PAPER}",
            [
                (
                    "Pearson is positive with 1 and with 2 robots of each type",
                    min(found.values()) > 0,
                ),
                (f"with 2 it agrees with {PAPER}", near),
            ],
            f"Pearson {found[2]:.3f} with 2 robots of each type, {found[1]:.3f} with 1, over "
            f"{over}",
            "near the paper's with 2 robots of each type, weaker with 1"
            if near and found[1] < found[2]
            else "the same tendency; how strong it is depends on what the paper leaves open",
            f"robots of each type and ν are not said: ν = {NU:g} is taken, and 2 of each type are "
            "likely, because the authors' code stops at 100,000 states and all trees fit with 2, "
            f"not with 3. On {SAMPLE} trees: {moves}. The exact leakage is infinite for every tree",
        ),
    )  # fmt: skip
