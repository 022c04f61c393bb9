"""Complexes: sums of species with whole coefficients, `2 {A} + {B}`; the empty complex is `0`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from covey.errors import InputError, shown
from covey.model.species import Species, species_order

MAX_COEFFICIENT = 100

_TERM = re.compile(r"(?:(?P<coefficient>[0-9]+)\s*)?(?P<species>[^\s0-9].*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Complex:
    """A sum of species: the input or the output of a reaction.

    Args:
        terms: Species and how many of each; equal species add up.
    """

    terms: tuple[tuple[Species, int], ...] = ()

    def __post_init__(self) -> None:
        total: Counter[Species] = Counter()
        for species, coefficient in self.terms:
            _check_coefficient(species, coefficient)
            total[species] += coefficient
        for species, coefficient in total.items():
            _check_coefficient(species, coefficient)
        ordered = sorted(total.items(), key=lambda term: species_order(term[0]))
        object.__setattr__(self, "terms", tuple(ordered))

    @classmethod
    def parse(cls, text: str) -> Complex:
        """The complex that a text writes.

        Args:
            text: Such as `2 {A} + {B}`, or `0` for nothing.
        """
        return cls() if text.strip() == "0" else cls(tuple(parse_sum(text)))

    @property
    def single(self) -> Species | None:
        """The species, where there is just one of one species; else None."""
        return self.terms[0][0] if [n for _, n in self.terms] == [1] else None

    def members(self) -> Counter[str]:
        """How many of each type and resource take part."""
        count: Counter[str] = Counter()
        for species, coefficient in self.terms:
            for member in species.members:
                count[member] += coefficient
        return count

    def change_to(self, other: Complex) -> dict[Species, int]:
        """By how much each species changes from this complex to another, where it does.

        Args:
            other: What is there afterwards.
        """
        change = dict(other.terms)
        for species, n in self.terms:
            change[species] = change.get(species, 0) - n
        return {species: n for species, n in change.items() if n}

    def __iter__(self) -> Iterator[tuple[Species, int]]:
        return iter(self.terms)

    def __len__(self) -> int:
        return len(self.terms)

    def __str__(self) -> str:
        return " + ".join(f"{n} {s}" if n > 1 else str(s) for s, n in self.terms) or "0"


def _check_coefficient(species: Species, coefficient: object) -> None:
    if not isinstance(coefficient, int) or not 1 <= coefficient <= MAX_COEFFICIENT:
        raise InputError(
            f"the coefficient of {species} is {shown(coefficient)}: "
            f"a whole number from 1 to {MAX_COEFFICIENT} is expected"
        )


def parse_sum(text: str) -> Iterator[tuple[Species, int]]:
    """The terms of `2 {A} + {B}`, in the order in which they are written."""
    for part in text.split("+"):
        match = _TERM.fullmatch(part.strip())
        if match is None:
            where = f'in "{text.strip()[:60]}"' if text.strip() else "on one side"
            raise InputError(
                f"a species is missing {where}: write sums as {{A}} + {{B}}, and nothing as 0"
            )
        coefficient = match["coefficient"]
        if coefficient is not None and len(coefficient) > 9:
            raise InputError(f"the coefficient {coefficient[:9]}... is too large")
        yield Species.parse(match["species"]), int(coefficient or 1)
