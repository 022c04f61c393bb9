"""The transitions of a chain, laid out once for all rates.

Which transitions there are, where each of them is stored, and in how many ways a reaction finds
what it takes depends on the wiring alone. At other rates of the same reactions, which a search or a
slider asks for many times, only the rates are multiplied and added up anew:

    rate of a transition = Σ_r κ_r · ways_r(x)        over the reactions of one change

There are few different ways, and they are numbered: what is computed anew is a table. The sums are
those of `generator.build`, in the same order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.generator import Generator, change_groups, offsets, take_places
from covey.dynamics.ctmc.propensity import ways
from covey.dynamics.ctmc.rate_table import number_type
from covey.dynamics.state_space.enumeration import COMPILE_FROM
from covey.numbers import Floats, distinct_rows

if TYPE_CHECKING:
    from covey.dynamics.state_space.enumeration import Lattice
    from covey.model.network import Network


class _Group(NamedTuple):
    """The transitions of one change."""

    reactions: tuple[int, ...]
    ways: Floats  # (reactions, numbers): the different ones
    sources: NDArray[np.uint32]
    numbers: NDArray[np.uint32]  # of each transition's ways, among those of all groups


class Layout:
    """The transitions of a network without laws on a lattice: `at` gives them their rates."""

    def __init__(self, network: Network, lattice: Lattice) -> None:
        n, known = len(lattice), 0
        counts = np.zeros(n, dtype=np.int64)
        columns = np.ascontiguousarray(lattice.states.T)
        self._groups: list[_Group] = []
        targets = []
        for change, reactions in change_groups(network, lattice):
            found, number = _different_ways(network, reactions, columns)
            sources = np.flatnonzero(found.sum(axis=0)[number])
            target = lattice.successors(sources, change).astype(np.uint32)
            moved = target != sources
            sources, target = sources[moved], target[moved]
            counts += np.bincount(target, minlength=n)
            targets.append(target)
            numbers = (known + number[sources]).astype(np.uint32)
            self._groups.append(_Group(reactions, found, sources.astype(np.uint32), numbers))
            known += found.shape[1]
        self._indptr = offsets(counts)
        self._indices = np.empty(int(self._indptr[-1]), dtype=np.uint32)
        self._numbers = np.empty(len(self._indices), dtype=number_type(known))
        place = self._indptr[:-1].astype(np.int64)
        for group, target in zip(self._groups, targets, strict=True):
            at = take_places(place, target)
            self._indices[at] = group.sources
            self._numbers[at] = group.numbers

    def __len__(self) -> int:
        return len(self._indices)

    def at(self, network: Network) -> Generator:
        """The generator of the same reactions at a network's rates."""
        constants = network.rate_constants.tolist()
        parts = [np.empty(0)]
        for group in self._groups:
            rates = np.zeros(group.ways.shape[1])
            for reaction, found in zip(group.reactions, group.ways, strict=True):
                rates += constants[reaction] * found
            parts.append(rates)
        table = np.concatenate(parts)
        exits = np.zeros(len(self._indptr) - 1)
        for group in self._groups:
            exits[group.sources] += table[group.numbers]
        if len(exits) >= COMPILE_FROM:
            return Generator(self._indptr, self._indices, self._numbers, exits, table)
        return Generator(self._indptr, self._indices, table[self._numbers], exits)


def _different_ways(
    network: Network, reactions: tuple[int, ...], columns: NDArray[np.integer]
) -> tuple[Floats, NDArray[np.intp]]:
    """In how many ways reactions find what they take, without repeats, and which each state has."""
    needed = np.flatnonzero(network.reactants[list(reactions)].any(axis=0))
    counts, number = distinct_rows(columns[needed].T)
    states = np.zeros((len(columns), len(counts)), dtype=np.int64)
    states[needed] = counts.T
    return np.stack([ways(network, r, states) for r in reactions]), number
