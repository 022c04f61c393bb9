"""The convolution: the distribution of what is seen on a lumped lattice, no state listed.

With pivots solved for, the free lumps z are the variables, each with its Poisson weight; a pivot's
weight is a function of one linear form of z; and the observation is y = y₀ + Q z, of which only
independent rows have to be kept. Variables are summed over one at a time (`table`).

Before anything is summed it is known how many rows that will take: from the shapes of the tables
alone where they are small; else the same steps are taken without observations and with all weights
1, which is cheap, counts the states, and bounds from above what the real steps will write.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from covey.dynamics.product_form.elimination.box import Box
from covey.dynamics.product_form.elimination.lumped_lattice import LumpedLattice
from covey.dynamics.product_form.elimination.order import (
    Shapes,
    TooEntangledError,
    elimination_order,
)
from covey.dynamics.product_form.elimination.poisson_weights import log_poisson
from covey.dynamics.product_form.elimination.rows import WORD, StepTooLargeError
from covey.dynamics.product_form.elimination.table import (
    Table,
    Variable,
    dependencies,
    point_table,
    product,
    sum_out,
    written_rows,
)
from covey.errors import TooLargeError
from covey.numbers import SPACING, Floats, Ints
from covey.words import rounded

MAX_ROWS = 20_000_000  # rows of a table, some 50 bytes each
_MAX_WRITTEN = 400_000_000  # rows written in all, some 100 ns each
_MAX_COUNTED = 20_000_000  # rows written by one step of the count
_HOPELESS = 5  # bounds are bounds: up to this many times too large it is tried all the same
_HOPELESS_LOG = math.log(1e15)  # the same for what the shapes of tables alone say, which is coarser
_SMALL_LOG = math.log(2e4)  # so few rows are not worth being counted beforehand
_COUNTED = 1e11  # states that a logarithm still tells apart


class TooSlowError(TooLargeError):
    """More rows would be written than were asked for; it may well be possible."""


@dataclass(frozen=True, eq=False)
class Convolution:
    """What an elimination found: outcomes, ln of their share, and how good it is."""

    outcomes: Ints  # (outcomes, names)
    log_shares: Floats  # (outcomes,): of the weight of all states in the box
    log_total: float  # ln of that weight
    error: float  # of every share, and of the total
    states: int | None


def convolve(lattice: LumpedLattice, box: Box, max_rows: int = MAX_ROWS) -> Convolution:
    """The weight of every outcome within a box. Refuses, before it starts, what is too large."""
    return Elimination(lattice, box, max_rows).run()


class _Count:
    """Bounds on what the steps of an elimination write, from the same steps without observations.

    A row of the counting table stands for as many states as its weight says, and so for at most
    that many observations; and for at most as many as there are.
    """

    def __init__(self, shapes: Shapes, max_rows: int, max_written: float | None) -> None:
        self.shapes, self.max_rows = shapes, max_rows
        self.max_written = _HOPELESS * _MAX_WRITTEN if max_written is None else max_written
        # To find that it takes too long should take a small part of it.
        self.max_counted = _MAX_COUNTED if max_written is None else int(max_written / 5)
        self.written = 0.0
        self.peak = 0.0

    def before(self, table: Table, variable: Variable, most_left: Ints) -> None:
        """Notes the rows that summing over a variable will write."""
        rows = self._rows(table, self.shapes.log_observations(table.gone))
        self._note(float(rows @ written_rows(table, variable, most_left)), float(rows.sum()))

    def times(self, left: Table, right: Table, both: Table) -> None:
        """Notes the rows that a product will write."""
        most = self.shapes.log_observations(left.gone) + self.shapes.log_observations(right.gone)
        rows = float(self._rows(both, most).sum())
        self._note(rows, rows)

    def _note(self, written: float, peak: float) -> None:
        """Ends the count as soon as it is clear that the real steps are hopeless."""
        self.written += written
        self.peak = max(self.peak, peak)
        if self.written > self.max_written or self.peak > _HOPELESS * self.max_rows:
            raise StepTooLargeError(self.peak)

    @property
    def fits(self) -> bool:
        """Whether the real steps are sure to fit."""
        return self.written <= _MAX_WRITTEN and self.peak <= self.max_rows

    @staticmethod
    def _rows(table: Table, log_most: float) -> Floats:
        return np.asarray(np.exp(np.minimum(np.minimum(table.logs + table.shift, log_most), 700.0)))


class Elimination:
    """One elimination, planned: what is seen of every variable, and what it will take.

    Raises `TooLargeError` where that is too much. `certain` says whether it is sure to fit; if not,
    the bounds allow neither to promise nor to refuse it, and `run` may still refuse. With
    `max_written` all is refused that is not sure to write fewer rows in all.
    """

    def __init__(
        self,
        lattice: LumpedLattice,
        box: Box,
        max_rows: int,
        max_written: float | None = None,
    ) -> None:
        self.lattice, self.box, self.max_rows = lattice, box, max_rows
        self.max_written = max_written
        self.free = lattice.free
        self.sizes = box.sizes[self.free]
        if box.sizes.sum() > max_rows:
            raise TooLargeError(self._too_large(float(box.sizes.max())))
        self.needs = lattice.needs[self.free]  # (variables, roots)
        self.left = lattice.totals - box.low[self.free] @ self.needs  # (roots,)
        self._set_observation()
        self.shapes = Shapes(self.sizes, self.seen[self.basis])
        try:
            order = elimination_order(self.needs.T, self.shapes, _HOPELESS_LOG)
        except TooEntangledError:
            raise TooLargeError(
                f"the {len(self.sizes):,} species that can change are too entangled to be "
                "eliminated one at a time: every one is needed together with nearly all others"
            ) from None
        self.order = order.variables
        self.states: int | None = None
        self.certain = order.log_peak <= _SMALL_LOG
        if order.log_forms > _HOPELESS_LOG:
            raise TooLargeError(self._too_large(math.exp(min(order.log_forms, 700.0))))
        if not self.certain and self.words:  # otherwise counting costs as much as the sum itself
            self._estimate()

    def _set_observation(self) -> None:
        """Q and y₀; the independent rows of Q, and how they are packed into keys."""
        names = len(self.lattice.names)
        self.seen = self.lattice.seen_of_free.T  # (names, variables)
        self.offset = self.lattice.inert + self.lattice.totals @ self.lattice.seen_of_pivots
        self.offset = self.offset + self.seen @ self.box.low[self.free]
        reach = self.seen * (self.sizes - 1)
        low, high = np.minimum(reach, 0).sum(axis=1), np.maximum(reach, 0).sum(axis=1)
        span = (high - low + 1).tolist()
        # Rows with few values first: they make the shorter keys.
        rank = {row: -place for place, row in enumerate(np.argsort(span, kind="stable").tolist())}
        self.relations, self.basis = dependencies(self.seen, [rank[r] for r in range(names)])
        self.digits: list[tuple[int, int, int, int]] = []  # word, stride, lowest, span
        word, stride = 0, 1
        for row in self.basis:
            if stride * span[row] >= WORD:
                word, stride = word + 1, 1
            self.digits.append((word, stride, int(low[row]), span[row]))
            stride *= span[row]
        self.words = word + 1 if self.digits else 0

    def run(self) -> Convolution:
        """Eliminates, and says what was found."""
        try:
            table = self._eliminate(self._variables(), self._tables(), counting=None)
        except StepTooLargeError as step:
            raise TooLargeError(self._too_large(step.rows)) from None
        with np.errstate(under="ignore"):
            total = math.log(float(np.exp(table.logs).sum()))  # the largest is 0
        error = 2 * table.error + SPACING * (len(table) + 750 + float(np.abs(table.logs).max()))
        error += SPACING * abs(table.shift)
        return Convolution(
            self._decode(table.keys), table.logs - total, total + table.shift, error, self.states
        )

    def _variables(self) -> list[Variable]:
        found = []
        for number, lump in enumerate(self.free):
            low, rate = int(self.box.low[lump]), self.lattice.log_rates[lump]
            logs, error = log_poisson(low, int(self.sizes[number]), rate)
            part = np.zeros(self.words, dtype=np.int64)
            for row, (word, stride, _, _) in zip(self.basis, self.digits, strict=True):
                part[word] += stride * self.seen[row, number]
            found.append(Variable(number, logs, error, part))
        return found

    def _tables(self) -> list[Table]:
        """For each root the weight of its pivot, as a function of what the others use."""
        found = []
        for root, pivot in enumerate(self.lattice.pivots):
            form = self.needs[:, root]
            most = int(form @ (self.sizes - 1))
            least = max(0, int(self.left[root] - self.box.high[pivot]))
            most = min(most, int(self.left[root] - self.box.low[pivot]))
            fewest = int(self.left[root]) - most
            logs, error = log_poisson(fewest, most - least + 1, self.lattice.log_rates[pivot])
            found.append(point_table(logs[::-1], least, form, self.words, error))
        return found

    def _eliminate(
        self, variables: list[Variable], tables: list[Table], counting: _Count | None
    ) -> Table:
        """Sums over every variable in turn, and multiplies what is left."""
        width = self.words if counting is None else 0
        empty = Table(
            np.zeros((0, len(variables)), np.int64),
            np.zeros((1, 0), np.int64),
            np.zeros((1, width), np.int64),
            np.zeros(1),
            0.0,
            0.0,
        )
        most_left = self.sizes - 1
        for number in self.order:
            involved = [t for t in tables if t.forms[:, number].any()]
            tables = [t for t in tables if not t.forms[:, number].any()]
            merged = self._multiply(involved or [empty], counting)
            if counting:
                counting.before(merged, variables[number], most_left)
            most = _MAX_WRITTEN if counting is None else counting.max_counted
            merged = sum_out(merged, variables[number], most_left, most)
            if len(merged) > self.max_rows:
                raise StepTooLargeError(len(merged))
            tables.append(merged)
        return self._multiply(tables or [empty], counting)

    def _multiply(self, tables: list[Table], counting: _Count | None) -> Table:
        tables = sorted(tables, key=len)
        merged = tables[0]
        for table in tables[1:]:
            both = product(merged, table, self.max_rows)
            if counting:
                counting.times(merged, table, both)
            merged = both
        return merged

    def _estimate(self) -> None:
        """Counts the states, and refuses if the real steps would write too many rows."""
        counting = _Count(self.shapes, self.max_rows, self.max_written)
        variables = [
            Variable(v, np.zeros(n), 0.0, np.zeros(0, np.int64)) for v, n in enumerate(self.sizes)
        ]
        tables = [
            Table(t.forms, t.values, t.keys[:, :0], np.zeros(len(t)), 0.0, 0.0)
            for t in self._tables()
        ]
        try:
            total = self._eliminate(variables, tables, counting)
        except StepTooLargeError as step:
            error = TooLargeError if self.max_written is None else TooSlowError
            raise error(self._too_large(step.rows)) from None
        self.certain = counting.fits
        states = math.exp(min(total.shift, 700.0))
        self.states = round(states) if states < _COUNTED else None

    def _decode(self, keys: Ints) -> Ints:
        """The observations that keys stand for: (outcomes, names)."""
        names = len(self.lattice.names)
        found = np.zeros((len(keys), names), dtype=np.int64)
        lows = np.zeros(self.words, dtype=np.int64)
        for word, stride, low, _ in self.digits:
            lows[word] += stride * low
        for row, (word, stride, low, span) in zip(self.basis, self.digits, strict=True):
            found[:, row] = (keys[:, word] - lows[word]) // stride % span + low
        dependent = [row for row in range(names) if row not in self.basis]
        for relation in self.relations:
            (row,) = (r for r in dependent if relation[r])
            found[:, row] = -(found[:, self.basis] @ relation[self.basis]) // relation[row]
        return found + self.offset

    def _too_large(self, rows: float) -> str:
        return (
            f"eliminating the species would take tables of up to {rounded(rows, '.2g', 'up')} "
            "rows, where "
            f"{self.max_rows:,} are allowed. Observe fewer sums, take a smaller team, or give a "
            "tolerance: then only the states that hold all but that much are followed"
        )
