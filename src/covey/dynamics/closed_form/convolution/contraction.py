"""The contraction: the law of an observation within windows, by dense tables of plain numbers.

Every lump's Poisson weight within its window is a table of one form; each step of a `route`
multiplies tables and sums over one coordinate; the last table is over the observation. Windows are
proved (`tails`): what lies outside any of them weighs at most T, the sum of their tails. They are
narrow, a few standard deviations of a *conditional* law each, so that tables are dense, and
numbers rather than logarithms: each table is scaled to have the maximum 1.

**Rounding.** All terms are positive. A sum of n products of t tables errs by at most n + t roundings,
relatively, beyond the errors of the tables, which add up.

**Underflow.** A table keeps what is above LEAST. What is below, or was lost within a product, weighs
at most LOST for every state of the box that goes through it, in the scale of that step: `faded`
bounds all of it, as a share of what was found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from covey.dynamics.closed_form.convolution.convolve import MAX_ROWS, Convolution
from covey.dynamics.closed_form.convolution.coordinates import Coordinates, coordinates
from covey.dynamics.closed_form.convolution.lumped_lattice import LumpedLattice
from covey.dynamics.closed_form.convolution.poisson_weights import log_poisson
from covey.dynamics.closed_form.convolution.route import (
    Route,
    Step,
    Width,
    best_route,
    combinations,
    signed,
)
from covey.dynamics.closed_form.convolution.tails import Tails, Window
from covey.errors import TooLargeError, UnsupportedError
from covey.numbers import LEAST, LOST, SPACING, Floats, Ints

MAX_TERMS = 2e10  # products that are summed in all, about a nanosecond each
_HOPELESS_LOG = math.log(1e4 * MAX_TERMS)  # estimates of widths are estimates
_UNBOUNDED = 2**40  # what comes from nothing may be so many
_ANY = np.array([-(2**60), 2**60])
_NONE = np.array([0, 0])


@dataclass(frozen=True, eq=False)
class _Dense:
    """A table over a grid of forms."""

    forms: Ints  # (forms, coordinates)
    low: Ints  # (forms,): the least value of each
    sizes: Ints  # (forms,)
    data: Floats  # (cells,), the largest is 1
    error: float


class Contraction:
    """One contraction, planned: windows, route, and what it will take.

    Raises `UnsupportedError` where whole numbers have no coordinates for what is seen, and
    `TooLargeError` where there is too much to sum. `log_lost` is ln T; `terms` bounds the work.
    """

    def __init__(self, lattice: LumpedLattice, log_tail: float, max_cells: int = MAX_ROWS) -> None:
        """Windows may leave out e^`log_tail` in all."""
        self.lattice, self.max_cells = lattice, max_cells
        self.tails = Tails(lattice)
        self.depth = 2 * math.sqrt(2 * max(-log_tail, 1.0) + 6)  # standard deviations, about
        self.reaches = [_UNBOUNDED if most is None else most for most in _most(lattice)]
        self.route: Route = best_route(coordinates(lattice), self._width_in, _HOPELESS_LOG)
        self._set_windows(log_tail)
        self.terms = 0.0
        for step in self.route.steps:
            self._count(step)

    def _width_in(self, at: Coordinates) -> Width:
        """About how many values a form of these coordinates takes."""
        return lambda form: self.depth * self.tails.spread(form @ at.matrix) + 1

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
                f"even within windows the sum would take tables of {cells:.2g} cells, and "
                f"{self.terms:.2g} terms, where {self.max_cells:,} and {MAX_TERMS:.2g} are allowed. "
                "Observe fewer sums, take a smaller team, or a larger tolerance"
            )

    def run(self) -> tuple[Convolution, float]:
        """What was found, and which share of it may have faded away below the least float."""
        at = self.route.coordinates
        tables: dict[int, _Dense] = {}
        shift = 0.0
        for lump, form in enumerate(at.lumps):
            tables[lump], top = self._weights(lump, form)
            shift += top
        scales = [0.0]
        for number, step in enumerate(self.route.steps):
            made, top = self._contract(step, [tables.pop(t) for t in step.tables])
            tables[len(at.lumps) + number] = made
            scales.append(top)
        (last,) = tables.values()
        found = np.flatnonzero(last.data)
        total = float(last.data.sum())
        logs = np.log(last.data[found])
        log_total = math.log(total)
        error = 2 * last.error + SPACING * (len(found) + 8 + float(np.abs(logs).max()))
        error += SPACING * (abs(shift) + len(scales) * max(map(abs, scales)))
        below = np.cumsum(scales[::-1])[::-1]  # ln of what the step and all later ones scaled by
        log_faded = math.log(LOST) + self.log_states + float(np.logaddexp.reduce(-below))
        strides = np.cumprod(np.append(last.sizes, 1)[:0:-1])[::-1]
        values = found[:, None] // strides % last.sizes + last.low  # (outcomes, axes)
        outcomes = at.offset + values @ at.seen[:, list(at.observed)].T
        total_log = log_total + shift + math.fsum(scales)
        return (
            Convolution(outcomes, logs - log_total, total_log, error, None),
            math.exp(min(log_faded - log_total, 0.0)),
        )

    def _weights(self, lump: int, form: Ints) -> tuple[_Dense, float]:
        """The Poisson weight of a lump within its window, and ln of its scale."""
        window, constant = self.window(form), int(self.route.coordinates.constants[lump])
        low = window.low + constant
        logs, error = log_poisson(low, window.size, self.lattice.log_rates[lump])
        top = float(logs.max())
        with np.errstate(under="ignore"):
            data = np.exp(logs - top)
        data[data < LEAST] = 0.0
        error += SPACING * (2 + float(np.abs(logs).max()))
        kept = form[None] if form.any() else form[None][:0]
        shape = np.full(len(kept), window.size)
        return _Dense(kept, np.full(len(kept), window.low), shape, data, error), top

    def _contract(self, step: Step, tables: list[_Dense]) -> tuple[_Dense, float]:
        """One step: the table that it leaves, and ln of its scale."""
        from covey.dynamics._kernels import contract  # noqa: PLC0415  (compiled: takes a second)

        ends = [self.window(axis) for axis in step.axes]
        low = np.array([end.low for end in ends], dtype=np.int64)
        sizes = np.array([end.size for end in ends], dtype=np.int64)
        forms = np.concatenate([table.forms for table in tables])
        steps = np.zeros(len(forms), dtype=np.int64)
        if step.over is not None:
            steps = forms[:, step.over].copy()
            forms = forms.copy()
            forms[:, step.over] = 0
        slopes = combinations(forms, step.axes)
        start = slopes @ low - np.concatenate([table.low for table in tables])
        widths = np.concatenate([table.sizes for table in tables])
        strides = np.zeros((len(tables), len(forms)), dtype=np.int64)
        place, offset = 0, np.zeros(len(tables), dtype=np.int64)
        for t, table in enumerate(tables):
            many = len(table.sizes)
            tail = np.append(table.sizes[1:], 1)[::-1]
            strides[t, place : place + many] = np.cumprod(tail)[::-1][:many]
            place += many
            offset[t] = sum(len(other.data) for other in tables[:t])
        values = 1 + max((int(w) // abs(int(s)) for w, s in zip(widths, steps, strict=True) if s),
                         default=0)  # fmt: skip
        out = np.empty(math.prod(sizes.tolist()))
        contract(
            out,
            sizes,
            (start, slopes, steps, widths),
            (offset + strides @ start, strides @ slopes, strides @ steps),
            np.concatenate([table.data for table in tables]),
            _NONE if step.over is None else _ANY,
            values + 1,
        )
        top = float(out.max(initial=0.0))
        if top < LEAST:
            raise UnsupportedError("the weights of these counts are too far apart for windows")
        out /= top
        out[out < LEAST] = 0.0
        error = sum(table.error for table in tables) + SPACING * (values + len(tables) + 4)
        return _Dense(step.axes, low, sizes, out, error), math.log(top)


def _most(lattice: LumpedLattice) -> list[int | None]:
    """The most that the totals allow of each lump; None where they say nothing."""
    found: list[int | None] = []
    for needs in lattice.needs:
        used = needs > 0
        found.append(int((lattice.totals[used] // needs[used]).min()) if used.any() else None)
    return found
