"""The transitions of a network on its states, and the generators they make.

    K[y, x] = sum of a_r(x) over the reactions r that lead from x to y      (see `propensity`)

Reactions with the same change lead to the same state and are added up before they are stored;
those that leave the state (or, under symmetry, its orbit) as it was are left out.

Which transitions there are, where each of them is stored, and in how many ways a reaction finds
what it takes depends on the wiring alone: `Layout` has it once for all rates. At other rates of the
same reactions, which a search or a slider asks for many times, only the rates are multiplied and
added up anew:

    rate of a transition = Σ_r κ_r · ways_r(x)        over the reactions of one change

There are few different ways, and they are numbered: what is computed anew is a table. The sums are
those of `build`, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.generator import Generator, Transitions
from covey.dynamics.ctmc.propensity import propensity, ways
from covey.dynamics.ctmc.rate_table import RateTable, number_type
from covey.dynamics.state_space.enumeration import Lattice
from covey.dynamics.state_space.state_index import COMPILE_FROM, StateIndex
from covey.model.network import Network
from covey.numbers import Floats, Ints, distinct_rows

_FEW = 1_000  # states


def transitions(network: Network, index: StateIndex) -> Iterator[tuple[Ints, Transitions]]:
    """Every distinct change, and its transitions; a target of -1 is none of the states."""
    columns = np.ascontiguousarray(index.states.T)  # (species, states)
    for change, reactions in changes_of(network, index):
        rates = np.zeros(len(index))
        for r in reactions:
            rates += propensity(network, r, columns)
        sources = np.flatnonzero(rates > 0)  # faster than of the rates themselves
        yield change, Transitions(sources, index.successors(sources, change), rates[sources])


def changes_of(network: Network, index: StateIndex) -> Iterator[tuple[Ints, tuple[int, ...]]]:
    """Every distinct change but none, with the reactions that make it."""
    changes, reaction_of = np.unique(network.changes, axis=0, return_inverse=True)
    # Descending shifts of the key list a row's sources in ascending order: better locality.
    shifts = changes.astype(np.float64) @ index.weights[0].astype(np.float64)
    for g in np.argsort(-shifts, kind="stable"):
        if changes[g].any():
            yield changes[g], tuple(np.flatnonzero(reaction_of.ravel() == g).tolist())


def build(network: Network, lattice: Lattice) -> Generator:
    """The generator of the network's chain on its reachable states (or orbits of them)."""
    exits, parts = np.zeros(len(lattice)), []
    table = RateTable() if len(lattice) >= COMPILE_FROM else None
    for _, found in transitions(network, lattice):
        # All of them lead to another state, unless it may be the same orbit.
        part = found.where(
            found.targets != found.sources if len(lattice.group) > 1 else slice(None)
        )
        exits[part.sources] += part.rates
        if table is not None:
            part = part._replace(rates=table.numbers(part.rates).astype(table.dtype))
        parts.append(part)
    return Generator.from_transitions(parts, exits, None if table is None else table.rates)


class _Group(NamedTuple):
    """The transitions of one change."""

    reactions: tuple[int, ...]
    ways: Floats  # (reactions, numbers): the different ones
    sources: NDArray[np.uint32]
    numbers: NDArray[np.uint32]  # of each transition's ways, among those of all groups


class Layout:
    """The transitions of a network without rate laws on a lattice: `at` gives them their rates."""

    def __init__(self, network: Network, lattice: Lattice) -> None:
        known = 0
        columns = np.ascontiguousarray(lattice.states.T)
        self._groups: list[_Group] = []
        parts = []
        for change, reactions in changes_of(network, lattice):
            found, number = _different_ways(network, reactions, columns)
            sources = np.flatnonzero(found.sum(axis=0)[number])
            targets = lattice.successors(sources, change)
            moved = targets != sources
            origins = sources[moved].astype(np.uint32)
            numbers = (known + number[sources[moved]]).astype(np.uint32)
            known += found.shape[1]
            self._groups.append(_Group(reactions, found, origins, numbers))
            parts.append(Transitions(origins, targets[moved], numbers.astype(number_type(known))))
        self._numbered = Generator.from_transitions(parts, np.zeros(len(lattice)), np.zeros(known))

    def __len__(self) -> int:
        return len(self._numbered.indices)

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
        exits = np.zeros(len(self._numbered))
        for group in self._groups:
            exits[group.sources] += table[group.numbers]
        found = replace(self._numbered, exits=exits, table=table)
        return found if found.compiled else replace(found, stored=found.rates, table=None)


def _different_ways(
    network: Network, reactions: tuple[int, ...], columns: NDArray[np.integer]
) -> tuple[Floats, NDArray[np.intp]]:
    """In how many ways reactions find what they take, and which of these each state has.

    Without repeats, unless there are so few states that looking for them takes longer.
    """
    if columns.shape[1] <= _FEW:
        return np.stack([ways(network, r, columns) for r in reactions]), np.arange(len(columns.T))
    needed = np.flatnonzero(network.reactants[list(reactions)].any(axis=0))
    counts, number = distinct_rows(columns[needed].T)
    states = np.zeros((len(columns), len(counts)), dtype=np.int64)
    states[needed] = counts.T
    return np.stack([ways(network, r, states) for r in reactions]), number
