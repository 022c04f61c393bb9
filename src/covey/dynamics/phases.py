"""The chains of one start in every phase of a timetable, and how the team goes on through them.

Within a phase the rates are constant, and all phases have the same states, so that

    p(t) = exp(K_m d_m) ⋯ exp(K_1 d_1) p(0),

d_i the time spent in each phase up to t. All numbers are positive, so relative errors add up. At
constant rates there is one phase, and it never ends.

A timetable that repeats has no steady state but a periodic one: P = exp(K_m d_m) ⋯ exp(K_1 d_1) of
a whole period is a Markov chain in discrete time, and p = P p is the distribution at the beginning
of a period, long after the start. With the entries of P each known to a factor e^d, every p(x) is
known to e^(2 (n − 1) d) and what elimination adds (`stationary.elimination`: p(x) is a sum of
products of n − 1 of them over a sum of such).
"""

from __future__ import annotations

import math

import numpy as np

from covey.dynamics.chain import Chain
from covey.dynamics.ctmc.generator import Generator, Transitions
from covey.dynamics.ctmc.propagator import MAX_STATES, propagator
from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.prepared_network import PreparedNetwork
from covey.dynamics.stationary.communicating_classes import closed_classes
from covey.dynamics.stationary.elimination import DENSE, dense_error, eliminate
from covey.dynamics.validation import Progress
from covey.errors import UnsupportedError
from covey.numbers import LEAST, LOST, UNIT, Floats, Ints

MOST_PERIODIC = min(MAX_STATES, DENSE)  # states: a matrix of a whole period, eliminated


class PhaseChains:
    """The distribution of a team's state, on its way from phase to phase.

    Args:
        prepared: Of the network with its timetable.
        start: How many there are of each species at time 0.
        progress: Called as progress(done, total, text) while the work goes on.
    """

    def __init__(
        self, prepared: PreparedNetwork, start: Ints, progress: Progress | None = None
    ) -> None:
        self.network, self.progress = prepared.network, progress
        self.timetable = self.network.timetable
        self.chains: list[Chain] = [one.chain(start, progress=progress) for one in prepared.phases]
        self.chain = self.chains[-1]
        states = self.chain.lattice.states
        if any(not np.array_equal(one.lattice.states, states) for one in self.chains):
            raise UnsupportedError(
                "a rate law is 0 in some phases where it is not in others, so that other states "
                "can be reached: give it rates that leave it above 0"
            )
        self._now, self._distribution, self._error = 0.0, self.chain.start, 0.0

    def pieces(self, begin: float, end: float) -> list[tuple[Generator, float]]:
        """The generators of a span, each with how long it holds; none of an empty span."""
        spans = self.timetable.segments(begin, end)
        return [(self.chains[phase].generator, duration) for phase, duration in spans]

    def at(self, time: float) -> tuple[Floats, float]:
        """The distribution at a time, not before the last that was asked for; its error in ln p."""
        for generator, duration in self.pieces(self._now, time):
            found = transient(generator, self._distribution, [duration], progress=self.progress)
            self._distribution = found.probabilities[0]
            self._error += float(found.log_error[0])
        self._now = time
        return self._distribution, self._error

    def step(
        self, begin: float, end: float, *, whole_rows: bool = False, cores: int | None = None
    ) -> tuple[Floats, float]:
        """From every state, the distribution a while later, and its error.

        That of every entry in ln p, or of whole rows in total variation.
        """
        matrix, error = np.eye(len(self.chain.lattice)), 0.0
        for i, (generator, duration) in enumerate(self.pieces(begin, end)):
            found = propagator(
                generator, duration, whole_rows=whole_rows, cores=cores, progress=self.progress
            )
            if found is None:
                raise UnsupportedError(
                    f"a step of {duration:.3g} has some "
                    f"{float(generator.exits.max()) * duration:.0e} events, more than can be "
                    "followed. Look more often, or leave out what is fastest or slowest"
                )
            if found.lost:
                raise UnsupportedError(
                    "some states are reached with less probability than numbers can tell: ask at "
                    "a time"
                )
            matrix = matrix @ found.matrix if i else found.matrix
            error += found.error + (len(matrix) + 1) * UNIT
        return matrix, error

    def settled(self) -> tuple[Floats, float, float]:
        """The steady or periodic distribution, its error in ln p, and the mass that it lost."""
        if self.timetable:
            return *self.periodic(), 0.0
        found = self.chain.stationary(self.progress)
        return found.probabilities, found.log_error, found.lost * LOST

    def periodic(self) -> tuple[Floats, float]:
        """The distribution at the beginning of a late period, and its error in ln p."""
        period = self.timetable.period
        if period is None or len(self.chain.lattice) > MOST_PERIODIC:
            raise UnsupportedError(
                "steady state under a timetable needs [time] period, after which it begins again, "
                f"and at most {MOST_PERIODIC:,} states: ask at a time"
            )
        matrix, error = self.step(0.0, period)
        generator = _jumps(matrix)
        classes = closed_classes(generator, self.chain.start)
        if len(classes) > 1:
            raise UnsupportedError(
                f"the team ends in one of {len(classes)} groups of states that it never leaves: "
                "under a timetable that is answered at a time only"
            )
        members = classes[0]
        inside = _jumps(matrix[np.ix_(members, members)])
        distribution, n = np.zeros(len(matrix)), len(members)
        logs = eliminate(inside) if n > 1 else np.zeros(1)
        weights = np.exp(logs - logs.max())
        distribution[members] = weights / weights.sum()
        return distribution, 2 * (n - 1) * error + dense_error(n) + math.log1p(n * UNIT)


def _jumps(matrix: Floats) -> Generator:
    """A chain in discrete time as one in continuous time with the same stationary distribution."""
    sources, targets = np.nonzero(matrix > LEAST)
    apart = sources != targets
    rates = matrix[sources[apart], targets[apart]]
    moves = Transitions(sources[apart], targets[apart], rates)
    exits = np.bincount(sources[apart], rates, len(matrix)).astype(np.float64)
    return Generator.from_transitions([moves], exits)
