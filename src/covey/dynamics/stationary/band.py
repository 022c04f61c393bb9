"""A narrow band: the order of states in which transitions stay near the diagonal, and a solution.

By reverse Cuthill–McKee. In doubles, and without a proof: for what is checked afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from covey.numbers import Floats

if TYPE_CHECKING:
    from covey.dynamics.ctmc.generator import Generator

_MOST_WORK = 2e9  # multiplications: a second
_MOST_ROOM = 6e7  # numbers in a band: 0.5 GB


@dataclass(frozen=True, eq=False)
class Band:
    """An order of the states in which no transition leads further than `width` places."""

    order: NDArray[np.intp]  # (states,)
    width: int

    @property
    def quick(self) -> bool:
        """Whether a solution takes about a second."""
        n = len(self.order)
        return n * self.width**2 <= _MOST_WORK and n * (2 * self.width + 1) <= _MOST_ROOM

    def solve(
        self,
        places: tuple[NDArray[np.intp], NDArray[np.intp]],
        entries: Floats,
        diagonal: Floats,
        right: Floats,
    ) -> Floats:
        """The x of A x = b; no numbers where A is singular.

        Args:
            places: Rows and columns of the entries off the diagonal, by states.
            entries: And what they add up to there.
            diagonal: Of A, (states,).
            right: The b, (states,).
        """
        from scipy.linalg import solve_banded  # noqa: PLC0415

        place = np.argsort(self.order)
        row, column = place[places[0]], place[places[1]]
        matrix = np.zeros((2 * self.width + 1, len(place)))
        np.add.at(matrix, (self.width + row - column, column), entries)
        matrix[self.width] = diagonal[self.order]
        try:
            found = solve_banded(
                (self.width, self.width), matrix, right[self.order], check_finite=False
            )
        except np.linalg.LinAlgError:
            return np.full(len(place), np.nan)
        return np.asarray(found[place])


def band(generator: Generator) -> Band:
    """The states of a chain in an order with a narrow band."""
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import reverse_cuthill_mckee  # noqa: PLC0415

    n = len(generator)
    ends = generator.targets, generator.indices.astype(np.intp)
    linked = csr_array((np.ones(len(ends[0]), dtype=np.int8), ends), shape=(n, n))
    order = reverse_cuthill_mckee(linked, symmetric_mode=False).astype(np.intp)
    place = np.argsort(order)
    return Band(order, int(np.abs(place[ends[0]] - place[ends[1]]).max(initial=0)))
