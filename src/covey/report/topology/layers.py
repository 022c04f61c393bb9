"""A reaction network as the parts of a picture, and the column that each part stands in.

Species and reactions are the two kinds of nodes of a bipartite graph. A reaction and its reverse
share one box; the empty side of a reaction is a node of its own, one for each reaction, so that
arrivals all over the picture do not tie it together. Species stand in even columns, boxes in odd
ones. Elementary species come first, and whatever is made of others stands to the right of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

from covey.model.species import Species

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from covey.model.complex import Complex
    from covey.model.network import Network
    from covey.model.reaction import Reaction


@dataclass(frozen=True, slots=True)
class Box:
    """A reaction, with its reverse where there is one; numbers count from 1."""

    reactions: tuple[Reaction, ...]
    numbers: tuple[int, ...]

    @property
    def reversible(self) -> bool:
        """Whether the box also leads back."""
        return len(self.reactions) == 2


@dataclass(frozen=True, slots=True)
class Nothing:
    """The empty side of a reaction: where robots come from and leave to."""


Node = Species | Box | Nothing


@dataclass(frozen=True, slots=True)
class Link:
    """A line between a species and a box: how many the box's first reaction takes and gives."""

    place: int
    box: int
    takes: int
    gives: int

    @property
    def is_catalyst(self) -> bool:
        """Whether the species is on both sides of the reaction."""
        return self.takes > 0 and self.gives > 0


@dataclass(frozen=True)
class Diagram:
    """All nodes, species first, and the links between them."""

    nodes: tuple[Node, ...]
    links: tuple[Link, ...]

    @classmethod
    def of(cls, network: Network) -> Diagram:
        """The parts of the picture of a network."""
        boxes = list(_pair(network.reactions))
        nodes: list[Node] = [*network.species, *boxes]
        links: list[Link] = []
        for number, box in enumerate(boxes, start=len(network.species)):
            takes, gives = (dict(side) for side in _sides(box))
            links += [
                Link(network.index[species], number, takes.get(species, 0), gives.get(species, 0))
                for species in dict.fromkeys([*takes, *gives])
            ]
            if not takes or not gives:
                links.append(Link(len(nodes), number, int(not takes), int(not gives)))
                nodes.append(Nothing())
        return cls(tuple(nodes), tuple(links))

    @cached_property
    def links_of(self) -> dict[int, list[Link]]:
        """The links of every box."""
        found: dict[int, list[Link]] = {}
        for link in self.links:
            found.setdefault(link.box, []).append(link)
        return found

    def is_reversible(self, node: int) -> bool:
        """Whether the node is a box that also leads back."""
        box = self.nodes[node]
        return isinstance(box, Box) and box.reversible

    def size(self, node: int) -> int:
        """How many robots and resources a species holds."""
        species = self.nodes[node]
        return len(species.members) if isinstance(species, Species) else 0

    def columns_by_making(self) -> list[int]:
        """Columns in which a species stands to the right of all that it is made of."""
        return self._with_boxes(self._levels_by_making())

    def columns_by_size(self) -> list[int]:
        """Columns in which species of one size stand together, plain ones with single robots."""
        sizes = {
            node: max(1, self.size(node))
            for node, part in enumerate(self.nodes)
            if isinstance(part, Species)
        }
        rank = {size: level for level, size in enumerate(sorted(set(sizes.values())))}
        return self._with_boxes({node: rank[size] for node, size in sizes.items()})

    def _levels_by_making(self) -> dict[int, int]:
        """The longest chain of reactions that leads to each species, from small to large."""
        after: dict[int, set[int]] = {
            node: set() for node, part in enumerate(self.nodes) if isinstance(part, Species)
        }
        made = [self._small_and_large(box) for box in self.links_of]
        # Reactions that put robots together decide first; exchanges only where they leave room.
        made.sort(key=lambda sides: self._largest(sides[0]) >= self._largest(sides[1]))
        for small, large in made:
            for left in small:
                for right in large:
                    if self.size(left) <= self.size(right) and not _reaches(after, right, left):
                        after[left].add(right)
        level = dict.fromkeys(after, 0)
        # What comes after a node is sorted before it, so the other way round is from left to right.
        for node in reversed(list(TopologicalSorter(after).static_order())):
            for right in after[node]:
                level[right] = max(level[right], level[node] + 1)
        return level

    def _small_and_large(self, box: int) -> tuple[list[int], list[int]]:
        """The side with the smaller species, with all catalysts, and the other without them."""
        links = [link for link in self.links_of[box] if link.place in self._species]
        small = [link.place for link in links if link.takes]
        large = [link.place for link in links if link.gives]
        if self._largest(small) > self._largest(large):
            small, large = large, small
        return small, [node for node in large if node not in small]

    @cached_property
    def _species(self) -> frozenset[int]:
        return frozenset(n for n, part in enumerate(self.nodes) if isinstance(part, Species))

    def _largest(self, nodes: Sequence[int]) -> int:
        return max(map(self.size, nodes), default=0)

    def _with_boxes(self, level: dict[int, int]) -> list[int]:
        columns = [2 * level.get(node, 0) for node in range(len(self.nodes))]
        last = max(columns)
        for box, links in self.links_of.items():
            ends = [columns[link.place] for link in links if link.place in level]
            outside = [link for link in links if link.place not in level]
            if not outside:
                small, large = self._small_and_large(box)
                first = max(columns[n] for n in small) if small else last
                then = min(columns[n] for n in large) if large else 0
                columns[box] = _nearest(ends, first, then, last)
            elif outside[0].takes or max(ends) == 0:
                columns[box] = min(ends) - 1
                columns[outside[0].place] = min(ends) - 2
            else:
                columns[box] = max(ends) + 1
                columns[outside[0].place] = max(ends) + 2
        return columns


def _pair(reactions: Sequence[Reaction]) -> Iterator[Box]:
    """Boxes in the order of their first reaction."""
    used: set[int] = set()
    for i, reaction in enumerate(reactions):
        if i in used:
            continue
        backward = (
            j
            for j in range(i + 1, len(reactions))
            if j not in used and reactions[j].reverses(reaction)
        )
        both = [i, *[j for j in [next(backward, None)] if j is not None]]
        used.update(both)
        yield Box(tuple(reactions[k] for k in both), tuple(k + 1 for k in both))


def _sides(box: Box) -> tuple[Complex, Complex]:
    return box.reactions[0].reactants, box.reactions[0].products


def _nearest(ends: Sequence[int], first: int, then: int, last: int) -> int:
    """The odd column with the shortest lines; if several, one between `first` and `then`."""

    def cost(column: int) -> tuple[int, bool, int]:
        outward = column if max(ends) == 0 else -column
        return sum(abs(column - end) for end in ends), not first < column < then, outward

    return min(range(-1, last + 2, 2), key=cost)


def _reaches(after: dict[int, set[int]], start: int, goal: int) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        node = waiting.pop()
        if node == goal:
            return True
        new = after[node] - seen
        seen |= new
        waiting += new
    return False
