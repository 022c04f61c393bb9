"""The reachable states of a network, sorted, with state -> index look-up.

A state x is a row of counts. It is found by its key, a linear function of the state modulo 2^63,

    key(x) = sum_i weight_i x_i,        key(x + change) = key(x) + key(change),

so a transition is one addition. Inside one stoichiometric class x is determined by rank-many
species (pivot columns of the change vectors), so only these get a weight: a mixed radix that
grows with the counts seen, and is injective. Where the radix does not fit into 63 bits the
weights are random; the closure of the set is then checked row by row, which detects every
collision (a state that was merged away is some state's successor whose row would not match).

The order of the keys is that of the states. In a large lattice the radix is chosen in the end such
that neighbours differ by one robot, which products profit from (see `row_groups`).

Under a group of permutations of the species (see `symmetry`) the states are orbits, each
represented by its image of smallest key; the trivial group gives the plain lattice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.propensity import fires
from covey.errors import CoveyError, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from covey.dynamics.validation import Progress
    from covey.model.network import Network

Keys = NDArray[np.uint64]

_MASK = np.uint64(2**63 - 1)
_CHUNK = 1 << 16  # states expanded at once: bounds the memory of the candidates
COMPILE_FROM = 4_000  # states; below it numba's import costs more than it saves


@dataclass(frozen=True)
class Lattice:
    """Reachable states (or orbits of them) in the order of their keys."""

    states: NDArray[np.unsignedinteger]  # (states, species)
    keys: Keys  # (states,), ascending
    group: NDArray[np.intp]  # (group, species): image g of x is x[group[g]]; the identity first
    weights: Keys  # (group, species): row g gives the key of image g
    start: int  # index of the start state

    def __len__(self) -> int:
        return len(self.states)

    def index_of(self, states: NDArray[np.integer]) -> NDArray[np.int64]:
        """Index of each row of `states` (or of the orbit it lies in), -1 where it is not here."""
        rows = np.atleast_2d(np.asarray(states)).astype(np.int64)
        keys = _linear(rows, self.weights)  # (group, rows)
        best = keys.argmin(axis=0)
        key = keys[best, np.arange(len(rows))]
        found = np.minimum(np.searchsorted(self.keys, key), len(self) - 1)
        images = np.take_along_axis(rows, self.group[best], axis=1)
        same = (self.keys[found] == key) & (self.states[found] == images).all(axis=1)
        return np.where(same, found, -1)

    def successors(self, sources: NDArray[np.intp], change: NDArray[np.int64]) -> NDArray[np.intp]:
        """Index of source + change for states in which that reaction is possible."""
        if len(self.weights) > 1:
            images = _linear(self.states[sources], self.weights) + _linear(change, self.weights)
            needles = (images & _MASK).min(axis=0)
        else:
            needles = (self.keys[sources] + _linear(change, self.weights)[0]) & _MASK
            if len(self) >= COMPILE_FROM:  # these needles are in order
                from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

                return sparse_rows.locate(self.keys, needles)
        found: NDArray[np.intp] = self.keys.searchsorted(needles)
        return found

    def orbit_sizes(self) -> NDArray[np.float64]:
        """How many states each entry stands for: group order / order of its stabiliser."""
        fixed = np.zeros(len(self))
        for weights in self.weights:
            fixed += _linear(self.states, weights[None])[0] == self.keys
        return len(self.weights) / fixed

    def point_mass(self) -> NDArray[np.float64]:
        """The distribution that is surely at the start."""
        mass = np.zeros(len(self))
        mass[self.start] = 1.0
        return mass


def explore(
    network: Network,
    start: NDArray[np.int64],
    *,
    max_states: int,
    permutations: Sequence[NDArray[np.intp]] = (),
    progress: Progress | None = None,
) -> Lattice:
    """All states reachable from `start`, breadth first; TooLargeError beyond `max_states`.

    `permutations`: a group (identity first) under which network and start are invariant; then
    one state per orbit is kept. `symmetry.fold` checks the invariance, this function does not.
    """
    start = np.asarray(start, dtype=np.int64)
    identity = np.arange(len(start))
    group = np.array(list(permutations) or [identity])  # (group, species)
    search = _Search(network, start, group)
    while len(search.level):
        found = search.expand(max_states)
        if progress is not None:
            progress(float(found), float(max_states), f"{found:,} states")
    return search.finish()


class _Search:
    """Breadth-first search in progress: `level` holds the states still to expand."""

    def __init__(self, network: Network, start: NDArray[np.int64], group: NDArray[np.intp]) -> None:
        self.network, self.changes = network, network.changes
        self.group, self.start = group, start
        self.pivots = _pivots(self.changes, range(len(start)))
        self.capacity = [2] * len(start)  # counts below this fit into the radix; grows
        small = max(start.max(initial=0), np.abs(self.changes).max(initial=0)) < 128
        self.level: NDArray[np.integer] = start[None].astype(np.uint8 if small else np.int64)
        self.levels = [self.level]
        self.count = 1
        self.moving = [r for r in range(len(self.changes)) if self.changes[r].any()]
        self.exact = True
        self._fit(self.level)

    def _fit(self, states: NDArray[np.integer]) -> None:
        """Weights under which `states` and their successors fit; known keys are computed anew."""
        top = self._reach(states)
        grown = [
            max(c, 2 * int(t)) if t >= c else c for c, t in zip(self.capacity, top, strict=True)
        ]
        self.capacity = [max(grown[i] for i in orbit) for orbit in self.group.T.tolist()]
        weights = self._radix(self.pivots)
        if weights is None:
            self.exact = False
            weights = np.random.default_rng(2**31 - 1).integers(
                1, 2**63, size=len(top), dtype=np.uint64
            )
        self._weigh(weights)
        known = [_linear(states, self.weights).min(axis=0) for states in self.levels]
        self.known = KeySet(np.concatenate(known))

    def _radix(self, pivots: list[int]) -> Keys | None:
        """Weights of a mixed radix, the first pivot's the least; None where 63 bits are too few."""
        radix, weights = 1, np.zeros(len(self.capacity), dtype=np.uint64)
        for i in pivots:
            weights[i] = np.uint64(radix % 2**63)
            radix *= self.capacity[i]
        return weights if radix < 2**63 else None

    def _weigh(self, weights: Keys) -> None:
        """Takes these weights for the keys of the identity, and so of every image."""
        self.weights = np.zeros((len(self.group), len(weights)), dtype=np.uint64)
        for g, order in enumerate(self.group):
            self.weights[g, order] = weights  # image i holds species order[i]
        self.shifts = _linear(self.changes, self.weights)  # (group, reactions)

    def _reach(self, states: NDArray[np.integer]) -> NDArray[np.int64]:
        """The largest counts one reaction away from `states`."""
        top: NDArray[np.int64] = states.max(axis=0).astype(np.int64)
        gain: NDArray[np.int64] = self.changes.max(axis=0, initial=0)
        return np.add(top, gain)

    def expand(self, max_states: int) -> int:
        """Replace `level` by the new states one reaction away from it."""
        parts = []
        for begin in range(0, len(self.level), _CHUNK):
            fresh = self._successors(self.level[begin : begin + _CHUNK])
            parts.append(fresh)
            self.count += len(fresh)
            if self.count > max_states:
                raise TooLargeError(
                    f"more than {max_states:,} states can be reached from the start. "
                    "Take a smaller team",
                    states=self.count,
                    larger=("max_states",),
                )
        self.level = np.concatenate(parts)
        if len(self.level):
            self.levels.append(self.level)
            if self.level.dtype == np.uint8 and self.level.max() > 127:
                self.level = self.level.astype(np.int64)
            if self.exact and (self._reach(self.level) >= self.capacity).any():
                self._fit(self.level)
        return self.count

    def _successors(self, states: NDArray[np.integer]) -> NDArray[np.integer]:
        images = _linear(states, self.weights)  # (group, chunk)
        sources, keys, reactions = [], [], []
        for r in self.moving:
            source = np.flatnonzero(fires(self.network, r, states))
            sources.append(source)
            keys.append(((images[:, source] + self.shifts[:, r, None]) & _MASK).min(axis=0))
            reactions.append(np.full(len(source), r))
        if not keys:
            return states[:0]
        first = self.known.insert(np.concatenate(keys))
        change = self.changes.astype(np.int8) if states.dtype == np.uint8 else self.changes
        rows = states[np.concatenate(sources)[first]] + change[np.concatenate(reactions)[first]]
        return self._representatives(rows.astype(states.dtype))

    def _representatives(self, rows: NDArray[np.integer]) -> NDArray[np.integer]:
        if len(self.group) == 1:
            return rows
        best = _linear(rows, self.weights).argmin(axis=0)
        return np.take_along_axis(rows, self.group[best], axis=1)

    def finish(self) -> Lattice:
        dtype = np.min_scalar_type(max(int(level.max(initial=0)) for level in self.levels))
        states = np.concatenate([level.astype(dtype) for level in self.levels])
        self.levels.clear()
        states = self._in_lines(states)
        keys = _linear(states, self.weights[:1])[0]
        order = np.argsort(keys)
        start = int(np.argmin(order))  # where the first state found went
        lattice = Lattice(states[order], keys[order], self.group, self.weights, start)
        if not self.exact:
            self._check_closed(lattice)
        return lattice

    def _in_lines(self, states: NDArray[Any]) -> NDArray[Any]:
        """Weights by which neighbours in a large lattice differ by one robot that left the start.

        What is empty at the start counts: then products go through eight states at a time, see
        `row_groups`.
        """
        if len(states) < COMPILE_FROM or not self.exact:
            return states
        late = np.argsort(self.start > 0, kind="stable").tolist()
        weights = self._radix(_pivots(self.changes, late))
        if weights is None:
            return states
        self._weigh(weights)
        return self._representatives(states)

    def _check_closed(self, lattice: Lattice) -> None:
        states = lattice.states.astype(np.int64)
        for r in self.moving:
            source = states[fires(self.network, r, states)]
            if len(source) and lattice.index_of(source + self.changes[r]).min() < 0:
                raise CoveyError(
                    "two states share a key (a chance of one in a million). "
                    "List the species in another order and try again."
                )


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


def _linear(states: NDArray[np.integer], weights: Keys) -> Keys:
    """Keys of every image of every state: (group, states), or (group, 1) for one state."""
    rows = np.atleast_2d(states)
    keys = np.zeros((len(weights), len(rows)), dtype=np.uint64)
    for i in np.flatnonzero(weights.any(axis=0)):
        column = rows[:, i].astype(np.int64).astype(np.uint64)  # negative changes wrap, as wanted
        keys += weights[:, i, None] * column
    return keys & _MASK


def _pivots(changes: NDArray[np.int64], order: Sequence[int]) -> list[int]:
    """Species whose counts determine the state within its stoichiometric class, early ones first.

    Elimination modulo a prime: independent columns there are independent over the rationals.
    Should the prime divide a minor (the float rank disagrees), all species serve as well.
    """
    prime = 2**31 - 1
    rows = np.unique(changes, axis=0).astype(object) % prime
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
