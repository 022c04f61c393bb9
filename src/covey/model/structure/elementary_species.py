"""Roots: what every species of a network falls apart into, reversibly.

Where every species can fall apart into root species, and there are as many roots as conservation
laws, every state that the laws allow falls apart into the same root state, and the reverse path
leads from there to any other: all of them are reachable.

In a weakly reversible network the complexes of one linkage class lead to each other, if not at
once: whoever has all of one can have the other. And what comes from nothing goes there.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from covey.model.complex import Complex
from covey.model.network import Network
from covey.model.reaction import Reaction
from covey.model.species import Species
from covey.model.structure.conservation import conservation_laws
from covey.numbers import Ints

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


def weak_needs(network: Network, classes: list[list[Complex]]) -> Ints | None:
    """How many of each root every species needs, by the linkage classes: (species, roots).

    None where it is not certain that all that the laws allow can be reached.
    """
    vanishing = set().union(*vanishing_rounds(classes))
    kept = [species for species in network.species if species not in vanishing]
    # Names without members: what comes from nothing may be missing on one side.
    alias = {species: Species(f"s{i}") for i, species in enumerate(kept)}
    parts: dict[Species, Roots] | None = {}
    if stars := [reaction for group in classes for reaction in _star(group, alias)]:
        linked = Network(stars)
        parts = falls_apart(linked, len(conservation_laws(linked)))
    if parts is None:
        return None
    parts = {name: {name: 1} for name in alias.values()} | parts  # the others stay what they are
    basic = [s for s in kept if parts[alias[s]] == {alias[s]: 1}]
    needs = np.zeros((len(network.species), len(basic)), dtype=np.int64)
    for row, species in enumerate(network.species):
        for column, root in enumerate(basic):
            if species not in vanishing:
                needs[row, column] = parts[alias[species]].get(alias[root], 0)
    return needs


def vanishing_rounds(classes: list[list[Complex]]) -> list[set[Species]]:
    """Species that come from nothing and go there: at first at once, then by those before."""
    rounds: list[set[Species]] = []
    while found := _vanishing(classes, set().union(*rounds)):
        rounds.append(found)
    return rounds


def _vanishing(classes: list[list[Complex]], known: set[Species]) -> set[Species]:
    """Species that, given what is known to come from nothing, turn into nothing themselves."""
    found = set()
    for group in classes:
        reduced = [[(s, n) for s, n in complex_ if s not in known] for complex_ in group]
        if [] in reduced:
            found |= {terms[0][0] for terms in reduced if [n for _, n in terms] == [1]}
    return found


def _star(group: list[Complex], alias: dict[Species, Species]) -> list[Reaction]:
    """Reactions that link the complexes of a class to one of them, without unnamed species."""
    reduced = dict.fromkeys(
        Complex(tuple((alias[s], n) for s, n in complex_ if s in alias)) for complex_ in group
    )
    single = [complex_ for complex_ in reduced if [n for _, n in complex_] == [1]]
    centre = (single or list(reduced))[0]
    pairs = [pair for other in reduced for pair in ((centre, other), (other, centre))]
    return [Reaction(left, right, 1.0) for left, right in pairs if left != right]


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
