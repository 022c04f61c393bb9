"""In which order to eliminate: greedily, the variable whose table will be smallest.

Eliminating v multiplies every table that has v in a form and leaves one table over the forms
without v. Its size is at most the product of the ranges of its distinct forms, times the number
of partial observations: at most the product of their ranges, and at most the number of ways in
which the eliminated variables can be chosen.

Only shapes are followed here, no rows. A form is known by the sum of its coefficients times random
64-bit numbers, one for each variable, modulo 2⁶⁴: equal forms have equal sums, and should two
others ever meet, the order is a little worse and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from covey.numbers import Floats, Ints

Keys = NDArray[np.uint64]

# The same shapes come again for every team that is alike, and at other rates, of which a person who
# tries them asks for many: what was found of the last small ones is remembered.
REMEMBERED = 1_000
SMALL = 10_000  # numbers

_MAX_SCORED = 40_000  # variables scored in all: a second or two, and more than any order needs


@dataclass(frozen=True, eq=False)
class _Symbol:
    """A table of which only the shape is known."""

    forms: Ints  # (forms, variables)
    keys: Keys  # (forms,)
    ranges: Floats  # (forms,): the largest value of each
    gone: frozenset[int]  # the variables that were summed over


@dataclass(frozen=True)
class Order:
    """The variables in the order in which to sum over them, and a bound on what that takes."""

    variables: tuple[int, ...]
    log_peak: float  # ln of a bound on the rows of the largest table
    log_forms: float  # the same without observations, of which a table often has far fewer


class TooEntangledError(Exception):
    """No order is found in reasonable time: every variable is in tables with all others."""


class Shapes:
    """Sizes of tables, from the number of values of each variable and its part in observations."""

    def __init__(self, sizes: Ints, sees: Ints) -> None:
        self._key = sizes.tobytes(), sees.tobytes()
        self.spans = (sizes - 1).astype(np.float64)
        self.reaches = (np.abs(sees) * (sizes - 1)).T  # (variables, observations)
        self.choices = np.where(self.reaches.any(axis=1), np.log(sizes), 0.0)  # (variables,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shapes) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def log_observations(self, gone: Collection[int]) -> float:
        """`ln` of a bound on how many different partial observations these variables make."""
        variables = list(gone)
        by_range = np.log1p(self.reaches[variables].sum(axis=0)).sum()
        return float(min(self.choices[variables].sum(), by_range))


def elimination_order(forms: Ints, shapes: Shapes, hopeless: float) -> Order:
    """The order for tables of these forms, (tables, variables).

    Ends early, with what is left in any order, once no table is in sight whose forms have fewer
    than e^`hopeless` values: `log_forms` is beyond it then.
    """
    find = _order if forms.size <= SMALL else _order.__wrapped__
    return find(forms.astype(np.int64).tobytes(), len(forms), shapes, hopeless)


@lru_cache(maxsize=REMEMBERED)
def _order(raw: bytes, tables: int, shapes: Shapes, hopeless: float) -> Order:
    forms = np.frombuffer(raw, dtype=np.int64).reshape(tables, len(shapes.spans))
    search = _Search(forms, shapes)
    order: list[int] = []
    peak = (0.0, 0.0)
    while search.left:
        best, score = search.best()
        peak = max(peak[0], score[0]), max(peak[1], score[1])
        if peak[1] > hopeless:
            return Order((*order, *sorted(search.left)), *peak)
        order.append(best)
        search.eliminate(best)
    return Order(tuple(order), *peak)


class _Search:
    """The tables at one point of the elimination, and what each variable would make of them."""

    def __init__(self, forms: Ints, shapes: Shapes) -> None:
        self.shapes = shapes
        variables = forms.shape[1]
        draws = np.random.default_rng(0)
        self.random: Keys = draws.integers(0, 2**64, (variables,), dtype=np.uint64)
        self.tables: dict[int, _Symbol] = {}
        self.tables_of: list[set[int]] = [set() for _ in range(variables)]
        self.left = set(range(variables))
        self.scores: dict[int, tuple[float, float]] = {}
        self.made = self.scored = 0
        for row in forms:
            self._add(row[None], frozenset())

    def best(self) -> tuple[int, tuple[float, float]]:
        """The variable whose table is smallest, and how large that is."""
        for v in self.left - self.scores.keys():
            self.scored += 1
            if self.scored > _MAX_SCORED:
                raise TooEntangledError
            self.scores[v] = self._score(v)
        best = min(self.left, key=lambda v: (self.scores[v], v))
        return best, self.scores[best]

    def eliminate(self, v: int) -> None:
        """Multiplies the tables that have v, and sums over it."""
        involved = [self.tables.pop(number) for number in sorted(self.tables_of[v])]
        taken = self.tables_of[v].copy()
        forms = np.concatenate([t.forms for t in involved]) if involved else self._no_forms()
        forms[:, v] = 0
        _, first = np.unique(self._keys(forms), return_index=True)
        forms = forms[np.sort(first)]
        forms = forms[forms.any(axis=1)]
        for numbers in self.tables_of:
            numbers.difference_update(taken)
        self.left.remove(v)
        touched = np.flatnonzero(forms.any(axis=0)).tolist()
        self._add(forms, frozenset([v]).union(*(t.gone for t in involved)))
        for other in (v, *touched):
            self.scores.pop(other, None)

    def _add(self, forms: Ints, gone: frozenset[int]) -> None:
        ranges = forms @ self.shapes.spans
        self.tables[self.made] = _Symbol(forms, self._keys(forms), ranges, gone)
        for v in np.flatnonzero(forms.any(axis=0)):
            self.tables_of[v].add(self.made)
        self.made += 1

    def _score(self, v: int) -> tuple[float, float]:
        """`ln` of bounds on the rows of the table without v, with and without observations."""
        involved = [self.tables[number] for number in self.tables_of[v]]
        if not involved:
            return self.shapes.log_observations([v]), 0.0
        column = np.concatenate([t.forms[:, v] for t in involved])
        keys = np.concatenate([t.keys for t in involved])
        keys = keys - column.astype(np.uint64) * self.random[v]
        ranges = np.concatenate([t.ranges for t in involved]) - column * self.shapes.spans[v]
        distinct = dict(zip(keys.tolist(), ranges.tolist(), strict=True))
        rows = math.fsum(map(math.log1p, distinct.values()))
        gone = frozenset([v]).union(*(t.gone for t in involved))
        return rows + self.shapes.log_observations(gone), rows

    def _keys(self, forms: Ints) -> Keys:
        return np.asarray((forms.astype(np.uint64) * self.random).sum(axis=1, dtype=np.uint64))

    def _no_forms(self) -> Ints:
        return np.zeros((0, len(self.random)), dtype=np.int64)
