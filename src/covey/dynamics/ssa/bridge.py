"""The path of a Markov chain between two states that are known, drawn from its distribution.

A chain uniformised at the rate q jumps N times in a span T, N being Poisson of mean qT; with P its
jump matrix and e_b the end, all that is needed is h_n = P^n e_b:

    P(N = n | a at 0, b at T)  ∝  e^-qT (qT)^n / n! · h_n(a),
    P(next is y | at x, m jumps to go)  =  P(y | x) h_(m-1)(y) / h_m(x),

and the times of the jumps are those of N uniform numbers, in order [1]. Jumps that stay are left
out. Nothing is approximated but the last of N: those above are left out once they have less than
1e-15 of the probability of the two ends together.

[1] Hobolth, Stone, Simulation from endpoint-conditioned, continuous-time Markov chains, Ann. Appl.
    Stat. 3 (2009), section 2.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from covey.errors import TooLargeError
from covey.numbers import Floats, Ints

MOST_CELLS = 20_000_000  # states by jumps: 160 MB
_LEFT_OUT = 1e-15


@dataclass(frozen=True, eq=False)
class Bridges:
    """The bridges of one chain.

    Args:
        rates: How fast each reaction is in each state: (states, reactions).
        into: The state that it leads to: (states, reactions).
    """

    rates: Floats
    into: Ints

    def path(
        self, ends: tuple[int, int], span: float, random: Callable[[], float]
    ) -> list[tuple[float, int]] | None:
        """What happens between two states: the times from the first on, and the reactions.

        None where the second cannot be reached.

        Args:
            ends: Both states, by their numbers.
            span: The time from the one to the other.
            random: Gives a number strictly between 0 and 1.
        """
        here, end = ends
        exits = self.rates.sum(axis=1)
        rate = float(exits.max(initial=0.0)) or 1.0
        ahead, chances = self._ahead(end, here, rate, rate * span)
        if not chances.any():
            return None
        jumps = _drawn(chances, random())
        times = sorted(span * random() for _ in range(jumps))
        path = []
        for done, time in enumerate(times):
            after = ahead[jumps - done - 1]
            moves = self.rates[here] * after[self.into[here]]
            stays = (rate - exits[here]) * after[here]
            chosen = _drawn(np.append(moves, stays), random())
            if chosen < len(moves):
                path.append((time, chosen))
                here = int(self.into[here, chosen])
        return path

    def _ahead(self, end: int, here: int, rate: float, mean: float) -> tuple[list[Floats], Floats]:
        """The h_n, and how likely each number of jumps is, up to a factor."""
        states = len(self.rates)
        exits = self.rates.sum(axis=1)
        value = np.zeros(states)
        value[end] = 1.0
        top = -mean if here == end else -math.inf
        ahead, logs = [value], [top]
        while not self._enough(len(ahead), top, mean):
            if states * len(ahead) > MOST_CELLS:
                raise TooLargeError(
                    f"more than {MOST_CELLS // states:,} jumps between two states of {states:,}"
                )
            step = (self.rates * value[self.into]).sum(axis=1)
            value = (step + (rate - exits) * value) / rate
            n = len(ahead)
            ahead.append(value)
            chance = value[here]
            weight = n * math.log(mean) - math.lgamma(n + 1) - mean if mean > 0 else -math.inf
            logs.append(weight + math.log(chance) if chance > 0 else -math.inf)
            top = max(top, logs[-1])
        return ahead, np.exp(np.array(logs) - top) if top > -math.inf else np.zeros(len(logs))

    def _enough(self, n: int, top: float, mean: float) -> bool:
        """Whether what more jumps would add is nothing, or the end is out of reach.

        `top` is the logarithm of the likeliest number of jumps so far.
        """
        if mean == 0 or (top == -math.inf and n > len(self.rates)):
            return True
        if n <= mean or top == -math.inf:
            return False
        tail = n * math.log(mean) - math.lgamma(n + 1) - mean - math.log1p(-mean / (n + 1))
        return tail <= top + math.log(_LEFT_OUT)


def _drawn(weights: Floats, random: float) -> int:
    """The number of one of them, by their weights."""
    upto = np.cumsum(weights)
    found = int(np.searchsorted(upto, random * upto[-1], side="right"))
    return min(found, int(np.flatnonzero(weights)[-1]))
