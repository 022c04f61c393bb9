"""The route of a contraction: in which coordinates, in which order, over which axes.

Summing over a coordinate v multiplies all tables that have v in a form, and leaves one table over
the forms without v. Its axes are independent forms among these of which the others are whole
combinations (or, where there are none such, the coordinates themselves). The work of a step is the
number of cells times the number of values of v. Greedily the cheapest step is taken next; of
several choices of coordinates the one whose dearest step is cheapest wins. The widths of forms are
only estimated here: their standard deviations decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from covey.dynamics.product_form.elimination.coordinates import Coordinates
from covey.dynamics.product_form.elimination.table import dependencies
from covey.errors import TooLargeError, UnsupportedError
from covey.numbers import Ints

_CHOICES = 200  # coordinates times choices of them that are tried
_MAX_LOOKED = 40_000_000  # numbers that the search may look at: a second or two
_LOOKED = 5_000  # by one step, besides the forms of all tables
_MAX_FORMS = 40  # that one step may have: many fewer are hopeless already

Width = Callable[[Ints], float]


@dataclass(frozen=True, eq=False)
class Step:
    """Multiply some tables, over axes, and sum over one coordinate, or over none."""

    tables: tuple[int, ...]  # numbers: first the lumps, then what the steps before have left
    axes: Ints  # (axes, coordinates)
    over: int | None


@dataclass(frozen=True, eq=False)
class Route:
    """The coordinates, and all steps; the last has the observed ones for its axes."""

    coordinates: Coordinates
    steps: tuple[Step, ...]
    log_work: float  # ln of about the work of the dearest


def best_route(
    choices: Iterable[Coordinates], width: Callable[[Coordinates], Width], log_most: float
) -> Route:
    """The cheapest route; refused where no step of it may take as much as e^`log_most`."""
    best = None
    tried = looked = 0
    for choice in choices:
        search = _Search(choice, width(choice), looked)
        route = search.run(log_most if best is None else best.log_work)
        best = route or best
        tried, looked = tried + len(choice.matrix), search.looked
        if tried > _CHOICES or looked > _MAX_LOOKED:
            break
    if not tried:
        raise UnsupportedError("no whole-numbered coordinates were found for what is seen")
    if best is None:
        raise TooLargeError(
            "the species are too entangled: summing over any of them, even within windows, takes "
            "more than can be done. Observe fewer sums, or take a smaller team"
        )
    return best


class _Search:
    """One choice of coordinates, and the tables at one point of its route."""

    def __init__(self, at: Coordinates, width: Width, looked: int) -> None:
        self.at, self.width, self.looked = at, width, looked
        self.widths: dict[bytes, float] = {}
        self.tables = {i: form[None] for i, form in enumerate(at.lumps)}
        self.steps: list[Step] = []
        self.work = 0.0

    def run(self, enough: float) -> Route | None:
        """The steps in greedy order; None as soon as one of them takes as much as `enough`."""
        left = set(self.at.summed)
        known: dict[int, tuple[float, Step]] = {}
        at_once = len(self.at.lumps) * len(self.at.matrix)
        while left:
            for v in sorted(left - known.keys()):
                known[v] = self._step(v)
                self.looked += _LOOKED + at_once
                if self.looked > _MAX_LOOKED:
                    return None
            v = min(left, key=lambda v: (known[v][0], v))
            work, step = known[v]
            self.work = max(self.work, work)
            if self.work >= enough:
                return None
            self._take(step)
            left.remove(v)
            changed = {v} | set(np.flatnonzero(step.axes.any(axis=0)).tolist())
            known = {other: found for other, found in known.items() if other not in changed}
        axes = np.eye(len(self.at.matrix), dtype=np.int64)[list(self.at.observed)]
        self.work = max(self.work, self._cells(axes))
        if self.work >= enough:
            return None
        self._take(Step(tuple(sorted(self.tables)), axes, None))
        return Route(self.at, tuple(self.steps), self.work)

    def _step(self, v: int) -> tuple[float, Step]:
        """The logarithm of the work of summing over v, and how."""
        tables = tuple(sorted(t for t, forms in self.tables.items() if forms[:, v].any()))
        forms = np.concatenate([self.tables[t] for t in tables])
        if len(forms) > _MAX_FORMS:
            return math.inf, Step(tables, forms, v)
        narrowest = min(self._width(form) / abs(form[v]) for form in forms if form[v])
        rest = forms.copy()
        rest[:, v] = 0
        axes = self._axes(rest[rest.any(axis=1)])
        return self._cells(axes) + math.log(narrowest + 1), Step(tables, axes, v)

    def _axes(self, forms: Ints) -> Ints:
        """Independent forms of which all others are whole combinations."""
        distinct = {signed(form).tobytes(): signed(form) for form in forms}
        listed = sorted(distinct.values(), key=self._width)
        if not listed:
            return forms
        rows = np.array(listed)
        relations, kept = dependencies(rows, list(range(len(rows), 0, -1)))
        others = [j for j in range(len(rows)) if j not in kept]
        if (np.abs(relations[:, others]).max(axis=1, initial=1) == 1).all():
            return rows[kept]
        units = np.eye(forms.shape[1], dtype=np.int64)
        return units[forms.any(axis=0)]

    def _take(self, step: Step) -> None:
        for table in step.tables:
            del self.tables[table]
        self.tables[len(self.at.lumps) + len(self.steps)] = step.axes
        self.steps.append(step)

    def _cells(self, axes: Ints) -> float:
        return math.fsum(math.log(self._width(axis)) for axis in axes)

    def _width(self, form: Ints) -> float:
        key = signed(form).tobytes()
        if key not in self.widths:
            self.widths[key] = self.width(form)
        return self.widths[key]


def signed(form: Ints) -> Ints:
    """The form or its negative: the one that begins with a positive number."""
    used = np.flatnonzero(form)
    return form if not len(used) or form[used[0]] > 0 else -form


def combinations(forms: Ints, axes: Ints) -> Ints:
    """Whole numbers m with forms = m · axes: (forms, axes)."""
    if not len(axes):
        return np.zeros((len(forms), 0), dtype=np.int64)
    found = np.linalg.lstsq(axes.T.astype(np.float64), forms.T.astype(np.float64), rcond=None)[0]
    whole = np.rint(found.T).astype(np.int64)
    if not (whole @ axes == forms).all():
        raise AssertionError("axes were chosen so that every form is a whole combination")
    return whole
