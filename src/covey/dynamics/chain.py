"""The Markov chain of one start, and the laws of what is seen of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.uniformization import TransientResult, transient
from covey.dynamics.distribution import Distribution, sums_of
from covey.dynamics.mean_field.rate_equations import equilibrium
from covey.dynamics.projection.finite_state_projection import Projection
from covey.dynamics.state_space.enumeration import Lattice
from covey.dynamics.stationary.limit import StationaryResult, stationary
from covey.dynamics.validation import Progress
from covey.errors import UnsupportedError
from covey.model.network import Network
from covey.model.query import Query
from covey.numbers import LEAST, LOST, Floats, Ints

_MOST_CLASSES = 3  # named in words
_GUESSED_FROM = 20_000  # states: below, sweeps take less than a good guess


@dataclass(frozen=True, eq=False)
class Chain:
    """The states that can be reached, or one in each orbit of them, and the generator on them.

    What was solved stays with it: what one snapshot shows, what the team achieves and how both
    change with the rates are questions about the same law.
    """

    network: Network
    lattice: Lattice
    generator: Generator
    _limit: list[StationaryResult] = field(default_factory=list, repr=False)
    _times: dict[float, TransientResult] = field(default_factory=dict, repr=False)

    @property
    def start(self) -> Floats:
        """The law that is surely at the start: (states,)."""
        return self.lattice.point_mass()

    def seen(self, query: Query) -> Ints:
        """What every state shows; of an orbit, what each of its images shows in turn.

        (states × images, sums of the query)
        """
        index = self.network.index
        groups = query.groups(self.network).values()
        columns = [[index[species] for species in group] for group in groups]
        images = [sums_of(self.lattice.states[:, g], columns) for g in self.lattice.group]
        return np.concatenate(images)

    def settled(self, progress: Progress | None = None) -> StationaryResult:
        """The limit law from the start; its sweeps begin at Poisson counts, where that helps."""
        if not self._limit:
            guess = self._poisson() if len(self.lattice) >= _GUESSED_FROM else None
            found = stationary(self.generator, self.start, guess=guess, progress=progress)
            self._limit.append(found)
        return self._limit[0]

    def at(self, times: Sequence[float], progress: Progress | None = None) -> TransientResult:
        """The laws at times from the start; that of a single time is kept."""
        if len(times) > 1:
            return transient(self.generator, self.start, times, progress=progress)
        (time,) = times
        if time not in self._times:
            found = transient(self.generator, self.start, times, progress=progress)
            self._times.clear()
            self._times[time] = found
        return self._times[time]

    def possible(self, time: float) -> NDArray[np.bool_]:
        """Which states are possible at a time: beyond 0 whatever can be reached."""
        return np.ones(len(self.lattice), dtype=np.bool_) if time > 0 else self.start > 0

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


def chain_law(
    chain: Chain,
    query: Query,
    log_probabilities: Floats,
    possible: NDArray[np.bool_],
    log_error: float,
    method: tuple[str, str],
) -> Distribution:
    """The law of what is seen. An orbit's probability is shared by its images, equally.

    Of the states that are `possible`, those whose probability is 0 here are lost. `log_error` is
    the bound on ln p; `method` its name, and why it was taken.
    """
    images = len(chain.lattice.group)
    there = np.tile(possible, images)
    return Distribution.merge(
        tuple(query.groups(chain.network)),
        chain.seen(query)[there],
        np.tile(log_probabilities - math.log(images), images)[there],
        log_error=log_error,
        lost_mass=np.count_nonzero(np.isneginf(log_probabilities[possible])) * LOST,
        method=method[0],
        why=method[1],
        states=len(chain.lattice),
        complete=True,
    )


def projected_laws(
    network: Network, found: Iterable[Projection], query: Query, why: str
) -> list[Distribution]:
    """The laws of what is seen of projections."""
    names = [str(species) for species in network.species]
    laws = []
    for projection in found:
        with np.errstate(divide="ignore"):
            logs = np.log(projection.probabilities)
        law = Distribution.merge(
            names,
            projection.states,
            logs,
            log_error=0.0,
            lost_mass=projection.lost_mass,
            method="projection",
            why=why,
            states=len(projection),
        )
        laws.append(law.observe(query))
    return laws


def where_it_ends(chain: Chain, result: StationaryResult) -> str:
    """Where a chain with several closed classes ends, each named by a state of it."""
    names = [str(species) for species in chain.network.species]
    order = np.argsort(-result.weights)
    parts = []
    for c in order[:_MOST_CLASSES]:
        members = result.classes[c]
        state = chain.lattice.states[members[0]]
        shown = ", ".join(f"{n} {name}" for n, name in zip(state, names, strict=True) if n)
        size = "" if len(members) == 1 else f" and {len(members) - 1:,} other states"
        parts.append(f"at {shown or 'nothing'}{size} with probability {result.weights[c]:.4g}")
    more = len(order) - _MOST_CLASSES
    return (
        f"the team ends in one of {len(order)} closed classes: "
        + "; ".join(parts)
        + (f"; and {more} more" if more > 0 else "")
    )
