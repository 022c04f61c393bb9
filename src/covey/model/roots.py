"""Roots: what every species of a network falls apart into, reversibly.

Where every species can fall apart into root species, and there are as many roots as conservation
laws, every state that the laws allow falls apart into the same root state, and the reverse path
leads from there to any other: all of them are reachable.
"""

from __future__ import annotations

from collections import defaultdict

from covey.model.network import Network
from covey.model.reaction import Complex
from covey.model.species import Species

Roots = dict[Species, int]


def falls_apart(network: Network, laws: int) -> dict[Species, Roots] | None:
    """What every species falls apart into, if that shows every lattice point to be reachable.

    `laws` is how many conservation laws the network has: there must be as many roots.
    """
    arrows = {(reaction.reactants, reaction.products) for reaction in network.reactions}
    ways: dict[Species, list[Complex]] = defaultdict(list)
    for whole, pieces in arrows:
        if whole.single is not None and pieces and (pieces, whole) in arrows:
            ways[whole.single].append(pieces)
    parts: dict[Species, Roots] = {}
    for species in network.species:
        if species not in parts and not _splits(species, ways):
            _spread(species, ways, parts)
    while len(parts) < len(network.species):
        found = {s: r for s in network.species if s not in parts for r in _resolve(ways[s], parts)}
        if not found:
            return None
        parts |= found
    roots = {species for species, roots in parts.items() if roots == {species: 1}}
    return parts if len(roots) == laws else None


def _splits(species: Species, ways: dict[Species, list[Complex]]) -> bool:
    """Whether this species, or one that it converts into, falls apart into several pieces."""
    seen, work = {species}, [species]
    while work:
        for pieces in ways[work.pop()]:
            other = pieces.single
            if other is None:
                return True
            if other not in seen:
                seen.add(other)
                work.append(other)
    return False


def _spread(root: Species, ways: dict[Species, list[Complex]], parts: dict[Species, Roots]) -> None:
    """Makes one species the root of all that convert into it."""
    parts[root] = {root: 1}
    work = [root]
    while work:
        for pieces in ways[work.pop()]:
            other = pieces.single
            if other is not None and other not in parts:
                parts[other] = {root: 1}
                work.append(other)


def _resolve(ways: list[Complex], parts: dict[Species, Roots]) -> list[Roots]:
    """The roots of a species one of whose ways apart leads to species that have theirs."""
    for pieces in ways:
        if all(species in parts for species, _ in pieces):
            roots: Roots = defaultdict(int)
            for species, n in pieces:
                for root, m in parts[species].items():
                    roots[root] += n * m
            return [dict(roots)]
    return []
