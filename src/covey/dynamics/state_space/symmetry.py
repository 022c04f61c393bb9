"""Symmetry: what is computed once for many teams, and on one state for many.

The types of a network that may be relabelled without changing it (`relabelling`) make teams alike:
their rate laws are the same as far as what is seen stays the same too (`Symmetries.keeping`). And
they fold the chain of a team that they leave as it is to one state in each orbit (`fold`).

A permutation g of the species is an automorphism when it maps the network's reactions, with
their rates, onto themselves and fixes the start. Then K commutes with g, p(t) is constant on
orbits, and the orbits form a Markov chain of their own (exact lumping): from an orbit to another
the rate is the sum of a_r(x) over the reactions that lead there, x being any member.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.state_space.enumeration import Lattice, explore
from covey.dynamics.state_space.relabelling import (
    LARGEST_GROUP,
    alike_by,
    interchangeable,
    relabellings,
    species_permutation,
    swap,
)
from covey.errors import CoveyError
from covey.model.species import Species
from covey.numbers import Ints

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from covey.dynamics.validation import Progress
    from covey.model.network import Network
    from covey.model.observation.query import Query
    from covey.model.rate_laws.rate_law import RateLaw


class Symmetries:
    """The relabellings of a network, as permutations of its species: `group`, the identity first.

    Where there are too many of them to list, types that may be swapped two by two are known all the
    same (`classes`): of teams that differ only in which of those has how many robots, one is taken.
    """

    def __init__(
        self,
        network: Network,
        group: list[NDArray[np.intp]] | None = None,
        classes: list[list[str]] | None = None,
    ) -> None:
        self.network = network
        if group is None:
            group = [species_permutation(network, sigma) for sigma in relabellings(network)]
        if classes is None:
            classes = interchangeable(network) if len(group) == 1 else []
        self.group = group
        self.classes = [names for names in classes if len(names) > 1]

    def of(self, network: Network) -> Symmetries:
        """The same of a network at other rates, of which the same ones are equal."""
        return Symmetries(network, self.group, self.classes)

    def keeping(self, query: Query) -> Symmetries:
        """Those that do not change what is seen."""
        seen = query.matrix(self.network)

        def keeps(image: NDArray[np.intp]) -> bool:
            return bool((seen[:, image] == seen).all())

        def alike(one: str, other: str) -> bool:
            return keeps(species_permutation(self.network, swap(self.network, one, other)))

        classes = [part for names in self.classes for part in alike_by(names, alike)]
        return Symmetries(self.network, [g for g in self.group if keeps(g)], classes)

    def fixing(self, start: Ints) -> list[NDArray[np.intp]]:
        """Those that leave a start as it is."""
        return [image for image in self.group if (start[image] == start).all()]

    def least(self, start: Ints) -> tuple[int, ...]:
        """The least of all starts that are alike, by which they are known."""
        if not self.classes:
            return min(tuple(start[image].tolist()) for image in self.group)
        state = start.copy()
        if not start[self._together].any():
            for names in self.classes:
                places = [self._places[name] for name in names]
                held = sorted(tuple(start[place].tolist()) for place in places)
                for place, counts in zip(places, held, strict=True):
                    state[place] = counts
        return tuple(state.tolist())

    @cached_property
    def _together(self) -> list[int]:
        """The species of several members."""
        return [i for i, species in enumerate(self.network.species) if len(species.members) > 1]

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """For each member the species of it alone, in the order of their activities."""
        found: dict[str, dict[str, int]] = {name: {} for name in self.network.members}
        for i, species in enumerate(self.network.species):
            if len(species.members) == 1:
                found[species.members[0]][species.activity] = i
        return {name: [of[a] for a in sorted(of)] for name, of in found.items()}


def fold(
    network: Network,
    start: NDArray[np.int64],
    permutations: Sequence[NDArray[np.intp]],
    *,
    max_states: int,
    progress: Progress | None = None,
) -> Lattice:
    """The orbits reachable from `start` under the group that the permutations generate.

    `generator.build` makes their chain; an orbit's probability is shared equally by its
    `Lattice.orbit_sizes` members; `Lattice.index_of` finds the orbit of any state.
    A permutation g is an index array: the image of state x is x[g].
    """
    for permutation in permutations:
        _check(network, np.asarray(start), np.asarray(permutation))
    group = _closure([np.asarray(p, dtype=np.intp) for p in permutations], len(start))
    return explore(network, start, max_states=max_states, permutations=group, progress=progress)


def _check(network: Network, start: NDArray[np.int64], permutation: NDArray[np.intp]) -> None:
    """Refuse what is not an automorphism of the network and its start."""
    if sorted(permutation.tolist()) != list(range(len(start))):
        raise CoveyError(
            f"{permutation.tolist()} is not a permutation of the {len(start)} species. "
            "Give each index once."
        )
    if (start[permutation] != start).any():
        raise CoveyError(
            f"The permutation {permutation.tolist()} moves the start {start.tolist()} to "
            f"{start[permutation].tolist()}: fold only by symmetries of the start."
        )

    def reactions(order: NDArray[np.intp]) -> Counter[tuple[object, ...]]:
        rates: Counter[tuple[object, ...]] = Counter()
        rows = zip(network.reactants[:, order], network.changes[:, order], strict=True)
        # What stood at order[i] now stands at i, and so a rate law counts it there.
        image = {network.species[j]: network.species[i] for i, j in enumerate(order.tolist())}
        for (reactants, change), reaction in zip(rows, network.reactions, strict=True):
            rate: object = reaction.rate_constant(network.rates)
            if reaction.rate_law is not None:
                rate = _renamed(reaction.rate_law, network, image)
            rates[(*reactants.tolist(), *change.tolist(), rate)] += 1
        return rates

    if reactions(permutation) != reactions(np.arange(len(start))):
        raise CoveyError(
            f"The permutation {permutation.tolist()} does not map the reactions with their rates "
            "onto themselves: fold only by symmetries of the network."
        )


def _renamed(law: RateLaw, network: Network, image: Mapping[Species, Species]) -> str:
    """A rate law with every species replaced by its image, whatever the order of its parts."""
    plain = {word: str(image[Species(word)]) for word in law.words - network.rates.keys()}
    return law.replace(plain).relabelled(image.__getitem__).ordered(network.rates)


def _closure(generators: list[NDArray[np.intp]], species: int) -> list[NDArray[np.intp]]:
    """The whole group, identity first."""
    group = {tuple(range(species))}
    fresh = set(group)
    while fresh:
        fresh = {tuple(int(i) for i in g[list(h)]) for h in fresh for g in generators} - group
        group |= fresh
        if len(group) > LARGEST_GROUP:
            raise CoveyError(
                f"The permutations generate a group of more than {LARGEST_GROUP} elements: "
                "folding by it would cost more than it saves. Give fewer permutations."
            )
    return [np.array(element, dtype=np.intp) for element in sorted(group)]
