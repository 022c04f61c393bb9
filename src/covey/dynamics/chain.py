"""The Markov chain of one start, and the laws of what is seen of it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from covey.dynamics.distribution import Distribution, sums_of
from covey.dynamics.generator import Generator
from covey.dynamics.lattice import Lattice
from covey.dynamics.projection import Projection
from covey.dynamics.stationary import StationaryResult
from covey.model.network import Network
from covey.model.query import Query
from covey.numbers import LOST, Floats, Ints

_MOST_CLASSES = 3  # named in words


@dataclass(frozen=True, eq=False)
class Chain:
    """The states that can be reached, or one in each orbit of them, and the generator on them."""

    network: Network
    lattice: Lattice
    generator: Generator

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


def chain_law(
    chain: Chain,
    query: Query,
    log_probabilities: Floats,
    error: tuple[float, bool, int],
    method: tuple[str, str],
) -> Distribution:
    """The law of what is seen. An orbit's probability is shared by its images, equally.

    `error` is the bound on ln p, whether it is proved, and how many states are lost: those have
    the probability 0 here. `method` is its name, and why it was taken.
    """
    log_error, proved, lost = error
    images = len(chain.lattice.group)
    return Distribution.merge(
        tuple(query.groups(chain.network)),
        chain.seen(query),
        np.tile(log_probabilities - math.log(images), images),
        log_error=log_error,
        lost_mass=lost * LOST,
        proved=proved,
        method=method[0],
        why=method[1],
        states=len(chain.lattice),
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
