"""The chain of a network on a finite set of states, and what leaves the set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.propensity import propensity
from covey.errors import CoveyError
from covey.model.network import Network
from covey.numbers import Floats, Ints


@dataclass(frozen=True, eq=False)
class WindowChain:
    """States, each once, and the moves between them.

    A state is found by its key, a linear function of its counts modulo 2^64: a mixed radix in which
    the states, and those one move away, have keys of their own; or, where that takes more than 63
    bits, one by chance, and then rows are compared as well.
    """

    network: Network
    states: Ints  # (states, species), in the order of their keys
    keys: NDArray[np.uint64]  # (states,)
    weights: NDArray[np.uint64]  # (species,)
    exact: bool  # whether equal keys are equal states

    @classmethod
    def of(cls, network: Network, states: Ints) -> WindowChain:
        """The chain on these states, in an order of its own."""
        sizes = states.max(axis=0).astype(object) - states.min(axis=0) + 1
        moves = np.abs(network.changes).max(axis=0)
        weights, radix = [], 1
        for size, move in zip(sizes.tolist(), moves.tolist(), strict=True):
            weights.append(radix % 2**63)
            radix *= size + 2 * move
        exact = radix < 2**63
        if not exact:
            draw = np.random.default_rng(0).integers(1, 2**63, len(sizes), dtype=np.uint64)
            weights = draw.tolist()
        keys = _keys(states, np.array(weights, dtype=np.uint64))
        order = np.argsort(keys, kind="stable")
        if not (keys[order[1:]] > keys[order[:-1]]).all():
            raise CoveyError(
                "two states share a key (a chance of one in a million). List the species in "
                "another order and try again."
            )
        used = np.array(weights, dtype=np.uint64)
        return cls(network, np.ascontiguousarray(states[order]), keys[order], used, exact)

    def __len__(self) -> int:
        return len(self.states)

    def find(self, rows: Ints) -> NDArray[np.int64]:
        """The number of each row's state; -1 for those outside."""
        keys = _keys(rows, self.weights)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self) - 1)
        same = self.keys[place] == keys
        if not self.exact:
            same[same] = (self.states[place[same]] == rows[same]).all(axis=1)
        return np.where(same, place, -1)

    def number(self, state: Ints) -> int:
        """The number of one state; -1 where it is outside."""
        return int(self.find(state[None])[0])

    @cached_property
    def _moves(self) -> list[tuple[Ints, Floats, NDArray[np.int32], NDArray[np.int32]]]:
        """For each distinct change: the change, where it happens, how fast, and where it leads."""
        changes, which = np.unique(self.network.changes, axis=0, return_inverse=True)
        columns = np.ascontiguousarray(self.states.T)
        moves = []
        for g, change in enumerate(changes):
            if not change.any():
                continue
            rates = np.zeros(len(self))
            for r in np.flatnonzero(which.ravel() == g).tolist():
                rates += propensity(self.network, r, columns)
            sources = np.flatnonzero(rates).astype(np.int32)
            targets = self.find(self.states[sources] + change).astype(np.int32)
            moves.append((change, rates[sources], sources, targets))
        return moves

    @cached_property
    def exits(self) -> Floats:
        """The rate at which each state is left, for inside or outside: (states,)."""
        exits = np.zeros(len(self))
        for _, rates, sources, _ in self._moves:
            exits[sources] += rates
        return exits

    @property
    def terms(self) -> int:
        """How many numbers are added up for one state at the most, and roundings of a rate."""
        order = int(self.network.reactants.sum(axis=1).max())
        return len(self.network.reactions) + order + 4

    def outflow(self, price: Callable[[Ints], Floats]) -> Floats:
        """Sum over moves to states y outside of rate times price(y): (states,)."""
        total = np.zeros(len(self))
        for change, rates, sources, targets in self._moves:
            out = np.flatnonzero(targets < 0)
            if len(out):
                total[sources[out]] += rates[out] * price(self.states[sources[out]] + change)
        return total

    def forward(self, origin: int) -> Generator:
        """The chain in which whoever would leave the set is put back to the origin."""
        leaving = self.outflow(lambda rows: np.ones(len(rows)))
        leaving[origin] = 0.0  # from there to there
        sources = [s[t >= 0] for _, _, s, t in self._moves]
        targets = [t[t >= 0] for _, _, _, t in self._moves]
        rates = [r[t >= 0] for _, r, _, t in self._moves]
        out = np.flatnonzero(leaving)
        rows = np.concatenate([*targets, np.full(len(out), origin)])
        columns, values = np.concatenate([*sources, out]), np.concatenate([*rates, leaving[out]])
        exits = np.bincount(columns, values, len(self)).astype(np.float64)
        return _stored(rows, columns, values, exits)

    def leading_to(self, origin: int) -> NDArray[np.bool_]:
        """Which states lead to the origin by moves inside the set: (states,)."""
        from scipy.sparse.csgraph import breadth_first_order  # noqa: PLC0415

        moves = self.backward(origin).moves()  # from row to column
        reached = breadth_first_order(moves.T.tocsr(), origin, return_predecessors=False)
        leads = np.zeros(len(self), dtype=np.bool_)
        leads[reached] = True
        return leads

    def backward(self, origin: int) -> Generator:
        """Moves by where they come from, none from the origin: for functions of the state."""
        kept = [(t >= 0) & (s != origin) for _, _, s, t in self._moves]
        rows = np.concatenate([m[2][k] for m, k in zip(self._moves, kept, strict=True)])
        columns = np.concatenate([m[3][k] for m, k in zip(self._moves, kept, strict=True)])
        values = np.concatenate([m[1][k] for m, k in zip(self._moves, kept, strict=True)])
        exits = np.where(self.exits > 0, self.exits, 1.0)
        return _stored(rows, columns, values, exits)


def _keys(rows: Ints, weights: NDArray[np.uint64]) -> NDArray[np.uint64]:
    keys = np.zeros(len(rows), dtype=np.uint64)
    for i in np.flatnonzero(weights).tolist():
        keys += rows[:, i].astype(np.uint64) * weights[i]  # wraps around, as it should
    return keys


def _stored(
    rows: NDArray[np.integer], columns: NDArray[np.integer], values: Floats, exits: Floats
) -> Generator:
    """A generator whose row i holds the numbers of `columns` and `values` where rows = i."""
    order = np.argsort(rows, kind="stable")
    indptr = np.zeros(len(exits) + 1, dtype=np.uint64)
    np.cumsum(np.bincount(rows, minlength=len(exits)), out=indptr[1:])
    return Generator(indptr, columns[order].astype(np.uint32), values[order], exits)
