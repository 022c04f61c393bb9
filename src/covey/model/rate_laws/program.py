"""Rate laws as programs: lists of steps that are done for one state or for many at once.

A program computes values by their numbers: first the counts of the species, then constants, then
one value a step, each from two values before it,

    value[i] = operation(value[left], value[right]),

the last of them the rate. Chains do every step for a block of states; the compiled simulation does
the same steps for the one state that it is in.

A value that is none (a division by zero, a power that is no number) stays none whatever becomes of
it, also in min, max, comparisons and products with 0, so that no later step hides it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from covey.model.rate_laws.rate_law import RateLaw
from covey.model.rate_laws.term import Applied, Term
from covey.model.species import Species
from covey.numbers import Floats

# What a step does; the last four are of the simulation only (see `tables`).
ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, LEAST, MOST, BELOW, AT_MOST, EQUAL, DIFFERENT = range(11)
CONSTANT, CHOICES, RATE, ONLY = range(11, 15)

_OPERATIONS = {
    "+": ADD, "*": MULTIPLY, "/": DIVIDE, "^": POWER, "min": LEAST, "max": MOST,
    "<": BELOW, "<=": AT_MOST, "==": EQUAL, "!=": DIFFERENT,
}  # fmt: skip
_MIRRORED = {">": BELOW, ">=": AT_MOST}


@dataclass(frozen=True)
class Program:
    """The steps of one rate law.

    Attributes:
        species: How many there are; the values with smaller numbers are their counts.
        constants: The values after them.
        steps: What makes each value after those: the operation, and the numbers of two values.
        result: The number of the value that is the rate.
    """

    species: int
    constants: tuple[float, ...]
    steps: tuple[tuple[int, int, int], ...]
    result: int

    @property
    def first(self) -> int:
        """The number of the value that the first step makes."""
        return self.species + len(self.constants)

    def run(self, columns: NDArray[np.number]) -> Floats:
        """The rate in every state.

        Args:
            columns: The states, (species, states).
        """
        return self.values(columns)[self.result]

    def values(self, columns: NDArray[np.number]) -> dict[int, Floats]:
        """Every value on the way to the rate, by its number.

        Args:
            columns: The states, (species, states).
        """
        values: dict[int, Floats] = {
            self.species + i: np.full(columns.shape[1], value)
            for i, value in enumerate(self.constants)
        }
        for i in self.counted:
            values[i] = columns[i].astype(np.float64)
        with np.errstate(all="ignore"):  # what is no number is found by whoever asked
            for i, (operation, left, right) in enumerate(self.steps):
                values[self.first + i] = _run(operation, values[left], values[right])
        return values

    def fires(self, state: Sequence[int]) -> bool:
        """Whether the rate in one state is positive, or else no rate at all.

        Args:
            state: How many there are of each species.
        """
        values = [float(count) for count in (*state, *self.constants)]
        for operation, left, right in self.steps:
            try:
                values.append(float(_DONE_ONCE[operation](values[left], values[right])))
            except (ZeroDivisionError, OverflowError, TypeError):  # a complex number is no float
                return True
        return not values[self.result] <= 0

    @property
    def counted(self) -> list[int]:
        """The species that it looks at, by their numbers."""
        used = {self.result, *(i for _, left, right in self.steps for i in (left, right))}
        return sorted(i for i in used if i < self.species)


_DONE: dict[int, Callable[[Floats, Floats], Floats]] = {
    ADD: operator.add,
    SUBTRACT: operator.sub,
    MULTIPLY: operator.mul,
    DIVIDE: operator.truediv,
    POWER: operator.pow,
    LEAST: np.minimum,
    MOST: np.maximum,
    BELOW: operator.lt,
    AT_MOST: operator.le,
    EQUAL: operator.eq,
    DIFFERENT: operator.ne,
}


_DONE_ONCE: dict[int, Callable[[float, float], float]] = {
    **_DONE,  # type: ignore[dict-item]
    LEAST: min,
    MOST: max,
}


def _run(operation: int, left: Floats, right: Floats) -> Floats:
    value = np.asarray(_DONE[operation](left, right), dtype=np.float64)
    none = ~(np.isfinite(left) & np.isfinite(right) & np.isfinite(value))
    return np.where(none, np.nan, value) if none.any() else value


def compile_rate_law(
    law: RateLaw, index: Mapping[Species, int], rates: Mapping[str, float]
) -> Program:
    """The program of a rate law; equal parts of it are computed once.

    Args:
        law: The rate law; every word in it is a rate, or else a species without members.
        index: Where each species stands in a state.
        rates: The numbers that rates stand for.
    """
    return _Compiler(law, index, rates).program


class _Compiler:
    def __init__(
        self, law: RateLaw, index: Mapping[Species, int], rates: Mapping[str, float]
    ) -> None:
        self._index, self._rates = index, rates
        self._constants: dict[float, int] = {}
        self._list_constants(law.term)
        self._steps: dict[tuple[int, int, int], int] = {}
        result = self._number(law.term)
        self.program = Program(len(index), tuple(self._constants), tuple(self._steps), result)

    def _leaf(self, term: float | str | Species) -> float | Species:
        """What a leaf is: a number, or a species that is counted."""
        if isinstance(term, str):
            return self._rates[term] if term in self._rates else Species(term)
        return term

    def _list_constants(self, term: Term) -> None:
        if isinstance(term, Applied):
            if term.function in ("+", "-"):
                self._list_constants(0.0)  # that a negative is subtracted from
            for part in term.parts:
                self._list_constants(part)
        elif isinstance(value := self._leaf(term), float):
            self._constants.setdefault(value, len(self._index) + len(self._constants))

    def _number(self, term: Term) -> int:
        """The number of the value that a term comes to."""
        if not isinstance(term, Applied):
            value = self._leaf(term)
            return self._constants[value] if isinstance(value, float) else self._index[value]
        if term.function == "-":
            return self._step(SUBTRACT, self._constants[0.0], self._number(term.parts[0]))
        if term.function == "+":
            return self._sum(term.parts)
        parts = list(map(self._number, term.parts))
        if term.function in _MIRRORED:
            return self._step(_MIRRORED[term.function], parts[1], parts[0])
        operation = _OPERATIONS[term.function]
        return reduce(lambda left, right: self._step(operation, left, right), parts)

    def _sum(self, parts: tuple[Term, ...]) -> int:
        total = self._number(parts[0])
        for part in parts[1:]:
            if isinstance(part, Applied) and part.function == "-":
                total = self._step(SUBTRACT, total, self._number(part.parts[0]))
            else:
                total = self._step(ADD, total, self._number(part))
        return total

    def _step(self, operation: int, left: int, right: int) -> int:
        first = len(self._index) + len(self._constants)
        return self._steps.setdefault((operation, left, right), first + len(self._steps))
