"""The reachable states of a network, found breadth first and numbered (see `state_index`).

The radix of the keys grows with the counts seen. Where it does not fit into 63 bits the weights are
random; the closure of the set is then checked row by row, which detects every collision (a state
that was merged away is some state's successor whose row would not match).

In a large lattice the radix is chosen in the end such that neighbours in order differ by one robot,
which products profit from (see `row_groups`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.propensity import fires
from covey.dynamics.state_space.state_index import (
    COMPILE_FROM,
    MASK,
    Keys,
    KeySet,
    StateIndex,
    independent_species,
    linear_keys,
    mixed_radix,
    random_weights,
    shared_key,
)
from covey.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from covey.dynamics.validation import Progress
    from covey.model.network import Network

    Mask = Callable[[NDArray[Any]], NDArray[np.bool_]]

_CHUNK = 1 << 16  # states expanded at once: bounds the memory of the candidates


@dataclass(frozen=True, eq=False)
class Lattice(StateIndex):
    """Reachable states (or orbits of them): no change leads out of them."""

    start: int = 0  # index of the start state

    def point_mass(self) -> NDArray[np.float64]:
        """The distribution that is surely at the start."""
        mass = np.zeros(len(self))
        mass[self.start] = 1.0
        return mass


class Frontier:
    """The keys of states that are known, and what lies one reaction beyond them.

    Args:
        network: Whose reactions lead on.
        weights: Of the keys, (group, species).
        known: States that are known at first.
    """

    def __init__(
        self, network: Network, weights: Keys, known: Sequence[NDArray[np.integer]]
    ) -> None:
        self.network, self.changes, self.weights = network, network.changes, weights
        self._shifts = linear_keys(self.changes, weights)  # (group, reactions)
        self._moving = np.flatnonzero(self.changes.any(axis=1)).tolist()
        keys = [linear_keys(states, weights).min(axis=0) for states in known]
        self._known = KeySet(np.concatenate(keys))

    def beyond(self, states: NDArray[Any]) -> NDArray[Any]:
        """Where reactions lead from these states, each new one once; from now on it is known.

        Should two states share a key, one is left out.
        """
        images = linear_keys(states, self.weights)  # (group, states)
        sources, keys, reactions = [], [], []
        for r in self._moving:
            source = np.flatnonzero(fires(self.network, r, states))
            sources.append(source)
            keys.append(((images[:, source] + self._shifts[:, r, None]) & MASK).min(axis=0))
            reactions.append(np.full(len(source), r))
        if not keys:
            return states[:0]
        first = self._known.insert(np.concatenate(keys))
        change = self.changes.astype(np.int8) if states.dtype == np.uint8 else self.changes
        rows = states[np.concatenate(sources)[first]] + change[np.concatenate(reactions)[first]]
        return np.asarray(rows, dtype=states.dtype)


def explore(
    network: Network,
    start: NDArray[np.int64],
    *,
    max_states: int,
    permutations: Sequence[NDArray[np.intp]] = (),
    ends: Mask | None = None,
    progress: Progress | None = None,
) -> Lattice:
    """All states reachable from `start`, breadth first; TooLargeError beyond `max_states`.

    `permutations`: a group (identity first) under which network and start are invariant; then
    one state per orbit is kept. `symmetry.fold` checks the invariance, this function does not.
    `ends`: states at which the search ends; they are left out, and so is what only they lead to.
    """
    start = np.asarray(start, dtype=np.int64)
    identity = np.arange(len(start))
    group = np.array(list(permutations) or [identity])  # (group, species)
    search = _Search(network, start, group, ends)
    while len(search.level):
        found = search.expand(max_states)
        if progress is not None:
            progress(float(found), float(max_states), f"{found:,} states")
    return search.finish()


def lattice_of(network: Network, states: Sequence[Sequence[int]]) -> Lattice:
    """The same of states that are known already, the start first."""
    rows = np.array(states, dtype=np.int64)
    search = _Search(network, rows[0], np.arange(rows.shape[1])[None])
    search.levels = [rows]
    search.fit(rows)
    return search.finish()


class _Search:
    """Breadth-first search in progress: `level` holds the states still to expand."""

    def __init__(
        self,
        network: Network,
        start: NDArray[np.int64],
        group: NDArray[np.intp],
        ends: Mask | None = None,
    ) -> None:
        self.network, self.changes = network, network.changes
        self.group, self.start, self.ends = group, start, ends
        self.pivots = independent_species(self.changes, range(len(start)))
        self.capacity = [2] * len(start)  # counts below this fit into the radix; grows
        small = max(start.max(initial=0), np.abs(self.changes).max(initial=0)) < 128
        self.level: NDArray[np.integer] = start[None].astype(np.uint8 if small else np.int64)
        self.levels = [self.level]
        self.count = 1
        self.exact = True
        self.fit(self.level)

    def fit(self, states: NDArray[np.integer]) -> None:
        """Weights under which `states` and their successors fit; known keys are computed anew."""
        top = self._reach(states)
        grown = [
            max(c, 2 * int(t)) if t >= c else c for c, t in zip(self.capacity, top, strict=True)
        ]
        self.capacity = [max(grown[i] for i in orbit) for orbit in self.group.T.tolist()]
        weights = mixed_radix(self.capacity, self.pivots)
        if weights is None:
            self.exact = False
            weights = random_weights(len(top))
        self._weigh(weights)
        self.__dict__.pop("frontier", None)

    @cached_property
    def frontier(self) -> Frontier:
        """What is known so far, by the present weights."""
        return Frontier(self.network, self.weights, self.levels)

    def _weigh(self, weights: Keys) -> None:
        """Takes these weights for the keys of the identity, and so of every image."""
        self.weights = np.zeros((len(self.group), len(weights)), dtype=np.uint64)
        for g, order in enumerate(self.group):
            self.weights[g, order] = weights  # image i holds species order[i]

    def _reach(self, states: NDArray[np.integer]) -> NDArray[np.int64]:
        """The largest counts one reaction away from `states`."""
        top: NDArray[np.int64] = states.max(axis=0).astype(np.int64)
        gain: NDArray[np.int64] = self.changes.max(axis=0, initial=0)
        return np.add(top, gain)

    def expand(self, max_states: int) -> int:
        """Replace `level` by the new states one reaction away from it."""
        parts = []
        for begin in range(0, len(self.level), _CHUNK):
            fresh = self.frontier.beyond(self.level[begin : begin + _CHUNK])
            fresh = fresh if self.ends is None else fresh[~self.ends(fresh)]
            parts.append(self._representatives(fresh))
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
                self.fit(self.level)
        return self.count

    def _representatives(self, rows: NDArray[np.integer]) -> NDArray[np.integer]:
        if len(self.group) == 1:
            return rows
        best = linear_keys(rows, self.weights).argmin(axis=0)
        return np.take_along_axis(rows, self.group[best], axis=1)

    def finish(self) -> Lattice:
        dtype = np.min_scalar_type(max(int(level.max(initial=0)) for level in self.levels))
        states = np.concatenate([level.astype(dtype) for level in self.levels])
        self.levels.clear()
        states = self._in_lines(states)
        keys = linear_keys(states, self.weights[:1])[0]
        order = np.argsort(keys)
        start = int(np.argmin(order))  # where the first state found went
        lattice = Lattice(states[order], keys[order], self.group, self.weights, start=start)
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
        weights = mixed_radix(self.capacity, independent_species(self.changes, late))
        if weights is None:
            return states
        self._weigh(weights)
        return self._representatives(states)

    def _check_closed(self, lattice: Lattice) -> None:
        states = lattice.states.astype(np.int64)
        for r in np.flatnonzero(self.changes.any(axis=1)).tolist():
            beyond = states[fires(self.network, r, states)] + self.changes[r]
            if self.ends is not None:
                beyond = beyond[~self.ends(beyond)]
            if len(beyond) and lattice.index_of(beyond).min() < 0:
                raise shared_key()
