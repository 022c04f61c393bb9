"""The generator K of the chain on a lattice, in the column convention: dp/dt = K p.

    K[y, x] = sum of a_r(x) over the reactions r that lead from x to y,    K[x, x] = -exit(x)
    a_r(x)  = rate_r * prod_i x_i! / (x_i - rho_ri)!     (kinetics "falling")
            = rate_r * prod_i x_i ^ rho_ri               (kinetics "power")
            = whatever its law says                      (see `propensity`)

Stored by rows, that is by incoming transitions, without the diagonal: products and sweeps only
read. Indices are 32-bit; large chains hold the numbers of their rates (see `rate_table`).
Reactions with the same change lead to the same state and are added up before they are stored;
those that leave the state (or, under symmetry, its orbit) as it was are left out.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.propensity import propensity
from covey.dynamics.ctmc.rate_table import RateTable
from covey.dynamics.ctmc.row_groups import Groups, Rows, grouped, ungrouped
from covey.dynamics.state_space.enumeration import COMPILE_FROM, Lattice
from covey.dynamics.threads import side_by_side
from covey.errors import CoveyError
from covey.numbers import Floats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scipy.sparse import csr_array

    from covey.model.network import Network

T = TypeVar("T")

_SHARED_FROM = 80_000  # states: a product of fewer is done before another core is awake
_PART = 8_000  # states, at least, of which a product does the rows at once
_BLOCK = 25_000  # states, at least, that a sweep goes through one after the other
_MOST_BLOCKS = 4  # the more, the more sweeps it takes


@dataclass(frozen=True, eq=False)
class Generator:
    """A Markov generator by incoming transitions; `build` makes one from a network."""

    indptr: NDArray[np.unsignedinteger]  # (states + 1,)
    indices: NDArray[np.uint32]  # (transitions,): where a transition comes from
    stored: NDArray[np.number]  # (transitions,): its rate, or the number of that in `table`
    exits: Floats  # (states,): total rate out of each state
    table: Floats | None = None

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
        rows = np.repeat(np.arange(n), self.lengths)
        rates = np.zeros((n, n))
        np.add.at(rates, (self.indices.astype(np.intp), rows), self.rates)
        return rates

    def csr(self) -> csr_array:
        """K as a scipy sparse array, diagonal included."""
        from scipy.sparse import csr_array, diags_array  # noqa: PLC0415

        return csr_array(self.moves() - diags_array(self.exits))

    def moves(self) -> csr_array:
        """K without its diagonal, as a scipy sparse array."""
        from scipy.sparse import csr_array  # noqa: PLC0415

        shape = (len(self), len(self))
        moves = csr_array((self.rates, self.indices.astype(np.int64), self.indptr.astype(np.int64)),
                          shape=shape)  # fmt: skip
        moves.sum_duplicates()
        return moves

    def restrict(self, members: NDArray[np.intp]) -> Generator:
        """The chain watched on `members` only; rates that leave them still count as exits."""
        place = np.full(len(self), -1, dtype=np.int64)
        place[members] = np.arange(len(members))
        rows = np.repeat(place, self.lengths)
        columns = place[self.indices]
        kept = (rows >= 0) & (columns >= 0)
        rows, columns, stored = rows[kept], columns[kept], self.stored[kept]
        order = np.argsort(rows, kind="stable")
        counts = np.bincount(rows, minlength=len(members))
        indices, exits = columns[order].astype(np.uint32), self.exits[members]
        return Generator(offsets(counts), indices, stored[order], exits, self.table)


def build(network: Network, lattice: Lattice) -> Generator:
    """The generator of the network's chain on its reachable states (or orbits of them)."""
    n = len(lattice)
    if n >= 2**32 - 1:
        raise CoveyError(f"{n:,} states; the generator can hold at most {2**32 - 2:,}.")
    exits, counts = np.zeros(n), np.zeros(n, dtype=np.int64)
    targets: list[NDArray[np.uint32]] = []
    table = RateTable() if n >= COMPILE_FROM else None
    for sources, rates, change in _moves(network, lattice):
        target = lattice.successors(sources, change).astype(np.uint32)
        moved = _moved(lattice, sources, target)
        counts += np.bincount(target[moved], minlength=n)
        exits[sources[moved]] += rates[moved]
        if table is not None:
            table.numbers(rates)
        targets.append(target)
    indptr = offsets(counts)
    indices = np.empty(int(indptr[-1]), dtype=np.uint32)
    values = np.empty(len(indices), dtype=np.float64 if table is None else table.dtype)
    place = indptr[:-1].astype(np.int64)  # where the next transition into each state goes
    for (sources, rates, _), target in zip(_moves(network, lattice), targets, strict=True):
        moved = _moved(lattice, sources, target)
        at = take_places(place, target[moved])
        indices[at] = sources[moved]
        values[at] = rates[moved] if table is None else table.numbers(rates[moved])
    return Generator(indptr, indices, values, exits, None if table is None else table.rates)


def _moved(
    lattice: Lattice, sources: NDArray[np.intp], target: NDArray[np.uint32]
) -> slice | NDArray[np.bool_]:
    """Which transitions lead to another state: all of them, unless it may be the same orbit."""
    return target != sources if len(lattice.group) > 1 else slice(None)


def _cut(count: int, pieces: int) -> list[tuple[int, int]]:
    """Ranges of about the same length."""
    return list(itertools.pairwise(count * i // pieces for i in range(pieces + 1)))


def offsets(counts: NDArray[np.int64]) -> NDArray[np.unsignedinteger]:
    """Row pointers, in 32 bits where they fit."""
    indptr = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=indptr[1:])
    return indptr.astype(np.uint32 if indptr[-1] < 2**32 else np.uint64)


def take_places(place: NDArray[np.int64], target: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The next free place of each target's row, in turn where a target comes more than once."""
    if len(place) >= COMPILE_FROM:
        from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

        return sparse_rows.take_places(place, target)
    order = np.argsort(target, kind="stable")
    ranked = target[order]
    turn = np.arange(len(order)) - np.searchsorted(ranked, ranked)
    at = np.empty(len(order), dtype=np.int64)
    at[order] = place[ranked] + turn
    np.add.at(place, target, 1)
    return at


def _moves(
    network: Network, lattice: Lattice
) -> Iterator[tuple[NDArray[np.intp], Floats, NDArray[np.int64]]]:
    """For each distinct change: the states where it can happen, its rates there, the change."""
    columns = np.ascontiguousarray(lattice.states.T)  # (species, states)
    for change, reactions in change_groups(network, lattice):
        rates = np.zeros(len(lattice))
        for r in reactions:
            rates += propensity(network, r, columns)
        sources = np.flatnonzero(rates > 0)  # faster than of the rates themselves
        yield sources, rates[sources], change


def change_groups(
    network: Network, lattice: Lattice
) -> Iterator[tuple[NDArray[np.int64], tuple[int, ...]]]:
    """Every distinct change but none, with the reactions that make it."""
    changes, reaction_of = np.unique(network.changes, axis=0, return_inverse=True)
    # Descending shifts of the key list a row's sources in ascending order: better locality.
    shifts = changes.astype(np.float64) @ lattice.weights[0].astype(np.float64)
    for g in np.argsort(-shifts, kind="stable"):
        if changes[g].any():
            yield changes[g], tuple(np.flatnonzero(reaction_of.ravel() == g).tolist())
