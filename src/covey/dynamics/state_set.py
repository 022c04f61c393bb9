"""A set of states that grows and shrinks, with the transitions between its members.

A state is looked up by its key, a linear function of its counts modulo 2⁶⁴ with random weights, so
that key(x + change) = key(x) + key(change). The rows are compared as well: should two states ever
share a key, the second is not taken in, and stays outside like any other state that is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.generator import propensity
from covey.model.network import Network
from covey.numbers import Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csc_array


class StateSet:
    """The states, what leaves each by every distinct change, and where that leads."""

    def __init__(self, network: Network, start: Ints) -> None:
        self.network = network
        changes, which = np.unique(network.changes, axis=0, return_inverse=True)
        moving = np.flatnonzero(changes.any(axis=1))  # a reaction without a change is no jump
        self.changes = changes[moving]  # (changes, species)
        self._reactions = [np.flatnonzero(which.ravel() == g) for g in moving]
        self._weights = np.random.default_rng(0).integers(0, 2**64, start.size, dtype=np.uint64)
        self._jumps = self._keys_of(self.changes)  # (changes,)
        self.states = np.empty((0, start.size), dtype=np.int64)  # (states, species)
        self.rates = np.empty((0, len(moving)))  # (states, changes)
        self.targets = np.empty((0, len(moving)), dtype=np.int64)  # -1 is outside
        self.exits = np.empty(0)  # (states,)
        self._keys = np.empty(0, dtype=np.uint64)
        self._order = np.empty(0, dtype=np.intp)  # sorts the keys
        self.add(start[None, :])

    def __len__(self) -> int:
        return len(self.states)

    def add(self, rows: Ints) -> None:
        """Takes in states that are not members yet."""
        keys = self._keys_of(rows)
        new = np.arange(len(self), len(self) + len(rows))
        self.states = np.concatenate([self.states, rows])
        self._index(np.concatenate([self._keys, keys]))
        rates = self._rates_of(rows)  # (new states, changes)
        targets = np.full(rates.shape, -1, dtype=np.int64)
        self.targets = np.concatenate([self.targets, targets])
        for g, change in enumerate(self.changes):
            self.targets[new, g] = self._find(keys + self._jumps[g], rows + change)
            sources = self._find(keys - self._jumps[g], rows - change)
            self.targets[sources[sources >= 0], g] = new[sources >= 0]
        self.rates = np.concatenate([self.rates, rates])
        self.exits = np.concatenate([self.exits, rates.sum(axis=1)])

    def keep(self, mask: NDArray[np.bool_]) -> None:
        """Leaves out the states that are not marked."""
        renumbered = np.append(np.where(mask, np.cumsum(mask) - 1, -1), -1)  # -1 stays -1
        self.states, self.rates, self.exits = self.states[mask], self.rates[mask], self.exits[mask]
        self.targets = renumbered[self.targets[mask]]
        self._index(self._keys[mask])

    def neighbourhood(self, sources: NDArray[np.intp], at_least: int) -> Ints:
        """The states outside that these members lead to, each once: (states, species).

        Layer after layer, so that growing in every step of a long walk is not needed.
        """
        layer = self._outside(
            self.states[sources], (self.rates[sources] > 0) & (self.targets[sources] < 0)
        )
        found = layer
        while len(layer) and len(found) < at_least:
            layer = self._outside(layer, self._rates_of(layer) > 0)
            layer = layer[~np.isin(self._keys_of(layer), self._keys_of(found))]
            found = np.concatenate([found, layer])
        return found

    def _outside(self, rows: Ints, possible: NDArray[np.bool_]) -> Ints:
        """Where the possible changes of these rows lead outside the set."""
        source, change = np.nonzero(possible)
        reached = rows[source] + self.changes[change]
        keys, first = np.unique(self._keys_of(reached), return_index=True)
        place = np.minimum(np.searchsorted(self._sorted, keys), len(self) - 1)
        return np.asarray(reached[first[self._sorted[place] != keys]])

    def _rates_of(self, rows: Ints) -> Floats:
        """The rate of every change in these states: (states, changes)."""
        rates = np.zeros((len(rows), len(self.changes)))
        columns = np.ascontiguousarray(rows.T)  # (species, states)
        for g, reactions in enumerate(self._reactions):
            for r in reactions:
                rates[:, g] += propensity(self.network, int(r), columns)
        return rates

    def leaving(self) -> Floats:
        """The rate at which each member leaves the set: (states,)."""
        return np.asarray(np.where(self.targets < 0, self.rates, 0.0).sum(axis=1))

    def moves(self, unit: float) -> csc_array:
        """The rates of moves inside the set, in units of `unit`, from column to row."""
        from scipy.sparse import csc_array  # noqa: PLC0415  (takes a third of a second)

        inside = (self.targets >= 0) & (self.rates > 0)
        starts = np.concatenate([[0], np.cumsum(inside.sum(axis=1))])
        entries = (self.rates[inside] / unit, self.targets[inside], starts)
        return csc_array(entries, shape=(len(self), len(self)))

    def _keys_of(self, rows: Ints) -> NDArray[np.uint64]:
        weighted = rows.astype(np.uint64) * self._weights  # wraps around, as it should
        return np.asarray(weighted.sum(axis=1, dtype=np.uint64))

    def _index(self, keys: NDArray[np.uint64]) -> None:
        self._keys = keys
        self._order = np.argsort(keys)
        self._sorted = keys[self._order]

    def _find(self, keys: NDArray[np.uint64], rows: Ints) -> NDArray[np.intp]:
        """The numbers of these states, -1 for those outside."""
        place = np.minimum(np.searchsorted(self._sorted, keys), len(self) - 1)
        number = self._order[place]
        found = (self._sorted[place] == keys) & (self.states[number] == rows).all(axis=1)
        return np.where(found, number, -1)
