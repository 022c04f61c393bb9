"""How states are numbered: by the order of their keys, and found again by them.

A state x is a row of counts. Its key is a linear function of it modulo 2^63,

    key(x) = sum_i weight_i x_i,        key(x + change) = key(x) + key(change),

so that a transition is one addition. Inside one stoichiometric class x is determined by rank-many
species, so only these get a weight: a mixed radix, which is injective. Where the radix does not fit
into 63 bits the weights are random, and whoever finds a state by its key compares the row as well.

Under a group of permutations of the species (see `symmetry`) the states are orbits, each
represented by its image of smallest key; the trivial group numbers the states themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.errors import CoveyError
from covey.numbers import Ints

Keys = NDArray[np.uint64]

MASK = np.uint64(2**63 - 1)
COMPILE_FROM = 4_000  # states; below it numba's import costs more than it saves


@dataclass(frozen=True, eq=False)
class StateIndex:
    """States (or orbits of them) in the order of their keys."""

    states: NDArray[np.integer]  # (states, species)
    keys: Keys  # (states,), ascending
    group: NDArray[np.intp]  # (group, species): image g of x is x[group[g]]; the identity first
    weights: Keys  # (group, species): row g gives the key of image g
    exact: bool = True  # whether what is one change away and has the key of a state is that state

    @classmethod
    def of(cls, states: Ints, changes: Ints) -> StateIndex:
        """Any states of one stoichiometric class, and room for those one change away.

        Neighbours in order differ by the count that has most values: better locality.
        """
        step = np.abs(changes).max(axis=0, initial=0)
        sizes = states.max(axis=0) - states.min(axis=0) + 1 + 2 * step
        species = independent_species(changes, np.argsort(sizes, kind="stable").tolist())
        radix = mixed_radix(sizes.tolist(), reversed(species))
        weights = (random_weights(len(sizes)) if radix is None else radix)[None]
        keys = linear_keys(states, weights)[0]
        order = np.argsort(keys)
        keys = keys[order]
        if (keys[1:] == keys[:-1]).any():
            raise shared_key()
        group = np.arange(len(sizes))[None]
        return cls(np.ascontiguousarray(states[order]), keys, group, weights, radix is not None)

    def __len__(self) -> int:
        return len(self.states)

    def index_of(self, states: NDArray[np.integer]) -> NDArray[np.int64]:
        """Index of each row of `states` (or of the orbit it lies in), -1 where it is not here."""
        rows = np.atleast_2d(np.asarray(states)).astype(np.int64, copy=False)
        keys = linear_keys(rows, self.weights)  # (group, rows)
        best = keys.argmin(axis=0)
        found = self._find(keys[best, np.arange(len(rows))])
        images = np.take_along_axis(rows, self.group[best], axis=1)
        return np.where((self.states[found] == images).all(axis=1), found, -1)

    def successors(self, sources: NDArray[np.intp], change: Ints) -> NDArray[np.intp]:
        """Index of source + change for sources that ascend, -1 where that is not here."""
        shift = (self.weights @ change.astype(np.uint64))[:, None]  # (group, 1), modulo 2^64
        if len(self.weights) > 1:
            images = linear_keys(self.states[sources], self.weights)
            return self._find(((images + shift) & MASK).min(axis=0))
        needles = (self.keys[sources] + shift[0]) & MASK
        if len(self) >= COMPILE_FROM:
            from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

            found = sparse_rows.locate(self.keys, needles)
        else:
            found = self._find(needles)
        if not self.exact:
            same = (self.states[found] == self.states[sources] + change).all(axis=1)
            found = np.where(same, found, -1)
        return found

    def _find(self, keys: Keys) -> NDArray[np.intp]:
        """Index of each key, -1 where it is not here."""
        place = np.minimum(self.keys.searchsorted(keys), len(self) - 1)
        return np.where(self.keys[place] == keys, place, -1)

    def orbit_sizes(self) -> NDArray[np.float64]:
        """How many states each entry stands for: group order / order of its stabiliser."""
        fixed = np.zeros(len(self))
        for weights in self.weights:
            fixed += linear_keys(self.states, weights[None])[0] == self.keys
        return len(self.weights) / fixed


class KeySet:
    """A growing set of keys: sorted while small, a compiled hash table when large."""

    def __init__(self, keys: Keys) -> None:
        self.keys = np.sort(keys)
        self.table: Keys | None = None
        self.used = 0

    def insert(self, keys: Keys) -> NDArray[np.intp]:
        """Add the keys; the positions in `keys` where a new one stands first."""
        if self.table is None and len(self.keys) < COMPILE_FROM:
            fresh, first = np.unique(keys, return_index=True)
            place = np.minimum(np.searchsorted(self.keys, fresh), len(self.keys) - 1)
            new = np.flatnonzero(self.keys[place] != fresh)
            self.keys = np.sort(np.concatenate([self.keys, fresh[new]]))
            return first.take(new)
        from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

        if self.table is None:
            self.table = sparse_rows.hash_table(self.keys, 4 * len(self.keys))
            self.used = len(self.keys)
        if 2 * (self.used + len(keys)) > len(self.table):
            held = self.table[self.table != sparse_rows.EMPTY]
            self.table = sparse_rows.hash_table(held, 4 * len(held) + 4 * len(keys))
        first = sparse_rows.insert(self.table, keys)
        self.used += len(first)
        return first


def linear_keys(states: NDArray[np.integer], weights: Keys) -> Keys:
    """Keys of every image of every state: (group, states), or (group, 1) for one state."""
    rows = np.atleast_2d(states)
    keys = np.zeros((len(weights), len(rows)), dtype=np.uint64)
    for i in np.flatnonzero(weights.any(axis=0)):
        column = rows[:, i].astype(np.int64).astype(np.uint64)  # negative changes wrap, as wanted
        keys += weights[:, i, None] * column
    return keys & MASK


def mixed_radix(sizes: Sequence[int], species: Iterable[int]) -> Keys | None:
    """Weights of some species, the first one's the least; None where 63 bits are too few.

    Args:
        sizes: How many different counts each species may have.
        species: Which of them determine a state.
    """
    radix, weights = 1, np.zeros(len(sizes), dtype=np.uint64)
    for i in species:
        weights[i] = np.uint64(radix % 2**63)
        radix *= sizes[i]
    return weights if radix < 2**63 else None


def random_weights(species: int) -> Keys:
    """Weights by which hardly ever two states share a key: two of a million, once in 10^7 times."""
    return np.random.default_rng(2**31 - 1).integers(1, 2**63, size=species, dtype=np.uint64)


def shared_key() -> CoveyError:
    """The error for random weights by which two states cannot be told apart."""
    return CoveyError(
        "two states share a key (a chance of one in a million). "
        "List the species in another order and try again."
    )


def independent_species(changes: Ints, order: Sequence[int]) -> list[int]:
    """Species whose counts determine the state within its stoichiometric class, early ones first.

    Elimination modulo a prime: independent columns there are independent over the rationals.
    Should the prime divide a minor (the float rank disagrees), all species serve as well.
    """
    prime = 2**31 - 1
    rows = changes % prime  # products of two fit into 63 bits
    pivots: list[int] = []
    for column in order:
        rest = rows[len(pivots) :]
        hits = np.flatnonzero(rest[:, column])
        if not len(hits):
            continue
        pivot = rest[hits[0]] * pow(int(rest[hits[0], column]), -1, prime) % prime
        rest[hits[0]] = rest[0]
        rest[0] = pivot
        rest[1:] = (rest[1:] - rest[1:, column, None] * pivot) % prime
        pivots.append(column)
    if len(pivots) != np.linalg.matrix_rank(changes.astype(np.float64)):
        return list(order)
    return pivots
