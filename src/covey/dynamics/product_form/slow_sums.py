"""Which sums over every outcome take too long: counted once for all teams of nearly one size.

A team and its neighbours differ in one robot, and counting what their sums would write takes most
of the time in which windows are planned. So fewer robots are counted first, every total rounded
down to a few leading digits: what takes too long for them takes too long for every team that has
at least as many, and those mostly have the same rounded totals.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import numpy as np

from covey.dynamics.product_form.elimination.box import whole_box
from covey.dynamics.product_form.elimination.convolve import Elimination, TooSlowError
from covey.dynamics.product_form.elimination.lumped_lattice import LumpedLattice
from covey.numbers import Ints

_DIGITS = 5  # binary digits of a total that are kept


class SlowSums:
    """What was found of the lattices of one network."""

    def __init__(self) -> None:
        self._found: dict[Hashable, TooSlowError | None] = {}

    def check(self, lattice: LumpedLattice, max_rows: int, max_written: float) -> None:
        """Refuses what would write too much with fewer robots already."""
        totals = rounded_down(lattice.totals)
        arrays = totals, lattice.needs, lattice.seen, lattice.pivots
        key = max_rows, max_written, lattice.most, *(array.tobytes() for array in arrays)
        if key not in self._found:
            self._found[key] = None
            fewer = replace(lattice, totals=totals)
            try:
                Elimination(fewer, whole_box(fewer, None), max_rows, max_written)
            except TooSlowError as error:
                self._found[key] = error
        slow = self._found[key]
        if slow is not None:
            raise TooSlowError(slow.message)


def rounded_down(totals: Ints) -> Ints:
    """Every total with its leading binary digits only."""
    lengths = np.frexp(totals.astype(np.float64))[1]
    grid = np.left_shift(1, np.maximum(lengths - _DIGITS, 0))
    return np.asarray(totals // grid * grid)
