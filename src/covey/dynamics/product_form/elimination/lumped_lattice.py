"""The states of a complex-balanced network as a lattice of Poisson counts, as small as can be.

On the reachable states, π(x) ∝ ∏ c_i^x_i / x_i! for every positive c that balances the complexes.
The c of the team's own mean-field equilibrium x̄ makes each factor a Poisson weight of mean x̄_i:

    π(x) = P(x) / P(lattice),     P = independent Poisson counts of means x̄,

so that what is left out of the lattice weighs at most what the Poisson tails weigh. The lattice
is described by roots: every species falls apart, reversibly, into root species (a row of `needs`),
and each root's total stays what it is at the start. So every point of the lattice leads to the one
that holds roots alone, and back: all of them are reachable. What comes from nothing has no needs.

Species that need the same and are seen alike in every sum are told apart by nobody: their sum is
again a Poisson count. One such lump for each root is its pivot, determined by the others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from covey.dynamics.mean_field.equilibrium import conservation_multipliers
from covey.dynamics.product_form.elimination.poisson_weights import (
    Wide,
    Wides,
    log_factorial,
    log_sum,
)
from covey.errors import UnsupportedError
from covey.model.frozen import FrozenMap
from covey.model.network import Network
from covey.model.observation.query import Query
from covey.model.species import Species
from covey.model.structure.elementary_species import vanishing_rounds
from covey.model.structure.structure import Structure
from covey.numbers import SPACING, Floats, Ints

_GRID = 2.0**20  # multipliers are whole multiples of its inverse: their products are exact


@dataclass(frozen=True, eq=False)
class Roots:
    """What every species that can change falls apart into.

    Attributes:
        species: Those that can change.
        needs: How many of each root a species falls apart into, (species, roots).
    """

    species: tuple[Species, ...]
    needs: Ints  # (species, roots)


@dataclass(frozen=True, eq=False)
class LumpedLattice:
    """The lattice of one team under one query."""

    names: tuple[str, ...]
    inert: Ints  # (names,): what is seen of species that cannot change
    needs: Ints  # (lumps, roots)
    seen: Ints  # (lumps, names): how often it counts in each sum
    log_rates: Wides  # (lumps,)
    totals: Ints  # (roots,)
    pivots: Ints  # (roots,): the lump that each root determines
    log_scale: float  # ln Z − ln P(lattice)
    steps: int  # so many within a class take any state to the roots, but for what vanishes
    most: Mapping[str, int] = FrozenMap()  # by names: states in which more is seen are left out

    @property
    def free(self) -> Ints:
        """The lumps that are not pivots."""
        return np.setdiff1d(np.arange(len(self.needs)), self.pivots)

    @property
    def seen_of_pivots(self) -> Ints:
        """How the pivots are seen: (roots, names)."""
        return self.seen[self.pivots]

    @property
    def seen_of_free(self) -> Ints:
        """How the sums change with the other lumps, pivots following suit: (lumps, names)."""
        return self.seen[self.free] - self.needs[self.free] @ self.seen_of_pivots

    def highest(self, lump: int) -> float:
        """The largest count of a lump with which no sum exceeds the most of it."""
        seen = zip(self.names, self.seen[lump].tolist(), self.inert.tolist(), strict=True)
        ends = [
            (self.most[name] - still) // n for name, n, still in seen if n and name in self.most
        ]
        return min(ends, default=math.inf)


def find_roots(structure: Structure) -> Roots:
    """The roots of a weakly reversible network; refuses where it is not certain that they do."""
    needs = structure.needs
    if needs is None:
        raise UnsupportedError(
            "it is not certain that every state which the conservation laws allow can be reached: "
            "the species do not all fall apart into as many basic ones as there are laws. The "
            "product form would have to guess; solve the Markov chain instead"
        )
    return Roots(structure.network.species, needs)


def lump(
    network: Network, log_c: Floats | Wides, roots: Roots, start: Ints, query: Query | None
) -> LumpedLattice:
    """The lattice of a start, seen through a query, or not seen at all."""
    names = tuple(query.groups(network)) if query is not None else ()
    matrix = np.zeros((0, len(start)), dtype=np.int64) if query is None else query.matrix(network)
    place = np.array([network.index[s] for s in roots.species], dtype=np.int64)
    idle = np.setdiff1d(np.arange(len(start)), place)
    totals = start[place] @ roots.needs
    laws = roots.needs.T.astype(np.float64)
    multipliers = conservation_multipliers(log_c[place].astype(float), laws, totals.astype(float))
    tilt = np.rint(multipliers * _GRID).astype(Wide) / Wide(_GRID)  # (roots,)
    log_rates = log_c[place].astype(Wide) + roots.needs.astype(Wide) @ tilt
    scale = np.exp(log_rates).sum() - tilt @ totals.astype(Wide)
    scale += float((start[idle] * log_c[idle] - log_factorial(start[idle])).sum())
    lumps, needs, seen = _merge(roots.needs, matrix.T[place])
    rates = np.array([log_sum(log_rates[members]) for members in lumps], dtype=Wide)
    return LumpedLattice(
        names=names,
        inert=np.asarray(matrix[:, idle] @ start[idle]),
        needs=needs,
        seen=seen,
        log_rates=rates,
        totals=totals,
        pivots=_pivots(needs, rates),
        log_scale=float(scale),
        # A species of k roots has at most k - 1 splits and k conversions before it.
        steps=2 * int(totals.sum()),
    )


def point_error(structure: Structure) -> float:
    """How far ln c may be from balance along one reaction: its residual and its rounding."""
    point = structure.balanced_point
    largest = max(len(group) for group in structure.linkage_classes)
    rates = np.abs(np.log(structure.network.rate_constants)).max()
    solved = np.abs(structure.network.M).sum(axis=0).max() * np.abs(point.log_c).max()
    walk = 8.0 * largest**2 if largest > 2 else 0.0
    return float(point.residual + SPACING * (4 * rates + 4 * solved + walk))


def vanishing_steps(structure: Structure) -> int:
    """How many equations of c, at most, lie between nothing and a species that comes from it.

    Each round of such species is one linkage class away from nothing and the rounds before.
    """
    largest = max(len(group) for group in structure.linkage_classes)
    order = int(structure.network.M.sum(axis=0).max())
    steps = 0
    for _ in vanishing_rounds(structure.linkage_classes):
        steps = largest + 2 * order * steps
    return steps


def _merge(needs: Ints, seen: Ints) -> tuple[list[list[int]], Ints, Ints]:
    """Species by what they need and how they are seen; without needs and unseen, they go."""
    groups: dict[bytes, list[int]] = {}
    for i, row in enumerate(np.hstack([needs, seen])):
        if row.any():
            groups.setdefault(row.tobytes(), []).append(i)
    first = [members[0] for members in groups.values()]
    return list(groups.values()), needs[first], seen[first]


def _pivots(needs: Ints, log_rates: Wides) -> Ints:
    """For each root, the most frequent lump that needs one of it and nothing else."""
    alone = needs.sum(axis=1) == 1
    chosen = []
    for root in range(needs.shape[1]):
        candidates = np.flatnonzero(alone & (needs[:, root] == 1))
        chosen.append(candidates[np.argmax(log_rates[candidates])])
    return np.array(chosen, dtype=np.int64)
