"""The transitions of a small chain, laid out once for all rates.

Which transitions there are, where each of them is stored, and in how many ways a reaction finds
what it takes depends on the wiring alone. At other rates of the same reactions, which a search or a
slider asks for many times, only the rates are multiplied and added up anew:

    rate of a transition = Σ_r κ_r · ways_r(x)        over the reactions of one change

The sums are those of `generator.build`, in the same order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.generator import Generator, change_groups, offsets, take_places
from covey.dynamics.propensity import ways
from covey.numbers import Floats

if TYPE_CHECKING:
    from covey.dynamics.lattice import Lattice
    from covey.model.network import Network


class _Group(NamedTuple):
    """The transitions of one change."""

    reactions: tuple[int, ...]
    ways: tuple[Floats, ...]  # of each reaction, in the states that it leaves
    sources: NDArray[np.intp]
    places: NDArray[np.int64]


class Layout:
    """The transitions of a network without laws on a lattice: `at` gives them their rates."""

    def __init__(self, network: Network, lattice: Lattice) -> None:
        n = len(lattice)
        counts = np.zeros(n, dtype=np.int64)
        columns = np.ascontiguousarray(lattice.states.T)
        found = []
        for change, reactions in change_groups(network, lattice):
            all_ways = [ways(network, r, columns) for r in reactions]
            sources = np.flatnonzero(sum(all_ways))
            target = lattice.successors(sources, change).astype(np.uint32)
            moved = target != sources
            sources, target = sources[moved], target[moved]
            counts += np.bincount(target, minlength=n)
            found.append((reactions, tuple(one[sources] for one in all_ways), sources, target))
        self._indptr = offsets(counts)
        self._indices = np.empty(int(self._indptr[-1]), dtype=np.uint32)
        self._groups: list[_Group] = []
        place = self._indptr[:-1].astype(np.int64)
        for reactions, there, sources, target in found:
            at = take_places(place, target)
            self._indices[at] = sources
            self._groups.append(_Group(reactions, there, sources, at))

    def __len__(self) -> int:
        return len(self._indices)

    def at(self, network: Network) -> Generator:
        """The generator of the same reactions at a network's rates."""
        constants = network.rate_constants.tolist()
        exits, values = np.zeros(len(self._indptr) - 1), np.empty(len(self._indices))
        for group in self._groups:
            rates = np.zeros(len(group.sources))
            for reaction, there in zip(group.reactions, group.ways, strict=True):
                rates += constants[reaction] * there
            exits[group.sources] += rates
            values[group.places] = rates
        return Generator(self._indptr, self._indices, values, exits)
