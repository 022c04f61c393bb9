"""How the sums of the product form are done: over all that can be, or within proved windows.

    whole     every state; where something is unbounded, all but the far tails of that
    windows   all but a tolerance: a `contraction` within windows of the conditional distribution;
    where
              that is not possible, an elimination within Poisson windows, widened until it does

For a contraction it is known before anything is seen what it leaves out. If W ≤ P(lattice) is the
weight that a first contraction, without observations and within narrower windows, finds (that is
cheap), and T bounds what the windows leave out, then the share that is lost is at most T/W.
"""

from __future__ import annotations

import math

import numpy as np

from covey.dynamics.product_form.elimination.box import Box, whole_box, window_box
from covey.dynamics.product_form.elimination.contraction import Contraction, Routes, wiring
from covey.dynamics.product_form.elimination.convolve import Convolution, Elimination
from covey.dynamics.product_form.elimination.lumped_lattice import LumpedLattice
from covey.errors import TooLargeError, UnsupportedError

DEFAULT_TOLERANCE = 1e-12  # where something has to be left out and no tolerance is given
_MOST_TRIES = 6
_ROUGHLY = math.log(1e-3)  # what the first contraction may leave out
_SPARE = 1e-3  # of the tolerance: for what fades below the least float


class Whole:
    """Every state, at once. `certain` says whether it is proved that the sums fit."""

    def __init__(self, lattice: LumpedLattice, max_rows: int, max_written: float | None) -> None:
        self.elimination = Elimination(lattice, whole_box(lattice, None), max_rows, max_written)
        self.certain = self.elimination.certain

    def solve(self) -> tuple[Convolution, float]:
        """The convolution, and nothing that was left out."""
        return self.elimination.run(), 0.0


class Windows:
    """A contraction within windows that hold all but a tolerance: proved before it runs.

    `certain` is False for tolerances so small that floats may not reach that far.

    Args:
        lattice: What is summed over.
        unseen: The same, without an observation.
        tolerance: The share of the probability that may be left out.
        max_rows: Cells that a table may have.
        routes: Those of teams before.
    """

    def __init__(
        self,
        lattice: LumpedLattice,
        unseen: LumpedLattice,
        tolerance: float,
        max_rows: int,
        routes: Routes,
    ) -> None:
        weighing = self._weighing(lattice, unseen, max_rows, routes)
        rough, _ = weighing.run()
        log_weight = rough.log_total - rough.error
        allowed = math.log(tolerance) + math.log1p(-_SPARE) + log_weight
        self.contraction = Contraction(lattice, allowed, max_rows, routes)
        self.lost = math.exp(self.contraction.log_lost - log_weight)
        self.tolerance = tolerance
        self.certain = self.contraction.log_fading(log_weight) <= math.log(_SPARE * tolerance)

    @staticmethod
    def _weighing(
        lattice: LumpedLattice, unseen: LumpedLattice, max_rows: int, routes: Routes
    ) -> Contraction:
        """For what all states weigh: what is seen may tie together what is else entangled."""
        guess = log_density(unseen) + _ROUGHLY
        tied, free = (routes.get(wiring(one)) for one in (lattice, unseen))
        if tied and free and tied.log_work < free.log_work:
            return Contraction(lattice, guess, max_rows, routes)
        try:
            return Contraction(unseen, guess, max_rows, routes)
        except TooLargeError:
            return Contraction(lattice, guess, max_rows, routes)

    def solve(self) -> tuple[Convolution, float]:
        """The convolution, and a bound on the share of what it left out."""
        found, faded = self.contraction.run()
        if faded > _SPARE * self.tolerance:
            raise UnsupportedError(
                f"a tolerance of {self.tolerance:.1g} asks for weights further apart than numbers "
                "can be: take a larger one"
            )
        return found, self.lost + faded


class PoissonWindows:
    """An elimination within Poisson windows; if the first leave out too much, wider ones follow.

    Without a tolerance only what is unbounded has a window.
    """

    certain = False

    def __init__(self, lattice: LumpedLattice, tolerance: float | None, max_rows: int) -> None:
        self.lattice, self.max_rows = lattice, max_rows
        self.make = whole_box if tolerance is None else window_box
        self.wanted = math.log(tolerance or DEFAULT_TOLERANCE)
        self.log_tail = self.wanted - math.log(4 * len(lattice.needs))
        self.log_tail += min(0.0, log_density(lattice))
        self.box: Box = self.make(lattice, self.log_tail)
        self.elimination = Elimination(lattice, self.box, max_rows)

    def solve(self) -> tuple[Convolution, float]:
        """The convolution, and a bound on the share of what it left out."""
        box, elimination = self.box, self.elimination
        for _ in range(_MOST_TRIES):
            found = elimination.run()
            log_lost = box.log_lost - found.log_total + found.error
            if log_lost <= self.wanted:
                return found, math.exp(log_lost)
            self.log_tail += self.wanted - log_lost - 1
            box = self.make(self.lattice, self.log_tail)
            elimination = Elimination(self.lattice, box, self.max_rows)
        raise UnsupportedError(
            f"no window was found that holds all but {math.exp(self.wanted):.1g} of the "
            "probability: the totals make this team far from what independent counts would be. "
            "Leave the tolerance out"
        )


def sums(
    lattice: LumpedLattice,
    unseen: LumpedLattice,
    tolerance: float | None,
    max_rows: int,
    max_written: float | None,
    routes: Routes | None = None,
) -> Whole | Windows | PoissonWindows:
    """How to sum: what is too large is refused here; `routes` are those of teams before."""
    if tolerance is None:
        if lattice.needs.any(axis=1).all():
            return Whole(lattice, max_rows, max_written)
        return PoissonWindows(lattice, None, max_rows)
    try:
        return Windows(lattice, unseen, tolerance, max_rows, {} if routes is None else routes)
    except UnsupportedError:
        return PoissonWindows(lattice, tolerance, max_rows)
    except TooLargeError as too_large:
        try:
            return PoissonWindows(lattice, tolerance, max_rows)
        except TooLargeError:
            raise too_large from None


def log_density(lattice: LumpedLattice) -> float:
    """`ln` of about what the lattice weighs: a normal density with one dimension for each root."""
    spread = (lattice.needs.T * np.exp(lattice.log_rates.astype(float))) @ lattice.needs
    return float(-np.linalg.slogdet(2 * np.pi * spread)[1] / 2) if len(spread) else 0.0
