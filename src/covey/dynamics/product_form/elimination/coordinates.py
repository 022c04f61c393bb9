"""Coordinates in which what is seen stands still: the observation, and what is summed over.

Every lump of species is an affine form of the free lumps z, so is the observation, y = y₀ + Q z.
For each independent row of Q one free lump of coefficient ±1 (the row divided by its greatest
common divisor) is exchanged for the row itself. What comes of it are whole-numbered coordinates
u = U z, det U = ±1, of which some are the observation, and the others are to be summed over.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from covey.dynamics.product_form.elimination.lumped_lattice import LumpedLattice
from covey.numbers import Ints


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Lumps and observations as forms of coordinates u."""

    lumps: Ints  # (lumps, coordinates)
    constants: Ints  # (lumps,): what a lump holds at u = 0
    matrix: Ints  # (coordinates, free lumps): U
    seen: Ints  # (names, coordinates): 0 but for those that are observed
    offset: Ints  # (names,): what is seen at u = 0
    observed: tuple[int, ...]

    @property
    def summed(self) -> list[int]:
        """The coordinates that are not observed."""
        return [i for i in range(len(self.matrix)) if i not in self.observed]


def coordinates(lattice: LumpedLattice) -> Iterator[Coordinates]:
    """All choices of which free lumps to exchange; none where whole numbers allow none."""
    start = at_start(lattice)
    # Rows of few and small entries first: they leave the simpler ones.
    rows = np.argsort(np.abs(start.seen).sum(axis=1), kind="stable").tolist()
    yield from _exchanges(start, rows)


def at_start(lattice: LumpedLattice) -> Coordinates:
    """The free lumps themselves."""
    free, roots = lattice.free, len(lattice.pivots)
    needs = lattice.needs[free]
    forms = np.zeros((len(lattice.needs), len(free)), dtype=np.int64)
    forms[free] = np.eye(len(free), dtype=np.int64)
    forms[lattice.pivots] = -needs.T
    constants = np.zeros(len(forms), dtype=np.int64)
    constants[lattice.pivots] = lattice.totals
    seen = lattice.seen_of_free.T
    offset = lattice.inert + (lattice.totals @ lattice.seen_of_pivots if roots else 0)
    return Coordinates(
        forms, constants, np.eye(len(free), dtype=np.int64), seen, np.asarray(offset), ()
    )


def _exchanges(at: Coordinates, rows: list[int]) -> Iterator[Coordinates]:
    if not rows:
        yield at
        return
    row = at.seen[rows[0]].copy()
    row[list(at.observed)] = 0
    divisor = math.gcd(*row.tolist())
    if not divisor:  # known from the rows before
        yield from _exchanges(at, rows[1:])
        return
    for place in np.flatnonzero(np.abs(row) == divisor).tolist():
        yield from _exchanges(_exchange(at, row // divisor, place), rows[1:])


def _exchange(at: Coordinates, row: Ints, place: int) -> Coordinates:
    """The coordinate at this place becomes row · u, in which it has the coefficient ±1."""
    matrix = at.matrix.copy()
    matrix[place] = row @ at.matrix
    return Coordinates(
        _rewritten(at.lumps, row, place),
        at.constants,
        matrix,
        _rewritten(at.seen, row, place),
        at.offset,
        (*at.observed, place),
    )


def _rewritten(forms: Ints, row: Ints, place: int) -> Ints:
    """The same forms, with u_place = ±(u'_place − the rest of the row) put in."""
    taken = forms[:, place] * row[place]
    after = forms - taken[:, None] * row
    after[:, place] = taken
    return np.asarray(after)
