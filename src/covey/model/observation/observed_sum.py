"""One thing that is seen: a sum of species with whole weights, or whether it passes a bound.

2 pick{carrier,picker} + {carrier}     whoever counts robots sees two of them in a pair
{dock} <= 0                            1 where it holds, and 0 elsewhere
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from covey.errors import InputError, UnsupportedError, shown
from covey.model.complex import Complex, parse_sum
from covey.model.species import Species, species_order
from covey.model.team import MAX_COUNT
from covey.numbers import Ints

_COMPARED = re.compile(r"(?P<sum>[^<>=!]*)(?P<sign><=|>=|==|!=|<|>)(?P<bound>[^<>=!]*)")
_SIGNS: dict[str, Callable[[Ints, int], object]] = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True)
class Threshold:
    """A comparison with a whole number: seen as 1 where it holds.

    Attributes:
        sign: As it is written: `<=`.
        bound: What the sum is compared with.
    """

    sign: str
    bound: int

    def holds(self, counts: Ints) -> Ints:
        """Where it does: 0 or 1 for each count.

        Args:
            counts: The sums that are compared.
        """
        return np.asarray(_SIGNS[self.sign](counts, self.bound), dtype=np.int64)

    def __str__(self) -> str:
        return f"{self.sign} {self.bound}"


@dataclass(frozen=True)
class ObservedSum:
    """Species, each with how many times it counts; and what the sum is compared with, if so.

    Attributes:
        terms: Species and weights, in the order of species.
        threshold: Where only this comparison is seen.
    """

    terms: tuple[tuple[Species, int], ...]
    threshold: Threshold | None = None

    @classmethod
    def parse(cls, text: object, name: str) -> ObservedSum:
        """What a text writes; errors name what it was to be.

        Args:
            text: Such as `2 {A} + {B}` or `{A} <= 3`.
            name: What is called so.
        """
        if not isinstance(text, str):
            raise InputError(f'{name} is {shown(text)}: a sum such as "{{A}} + {{B}}" is expected')
        sum_, threshold = split_threshold(text)
        terms = list(parse_sum(sum_))
        for species, times in Counter(species for species, _ in terms).items():
            if times > 1:
                raise InputError(
                    f"{species} is {times} times in {name}: write it once, as {times} {species} "
                    f"where it counts {times} times"
                )
        return cls(Complex(tuple(terms)).terms, threshold)

    @property
    def species(self) -> tuple[Species, ...]:
        """Those that it counts."""
        return tuple(species for species, _ in self.terms)

    @property
    def is_weighted(self) -> bool:
        """Whether some species counts more than once."""
        return any(weight != 1 for _, weight in self.terms)

    def plus(self, other: ObservedSum) -> ObservedSum:
        """Both as one number; `UnsupportedError` where one is a threshold.

        Args:
            other: What is added.
        """
        if self.threshold or other.threshold:
            raise UnsupportedError(f"{self} and {other} cannot be added: one of them is 0 or 1")
        total = Counter(dict(self.terms)) + Counter(dict(other.terms))
        return ObservedSum(tuple(sorted(total.items(), key=lambda term: species_order(term[0]))))

    def without(self, species: frozenset[Species]) -> ObservedSum:
        """The same without some species.

        Args:
            species: Those that are left out.
        """
        return replace(self, terms=tuple(term for term in self.terms if term[0] not in species))

    def __str__(self) -> str:
        sum_ = str(Complex(self.terms))
        return sum_ if self.threshold is None else f"{sum_} {self.threshold}"


def split_threshold(text: str) -> tuple[str, Threshold | None]:
    """The sum that a text begins with, and what it is compared with."""
    if not re.search(r"[<>=!]", text):
        return text, None
    match = _COMPARED.fullmatch(text)
    bound = match["bound"].strip() if match else ""
    if match is None or not re.fullmatch(r"[0-9]{1,10}", bound) or int(bound) > MAX_COUNT:
        raise InputError(
            f"{shown(text.strip())} is no threshold: a sum, one of {' '.join(_SIGNS)} and a whole "
            f'number up to {MAX_COUNT:,} are expected, as "{{A}} + {{B}} <= 2"'
        )
    return match["sum"], Threshold(match["sign"], int(bound))
