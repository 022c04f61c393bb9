"""The leakage of collaboration trees, fast enough for all 10,905 of them with 16 leaves.

Of a tree with r robots of each type, let z_v be the number of compounds v. A type's lone robots are
what its ancestors leave of r, x_i = r − Σ z_v over the compounds v that hold it. If one robot of
type i turns j, no state is new: j has a sibling, all of whose leaves need what j needs and have no
more than r. Every state keeps its z, and its weight is multiplied by

    (x_i / c_i) (c_j / (x_j + 1)),        c = 1 on all lone robots,

so that the laws of all neighbours are sums of one list of weights, reweighted. Orbits of pairs of
leaves are computed once (`trees`). Some neighbour can never build r wholes, which the team can:
exact leakage is infinite for every tree, and a smoothing ν > 0 is needed to compare them.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

import numpy as np

from covey.dynamics.closed_form.team_family import TeamFamily
from covey.errors import InputError
from covey.numbers import Floats
from covey.paper.tree_shapes import Tree

_CELLS = 200_000  # states times pairs that are reweighted at once


@dataclass(frozen=True)
class TreeLeakage:
    """The leakage of a tree, and the pair of leaves (one robot of the first turned the second)."""

    value: float
    pair: tuple[int, int]
    observation: dict[str, int]


def tree_family(
    tree: Tree, robots: int, rates: Sequence[tuple[float, float]] | None = None
) -> TeamFamily:
    """The states of a tree with at most so many robots of each type."""
    nodes = list(tree.compounds())
    names = list(tree.sizes().sums)
    needs = np.zeros((len(nodes), tree.leaves), dtype=np.int64)
    seen = np.zeros((len(nodes), len(names)), dtype=np.int64)
    for number, (node, first) in enumerate(nodes):
        needs[number, first : first + node.leaves] = 1
        seen[number, names.index(f"size{node.leaves}")] = 1
        seen[number, 0] = -node.leaves
    return TeamFamily(
        needs, seen, _log_c(tree, rates), np.zeros(tree.leaves), np.full(tree.leaves, robots)
    )


def tree_leakage(
    tree: Tree,
    robots: int = 2,
    *,
    smoothing: float,
    rates: Sequence[tuple[float, float]] | None = None,
) -> TreeLeakage:
    """The smoothed leakage of a tree with so many robots of each type, over all neighbours."""
    if not smoothing > 0:
        raise InputError(
            f"smoothing is {smoothing:g}: exact leakage is infinite for every tree, because a "
            "robot fewer of one type can never form as many wholes; a positive number is expected"
        )
    if robots < 1 or not tree.parts:
        raise InputError("at least one robot of each type and two types are expected")
    family = tree_family(tree, robots, rates)
    logs = family.log_weights(np.full(tree.leaves, robots))
    with np.errstate(under="ignore"):  # what is lost there is nothing beside any smoothing
        weights = np.exp(logs - logs.max())  # (states,)
    ours = family.gather(weights) / weights.sum()
    alone = np.ascontiguousarray(robots - (family.states @ family.needs).T)  # (leaves, states)
    fewer, more = alone * weights, 1 / (alone + 1)
    pairs = tree.pairs if rates is None else _all_pairs(tree)
    worst = (-1.0, pairs[0], 0)
    step = max(1, _CELLS // len(weights))
    for begin in range(0, len(pairs), step):
        away, to = np.array(pairs[begin : begin + step]).T
        moved = fewer[away] * more[to]  # (pairs, states)
        theirs = family.gather(moved) / moved.sum(axis=1)[:, None]  # (pairs, outcomes)
        ratio = (ours + smoothing) / (theirs + smoothing)
        for extreme in (int(ratio.argmax()), int(ratio.argmin())):
            row, outcome = divmod(extreme, ratio.shape[1])
            shift = abs(float(np.log(ratio[row, outcome])))
            worst = max(worst, (shift, pairs[begin + row], outcome))
    value, pair, outcome = worst
    seen = family.outcomes[outcome] + robots * tree.leaves * (np.arange(family.seen.shape[1]) == 0)
    return TreeLeakage(value, pair, dict(zip(tree.sizes().sums, seen.tolist(), strict=True)))


def tree_leakages(
    trees: Sequence[Tree],
    robots: int = 2,
    *,
    smoothing: float,
    executor: Executor | None = None,
    chunk: int = 64,
) -> list[TreeLeakage]:
    """The leakage of each of many trees; by an executor's workers, if there is one."""
    job = partial(tree_leakage, robots=robots, smoothing=smoothing)
    if executor is None:
        return [job(tree) for tree in trees]
    return list(executor.map(job, trees, chunksize=chunk))


def _all_pairs(tree: Tree) -> tuple[tuple[int, int], ...]:
    """Rates may differ between equal parts: no two pairs are known to be alike."""
    leaves = range(tree.leaves)
    return tuple((i, j) for i in leaves for j in leaves if i != j)


def _log_c(tree: Tree, rates: Sequence[tuple[float, float]] | None) -> Floats:
    """Ln c of every compound: what its forming and those of its parts multiply to."""
    nodes = list(tree.compounds())
    rates = [(1.0, 1.0)] * len(nodes) if rates is None else rates
    if len(rates) != len(nodes):
        raise InputError(f"{len(rates)} pairs of rates: {len(nodes)} are expected, one a compound")
    found: dict[tuple[int, int], float] = {}  # by the first leaf and the number of leaves
    for (node, first), (forming, parting) in zip(nodes, rates, strict=True):
        left, right = node.parts
        parts = found.get((first, left.leaves), 0.0)
        parts += found.get((first + left.leaves, right.leaves), 0.0)
        found[first, node.leaves] = parts + float(np.log(forming) - np.log(parting))
    return np.array([found[first, node.leaves] for node, first in nodes])
