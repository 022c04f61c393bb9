"""Chains by plain loops: every state listed, every sequence of snapshots summed over."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
from scipy.linalg import expm, null_space

from covey import Scenario
from covey.numbers import Floats

Seen = tuple[int, ...]


class PlainChain:
    """The chain of a scenario, its states found one by one, its generator by falling factorials."""

    def __init__(self, scenario: Scenario) -> None:
        network = scenario.network
        self.species = [str(one) for one in network.species]
        self.states: list[Seen] = [tuple(int(n) for n in scenario.start)]
        rates: dict[tuple[int, int], float] = {}
        for state in self.states:  # it grows while it is read
            for needed, gained, rate in zip(
                network.reactants.tolist(),
                network.changes.tolist(),
                network.rate_constants.tolist(),
                strict=True,
            ):
                if any(n < k for n, k in zip(state, needed, strict=True)):
                    continue
                speed = rate * prod(
                    prod(range(n - k + 1, n + 1)) for n, k in zip(state, needed, strict=True)
                )
                after = tuple(n + k for n, k in zip(state, gained, strict=True))
                if after not in self.states:
                    self.states.append(after)
                pair = self.states.index(state), self.states.index(after)
                if pair[0] != pair[1]:
                    rates[pair] = rates.get(pair, 0.0) + speed
        self.generator = np.zeros((len(self.states), len(self.states)))  # from row to column
        for (source, target), speed in rates.items():
            self.generator[source, target] += speed
            self.generator[source, source] -= speed
        sums = [
            {str(species): weight for species, weight in one.terms}
            for one in scenario.query.sums.values()
        ]
        self.shows: list[Seen] = [
            tuple(
                sum(one.get(s, 0) * n for n, s in zip(state, self.species, strict=True))
                for one in sums
            )
            for state in self.states
        ]

    def first(self, at: float | str) -> Floats:
        """The distribution of the state at a moment."""
        if at == "steady":
            rest = null_space(self.generator.T)[:, 0]
            return np.asarray(rest / rest.sum())
        return np.asarray(expm(self.generator * at)[0])

    def sequences(self, at: float | str, every: float, count: int) -> dict[tuple[Seen, ...], float]:
        """The probability of every sequence of snapshots."""
        move = expm(self.generator * every)
        first = self.first(at)
        found = {}
        for sequence in product(sorted(set(self.shows)), repeat=count):
            now = first
            for i, seen in enumerate(sequence):
                now = (now @ move if i else now) * [shown == seen for shown in self.shows]
            found[sequence] = float(now.sum())
        return found
