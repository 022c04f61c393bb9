"""The leakage of collaboration trees, fast enough for all 10,905 of them with 16 leaves.

Of a tree with r robots of each type, let z_v be the number of compounds v. A type's lone robots are
what its ancestors leave of r, x_i = r − Σ z_v over the compounds v that hold it. If one robot of
type i turns j, no state is new: j has a sibling, all of whose leaves need what j needs and have no
more than r. Every state keeps its z, and its weight is multiplied by

    (x_i / c_i) (c_j / (x_j + 1)),        c = 1 on all lone robots,

so that the distributions of all neighbours are sums of one list of weights, reweighted. Orbits of
pairs of
leaves are computed once (`trees`). Some neighbour can never build r wholes, which the team can:
exact leakage is infinite for every tree, and a smoothing ν > 0 is needed to compare them. The
states are the same for all rates, and the distributions for every ν: both are varied at little
cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from covey.dynamics.product_form.many_teams import TeamFamily
from covey.errors import InputError
from covey.numbers import Floats
from covey.paper.case_studies.tree_shapes import Tree

Pair = tuple[int, int]

_CELLS = 200_000  # states times pairs that are reweighted at once


@dataclass(frozen=True, eq=False)
class TreeTeam:
    """A tree with so many robots of each type: its states are listed once, for all rates."""

    tree: Tree
    robots: int

    def __post_init__(self) -> None:
        if self.robots < 1 or not self.tree.parts:
            raise InputError("at least one robot of each type and two types are expected")

    @cached_property
    def family(self) -> TeamFamily:
        """The states, at rates 1."""
        return tree_family(self.tree, self.robots)

    @cached_property
    def _at_ones(self) -> Floats:
        """The logarithm of every state's weight at rates 1: (states,)."""
        return self.family.log_weights(np.full(self.tree.leaves, self.robots))

    @cached_property
    def _moved(self) -> tuple[Floats, Floats]:
        """`x` and `1 / (x + 1)`, x being a type's lone robots: both (leaves, states)."""
        held = (self.family.states @ self.family.needs).T
        alone: Floats = np.ascontiguousarray(self.robots - held, dtype=np.float64)
        return alone, 1 / (alone + 1)

    def distributions(
        self, rates: Sequence[tuple[float, float]] | None = None
    ) -> tuple[Floats, Iterator[tuple[Sequence[Pair], Floats]]]:
        """What is seen of the team, and of its neighbours, some at a time."""
        logs = self._at_ones
        if rates is not None:
            logs = logs + self.family.states @ _log_c(self.tree, rates)
        with np.errstate(under="ignore"):  # what is lost there is nothing beside any smoothing
            weights = np.exp(logs - logs.max())  # (states,)
        pairs = self.tree.pairs if rates is None else _all_pairs(self.tree)
        return self.family.gather(weights) / weights.sum(), self._neighbours(weights, pairs)

    def _neighbours(
        self, weights: Floats, pairs: Sequence[Pair]
    ) -> Iterator[tuple[Sequence[Pair], Floats]]:
        alone, more = self._moved
        fewer = alone * weights
        step = max(1, _CELLS // len(weights))
        for begin in range(0, len(pairs), step):
            some = pairs[begin : begin + step]
            away, to = np.array(some).T
            moved = fewer[away] * more[to]  # (pairs, states)
            yield some, self.family.gather(moved) / moved.sum(axis=1)[:, None]


def tree_family(tree: Tree, robots: int) -> TeamFamily:
    """The states of a tree with at most so many robots of each type, all rates being 1."""
    nodes = list(tree.compounds())
    names = list(tree.sizes().sums)
    needs = np.zeros((len(nodes), tree.leaves), dtype=np.int64)
    seen = np.zeros((len(nodes), len(names)), dtype=np.int64)
    for number, (node, first) in enumerate(nodes):
        needs[number, first : first + node.leaves] = 1
        seen[number, names.index(f"size{node.leaves}")] = 1
        seen[number, 0] = -node.leaves
    return TeamFamily(
        needs, seen, np.zeros(len(nodes)), np.zeros(tree.leaves), np.full(tree.leaves, robots)
    )


def tree_readings(
    team: TreeTeam,
    smoothings: Sequence[float],
    rates: Sequence[tuple[float, float]] | None = None,
) -> list[float]:
    """The leakage smoothed by each ν, and the total variation, each over all neighbours."""
    ours, others = team.distributions(rates)
    least, most, tv = ours, ours, 0.0  # p' over all neighbours: ln (p + ν)/(p' + ν) falls with it
    for _, theirs in others:
        least = np.minimum(least, theirs.min(axis=0))
        most = np.maximum(most, theirs.max(axis=0))
        tv = max(tv, float(np.abs(theirs - ours).sum(axis=1).max()) / 2)
    ratios = [
        max(float(((ours + nu) / (least + nu)).max()), float(((most + nu) / (ours + nu)).max()))
        for nu in smoothings
    ]
    return [*np.log(ratios).tolist(), tv]


def _all_pairs(tree: Tree) -> tuple[Pair, ...]:
    """Rates may differ between equal parts: no two pairs are known to be alike."""
    leaves = range(tree.leaves)
    return tuple((i, j) for i in leaves for j in leaves if i != j)


def _log_c(tree: Tree, rates: Sequence[tuple[float, float]]) -> Floats:
    """`ln c` of every compound: what its forming and those of its parts multiply to."""
    nodes = list(tree.compounds())
    if len(rates) != len(nodes):
        raise InputError(f"{len(rates)} pairs of rates: {len(nodes)} are expected, one a compound")
    found: dict[tuple[int, int], float] = {}  # by the first leaf and the number of leaves
    for (node, first), (forming, parting) in zip(nodes, rates, strict=True):
        left, right = node.parts
        parts = found.get((first, left.leaves), 0.0)
        parts += found.get((first + left.leaves, right.leaves), 0.0)
        found[first, node.leaves] = parts + float(np.log(forming) - np.log(parting))
    return np.array([found[first, node.leaves] for node, first in nodes])
