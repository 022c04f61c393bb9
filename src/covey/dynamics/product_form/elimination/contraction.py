"""The contraction: the distribution of what is seen within windows, by dense tables.

Every lump's Poisson weight within its window is a table of one form; each step of a `route`
multiplies tables and sums over one coordinate; the last table is over the observation. Windows are
proved (`tails`): what lies outside any of them weighs at most T, the sum of their tails. They are
narrow, a few standard deviations of a *conditional* distribution each, so that tables are `dense`.

What such a table has below LEAST, or was lost within a product, weighs at most LOST for every
state of the box that goes through it, in the scale of that step. With all scalings that follow,
this bounds which share of the whole may have faded away.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from covey.dynamics.product_form.elimination.convolve import MAX_ROWS, Convolution
from covey.dynamics.product_form.elimination.coordinates import (
    Coordinates,
    at_start,
    coordinates,
)
from covey.dynamics.product_form.elimination.dense import Dense, contracted, weights
from covey.dynamics.product_form.elimination.lumped_lattice import LumpedLattice
from covey.dynamics.product_form.elimination.route import (
    Route,
    Step,
    Width,
    best_route,
    signed,
)
from covey.dynamics.product_form.elimination.tails import Tails, Window
from covey.errors import TooLargeError
from covey.numbers import LOST, SPACING, Ints

MAX_TERMS = 2e10  # products that are summed in all, about a nanosecond each
_HOPELESS_LOG = math.log(1e4 * MAX_TERMS)  # estimates of widths are estimates
_UNBOUNDED = 2**40  # what comes from nothing may be so many


Wiring = tuple[bytes, ...]
Routes = dict[Wiring, Route]


def wiring(lattice: LumpedLattice) -> Wiring:
    """What lattices of teams have in common that are alike: but for their rates, and some robots.

    A route is right for all of them, and hardly dearer for one than for another.
    """
    size = np.rint(np.log2(lattice.totals + 1.0))
    parts = lattice.needs, lattice.seen, lattice.pivots, size
    return tuple(part.tobytes() for part in parts)


class Contraction:
    """One contraction, planned: windows, route, and what it will take.

    Raises `UnsupportedError` where whole numbers have no coordinates for what is seen, and
    `TooLargeError` where there is too much to sum. `log_lost` is ln T; `terms` bounds the work.
    """

    def __init__(
        self,
        lattice: LumpedLattice,
        log_tail: float,
        max_cells: int = MAX_ROWS,
        routes: Routes | None = None,
    ) -> None:
        """Windows may leave out e^`log_tail` in all; `routes` are those of teams before."""
        self.lattice, self.max_cells = lattice, max_cells
        self.tails = Tails(lattice)
        self.depth = 2 * math.sqrt(2 * max(-log_tail, 1.0) + 6)  # standard deviations, about
        self.reaches = [_UNBOUNDED if most is None else most for most in _most(lattice)]
        self.route: Route = self._route({} if routes is None else routes)
        self._set_windows(log_tail)
        self.terms = 0.0
        for step in self.route.steps:
            self._count(step)

    def _route(self, routes: Routes) -> Route:
        """The cheapest; of teams that are alike, that of the first."""
        key = wiring(self.lattice)
        if key not in routes:
            routes[key] = best_route(coordinates(self.lattice), self._width_in, _HOPELESS_LOG)
        known, start = routes[key], at_start(self.lattice)
        at = replace(known.coordinates, constants=start.constants, offset=start.offset)
        return replace(known, coordinates=at)

    def _width_in(self, at: Coordinates) -> Width:
        """About how many values a form of these coordinates takes."""
        matrix = at.matrix.astype(np.float64)
        spread = matrix @ self.tails.covariance @ matrix.T
        return lambda form: self.depth * math.sqrt(max(float(form @ spread @ form), 0.0)) + 1

    def _set_windows(self, log_tail: float) -> None:
        at = self.route.coordinates
        forms = {signed(form).tobytes() for form in at.lumps if form.any()}
        forms |= {signed(axis).tobytes() for step in self.route.steps for axis in step.axes}
        each = log_tail - math.log(2 * max(len(forms), 1))
        self.windows: dict[bytes, Window] = {}
        for lump, form in enumerate(at.lumps):
            constant = int(at.constants[lump])
            self._add(form, (-constant, self.reaches[lump] - constant), each)
        free = self.lattice.free
        ends = [self.window(at.lumps[lump]) for lump in free]
        low, high = np.array([e.low for e in ends], int), np.array([e.high for e in ends], int)
        for step in self.route.steps:
            for axis in step.axes:
                of_free = axis @ at.matrix
                up, down = np.maximum(of_free, 0), np.minimum(of_free, 0)
                reach = int(up @ low + down @ high), int(up @ high + down @ low)
                self._add(axis, reach, each)
        lost = [window.log_lost for window in self.windows.values()]
        self.log_lost = float(np.logaddexp.reduce([-np.inf, *lost]))
        self.log_states = float(np.log(high - low + 1).sum())

    def _add(self, form: Ints, reach: tuple[int, int], log_tail: float) -> None:
        key = signed(form).tobytes()
        if key in self.windows:
            return
        if not form.any():
            self.windows[key] = Window(0, 0, -math.inf)
            return
        if not np.array_equal(signed(form), form):
            form, reach = -form, (-reach[1], -reach[0])
        of_free = form @ self.route.coordinates.matrix
        self.windows[key] = self.tails.window(of_free, reach, log_tail)

    def window(self, form: Ints) -> Window:
        """The window of a form that the route knows."""
        found = self.windows[signed(form).tobytes()]
        if np.array_equal(signed(form), form):
            return found
        return Window(-found.high, -found.low, found.log_lost)

    def _count(self, step: Step) -> None:
        """Refuses what is too large, from the sizes of windows alone."""
        cells = math.prod(self.window(axis).size for axis in step.axes)
        lumps = self.route.coordinates.lumps
        known = [lumps[t] for t in step.tables if t < len(lumps)]
        known += [a for t in step.tables if t >= len(lumps)
                  for a in self.route.steps[t - len(lumps)].axes]  # fmt: skip
        values = 1.0
        if step.over is not None:
            steps = [(self.window(form).size, abs(form[step.over])) for form in known]
            values = min(size / by + 1 for size, by in steps if by)
        self.terms += cells * values
        if cells > self.max_cells or self.terms > MAX_TERMS:
            raise TooLargeError(
                f"even within windows the sum would take tables of {float(cells):.2g} cells and "
                f"{self.terms:.2g} terms, where {self.max_cells:,} and {MAX_TERMS:.2g} are "
                "allowed. Observe fewer sums or take a smaller team",
                larger=("tolerance",),
            )

    def log_fading(self, log_weight: float) -> float:
        """`ln` of about the most that can fade away, as a share, if the lattice weighs so much.

        A step scales by at most the number of values that it sums, and all of them together by at
        least the weight per cell: three times the number of states covers both, and the states.
        """
        return math.log(LOST * (len(self.route.steps) + 2)) + 3 * self.log_states - log_weight

    def run(self) -> tuple[Convolution, float]:
        """What was found, and which share of it may have faded away below the least float."""
        at = self.route.coordinates
        tables: dict[int, Dense] = {}
        shift, scales = 0.0, [0.0]
        for lump, form in enumerate(at.lumps):
            rate, constant = self.lattice.log_rates[lump], int(at.constants[lump])
            tables[lump], top = weights(form, self.window(form), constant, rate)
            shift += top
        for number, step in enumerate(self.route.steps):
            ends = [self.window(axis) for axis in step.axes]
            made, top = contracted(step, ends, [tables.pop(t) for t in step.tables])
            tables[len(at.lumps) + number] = made
            scales.append(top)
        (last,) = tables.values()
        found = np.flatnonzero(last.data)
        total = float(last.data.sum())
        logs = np.log(last.data[found])
        log_total = math.log(total)
        error = 2 * last.error + SPACING * (len(found) + 8 + float(np.abs(logs).max()))
        error += SPACING * (abs(shift) + len(scales) * max(map(abs, scales)))
        below = np.cumsum([0.0, *scales[::-1]])  # ln of what the last ones scaled by, 0, 1, …
        log_faded = math.log(LOST) + self.log_states + float(np.logaddexp.reduce(-below))
        values = found[:, None] // last.strides % last.sizes + last.low  # (outcomes, axes)
        outcomes = at.offset + values @ at.seen[:, list(at.observed)].T
        total_log = log_total + shift + math.fsum(scales)
        return (
            Convolution(outcomes, logs - log_total, total_log, error, None),
            math.exp(min(log_faded - log_total, 0.0)),
        )


def _most(lattice: LumpedLattice) -> list[int | None]:
    """The most that the totals allow of each lump; None where they say nothing."""
    found: list[int | None] = []
    for needs in lattice.needs:
        used = needs > 0
        found.append(int((lattice.totals[used] // needs[used]).min()) if used.any() else None)
    return found
