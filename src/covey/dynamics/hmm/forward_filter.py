"""The distribution of the state given all that was seen so far: one vector a snapshot.

With E(y) keeping the states that look like y (or, where what is reported is drawn from what is
there, each with the probability that it is reported as y),

    move on    p ← exp(Δ K) p
    look       P(y | what was seen before) = 1' E(y) p,      p ← E(y) p / P(y | …)

and the product of these is P(y_1, …, y_n), of which ln is kept. All numbers are positive: relative
errors add up, and what is below all accuracy is counted, relative to p. However long it goes on, no
more is kept than p, and exp(Δ K) for the few Δ that come again and again where states are few.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal

import numpy as np

from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.propagator import Propagator, propagator
from covey.dynamics.hmm.joint_distribution import Filter, transitions
from covey.numbers import LOST, SPACING, Floats, Ints

Reported = Callable[[Ints, Mapping[str, int]], Floats]
_Step = tuple[int, float]  # which generator, and for how long

_DENSE = 400  # states up to which exp(Δ K) is kept
_AGAIN = 3  # times that a Δ has to come for that
_KEPT = 4


class ForwardFilter:
    """What is known of the state of one team.

    Args:
        chain: The chain of the team, and which of its states look alike.
        stationary: Whether it has settled at first; else it is at its start, at the time 0.
        reported: For each of some observations, how probable it is that given counts are reported
            of it; by default what is there is reported.
    """

    def __init__(
        self, chain: Filter, *, stationary: bool, reported: Reported | None = None
    ) -> None:
        self.chain, self.reported = chain, reported
        first = chain.first_distribution(stationary)
        self.distribution = first.distribution  # (states,), adds up to one
        self.log_likelihood = 0.0  # ln P of all that was seen
        self.log_error = first.log_error
        self.lost = first.truncated_mass  # what the distribution has lost, as a share of it
        self._at_most = -math.inf  # ln P of all that was seen, where it was taken for impossible
        self.now = 0.0
        self._asked: dict[_Step, int] = {}
        self._moves: dict[_Step, Propagator | None] = {}

    def move(self, step: float) -> None:
        """On by a time.

        Args:
            step: Not negative.
        """
        for piece in self.chain.phases.pieces(self.now, self.now + step):
            self._move(*(piece if self.chain.phases.timetable else (piece[0], step)))
        self.now += step

    def _move(self, generator: Generator, step: float) -> None:
        if (known := self._matrix(generator, step)) is not None:
            with np.errstate(under="ignore"):
                self.distribution = self.distribution @ known.matrix
            error, lost = known.error + SPACING * len(self.distribution), float(known.lost)
        else:
            rows, error, each = transitions(generator, self.distribution[None], step)
            self.distribution, lost = rows[0], float(each[0])
        self.log_error += error
        self.lost += lost * LOST

    def log_chance(self, counts: Mapping[str, int]) -> float:
        """The logarithm of how probable these counts are now; −inf where no state shows them.

        Args:
            counts: Of sums that are seen; those that are left out may be anything.
        """
        chance = float(self.distribution @ self._showing(counts))
        return math.log(chance) if chance > 0 else -math.inf

    def see(self, counts: Mapping[str, int]) -> None:
        """Takes it for seen: only states that show it are left; possible or not.

        Args:
            counts: As for `log_chance`.
        """
        showing = self._showing(counts)
        log_chance = self.log_chance(counts)
        if log_chance == -math.inf:
            if self.lost > 0:
                self._at_most = self.log_likelihood + self.log_error + math.log(self.lost)
            self.log_likelihood = -math.inf
            return
        self.log_likelihood += log_chance
        self.lost /= math.exp(log_chance)
        with np.errstate(under="ignore"):
            self.distribution = self.distribution * showing
        self.distribution /= self.distribution.sum()
        # Of the sum, twice, of the division, of ln and of adding it up.
        self.log_error += SPACING * (2 * len(self.distribution) + 4 + abs(self.log_likelihood))

    @property
    def bounds(self) -> tuple[float, float]:
        """Between which logarithms P of all that was seen certainly lies."""
        if self.log_likelihood == -math.inf:
            return -math.inf, self._at_most
        low = self.log_likelihood - self.log_error
        return low, self.log_likelihood + self.log_error + math.log1p(self.lost)

    def _showing(self, counts: Mapping[str, int]) -> Floats:
        """How probable each state is to show these counts, 0 or 1 as a rule: (states,)."""
        if self.reported is not None:
            return self.reported(self.chain.observations, counts)[self.chain.look]
        columns = [self.chain.names.index(name) for name in counts]
        wanted = np.array(list(counts.values()), dtype=np.int64)
        alike = (self.chain.observations[:, columns] == wanted).all(axis=1)
        return np.asarray(alike[self.chain.look], dtype=float)

    def _matrix(self, generator: Generator, time: float) -> Propagator | None:
        """`exp(time K)`, where it is worth having."""
        if len(self.distribution) > _DENSE:
            return None
        step = id(generator), time
        if step not in self._moves:
            if len(self._asked) > 100 * _KEPT:  # steps that hardly ever come again
                self._asked.clear()
            self._asked[step] = self._asked.get(step, 0) + 1
            if self._asked[step] < _AGAIN:
                return None
            while len(self._moves) >= _KEPT:
                del self._moves[next(iter(self._moves))]
            self._moves[step] = propagator(generator, time)
        return self._moves[step]


def elapsed(before: float, now: float) -> float:
    """From one time to another, as they are written: from 0.2 to 0.3 it is 0.1.

    So even steps are equal numbers, whatever their times round to.
    """
    return float(Decimal(repr(now)) - Decimal(repr(before)))
