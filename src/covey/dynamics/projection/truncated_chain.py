"""A window: some of the states of a network, and the chain on them, from which mass may leave.

The states are kept in the order of their keys, a mixed radix of their counts, wide enough for every
state one reaction away as well; where that does not fit into 63 bits, a random linear function of
them. Either way key(x + change) = key(x) + key(change), and rows are compared, not only keys:
should two states ever share one, a transition is not found, and its rate leaves the window.

Rates are rounded so that the chain lies below the exact one whichever way they were computed: moves
within the window down, exit rates up, by as many units in the last place as operations made them.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.propensity import propensity
from covey.dynamics.ctmc.rate_law_rounding import law_roundings
from covey.dynamics.state_space.enumeration import COMPILE_FROM
from covey.model.network import Network
from covey.numbers import UNIT, Floats, Ints


class StateSet:
    """States in the order of their keys, the chain on them, and what leaves it."""

    def __init__(self, network: Network, states: Ints) -> None:
        changes, which = np.unique(network.changes, axis=0, return_inverse=True)
        moving = np.flatnonzero(changes.any(axis=1))  # a reaction without a change is no jump
        self.changes = changes[moving]  # (changes, species)
        reactions = [np.flatnonzero(which.ravel() == g) for g in moving]
        self._radix(states)
        keys = self._keys_of(states)
        order = np.argsort(keys)
        self.states, self._keys = states[order], keys[order]
        # A rate is a product of a constant and counts, and parallel ones are added up.
        orders = int(network.reactants.sum(axis=1).max(initial=0))
        orders = max(orders, law_roundings(network, self.states.T))
        self.roundings = orders + max((len(r) for r in reactions), default=1)
        self._build(network, reactions)

    def __len__(self) -> int:
        return len(self.states)

    @property
    def noise(self) -> float:
        """By which part of a rate the chain loses mass to rounding."""
        return (2 * self.roundings + 8) * UNIT

    def _build(self, network: Network, reactions: list[NDArray[np.intp]]) -> None:
        n = len(self)
        columns = np.ascontiguousarray(self.states.T)  # (species, states)
        exits, carried, self.leaving = np.zeros(n), np.zeros(n), np.zeros(n)
        counts = np.zeros(n, dtype=np.int64)
        found = []
        down = 1 - (self.roundings + 2) * UNIT
        # Sources in ascending order within a row: better locality.
        for g in np.argsort(-self._jumps.astype(np.int64), kind="stable"):
            rates = np.zeros(n)
            for r in reactions[g]:
                rates += propensity(network, int(r), columns)
            # The exact sum is exits + carried: what rounding takes from one goes to the other.
            total = exits + rates
            shifted = total - exits
            carried += (exits - (total - shifted)) + (rates - shifted)
            exits = total
            sources = np.flatnonzero(rates)
            targets = self._find(self._keys[sources] + self._jumps[g], sources, self.changes[g])
            inside = targets >= 0
            self.leaving[sources[~inside]] += rates[sources[~inside]]
            counts += np.bincount(targets[inside], minlength=n)
            found.append((
                sources[inside].astype(np.uint32),
                targets[inside].astype(np.uint32),
                rates[sources[inside]] * down,
            ))  # fmt: skip
        indptr = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(counts, out=indptr[1:])
        indices = np.empty(int(indptr[-1]), dtype=np.uint32)
        values = np.empty(int(indptr[-1]))
        place = indptr[:-1].copy()
        for origins, ends, moves in found:
            at = place[ends]  # every end once, since a change leads there from one state
            indices[at], values[at] = origins, moves
            place[ends] += 1
        exits = (exits + carried) * (1 + (self.roundings + 4) * UNIT)
        pointers: NDArray[np.unsignedinteger] = indptr.astype(
            np.uint32 if indptr[-1] < 2**32 else np.uint64
        )
        self.chain = Generator(pointers, indices, values, exits)

    @cached_property
    def rate(self) -> float:
        """The largest rate at which a state is left."""
        return float(self.chain.exits.max(initial=0.0))

    def take(self, states: Ints, values: Floats) -> Floats:
        """Values of some states, all of them members, on all members; 0 elsewhere: (states,)."""
        taken = np.zeros(len(self))
        taken[np.searchsorted(self._keys, self._keys_of(states))] = values
        return taken

    def _radix(self, states: Ints) -> None:
        """Weights of the key, one for each species, and the keys of changes.

        Neighbours in order differ by the count that has most values: better locality.
        """
        low, high = states.min(axis=0), states.max(axis=0)
        step = np.abs(self.changes).max(axis=0, initial=0)
        sizes = high - low + 1 + 2 * step
        self._weights = np.zeros(len(sizes), dtype=np.uint64)
        total = 1
        for species in reversed(free_species(self.changes, sizes)):
            self._weights[species] = total
            total *= int(sizes[species])
            if total >= 2**62:
                rng = np.random.default_rng(0)
                self._weights = rng.integers(0, 2**63, len(sizes), dtype=np.uint64)
                break
        self._origin = low - step
        self._jumps = self._linear(self.changes)

    def _linear(self, rows: Ints) -> NDArray[np.uint64]:
        keys = np.zeros(len(rows), dtype=np.uint64)
        for species in np.flatnonzero(self._weights):
            # Wraps around, as it should.
            keys += rows[:, species].astype(np.uint64) * self._weights[species]
        return keys

    def _keys_of(self, rows: Ints) -> NDArray[np.uint64]:
        return self._linear(rows - self._origin)

    def _find(self, keys: NDArray[np.uint64], sources: NDArray[np.intp], change: Ints) -> (
        NDArray[np.int64]
    ):  # fmt: skip
        """Where the change leads from each source, -1 for outside."""
        if len(self) >= COMPILE_FROM:
            from covey.dynamics.kernels import truncated  # noqa: PLC0415

            return truncated.find(self._keys, keys, self.states, sources, change)
        place = np.minimum(np.searchsorted(self._keys, keys), len(self) - 1)
        same = (self._keys[place] == keys) & (
            self.states[place] == self.states[sources] + change
        ).all(axis=1)
        return np.where(same, place, -1)


def free_species(changes: Ints, sizes: NDArray[np.floating | np.integer]) -> list[int]:
    """The smallest species that determine a state: as many as the changes have dimensions."""
    kept: list[int] = []
    basis = np.empty((0, len(changes)))
    for species in np.argsort(sizes, kind="stable").tolist():
        column = changes[:, species].astype(float)
        rest = column - basis.T @ (basis @ column)  # what those that are kept do not explain
        length = float(np.linalg.norm(rest))
        if length > 1e-9 * max(float(np.linalg.norm(column)), 1.0):
            basis = np.vstack([basis, rest / length])
            kept.append(species)
    return kept
