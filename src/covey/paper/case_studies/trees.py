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
from covey.paper.claims import Claim, agrees, judge
from covey.paper.readings import NU, pearson, spearman
from covey.paper.workspace import Array, Part, Table, Workspace

LEAVES = 16
SEED = 2016
# By the robots of each type, how many trees are taken: on the coarser grid, and on the full one.
TAKEN = {1: (300, 10_905), 2: (300, 10_905), 3: (100, 400)}
PAPER, PAPER_COUNT = 0.74, 10_905
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
        {"trees": [len(table) for table in by_robots.values()], "nu": SEARCHED, "leaves": LEAVES},
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
    place = "Sec. Impact of Topology and Parameters"
    every = len(set(map(str, trees)))
    return (
        judge(
            "trees", place,
            "there are 10905 unlabelled binary rooted trees with 16 leaves",
            [("as many different trees are listed", every == PAPER_COUNT)],
            f"{every:,} different ones are listed",
            "the 16th Wedderburn-Etherington number",
        ),
        _correlation(tables, every, place),
        _symmetric(tables["depth2"], every, place),
        _unique(tables["depth2"], trees, place),
    )  # fmt: skip


def _correlation(tables: Mapping[str, Table], every: int, place: str) -> Claim:
    depths = {n: tables[f"depth{n}"] for n in TAKEN}
    found = {n: pearson(table["depth"], table[NU]) for n, table in depths.items()}
    ranks = {n: spearman(table["depth"], table[NU]) for n, table in depths.items()}
    near = agrees(found[2], PAPER)
    values = ", ".join(
        f"{found[n]:.3f} and {ranks[n]:.3f} with {n} ({_over(len(table), every)})"
        for n, table in depths.items()
    )
    tv = pearson(depths[2]["depth"], depths[2]["tv"])
    return judge(
        "trees", f"{place}, Fig. leakage against depth",
        f"deeper trees leak more: Pearson {PAPER}",
        [
            (
                f"Pearson is positive with {', '.join(map(str, TAKEN))} robots of each type",
                min(found.values()) > 0,
            ),
            (f"with 2 it agrees with {PAPER}", near),
        ],
        f"Pearson and Spearman are {values} robots of each type",
        "near the paper's with 2 robots of each type, weaker with 1"
        if near and found[1] < found[2]
        else "the same tendency; how strong it is depends on what the paper leaves open",
        "robots of each type and ν are not said: ν = 1e-5 is taken, and 2 of each type are "
        "likely, because the authors' code stops at 100,000 states and all trees fit with 2, "
        f"not with 3. {told(tables['settings'], PAPER)}. The exact leakage is infinite for every "
        f"tree; of the total variation Pearson is {tv:.3f} with 2",
    )  # fmt: skip


def _over(count: int, every: int) -> str:
    return "all trees" if count == every else f"{count} trees, seed {SEED}"


def _symmetric(table: Table, every: int, place: str) -> Claim:
    """The least depth has one tree if the leaves are a power of two: the symmetric one."""
    order = np.argsort(table[NU], kind="stable")
    shallow, deep = int(table["depth"].argmin()), int(table["depth"].argmax())
    rank = int(np.flatnonzero(order == shallow)[0]) + 1
    last = int(np.flatnonzero(order == deep)[0]) + 1
    rank_tv = int((table["tv"] < table["tv"][shallow]).sum()) + 1
    less = ", ".join(f"{table[NU][i]:.4g} at depth {table['depth'][i]:.0f}" for i in order[:3])
    return judge(
        "trees", f"{place}, end",
        "privacy is increased by balanced, symmetric mechanisms; irregular ones leak more",
        [
            ("of these trees the symmetric one leaks least, with 2 robots of each type", rank == 1),
            ("the one of depth 15 leaks most", last == len(table)),
        ],
        f"of {_over(len(table), every)} the symmetric one comes {rank}. from the least, the one of "
        f"depth {table['depth'][deep]:.0f} {last}.; the least are {less}",
        "depth is a tendency and no rule: trees that are nearly symmetric have sizes of groups "
        "that the symmetric one lacks, which costs little and may hide more",
        f"ν = 1e-5; by total variation the symmetric tree comes {rank_tv}. A sample may miss the "
        "few that leak less: the design rules are tried on all trees of depth 5",
    )  # fmt: skip


def unique_sizes(tree: Tree) -> int:
    """How many sizes of groups there are of which the tree forms one group only."""
    sizes = Counter(node.leaves for node, _ in tree.compounds())
    return sum(count == 1 for count in sizes.values())


def _unique(table: Table, trees: Sequence[Tree], place: str) -> Claim:
    unique = np.array([unique_sizes(tree) for tree in trees], dtype=float)
    taken = unique[table["number"].astype(int)]
    depth = pearson(np.array([tree.depth for tree in trees], dtype=float), unique)
    leak, tv = pearson(taken, table[NU]), pearson(taken, table["tv"])
    return judge(
        "trees", f"{place}, end",
        "asymmetric mechanisms create more unique groups, and so reveal more",
        [
            ("over all trees Pearson of depth with the number of sizes that one group alone has is "
             "positive", depth > 0),
            ("so is that of this number with the leakage, with 2 robots of each type", leak > 0),
        ],
        f"Pearson of the number of unique sizes is {depth:.3f} with depth, over {len(trees):,} "
        f"trees, and {leak:.3f} with the leakage of {_over(len(table), len(trees))}",
        "a group is unique here if no other has its size, which is what an observer sees of it",
        f"what unique means is not said; ν = 1e-5. With the total variation Pearson is {tv:.3f}",
    )  # fmt: skip
