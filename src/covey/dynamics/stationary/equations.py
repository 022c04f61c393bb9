"""Few states: K p = 0 as one system of equations, where doubles give all of it.

The equation of a state o is left out and p(o) = 1. What is left is an M-matrix; its pivots lose
digits where o is hardly ever seen, so o is a likely state: most of what starts anywhere is there
after some jumps. What was found is taken only if K p vanishes to within the roundings of K p
itself, in every state: no other way to compute would be seen to do better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from covey.numbers import UNIT, Floats

if TYPE_CHECKING:
    from covey.dynamics.ctmc.generator import Generator

_JUMPS = 10


def by_equations(generator: Generator) -> Floats | None:
    """The ln p of every state of an irreducible chain, up to a constant; None where it is not sure.

    A bound on its error is not part of it.
    """
    with np.errstate(all="ignore"):  # what is no number is seen below
        likely = np.arange(len(generator)) == _likely(generator)
        matrix = -generator.dense_rates().T  # (into, from)
        np.fill_diagonal(matrix, generator.exits)
        matrix[likely] = likely  # p(o) = 1
        try:
            found = np.linalg.solve(matrix, likely.astype(float))
        except np.linalg.LinAlgError:
            return None
        rounding = generator.row_roundings() * UNIT * generator.exits * found
        balanced = np.abs(generator.product(found)) <= rounding
        logs: Floats = np.log(found)
    return logs if balanced.all() and np.isfinite(logs).all() else None


def _likely(generator: Generator) -> int:
    """A state where many are after some jumps, wherever they began."""
    share = np.ones(len(generator))
    for _ in range(_JUMPS):
        share += generator.inflow(share) / generator.exits  # half of them wait: none go in circles
        share /= share.max()
    return int(np.argmax(share))
