"""Stoichiometry: species, complexes and matrices of reactions, and how often each happens.

The matrices follow the paper, with the conventions of the theory page:

    M  species × complexes     column j is ρ_j, the coefficients of complex j
    A  complexes × complexes   A[k,j] = κ of C_j → C_k, and every column sums to zero
    Γ  species × reactions     column l is ρ_k − ρ_j for R_l: C_j → C_k
    ψ  one entry per complex   ψ_j(x) = ∏ x_i^ρ_ij

so that the mean field moves by ẋ = M A ψ(x). A reaction may have a rate law of its own instead of κ
ψ (`rate_law`); then it has no place in A.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Literal, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from covey.errors import UnsupportedError
from covey.model.complex import Complex
from covey.model.frozen import FrozenMap
from covey.model.rate_laws.program import Program, compile_rate_law
from covey.model.reaction import Reaction
from covey.model.species import Species, natural_order, species_order
from covey.model.timetable import Timetable

Kinetics = Literal["falling", "power"]
Number = TypeVar("Number", np.int64, np.float64)


class Stoichiometry:
    """What a network's reactions are in matrices; `Network` says how they are written."""

    reactions: tuple[Reaction, ...]
    rates: FrozenMap[str, float]
    kinetics: Kinetics
    timetable: Timetable

    def same_wiring(self, other: Self) -> bool:
        """Whether two networks have the same reactions, whatever their rates.

        Args:
            other: The other network.
        """
        mine, theirs = self.reactions, other.reactions
        return (
            self.kinetics == other.kinetics
            and len(mine) == len(theirs)
            and all(
                (one.sides, one.rate_law) == (two.sides, two.rate_law)
                for one, two in zip(mine, theirs, strict=True)
            )
        )

    @cached_property
    def species(self) -> tuple[Species, ...]:
        """Every species, in the order of the state vector."""
        found = {s for reaction in self.reactions for side in reaction.sides for s, _ in side}
        for law in (reaction.rate_law for reaction in self.reactions):
            if law is not None:
                found |= law.species | {Species(word) for word in law.words - self.rates.keys()}
        return tuple(sorted(found, key=species_order))

    @cached_property
    def index(self) -> FrozenMap[Species, int]:
        """Where each species stands in the state vector."""
        return FrozenMap((species, i) for i, species in enumerate(self.species))

    @cached_property
    def complexes(self) -> tuple[Complex, ...]:
        """Every complex, in the order in which the reactions mention them."""
        return tuple(dict.fromkeys(side for r in self.reactions for side in r.sides))

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """For each reaction, the numbers of the complexes it leads from and to."""
        number = {complex_: j for j, complex_ in enumerate(self.complexes)}
        return tuple((number[r.reactants], number[r.products]) for r in self.reactions)

    @cached_property
    def members(self) -> tuple[str, ...]:
        """Every type and resource that some species holds."""
        found = {member for species in self.species for member in species.members}
        return tuple(sorted(found, key=natural_order))

    @cached_property
    def rate_constants(self) -> NDArray[np.float64]:
        """κ of every reaction; NaN for one that has a rate law of its own."""
        self.check_constant_rates()
        return _frozen(np.array([r.rate_constant(self.rates) for r in self.reactions]))

    @cached_property
    def reactants(self) -> NDArray[np.int64]:
        """What each reaction consumes: (reactions, species)."""
        return _frozen(self._coefficients([reaction.reactants for reaction in self.reactions]))

    @cached_property
    def changes(self) -> NDArray[np.int64]:
        """What each reaction changes, Γ transposed: (reactions, species)."""
        products = self._coefficients([reaction.products for reaction in self.reactions])
        return _frozen(products - self.reactants)

    @property
    def M(self) -> NDArray[np.int64]:
        """The complex matrix: (species, complexes)."""
        return self._coefficients(self.complexes).T

    @property
    def A(self) -> NDArray[np.float64]:
        """The kinetics matrix: (complexes, complexes)."""
        self.check_mass_action("the matrix A")
        matrix = np.zeros((len(self.complexes), len(self.complexes)))
        for (source, target), rate in zip(self.edges, self.rate_constants, strict=True):
            matrix[target, source] += rate
            matrix[source, source] -= rate
        return matrix

    @property
    def gamma(self) -> NDArray[np.int64]:
        """Γ, the stoichiometry matrix: (species, reactions)."""
        return self.changes.T

    def psi(self, x: ArrayLike) -> NDArray[np.float64]:
        """ψ(x): for every complex the product of its species' amounts.

        Args:
            x: The amount of every species, (species,).
        """
        return np.asarray(
            np.prod(np.asarray(x, dtype=float)[:, None] ** self.M, axis=0), dtype=float
        )

    def drift(self, x: ArrayLike) -> NDArray[np.float64]:
        """ẋ = M A ψ(x), the right-hand side of the mean field, computed as Γ v(x).

        Args:
            x: The amount of every species, (species,).
        """
        return np.asarray(self.gamma @ self.flows(np.asarray(x, dtype=float)), dtype=float)

    def flows(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """How often each reaction happens at real amounts: (reactions,).

        κ ∏ x^ρ; a rate law is taken at these amounts, and for 0 where it is no rate there.

        Args:
            x: The amount of every species, (species,).
        """
        flows = np.asarray(self.rate_constants * np.prod(x**self.reactants, axis=1), dtype=float)
        for reaction, program in self.programs.items():
            flows[reaction] = max(float(np.nan_to_num(program.run(x[:, None]))[0]), 0.0)
        return flows

    @cached_property
    def programs(self) -> FrozenMap[int, Program]:
        """The rate laws of those reactions that do not follow mass action, by their numbers."""
        self.check_constant_rates()
        laws = [(r, reaction.rate_law) for r, reaction in enumerate(self.reactions)]
        return FrozenMap(
            (r, compile_rate_law(law, self.index, self.rates)) for r, law in laws if law is not None
        )

    @property
    def rate_names(self) -> set[str]:
        """The named rates that some reaction uses."""
        named = {reaction.rate for reaction in self.reactions if isinstance(reaction.rate, str)}
        laws = [reaction.rate_law for reaction in self.reactions if reaction.rate_law is not None]
        return named.union(*(law.words & self.rates.keys() for law in laws))

    @property
    def has_rate_laws(self) -> bool:
        """Whether some reaction follows a rate law of its own instead of mass action."""
        return any(reaction.rate_law is not None for reaction in self.reactions)

    def check_constant_rates(self) -> None:
        """Raises `UnsupportedError` where the rates follow a timetable."""
        if self.timetable:
            raise UnsupportedError(
                "the rates follow a timetable ([[phase]]), and this is answered at constant rates "
                "only: leave the phases out, or give [rates] those of the phase that you ask about"
            )

    def check_mass_action(self, what: str) -> None:
        """Raises `UnsupportedError` where a reaction follows a rate law of its own.

        Args:
            what: What is there for mass action only.
        """
        for reaction in self.reactions:
            if reaction.rate_law is not None:
                raise UnsupportedError(
                    f"{reaction.arrow} has a rate law of its own, {str(reaction.rate_law)[:80]}: "
                    f"{what} "
                    "is there for mass action only"
                )

    def _coefficients(self, complexes: Iterable[Complex]) -> NDArray[np.int64]:
        complexes = list(complexes)
        matrix = np.zeros((len(complexes), len(self.species)), dtype=np.int64)
        for row, complex_ in enumerate(complexes):
            for species, coefficient in complex_:
                matrix[row, self.index[species]] = coefficient
        return matrix


def _frozen(array: NDArray[Number]) -> NDArray[Number]:
    """Arrays that are kept must not be changed by whoever is given them."""
    array.setflags(write=False)
    return array
