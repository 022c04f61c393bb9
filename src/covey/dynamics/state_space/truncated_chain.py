"""The chain of a network on some states of one stoichiometric class, and what leaves it.

K holds the moves between the states; its exits are those of the whole network. Two rules say what
becomes of whoever leaves:

    it is lost                 `below`: what stays is a lower bound, as finite state projection
                               needs it
    it is put back at once     `returning`: to one state, so that the chain has a stationary
                               distribution of its own

For the first the rates are rounded so that the chain lies below the exact one whichever way they
were computed: moves between the states down, exit rates up, by as many units in the last place as
operations made them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.generator import Generator, Transitions
from covey.dynamics.ctmc.propensity import check_exits
from covey.dynamics.ctmc.rate_law_rounding import rate_law_roundings
from covey.dynamics.ctmc.transitions import transitions
from covey.dynamics.state_space.state_index import StateIndex
from covey.model.network import Network
from covey.numbers import UNIT, Floats, Ints


@dataclass(frozen=True, eq=False)
class TruncatedChain:
    """Some states, the moves between them, and those that lead elsewhere.

    Attributes:
        network: Whose chain it is.
        index: The states, in the order of their keys.
        generator: The moves between them; exit rates count those that lead elsewhere, too.
        outside: For each change: the change, from which states it leads elsewhere, and how fast.
    """

    network: Network
    index: StateIndex
    generator: Generator
    outside: tuple[tuple[Ints, NDArray[np.integer], Floats], ...]

    @classmethod
    @np.errstate(over="ignore", invalid="ignore")  # refused by check_exits
    def of(cls, network: Network, states: Ints) -> TruncatedChain:
        """The chain on these states, each given once, in an order of its own."""
        index = StateIndex.of(states, network.changes)
        exits, carried = np.zeros(len(index)), np.zeros(len(index))
        parts, outside = [], []
        for change, found in transitions(network, index):
            sources, targets, rates = found
            # The exact sum is exits + carried: what rounding takes from one goes to the other.
            before = exits[sources]
            total = before + rates
            shifted = total - before
            carried[sources] += (before - (total - shifted)) + (rates - shifted)
            exits[sources] = total
            inside = targets >= 0
            parts.append(found.where(inside))
            outside.append((change, sources[~inside], rates[~inside]))
        exits += carried
        check_exits(exits)
        generator = Generator.from_transitions(parts, exits)
        return cls(network, index, generator, tuple(outside))

    def __len__(self) -> int:
        return len(self.index)

    @property
    def states(self) -> NDArray[Any]:
        """In the order of their keys: (states, species)."""
        return self.index.states

    @cached_property
    def rate(self) -> float:
        """The largest rate at which a state is left."""
        return float(self.generator.exits.max(initial=0.0))

    @cached_property
    def roundings(self) -> int:
        """How many relative roundings a rate has, at the most."""
        # A rate is a product of a constant and counts, and parallel ones are added up.
        orders = int(self.network.reactants.sum(axis=1).max(initial=0))
        orders = max(orders, rate_law_roundings(self.network, self.states.T))
        changes = self.network.changes
        _, parallel = np.unique(changes[changes.any(axis=1)], axis=0, return_counts=True)
        return orders + int(parallel.max(initial=1))

    @property
    def noise(self) -> float:
        """By which part of a rate the chain `below` loses mass to rounding."""
        return (2 * self.roundings + 8) * UNIT

    @cached_property
    def leaving(self) -> Floats:
        """The rate at which each state is left for elsewhere: (states,)."""
        return self.outflow(lambda rows: np.ones(len(rows)))

    def outflow(self, price: Callable[[Ints], Floats]) -> Floats:
        """Sum over moves to states y elsewhere of rate times price(y): (states,)."""
        total = np.zeros(len(self))
        for change, sources, rates in self.outside:
            if len(sources):
                total[sources] += rates * price(self.states[sources] + change)
        return total

    def below(self) -> TruncatedChain:
        """The same chain, rounded so that it lies below the exact one: whoever leaves is lost."""
        K, down, up = self.generator, self.roundings + 2, self.roundings + 4
        stored, exits = K.stored * (1 - down * UNIT), K.exits * (1 + up * UNIT)
        return replace(self, generator=replace(K, stored=stored, exits=exits))

    def returning(self, origin: int) -> Generator:
        """The chain in which whoever would leave is put back to the origin."""
        K, leaving = self.generator, self.leaving.copy()
        leaving[origin] = 0.0  # from there to there
        out = np.flatnonzero(leaving)
        parts = [
            Transitions(K.indices, K.targets, K.rates),
            Transitions(out, np.full(len(out), origin), leaving[out]),
        ]
        exits = np.bincount(K.indices, K.rates, len(self)) + leaving
        return Generator.from_transitions(parts, exits)

    def backward(self, origin: int) -> Generator:
        """Moves by where they come from, none from the origin: for functions of the state."""
        K = self.generator
        kept = K.indices != origin
        part = Transitions(K.targets[kept], K.indices[kept], K.rates[kept])
        return Generator.from_transitions([part], np.where(K.exits > 0, K.exits, 1.0))

    def take(self, states: Ints, values: Floats) -> Floats:
        """Values of some states, all of them here, on all of them; 0 elsewhere: (states,)."""
        taken = np.zeros(len(self))
        taken[self.index.index_of(states)] = values
        return taken
