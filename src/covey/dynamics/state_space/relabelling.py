"""Relabellings: permutations of the types under which a network stays what it is.

If renaming the members of every species by σ maps the reactions, with their rate constants, onto
themselves, then teams that σ maps onto each other move alike: one computation serves all of them,
and a team that σ leaves as it is can be folded to one state in each orbit. The identity is first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from covey.model.complex import Complex
from covey.model.frozen import FrozenMap
from covey.model.network import Network
from covey.model.reaction import Reaction
from covey.model.species import Species

Relabelling = FrozenMap[str, str]

# Beyond so many only the identity is used: nothing is lost but speed.
LARGEST_GROUP = 720


def relabellings(network: Network) -> tuple[Relabelling, ...]:
    """The group of relabellings of the network's members, where it is not too large to be of use.

    Members are given their images one by one, and a choice is dropped as soon as some reaction
    all of whose members have images is not mapped onto a reaction.
    """
    search = _Search(network)
    found: list[Relabelling] = []
    if math.prod(math.factorial(len(names)) for names in interchangeable(network)) > LARGEST_GROUP:
        return (FrozenMap({name: name for name in network.members}),)
    for sigma in search.extend({}):
        found.append(sigma)
        if len(found) > LARGEST_GROUP:
            return (found[0],)
    return tuple(found)


def interchangeable(network: Network) -> list[list[str]]:
    """The members in classes: any two of a class may be swapped, and the network stays what it is.

    This is known also where the group is too large to be listed.
    """
    search = _Search(network)
    return alike_by(network.members, search.allows_swap)


def alike_by(names: Iterable[str], alike: Callable[[str, str], bool]) -> list[list[str]]:
    """The names in classes, by a relation that is an equivalence: asked of one in each class."""
    classes: list[list[str]] = []
    for name in names:
        for group in classes:
            if alike(name, group[0]):
                group.append(name)
                break
        else:
            classes.append([name])
    return classes


def swap(network: Network, one: str, other: str) -> Relabelling:
    """The relabelling by which two members change places."""
    return FrozenMap({name: name for name in network.members} | {one: other, other: one})


def species_permutation(network: Network, sigma: Relabelling) -> NDArray[np.intp]:
    """`g` with: the relabelled state of x is x[g]. (species,)"""
    permutation = np.empty(len(network.species), dtype=np.intp)
    for i, species in enumerate(network.species):
        permutation[network.index[_relabel(species, sigma)]] = i
    return permutation


def _relabel(species: Species, sigma: Mapping[str, str]) -> Species:
    return Species(species.activity, tuple(sigma[member] for member in species.members))


class _Search:
    """Extends partial relabellings, member by member, in an order that settles reactions soon."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.members = list(network.members)
        self.images = _lookalikes(network)
        self.reactions: Counter[object] = Counter()
        self.all: list[Reaction] = []
        self.reactions_of: dict[str, list[int]] = {name: [] for name in self.members}
        settled_by: dict[str, list[Reaction]] = {name: [] for name in self.members}
        identity = {name: name for name in self.members}
        for reaction in network.reactions:
            self.reactions[_image(reaction, network.rates, identity)] += 1
            names = _names(reaction)
            for name in names:
                self.reactions_of[name].append(len(self.all))
            self.all.append(reaction)
            if names:
                last = max(names, key=self.members.index)
                settled_by[last].append(reaction)
        self.settled_by = settled_by

    def allows_swap(self, one: str, other: str) -> bool:
        """Whether the network stays what it is when these two change places."""
        if other not in self.images[one]:
            return False
        sigma = swap(self.network, one, other)
        mapped = Counter(
            _image(reaction, self.network.rates, sigma) for reaction in self._having(one, other)
        )
        return all(self.reactions[image] == n for image, n in mapped.items())

    def _having(self, one: str, other: str) -> list[Reaction]:
        """The reactions that a swap of these two changes, each once."""
        both = {number: None for name in (one, other) for number in self.reactions_of[name]}
        return [self.all[number] for number in both]

    def extend(self, sigma: dict[str, str]) -> Iterator[Relabelling]:
        """Every relabelling that agrees with `sigma`; the identity comes first."""
        if len(sigma) == len(self.members):
            yield FrozenMap(sigma)
            return
        name = self.members[len(sigma)]
        used = set(sigma.values())
        for image in [name, *self.images[name]]:
            if image in used:
                continue
            used.add(image)  # not twice as the first choice and as a lookalike
            extended = {**sigma, name: image}
            settled = Counter(
                _image(r, self.network.rates, extended) for r in self.settled_by[name]
            )
            if all(self.reactions[found] >= n for found, n in settled.items()):
                yield from self.extend(extended)


def _names(reaction: Reaction) -> set[str]:
    """Every type and resource that a reaction is about, by its sides or by its rate law."""
    names = {*reaction.reactants.members(), *reaction.products.members()}
    if reaction.rate_law is not None:
        names |= {member for species in reaction.rate_law.species for member in species.members}
    return names


def _image(reaction: Reaction, rates: Mapping[str, float], sigma: Mapping[str, str]) -> object:
    """A reaction after relabelling, in a form that does not look at the order of writing.

    Rate laws that mean the same and are written differently are taken for different ones.
    """
    sides = tuple(
        frozenset((_relabel(species, sigma), n) for species, n in side)
        for side in (reaction.reactants, reaction.products)
    )
    law = reaction.rate_law
    if law is None:
        return (*sides, float(reaction.rate_constant(rates)))
    return (*sides, law.relabelled(lambda species: _relabel(species, sigma)).ordered(rates))


def _lookalikes(network: Network) -> dict[str, list[str]]:
    """For each member those that it could be swapped with: their reactions look alike."""
    looks: dict[str, Counter[object]] = {name: Counter() for name in network.members}
    for reaction in network.reactions:
        sides = (reaction.reactants, reaction.products)
        rate = reaction.rate_constant(network.rates) if reaction.rate_law is None else "a rate law"
        for name in _names(reaction):
            looks[name][(*(_shape(side, name) for side in sides), rate)] += 1
    return {
        name: [other for other in network.members if looks[other] == looks[name]]
        for name in network.members
    }


def _shape(side: Complex, name: str) -> tuple[object, ...]:
    """One side of a reaction, with only this member recognised."""
    return tuple(sorted((s.activity, len(s.members), s.members.count(name), n) for s, n in side))
