"""Binary collaboration trees: every way to build one whole out of n types, two parts at a time.

A tree is a leaf or an unordered pair of trees; leaf i is the robot type `str(i)`, an inner node the
compound of the leaves under it, formed from its two parts and falling apart into them. There are
1, 1, 1, 2, 3, 6, 11, 23, …, 10,905 (n = 16) of them [1].

An automorphism swaps equal parts. Leaves that one maps onto another are in one orbit, and so are
ordered pairs of leaves. With the parts l and r of a tree, and their orbits O(l) and O(r),

    l ≠ r:  O = O(l) ∪ O(r),  pairs: those in l, those in r, O(l) × O(r), O(r) × O(l)
    l = r:  O = O(l),         pairs: those in l, O(l) × O(r),

as equal parts can be swapped. A team with as many robots of each type has one leakage for each
orbit of pairs: (i, j) stands for one robot of type i turned j.

[1] The Wedderburn–Etherington numbers, https://oeis.org/A001190.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from covey.errors import InputError
from covey.model.network import Network
from covey.model.observation.query import Query
from covey.model.reaction import Reaction

MAX_LEAVES = 20  # 293,547 trees; at 25 leaves there would be 27 million


@dataclass(frozen=True)
class Tree:
    """An unlabelled rooted binary tree: `Tree()` is a leaf, `Tree(left, right)` a compound.

    The larger part is kept left, so that equal trees are equal values.
    """

    left: Tree | None = None
    right: Tree | None = None

    def __post_init__(self) -> None:
        if (self.left is None) != (self.right is None):
            raise InputError("a tree is a leaf or has two parts: one part is missing")
        if self.left is not None and self.right is not None and self.left._key < self.right._key:
            left, right = self.right, self.left
            object.__setattr__(self, "left", left)
            object.__setattr__(self, "right", right)

    @property
    def parts(self) -> tuple[Tree, ...]:
        """The two parts, or nothing for a leaf."""
        return () if self.left is None or self.right is None else (self.left, self.right)

    @cached_property
    def _key(self) -> tuple[int, str]:
        return self.leaves, str(self)

    @cached_property
    def leaves(self) -> int:
        """The number of leaves."""
        return sum(part.leaves for part in self.parts) or 1

    @cached_property
    def depth(self) -> int:
        """How many compounds are on the longest way from the whole to a leaf."""
        return 1 + max(part.depth for part in self.parts) if self.parts else 0

    @cached_property
    def orbits(self) -> tuple[tuple[int, ...], ...]:
        """The leaves, numbered from the left from 0, by what automorphisms map onto each other."""
        if not self.parts:
            return ((0,),)
        left, right = self.parts
        shifted = [tuple(leaf + left.leaves for leaf in orbit) for orbit in right.orbits]
        if left == right:
            return tuple(a + b for a, b in zip(left.orbits, shifted, strict=True))
        return (*left.orbits, *shifted)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """One ordered pair of different leaves out of each orbit of such pairs."""
        if not self.parts:
            return ()
        left, right = self.parts
        ours = [orbit[0] for orbit in left.orbits]
        theirs = [orbit[0] + left.leaves for orbit in right.orbits]
        across = [(i, j) for i in ours for j in theirs]
        if left == right:
            return (*left.pairs, *across)
        inside = [(i + left.leaves, j + left.leaves) for i, j in right.pairs]
        return (*left.pairs, *inside, *across, *((j, i) for i, j in across))

    def compounds(self, first: int = 0) -> Iterator[tuple[Tree, int]]:
        """Every compound with its leftmost leaf; parts before wholes."""
        if self.parts:
            left, right = self.parts
            yield from left.compounds(first)
            yield from right.compounds(first + left.leaves)
            yield self, first

    def network(self, rates: Sequence[tuple[float, float]] | None = None) -> Network:
        """The reactions. `rates`: (forming, parting) of each of `compounds`; 1 unless given."""
        nodes = list(self.compounds())
        rates = [(1.0, 1.0)] * len(nodes) if rates is None else rates
        if len(rates) != len(nodes):
            raise InputError(
                f"{len(rates)} pairs of rates: {len(nodes)} are expected, one a compound"
            )
        if not nodes:
            raise InputError("a tree of one leaf has no reactions: two leaves or more are expected")
        reactions = []
        for (node, first), (forming, parting) in zip(nodes, rates, strict=True):
            left, right = node.parts
            parts = f"{_name(first, left)} + {_name(first + left.leaves, right)}"
            whole = _name(first, node)
            reactions += [Reaction(parts, whole, forming), Reaction(whole, parts, parting)]
        return Network(reactions)

    def sizes(self) -> Query:
        """The query that counts the compounds of each size; lone robots have size 1."""
        seen: dict[int, list[str]] = {1: [f"{{{leaf}}}" for leaf in range(self.leaves)]}
        for node, first in self.compounds():
            seen.setdefault(node.leaves, []).append(_name(first, node))
        return Query({f"size{n}": " + ".join(seen[n]) for n in sorted(seen)})

    def __str__(self) -> str:
        return "(" + "".join(map(str, self.parts)) + ")"


def all_trees(leaves: int) -> list[Tree]:
    """Every unlabelled rooted binary tree with so many leaves."""
    if not 1 <= leaves <= MAX_LEAVES:
        raise InputError(f"{leaves} leaves: from 1 to {MAX_LEAVES} are expected")
    trees: list[list[Tree]] = [[], [Tree()]]
    for n in range(2, leaves + 1):
        found = []
        for smaller in range(1, n // 2 + 1):
            for i, right in enumerate(trees[smaller]):
                # Of two parts with as many leaves, each pair is taken once.
                others = trees[n - smaller][i:] if 2 * smaller == n else trees[n - smaller]
                found += [Tree(left, right) for left in others]
        trees.append(found)
    return trees[leaves]


def read_tree(text: str) -> Tree:
    """The tree that `str` wrote so: a leaf is `()`, and a compound has its two parts inside."""
    open_parts: list[list[Tree]] = [[]]
    for sign in text:
        if sign == "(":
            open_parts.append([])
        else:
            parts = open_parts.pop()
            open_parts[-1].append(Tree(*parts))
    ((tree,),) = open_parts
    return tree


def symmetric_tree(depth: int) -> Tree:
    """The tree whose parts are equal all the way down: 2^depth leaves."""
    tree = Tree()
    for _ in range(depth):
        tree = Tree(tree, tree)
    return tree


def _name(first: int, tree: Tree) -> str:
    return "{" + ",".join(str(leaf) for leaf in range(first, first + tree.leaves)) + "}"
