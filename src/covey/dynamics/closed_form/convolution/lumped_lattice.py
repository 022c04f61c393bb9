"""The states of a complex-balanced network as a lattice of Poisson counts, as small as can be.

On the reachable states, π(x) ∝ ∏ c_i^x_i / x_i! for every positive c that balances the complexes.
The c of the team's own mean-field equilibrium x̄ makes each factor a Poisson weight of mean x̄_i:

    π(x) = P(x) / P(lattice),     P = independent Poisson counts of means x̄,

so that what is left out of the lattice weighs at most what the Poisson tails weigh. The lattice
is described by roots: every species falls apart, reversibly, into root species (a row of `needs`),
and each root's total stays what it is at the start. So every point of the lattice leads to the one
that holds roots alone, and back: all of them are reachable. What comes from nothing has no needs.

Species that need the same and are seen in the same sum are told apart by nobody: their sum is
again a Poisson count. One such lump for each root is its pivot, determined by the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.closed_form.convolution.poisson_weights import (
    UNIT,
    Wide,
    Wides,
    log_factorial,
    log_sum,
)
from covey.dynamics.equilibrium import law_multipliers
from covey.errors import UnsupportedError
from covey.model.network import Network
from covey.model.query import Query
from covey.model.reach import falls_apart, live_reactions
from covey.model.reaction import Complex, Reaction
from covey.model.species import Species
from covey.model.structure import Structure

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

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
    sees: Ints  # (lumps,): the number of the sum that counts it, or -1
    log_rates: Wides  # (lumps,)
    totals: Ints  # (roots,)
    pivots: Ints  # (roots,): the lump that each root determines
    log_scale: float  # ln Z − ln P(lattice)
    steps: int | None  # so many steps within a class take any state to the roots; None: no limit

    @property
    def free(self) -> Ints:
        """The lumps that are not pivots."""
        return np.setdiff1d(np.arange(len(self.needs)), self.pivots)

    @property
    def seen_of_pivots(self) -> Ints:
        """How the pivots are seen: (roots, names)."""
        return self._one_of_each[self.sees[self.pivots]]

    @property
    def seen_of_free(self) -> Ints:
        """How the sums change with the other lumps, pivots following suit: (lumps, names)."""
        return self._one_of_each[self.sees[self.free]] - self.needs[self.free] @ self.seen_of_pivots

    @property
    def _one_of_each(self) -> Ints:
        """A row for every sum, and one of zeros at the end, for those that are not seen."""
        names = len(self.names)
        return np.vstack([np.eye(names, dtype=np.int64), np.zeros((1, names), dtype=np.int64)])


def find_roots(network: Network) -> Roots:
    """The roots of a weakly reversible network; refuses where it is not certain that they do.

    Complexes of one linkage class lead to each other: whoever has all of one can have the other.
    """
    classes = Structure(network).linkage_classes
    vanishing: set[Species] = set()
    while found := _vanishing(classes, vanishing):
        vanishing |= found
    kept = [species for species in network.species if species not in vanishing]
    # Names without members: what comes from nothing may be missing on one side.
    alias = {species: Species(f"s{i}") for i, species in enumerate(kept)}
    stars = [reaction for group in classes for reaction in _star(group, alias)]
    parts = falls_apart(Structure(Network(stars))) if stars else {}
    if parts is None:
        raise UnsupportedError(
            "it is not certain that every state which the conservation laws allow can be reached: "
            "the species do not all fall apart into as many basic ones as there are laws. The "
            "product form would have to guess; solve the Markov chain instead"
        )
    parts = {name: {name: 1} for name in alias.values()} | parts  # the others stay what they are
    basic = [s for s in kept if parts[alias[s]] == {alias[s]: 1}]
    needs = np.zeros((len(network.species), len(basic)), dtype=np.int64)
    for row, species in enumerate(network.species):
        for column, root in enumerate(basic):
            if species not in vanishing:
                needs[row, column] = parts[alias[species]].get(alias[root], 0)
    return Roots(network.species, needs)


def live_part(network: Network, start: Ints) -> Network | None:
    """The reactions that can ever happen from a start; None where there are none."""
    live = live_reactions(network, dict(zip(network.species, start.tolist(), strict=True)))
    if len(live) == len(network.reactions):
        return network
    return Network(live, network.rates, network.kinetics) if live else None


def lump(
    network: Network, log_c: Floats, roots: Roots, start: Ints, query: Query | None
) -> LumpedLattice:
    """The lattice of a start, seen through a query, or not seen at all."""
    groups = query.groups(network) if query is not None else {}
    seen_in = {species: row for row, group in enumerate(groups.values()) for species in group}
    place = np.array([network.index[s] for s in roots.species], dtype=np.int64)
    sees = np.array([seen_in.get(s, -1) for s in roots.species], dtype=np.int64)
    inert = np.zeros(len(groups), dtype=np.int64)
    idle = np.setdiff1d(np.arange(len(start)), place)
    for i in idle:
        if network.species[i] in seen_in:
            inert[seen_in[network.species[i]]] += start[i]
    totals = start[place] @ roots.needs
    laws = roots.needs.T.astype(np.float64)
    multipliers = law_multipliers(log_c[place], laws, totals.astype(np.float64))
    tilt = np.rint(multipliers * _GRID).astype(Wide) / Wide(_GRID)  # (roots,)
    log_rates = log_c[place].astype(Wide) + roots.needs.astype(Wide) @ tilt
    scale = np.exp(log_rates).sum() - tilt @ totals.astype(Wide)
    scale += float((start[idle] * log_c[idle] - log_factorial(start[idle])).sum())
    lumps, needs, seen = _merge(roots.needs, sees)
    rates = np.array([log_sum(log_rates[members]) for members in lumps], dtype=Wide)
    bounded = bool(roots.needs.any(axis=1).all())
    return LumpedLattice(
        names=tuple(groups),
        inert=inert,
        needs=needs,
        sees=seen,
        log_rates=rates,
        totals=totals,
        pivots=_pivots(needs, rates),
        log_scale=float(scale),
        # A species of k roots has at most k - 1 splits and k conversions before it.
        steps=2 * int(totals.sum()) if bounded else None,
    )


def point_error(structure: Structure) -> float:
    """How far ln c may be from balance along one reaction: its residual and its rounding."""
    point = structure.balanced_point
    largest = max(len(group) for group in structure.linkage_classes)
    rates = np.abs(np.log(structure.network.rate_constants)).max()
    solved = np.abs(structure.network.M).sum(axis=0).max() * np.abs(point.log_c).max()
    walk = 8.0 * largest**2 if largest > 2 else 0.0
    return float(point.residual + UNIT * (4 * rates + 4 * solved + walk))


def _vanishing(classes: list[list[Complex]], known: set[Species]) -> set[Species]:
    """Species that, given what is known to come from nothing, turn into nothing themselves."""
    found = set()
    for group in classes:
        reduced = [[(s, n) for s, n in complex_ if s not in known] for complex_ in group]
        if [] in reduced:
            found |= {terms[0][0] for terms in reduced if [n for _, n in terms] == [1]}
    return found


def _star(group: list[Complex], alias: dict[Species, Species]) -> list[Reaction]:
    """Reactions that link the complexes of a class to one of them, without unnamed species."""
    reduced = dict.fromkeys(
        Complex(tuple((alias[s], n) for s, n in complex_ if s in alias)) for complex_ in group
    )
    single = [complex_ for complex_ in reduced if [n for _, n in complex_] == [1]]
    centre = (single or list(reduced))[0]
    pairs = [pair for other in reduced for pair in ((centre, other), (other, centre))]
    return [Reaction(left, right, 1.0) for left, right in pairs if left != right]


def _merge(needs: Ints, sees: Ints) -> tuple[list[list[int]], Ints, Ints]:
    """Species by what they need and where they are seen; without needs and unseen, they go."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for i, row in enumerate(needs):
        if row.any() or sees[i] >= 0:
            groups.setdefault((*row.tolist(), int(sees[i])), []).append(i)
    first = [members[0] for members in groups.values()]
    return list(groups.values()), needs[first], sees[first]


def _pivots(needs: Ints, log_rates: Wides) -> Ints:
    """For each root, the most frequent lump that needs one of it and nothing else."""
    alone = needs.sum(axis=1) == 1
    chosen = []
    for root in range(needs.shape[1]):
        candidates = np.flatnonzero(alone & (needs[:, root] == 1))
        chosen.append(candidates[np.argmax(log_rates[candidates])])
    return np.array(chosen, dtype=np.int64)
