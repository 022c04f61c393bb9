"""In which order to eliminate: greedily, the variable whose table will be smallest.

Eliminating v multiplies every table that has v in a form and leaves one table over the forms
without v. Its size is at most the product of the ranges of its distinct forms, times the number
of partial observations: at most the product of their ranges, and at most the number of ways in
which the eliminated variables can be chosen.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from covey.numbers import Ints

Form = tuple[tuple[int, int], ...]  # (variable, coefficient), in order


@dataclass(frozen=True)
class _Symbol:
    """A table of which only the shape is known."""

    forms: frozenset[Form]
    gone: frozenset[int]  # the variables that were summed over


class Shapes:
    """Sizes of tables, from the number of values of each variable and its part in observations."""

    def __init__(self, sizes: Ints, sees: Ints) -> None:
        self.spans = (sizes - 1).tolist()
        self.reaches = (np.abs(sees) * (sizes - 1)).T  # (variables, observations)
        self.choices = np.where(self.reaches.any(axis=1), np.log(sizes), 0.0)  # (variables,)

    def log_observations(self, gone: Collection[int]) -> float:
        """Ln of a bound on how many different partial observations these variables make."""
        variables = list(gone)
        by_range = np.log1p(self.reaches[variables].sum(axis=0)).sum()
        return float(min(self.choices[variables].sum(), by_range))

    def log_size(self, forms: Iterable[Form], gone: Collection[int]) -> float:
        """Ln of a bound on the rows of a table."""
        rows = sum(math.log1p(sum(n * self.spans[v] for v, n in form)) for form in forms)
        return rows + self.log_observations(gone)


def elimination_order(forms: Ints, shapes: Shapes) -> list[int]:
    """The variables in the order in which to sum over them. `forms`: (tables, variables)."""
    tables = [
        _Symbol(frozenset([tuple((int(v), int(row[v])) for v in np.flatnonzero(row))]), frozenset())
        for row in forms
    ]
    left = set(range(forms.shape[1]))
    scores: dict[int, float] = {}
    order = []
    while left:
        for v in left - scores.keys():
            merged = _without(v, [t for t in tables if _has(t, v)])
            scores[v] = shapes.log_size(merged.forms, merged.gone)
        best = min(left, key=lambda v: (scores[v], v))
        order.append(best)
        left.remove(best)
        merged = _without(best, [t for t in tables if _has(t, best)])
        tables = [t for t in tables if not _has(t, best)] + [merged]
        touched = {v for form in merged.forms for v, _ in form}
        scores = {v: score for v, score in scores.items() if v in left and v not in touched}
    return order


def _has(table: _Symbol, v: int) -> bool:
    return any(v == w for form in table.forms for w, _ in form)


def _without(v: int, tables: list[_Symbol]) -> _Symbol:
    """The shape of the product of tables, summed over v."""
    forms = {tuple(term for term in form if term[0] != v) for t in tables for form in t.forms}
    gone = frozenset([v]).union(*(t.gone for t in tables))
    return _Symbol(frozenset(form for form in forms if form), gone)
