"""Ways to publish a stream, and the search for the cheapest that keeps to a target.

Candidates are so many publications in the span, 1, 2, 4, …, and for each the tables that cost
least for one snapshot at some ε, drawn from anew each time, or with the last value held as long as
the truth is within a step of it, or two. For each number and memory the largest ε is looked for
whose stream keeps to the target: a laxer table tells more, all but always. What could not cost less
than what was found so far is not looked at. The answer is the best of these, and not of everything
that could be done.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from covey.errors import InputError
from covey.numbers import distinct_rows
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.remedy.mechanism.losses import Loss, losses_of
from covey.remedy.mechanism.mechanism import Mechanism
from covey.remedy.mechanism.problem import Task
from covey.remedy.mechanism.protect import protected
from covey.remedy.mechanism.staleness import Staleness

_EPSILONS = (5.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
_REFINED = 3  # times that the last step in ε is halved, as a factor
_STEPS = (1, 2)  # that the truth may be away from a value that is held


class Tried(NamedTuple):
    """One way to publish a stream, and what was found of it.

    Attributes:
        every: The time from one publication to the next.
        epsilon: That of its table, for one snapshot.
        loss: What its reader loses.
        guess: How often an observer is right in the end, at most.
        hold: The last value is published again while the truth is off it by fewer robots.
    """

    every: float
    epsilon: float
    loss: float
    guess: float
    hold: int = 0


class Way(NamedTuple):
    """So many publications in the span, through a table for one snapshot at an ε, with a memory."""

    times: int
    epsilon: float
    hold: int


class StreamSearch:
    """The ways to publish, with their tables and what they cost."""

    def __init__(
        self, distributions: TeamDistributions, stale: Staleness, span: float, loss: Loss
    ) -> None:
        self.distributions, self.stale, self.span, self._loss = distributions, stale, span, loss
        self.tried: list[Tried] = []
        every = [distribution.outcomes for _, *pair in distributions.pairs for distribution in pair]
        self.outcomes, _ = distinct_rows(np.concatenate(every))
        self._tables: dict[tuple[int, float], Mechanism] = {}
        self._aged: dict[int, Loss] = {}

    @property
    def holds(self) -> list[int]:
        """No memory, and values that are held while the truth is so many steps away at most."""
        away = losses_of("l1", self.stale.names, self.outcomes, self.outcomes)
        step = int(away[away > 0].min(initial=math.inf)) if (away > 0).any() else 0
        return [0, *(step * k + 1 for k in _STEPS if step)]

    def was_tried(self, way: Way) -> bool:
        """Whether its stream was judged."""
        looked_at = (self.span / way.times, way.epsilon, way.hold)
        return any((one.every, one.epsilon, one.hold) == looked_at for one in self.tried)

    def table(self, way: Way) -> Mechanism:
        """The table that costs least where its values age for span / count, with the memory."""
        count, epsilon, hold = way
        if count not in self._aged:
            self._aged[count] = self.stale.aged(self._loss, self.span / count, self.outcomes)
        if (count, epsilon) not in self._tables:
            self._tables[count, epsilon] = protected(
                Task((self.distributions,), epsilon, loss=self._aged[count])
            )
        found = self._tables[count, epsilon]
        return replace(found, release=replace(found.release, hold=hold)) if hold else found

    def loss(self, way: Way) -> float:
        """What its reader loses."""
        found, every = self.table(way), self.span / way.times
        if not way.hold:
            return found.loss
        return self.stale.cost(self._loss, every, found.release, way.times)

    def cheapest(self, counts: list[int], keeps: Callable[[Way], bool]) -> Way:
        """Of all that keeps to the target, what costs least."""
        best, least = None, math.inf
        for hold in self.holds:
            for count in reversed(counts):
                way = Way(count, _EPSILONS[0], hold)
                if self.loss(way) >= least:
                    break  # fewer publications age more, through any table
                found = self._laxest(way, keeps, least)
                if found is not None and self.loss(found) < least:
                    best, least = found, self.loss(found)
        if best is None:
            raise InputError(
                "nothing of what was tried keeps to the target: allow more, or publish nothing",
                key="guess",
            )
        return best

    def _laxest(self, way: Way, keeps: Callable[[Way], bool], least: float) -> Way | None:
        """The same with the largest ε that keeps to the target, on the grid and then between.

        Only tables that lose less than `least` are looked at: None where none of them keeps to it.
        """
        ways = [way._replace(epsilon=epsilon) for epsilon in _EPSILONS]
        lax = bisect_left(ways, True, key=lambda one: self.loss(one) >= least)  # how many do
        holds = lax - 1
        if not keeps(ways[holds]):
            return None
        fails = -1
        while holds - fails > 1:
            middle = (fails + holds) // 2
            fails, holds = (fails, middle) if keeps(ways[middle]) else (middle, holds)
        low, high = _EPSILONS[holds], _EPSILONS[max(fails, 0)]
        for _ in range(_REFINED if fails >= 0 else 0):
            between = way._replace(epsilon=math.sqrt(low * high))
            low, high = (between.epsilon, high) if keeps(between) else (low, between.epsilon)
        return way._replace(epsilon=low)
