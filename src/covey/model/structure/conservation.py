"""Conservation laws: the sums that no reaction changes, w Γ = 0, in whole numbers and in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from covey.model.network import Network
from covey.model.species import Species
from covey.model.structure.exact_algebra import integer_kernel


@dataclass(frozen=True)
class ConservationLaw:
    """A sum of species with whole coefficients that stays what it is at the start.

    Attributes:
        terms: The species in it, each with its coefficient.
        member: The type or resource whose number it is; None where it counts something else.
    """

    terms: tuple[tuple[Species, int], ...]
    member: str | None = None

    @property
    def is_non_negative(self) -> bool:
        """Whether the law bounds the species in it."""
        return all(coefficient > 0 for _, coefficient in self.terms)

    def __str__(self) -> str:
        parts: list[str] = []
        for species, n in self.terms:
            sign = ("- " if n < 0 else "+ ") if parts else ("-" if n < 0 else "")
            parts.append(sign + (f"{abs(n)} {species}" if abs(n) != 1 else str(species)))
        return " ".join(parts)


def conservation_laws(network: Network) -> tuple[ConservationLaw, ...]:
    """A basis of all laws. Compounds are solved for, so that it tends to count who is in them."""
    equations: dict[tuple[tuple[int, int], ...], dict[int, int]] = {}
    for reaction in network.reactions:
        terms = tuple(sorted((network.index[s], n) for s, n in reaction.change().items()))
        if terms and tuple((i, -n) for i, n in terms) not in equations:
            equations[terms] = dict(terms)
    size = [len(species.members) for species in network.species]
    kernel = integer_kernel(list(equations.values()), len(network.species), priority=size)
    vectors = sorted(_prefer_non_negative(list(kernel.vectors)), key=min)
    members: dict[frozenset[tuple[Species, int]], str] = {}
    for member in network.members:
        holders = ((s, s.members.count(member)) for s in network.species if member in s.members)
        members[frozenset(holders)] = member
    laws = (tuple((network.species[i], n) for i, n in sorted(v.items())) for v in vectors)
    return tuple(ConservationLaw(terms, members.get(frozenset(terms))) for terms in laws)


def conservation_matrix(network: Network, laws: Sequence[ConservationLaw]) -> NDArray[np.int64]:
    """W with W Γ = 0, a row for every law: (laws, species)."""
    matrix = np.zeros((len(laws), len(network.species)), dtype=np.int64)
    for row, law in enumerate(laws):
        for species, n in law.terms:
            matrix[row, network.index[species]] = n
    return matrix


def _prefer_non_negative(vectors: list[dict[int, int]]) -> list[dict[int, int]]:
    """The same laws by another basis: adding laws without negative entries to those with some."""
    vectors = [
        {i: -n for i, n in v.items()} if all(n < 0 for n in v.values()) else v for v in vectors
    ]
    covers: dict[int, dict[int, int]] = {}  # for a species, a non-negative law that has it
    waiting = []
    for vector in vectors:
        if all(n > 0 for n in vector.values()):
            covers |= {i: vector for i in vector if i not in covers}
        else:
            waiting.append(vector)
    kept = [vector for vector in vectors if all(n > 0 for n in vector.values())]
    progress = True
    while waiting and progress:
        progress = False
        for vector in list(waiting):
            negative = [i for i, n in vector.items() if n < 0]
            if any(i not in covers for i in negative):
                continue
            repaired = _repair(vector, covers)
            waiting.remove(vector)
            kept.append(repaired)
            covers |= {i: repaired for i in repaired if i not in covers}
            progress = True
    return kept + waiting


def _repair(vector: dict[int, int], covers: dict[int, dict[int, int]]) -> dict[int, int]:
    """`vector` plus the least multiples of covering laws that leave no negative entry."""
    result = dict(vector)
    used = []
    for species in sorted(vector):
        if result.get(species, 0) < 0:
            cover = covers[species]
            times = -(result[species] // cover[species])
            for i, n in cover.items():
                result[i] = result.get(i, 0) + times * n
            used.append(cover)
    for cover in used:
        result = _without({i: n for i, n in result.items() if n}, cover)
    shared = math.gcd(*result.values())
    return {i: n // shared for i, n in result.items()}


def _without(vector: dict[int, int], part: dict[int, int]) -> dict[int, int]:
    """Takes out as much of another law as leaves no negative entry: fewer species are in it."""
    if not part.keys() <= vector.keys():
        return vector
    least = min(part, key=lambda i: Fraction(vector[i], part[i]))
    numerator, denominator = vector[least], part[least]
    result = {i: n * denominator - part.get(i, 0) * numerator for i, n in vector.items()}
    return {i: n for i, n in result.items() if n}
