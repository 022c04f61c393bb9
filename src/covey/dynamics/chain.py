"""The Markov chain of one start, and the distributions of what is seen of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.occupation import Occupation, occupation
from covey.dynamics.ctmc.uniformization import TransientResult, transient
from covey.dynamics.distribution import Distribution
from covey.dynamics.mean_field.rate_equations import equilibrium
from covey.dynamics.state_space.enumeration import Lattice
from covey.dynamics.stationary.limit import StationaryResult, stationary
from covey.dynamics.validation import Progress
from covey.errors import UnsupportedError
from covey.model.network import Network
from covey.model.observation.query import Query
from covey.numbers import LEAST, LOST, Floats, Ints

_GUESSED_FROM = 20_000  # states: below, sweeps take less than a good guess


@dataclass(frozen=True, eq=False)
class Chain:
    """The states that can be reached, or one in each orbit of them, and the generator on them.

    What was solved stays with it: what one snapshot shows, what the team achieves and how both
    change with the rates are questions about the same distribution.
    """

    network: Network
    lattice: Lattice
    generator: Generator
    _limit: list[StationaryResult] = field(default_factory=list, repr=False)
    _times: dict[float, TransientResult] = field(default_factory=dict, repr=False)

    @property
    def start(self) -> Floats:
        """The distribution that is surely at the start: (states,)."""
        return self.lattice.point_mass()

    def seen(self, query: Query) -> Ints:
        """What every state shows; of an orbit, what each of its images shows in turn.

        (states × images, sums of the query)
        """
        index, states = self.network.index, self.lattice.states
        images = [query.shown(states[:, image], index) for image in self.lattice.group]
        return np.concatenate(images)

    def stationary(self, progress: Progress | None = None) -> StationaryResult:
        """The limiting distribution; its sweeps begin at Poisson counts, where that helps."""
        if not self._limit:
            guess = self._poisson() if len(self.lattice) >= _GUESSED_FROM else None
            found = stationary(self.generator, self.start, guess=guess, progress=progress)
            self._limit.append(found)
        return self._limit[0]

    def at(self, times: Sequence[float], progress: Progress | None = None) -> TransientResult:
        """The distributions at times from the start; that of a single time is kept."""
        if len(times) > 1:
            return transient(self.generator, self.start, times, progress=progress)
        (time,) = times
        if time not in self._times:
            found = transient(self.generator, self.start, times, progress=progress)
            self._times.clear()
            self._times[time] = found
        return self._times[time]

    def occupation(self, span: float, progress: Progress | None = None) -> Occupation:
        """The share of a span in each state; the distribution at its end is kept, if it is met."""
        found = occupation(self.generator, self.start, span, progress)
        if found.end is not None:
            self._times.clear()
            self._times[span] = found.end
        return found

    def possible(self, time: float) -> NDArray[np.bool_]:
        """Which states are possible at a time: beyond 0 whatever can be reached."""
        return np.ones(len(self.lattice), dtype=np.bool_) if time > 0 else self.start > 0

    def distribution(
        self,
        query: Query,
        log_probabilities: Floats,
        possible: NDArray[np.bool_],
        log_error: float,
        method: tuple[str, str],
    ) -> Distribution:
        """What is seen. An orbit's probability is shared by its images, equally.

        Of the states that are `possible`, those whose probability is 0 here are lost. `log_error`
        is the bound on ln p; `method` its name, and why it was taken.
        """
        images = len(self.lattice.group)
        there = np.tile(possible, images)
        return Distribution.merge(
            tuple(query.groups(self.network)),
            self.seen(query)[there],
            np.tile(log_probabilities - math.log(images), images)[there],
            log_error=log_error,
            truncated_mass=np.count_nonzero(np.isneginf(log_probabilities[possible])) * LOST,
            method=method[0],
            why=method[1],
            states=len(self.lattice),
            complete=True,
        )

    def _poisson(self) -> Floats | None:
        """The ln of Poisson counts around the rest of the mean field, if there is one: (states,).

        Near enough: at 20 robots of each type in the task network 130 sweeps for 410 from equal
        probabilities.
        """
        states = self.lattice.states
        try:
            rest = equilibrium(self.network, states[self.lattice.start])
        except UnsupportedError:
            return None
        logs = np.log(self.lattice.orbit_sizes())
        for counts, mean in zip(states.T, np.maximum(rest, LEAST), strict=True):
            steps = np.log(mean / np.arange(1, counts.max() + 1))  # of ln(mean^k / k!)
            logs += np.concatenate([[0.0], np.cumsum(steps)])[counts]
        return np.asarray(logs)
