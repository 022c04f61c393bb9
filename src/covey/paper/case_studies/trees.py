"""All binary trees with 16 leaves: leakage against depth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from covey.paper.case_studies.settings import LEAKAGES, SEARCHED, searched, told
from covey.paper.case_studies.tree_leakage import TreeTeam, tree_readings
from covey.paper.case_studies.tree_shapes import Tree, all_trees
from covey.paper.claims import OFTEN, Claim, Criterion, agrees, judge, mostly
from covey.paper.readings import DRAWS, NU, correlation, pearson
from covey.paper.workspace import Array, Part, Table, Workspace

LEAVES = 16
SEED = 2016
# By the robots of each type, how many trees are taken: on the coarser grid, and on the full one.
TAKEN = {1: (300, 10_905), 2: (300, 10_905), 3: (100, 400)}
PAPER, PAPER_COUNT = 0.74, 10_905
_PLACE = "Sec. Impact of Topology and Parameters"
_CHUNK = 16


@dataclass(frozen=True)
class _Job:
    trees: tuple[Tree, ...]
    robots: int


def run(workspace: Workspace) -> Part:
    """Depth and readings of trees, and how ν and the robots move their correlation."""
    every = all_trees(LEAVES)
    tables = {f"depth{robots}": depth_table(workspace, every, robots) for robots in TAKEN}
    by_robots = {robots: tables[f"depth{robots}"] for robots in TAKEN}
    tables["settings"] = workspace.table(
        workspace.name("tree-settings"),
        {
            "trees": [len(table) for table in by_robots.values()],
            "nu": SEARCHED,
            "leaves": LEAVES,
            "draws": DRAWS,
        },
        lambda: searched(by_robots, ["depth"]),
    )
    return Part("trees", tables, _claims(tables, every))


def depth_table(workspace: Workspace, every: Sequence[Tree], robots: int) -> Table:
    """Every tree, or a sample of them: its depth and its readings."""
    coarse, full = TAKEN[robots]
    number = min(len(every), full if workspace.full else coarse)
    return workspace.table(
        workspace.name(f"tree-depth-{robots}-per-type"),
        {"leaves": LEAVES, "seed": SEED, "nu": SEARCHED, "trees": number, "robots": robots},
        partial(_depths, workspace, every, number, robots),
    )


def sample(every: Sequence[Tree], number: int) -> list[int]:
    """The numbers of so many trees, the shallowest and the deepest among them, without repeats."""
    if number >= len(every):
        return list(range(len(every)))
    depths = [tree.depth for tree in every]
    ends = [depths.index(min(depths)), depths.index(max(depths))]
    drawn = np.random.default_rng(SEED).permutation(len(every)).tolist()
    return sorted(list(dict.fromkeys([*ends, *drawn]))[:number])


def _depths(
    workspace: Workspace, every: Sequence[Tree], number: int, robots: int
) -> Mapping[str, Sequence[Any] | Array]:
    chosen = sample(every, number)
    trees = [every[i] for i in chosen]
    pieces = [tuple(trees[i : i + _CHUNK]) for i in range(0, number, _CHUNK)]
    jobs = [_Job(piece, robots) for piece in pieces]
    found = workspace.map(_readings, jobs, f"trees, {robots} of each type")
    columns = zip(*(row for piece in found for row in piece), strict=True)
    return {
        "tree": [str(tree) for tree in trees],
        "number": chosen,
        "depth": [tree.depth for tree in trees],
        **dict(zip((*LEAKAGES, "tv"), columns, strict=True)),
    }


def _readings(job: _Job) -> list[list[float]]:
    return [tree_readings(TreeTeam(tree, job.robots), SEARCHED) for tree in job.trees]


def _claims(tables: Mapping[str, Table], trees: Sequence[Tree]) -> tuple[Claim, ...]:
    every = len(set(map(str, trees)))
    return (
        judge(
            "trees", _PLACE,
            "there are 10905 unlabelled binary rooted trees with 16 leaves",
            f"{every:,} different ones are listed",
            Criterion([("as many different trees are listed", every == PAPER_COUNT)]),
            "The 16th Wedderburn-Etherington number.",
        ),
        _correlation(tables, every),
        _symmetric(tables["depth2"], every),
        _unique(tables["depth2"], trees),
    )  # fmt: skip


def _correlation(tables: Mapping[str, Table], every: int) -> Claim:
    depths = {n: tables[f"depth{n}"] for n in TAKEN}
    found = {n: pearson(table["depth"], table[NU]) for n, table in depths.items()}
    values = ", ".join(
        f"{correlation(table['depth'], table[NU])} with {n} ({_over(len(table), every)})"
        for n, table in depths.items()
    )
    tv = correlation(depths[2]["depth"], depths[2]["tv"])
    guess = ""
    if len(depths[2]) == every > len(depths[3]):
        found[3], low, high = assisted(depths[3], depths[2])
        guess = (
            " With 3, helped by what all trees leak with 2, it is estimated as "
            f"{found[3]:.3f} ({low:.3f} to {high:.3f})."
        )
    return judge(
        "trees", f"{_PLACE}, Fig. leakage against depth",
        f"deeper trees leak more: Pearson {PAPER}",
        f"they do; Pearson is {', '.join(f'{r:.2f}' for r in found.values())} with "
        f"{', '.join(map(str, TAKEN))} robots of each type, which the paper does not say",
        Criterion(
            [(f"Pearson agrees with {PAPER} with {', '.join(map(str, TAKEN))} robots of each type",
              all(agrees(r, PAPER) for r in found.values()))],
            [("it is positive with all of them", min(found.values()) > 0)],
            "underdetermined",
        ),
        f"Pearson, with its interval of confidence 0.95, is {values} robots of each type.{guess} "
        "Neither the robots nor ν are said: ν = 1e-5 is taken, and 2 robots are likely, because "
        "the authors' code stops at 100,000 states, which all trees have room in with 2 and not "
        f"with 3. {told(tables['settings'], PAPER)}. The exact leakage is infinite for every tree; "
        f"of the total variation Pearson is {tv} with 2.",
    )  # fmt: skip


def assisted(sampled: Table, known: Table) -> tuple[float, float, float]:
    """Pearson of depth and leakage over all trees, of which a sample is known, and its interval.

    Over the sample the leakage y is a line of the depth d and of the leakage of the same tree with
    other robots, which is known for all trees, plus what is left, e. What is left does not
    correlate with d, so that over all trees

        cov(d, y) = cov(d, line),      var(y) = var(line) + var(e).
    """
    depth = known["depth"]
    about = np.column_stack([np.ones(len(known)), depth, known[NU]])  # (trees, 3)
    number = sampled["number"].astype(int)

    def estimate(chosen: Array) -> float:
        rows, leaks = about[number[chosen]], sampled[NU][chosen]
        line = np.linalg.lstsq(rows, leaks, rcond=None)[0]
        left = float(((leaks - rows @ line) ** 2).sum()) / (len(chosen) - rows.shape[1])
        fitted = about @ line
        spread = np.sqrt(depth.var() * (fitted.var() + left))
        return float(np.cov(depth, fitted, bias=True)[0, 1] / spread)

    chance, count = np.random.default_rng(SEED), len(sampled)
    drawn = [estimate(chance.integers(0, count, count)) for _ in range(DRAWS)]
    low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
    return estimate(np.arange(count)), low, high


def _over(count: int, every: int) -> str:
    return "all trees" if count == every else f"{count} trees, seed {SEED}"


def _symmetric(table: Table, every: int) -> Claim:
    """The least depth has one tree if the leaves are a power of two: the symmetric one."""
    order = np.argsort(table[NU], kind="stable")
    shallow, deep = int(table["depth"].argmin()), int(table["depth"].argmax())
    rank, last = (int(np.flatnonzero(order == tree)[0]) + 1 for tree in (shallow, deep))
    rank_tv = int((table["tv"] < table["tv"][shallow]).sum()) + 1
    others = len(table) - 1
    less = ", ".join(f"{table[NU][i]:.4g} at depth {table['depth'][i]:.0f}" for i in order[:3])
    return judge(
        "trees", f"{_PLACE}, end",
        "balanced, symmetric mechanisms leak less; irregular ones leak more",
        f"of {len(table):,} trees the symmetric one leaks {_ordinal(rank)} least, the deepest "
        f"{_ordinal(others + 2 - last)} most",
        Criterion([
            (f"with 2 robots of each type the symmetric tree leaks less than {OFTEN} of the others",
             mostly(others + 1 - rank, others)),
            (f"the deepest leaks more than {OFTEN} of them", mostly(last - 1, others)),
        ]),
        f"Of {_over(len(table), every)} the least are {less}: the symmetric tree is good and not "
        "best, as trees that are nearly symmetric have sizes of groups that it lacks, which may "
        f"hide more. ν = 1e-5; by total variation it comes {_ordinal(rank_tv)}. A sample may miss "
        "the few that leak less: the design rules try all trees of depth 5.",
    )  # fmt: skip


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(0 if number % 100 in (11, 12, 13) else number % 10)
    return f"{number:,}{ending or 'th'}"


def unique_sizes(tree: Tree) -> int:
    """How many sizes of groups there are of which the tree forms one group only."""
    sizes = Counter(node.leaves for node, _ in tree.compounds())
    return sum(count == 1 for count in sizes.values())


def _unique(table: Table, trees: Sequence[Tree]) -> Claim:
    unique = np.array([unique_sizes(tree) for tree in trees], dtype=float)
    taken = unique[table["number"].astype(int)]
    depths = np.array([tree.depth for tree in trees], dtype=float)
    depth, leak = pearson(depths, unique), pearson(taken, table[NU])
    return judge(
        "trees", f"{_PLACE}, end",
        "asymmetric mechanisms create more unique groups, and so reveal more",
        f"Pearson of unique sizes: {depth:.2f} with depth, {leak:.2f} with leakage",
        Criterion([
            ("Pearson of depth with the number of sizes that one group alone has is positive",
             depth > 0),
            ("so is that of this number with the leakage", leak > 0),
        ]),
        f"{correlation(depths, unique)} with depth, over {len(trees):,} trees, "
        f"{correlation(taken, table[NU])} with the leakage of {_over(len(table), len(trees))}, and "
        f"{correlation(taken, table['tv'])} with the total variation. A group is unique here if "
        "no other has its size, which is what an observer sees of it; the paper does not say. 2 "
        "robots of each type, ν = 1e-5.",
    )  # fmt: skip
