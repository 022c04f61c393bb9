"""The generator K of a Markov chain, in the column convention: `dp/dt = K p`.

    K[y, x] = rate of the transitions from x to y,    K[x, x] = -exit(x)

Stored by rows, that is by incoming transitions, without the diagonal: products and sweeps only
read. Indices are 32-bit; large chains hold the numbers of their rates (see `rate_table`). Which
transitions a network has is for `transitions`; every generator is made of such by one constructor.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.rate_table import RateTable
from covey.dynamics.ctmc.row_groups import grouped, ungrouped
from covey.dynamics.kernels.rows import Groups, Rows
from covey.dynamics.state_space.state_index import COMPILE_FROM
from covey.dynamics.threads import side_by_side
from covey.errors import CoveyError
from covey.numbers import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

T = TypeVar("T")

_SHARED_FROM = 80_000  # states: a product of fewer is done before another core is awake
_PART = 8_000  # states, at least, of which a product does the rows at once
_BLOCK = 25_000  # states, at least, that a sweep goes through one after the other
_MOST_BLOCKS = 4  # the more, the more sweeps it takes


class Transitions(NamedTuple):
    """Some transitions of a chain."""

    sources: NDArray[np.integer]  # (transitions,): where each of them begins
    targets: NDArray[np.integer]  # (transitions,): where it leads
    rates: NDArray[Any]  # (transitions,): how often it happens there, or the number of that

    def where(self, kept: slice | NDArray[np.bool_]) -> Transitions:
        """Some of them, in as many bits as a generator has."""
        sources, targets = (ends[kept].astype(np.uint32) for ends in self[:2])
        return Transitions(sources, targets, self.rates[kept])


_NONE = [Transitions(*np.empty((3, 0), np.uint16))]


@dataclass(frozen=True, eq=False)
class Generator:
    """A Markov generator by incoming transitions; `transitions.build` makes one from a network."""

    indptr: NDArray[np.unsignedinteger]  # (states + 1,)
    indices: NDArray[np.uint32]  # (transitions,): where a transition comes from
    stored: NDArray[np.number]  # (transitions,): its rate, or the number of that in `table`
    exits: Floats  # (states,): total rate out of each state
    table: Floats | None = None

    @classmethod
    def from_transitions(
        cls, parts: Sequence[Transitions], exits: Floats, table: Floats | None = None
    ) -> Generator:
        """The generator of all transitions of some parts; in each row they keep their order.

        Args:
            parts: The transitions between states.
            exits: Total rate out of each state, for other states or for none of them.
            table: The rates by their numbers, where the parts hold numbers.
        """
        n = len(exits)
        if n >= 2**32 - 1:
            raise CoveyError(f"{n:,} states; the generator can hold at most {2**32 - 2:,}.")
        counts = np.zeros(n, dtype=np.int64)
        for part in parts:
            counts += np.bincount(part.targets, minlength=n)
        indptr = _offsets(counts)
        indices = np.empty(int(indptr[-1]), dtype=np.uint32)
        stored = np.empty(len(indices), np.result_type(*(part.rates for part in parts or _NONE)))
        if n < COMPILE_FROM:
            sources, targets, rates = map(np.concatenate, zip(*(parts or _NONE), strict=True))
            order = np.argsort(targets.astype(np.uint16), kind="stable")  # 16 bits: a radix sort
            indices[:], stored[:] = sources[order], rates[order]
            return cls(indptr, indices, stored, exits, table)
        from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

        place = indptr[:-1].astype(np.int64)  # where the next transition into each state goes
        for part in parts:
            at = sparse_rows.take_places(place, part.targets.astype(np.uint32, copy=False))
            indices[at], stored[at] = part.sources, part.rates
        return cls(indptr, indices, stored, exits, table)

    def __len__(self) -> int:
        return len(self.exits)

    @cached_property
    def compiled(self) -> bool:
        """Whether products are worth compiled code."""
        return len(self) >= COMPILE_FROM

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        """Ranges that a sweep goes through beside each other: cut by size, never by cores."""
        return _cut(len(self), int(np.clip(len(self) // _BLOCK, 1, _MOST_BLOCKS)))

    @cached_property
    def parts(self) -> list[tuple[int, int]]:
        """Ranges of rows that any core may do: where they are cut changes no number.

        Each is a third of what is left, so that there are few of them and cores end together.
        """
        if len(self) < _SHARED_FROM:
            return [(0, len(self))]
        ends = [0]
        while (left := len(self) - ends[-1]) > 0:
            ends.append(ends[-1] + min(max(left // 3, _PART), left))
        return list(itertools.pairwise(ends))

    def by_parts(self, work: Callable[[int, int], T]) -> list[T]:
        """What work(begin, end) gives for every part of the rows, on as many cores as are idle."""
        return side_by_side(lambda part: work(*self.parts[part]), len(self.parts))

    @property
    def rates(self) -> Floats:
        """The rate of every transition: (transitions,)."""
        rates = self.stored if self.table is None else self.table[self.stored]
        return rates.astype(np.float64, copy=False)

    @cached_property
    def rows(self) -> Rows:
        """What compiled code reads."""
        if self.table is not None:
            return Rows(self.indptr, self.indices, self.stored, self.table)
        table = RateTable()
        numbers = table.numbers(self.rates)
        return Rows(self.indptr, self.indices, numbers.astype(table.dtype), table.rates)

    @cached_property
    def groups(self) -> Groups:
        """The same for eight rows at a time."""
        return grouped(self.rows, [end for _, end in self.parts])

    @cached_property
    def _entered(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """States with incoming transitions, where each one's begin, and where all come from."""
        entered = np.flatnonzero(self.lengths)
        return entered, self.indptr[entered].astype(np.intp), self.indices.astype(np.intp)

    def inflow(self, vector: Floats) -> Floats:
        """Probability flowing into each state per unit of time: K without its diagonal.

        Row by row, even of large chains: for few products it does not pay to group the rows.
        """
        none = np.zeros(len(self))
        if not self.compiled:
            return self.advance(vector, none, 1.0)
        from covey.dynamics.kernels import grouped_rows  # noqa: PLC0415

        out, rows, single = np.empty(len(self)), self.rows, ungrouped(len(self))

        def work(begin: int, end: int) -> None:
            grouped_rows.product_rows(rows, single, none, 1.0, vector, 0.0, vector, out, begin, end)

        self.by_parts(work)
        return out

    def product(self, vector: Floats) -> Floats:
        """K v."""
        return self.inflow(vector) - self.exits * vector

    def drift(self, vector: Floats) -> tuple[float, float]:
        """The least and the largest of K v / v, by compiled code; every entry is positive."""
        from covey.dynamics.kernels import grouped_rows  # noqa: PLC0415

        room = np.empty(len(self))
        drift = partial(grouped_rows.drift_rows, self.rows, self.groups, -self.exits, vector, room)
        found = np.array(self.by_parts(drift))
        return float(found[:, 0].min()), float(found[:, 1].max())

    def ratios(self, above: Floats, below: Floats, floor: float) -> tuple[float, float]:
        """The least and the largest of above / below where that is larger than floor."""
        if self.compiled:
            from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

            found = np.array(self.by_parts(partial(sparse_rows.ratio_rows, above, below, floor)))
            return float(found[:, 0].min()), float(found[:, 1].max())
        alive = below > floor
        ratio = above[alive] / below[alive]
        return float(ratio.min(initial=np.inf)), float(ratio.max(initial=-np.inf))

    def advance(
        self,
        vector: Floats,
        stay: Floats,
        scale: float,
        weights: Floats | None = None,
        sums: Floats | None = None,
        out: Floats | None = None,
    ) -> Floats:
        """Fill `out` with scale * (inflow + stay * v); on the way, sums[a] += weights[a] * v."""
        out = np.empty(len(self)) if out is None else out
        if weights is None or sums is None:
            weights, sums = np.empty(0), np.empty((0, len(self)))
        if self.compiled:
            from covey.dynamics.kernels import grouped_rows  # noqa: PLC0415

            chain, sizes = (self.rows, self.groups), (weights, sums)
            self.by_parts(partial(grouped_rows.step_rows, *chain, stay, scale, vector, out, *sizes))
            return out
        np.multiply(stay, vector, out=out)
        entered, begin, sources = self._entered
        if len(begin):
            out[entered] += np.add.reduceat(self.rates * vector.take(sources), begin)
        sums += weights[:, None] * vector
        out *= scale
        return out

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many transitions lead into each state."""
        pointers = self.indptr.astype(np.int64)
        return pointers[1:] - pointers[:-1]

    @property
    def targets(self) -> NDArray[np.intp]:
        """Where each transition leads: (transitions,)."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def leaving(self) -> NDArray[np.int64]:
        """How many transitions lead out of each state."""
        counts = np.zeros(len(self), dtype=np.int64)
        step = max(len(self), 1 << 20)  # at a time: counting takes 64-bit copies
        for begin in range(0, len(self.indices), step):
            counts += np.bincount(self.indices[begin : begin + step], minlength=len(self))
        return counts

    @property
    def roundings(self) -> int:
        """The most relative roundings that any entry of a product has."""
        return int(self.row_roundings().max(initial=12))

    def row_roundings(self) -> NDArray[np.int64]:
        """How many relative roundings a product has, at most, in each entry: (states,).

        One a term, as many again in the exit rate that staying holds (an error d in it moves ln p
        by at most d * t), and a few in the rates themselves.
        """
        return 2 * np.maximum(self.lengths, self.leaving()) + 12

    def dense_rates(self) -> Floats:
        """rates[i, j]: from state i to state j; only for few states."""
        n = len(self)
        places = self.indices.astype(np.intp) * n + self.targets
        return np.asarray(np.bincount(places, self.rates, n * n), dtype=float).reshape(n, n)

    def csr(self) -> csr_array:
        """K as a scipy sparse array, diagonal included."""
        from scipy.sparse import csr_array, diags_array  # noqa: PLC0415

        return csr_array(self.moves() - diags_array(self.exits))

    def moves(self) -> csr_array:
        """K without its diagonal, as a scipy sparse array."""
        from scipy.sparse import csr_array  # noqa: PLC0415

        parts = self.rates.copy(), self.indices.astype(np.int64), self.indptr.astype(np.int64)
        moves = csr_array(parts, shape=(len(self), len(self)))
        moves.sum_duplicates()  # sorts in place: the generator keeps its own rates
        return moves

    def restrict(self, members: NDArray[np.intp]) -> Generator:
        """The chain watched on `members` only; rates that leave them still count as exits."""
        place = np.full(len(self), -1, dtype=np.int64)
        place[members] = np.arange(len(members))
        sources, targets = place[self.indices], np.repeat(place, self.lengths)
        kept = (sources >= 0) & (targets >= 0)
        part = Transitions(sources[kept], targets[kept], self.stored[kept])
        return Generator.from_transitions([part], self.exits[members], self.table)


def _cut(count: int, pieces: int) -> list[tuple[int, int]]:
    """Ranges of about the same length."""
    return list(itertools.pairwise(count * i // pieces for i in range(pieces + 1)))


def _offsets(counts: NDArray[np.int64]) -> NDArray[np.unsignedinteger]:
    """Row pointers, in 32 bits where they fit."""
    indptr = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=indptr[1:])
    return indptr.astype(np.uint32 if indptr[-1] < 2**32 else np.uint64)
