"""Random small chains whose runs are counted by plain loops: the exact total variation of two."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np

from covey import CountLog, CountRun
from covey.numbers import Floats


class Chain:
    """A Markov chain of one count, looked at a few times."""

    def __init__(self, first: Floats, moves: Floats, looks: int) -> None:
        self.first, self.moves, self.looks = first, moves, looks

    def probability(self, path: tuple[int, ...]) -> float:
        found = float(self.first[path[0]])
        for one, other in pairwise(path):
            found *= float(self.moves[one, other])
        return found

    def log(self, runs: int, random: np.random.Generator, name: str = "log") -> CountLog:
        times = np.arange(self.looks, dtype=float)
        found = []
        for number in range(runs):
            path = [random.choice(len(self.first), p=self.first)]
            for _ in range(self.looks - 1):
                path.append(random.choice(len(self.first), p=self.moves[path[-1]]))
            found.append(CountRun(f"run {number}", times, np.array(path, dtype=float)[:, None]))
        return CountLog(name, ("busy",), tuple(found))


def random_chain(random: np.random.Generator, states: int, looks: int) -> Chain:
    first = random.dirichlet(np.ones(states))
    return Chain(first, random.dirichlet(0.7 * np.ones(states), states), looks)


def between(one: Chain, other: Chain, share: float) -> Chain:
    """A chain that is nearer to the first the smaller the share is."""
    return Chain(
        (1 - share) * one.first + share * other.first,
        (1 - share) * one.moves + share * other.moves,
        one.looks,
    )


def bayes_success(one: Chain, other: Chain) -> float:
    """Exactly, over all paths: (1 + TV) / 2."""
    paths = product(range(len(one.first)), repeat=one.looks)
    return 0.5 + 0.25 * sum(abs(one.probability(p) - other.probability(p)) for p in paths)
