"""Groups of up to eight rows of a chain: see `row_groups`.

As in `kernels/sparse_rows`: arrays in, arrays out, and the same as plain Python with
NUMBA_DISABLE_JIT=1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.kernels.njit import njit
from covey.dynamics.kernels.simd_sum import LANES
from covey.dynamics.kernels.sparse_rows import SPREAD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from covey.dynamics.kernels.rows import Rows

MOST_ENTRIES = 64  # of a group
WORTH = 2  # transitions that an entry has to stand for


@njit(cache=True, nogil=True)
def group_rows(
    rows: Rows,
    ends: NDArray[np.int64],
    first: NDArray[np.uint32],
    pointers: NDArray[np.unsignedinteger],
    sources: NDArray[np.uint32],
    numbers: NDArray[np.uint16],
    known: NDArray[np.uint32],
    slots: NDArray[np.uint32],
    single: NDArray[np.uint32],
) -> tuple[int, int, int]:
    """Fills everything from `first` on; how many groups, vectors and single rows there are.

    `known` holds the numbers of each vector of rates, `slots` is a hash table of their places + 1.
    No group reaches beyond one of the `ends`, which other cores may be working from.
    """
    count = len(rows.indptr) - 1
    shifts = np.empty(MOST_ENTRIES, dtype=np.int64)
    kinds = np.zeros((MOST_ENTRIES, LANES), dtype=np.uint32)
    order = np.empty(MOST_ENTRIES, dtype=np.int64)
    row, groups, vectors, alone = 0, 0, 0, 0
    pointers[0] = 0
    for part in range(len(ends)):
        end = ends[part]
        while row < end:
            members, entries, transitions = _gather(rows, row, end, shifts, kinds, order)
            at = pointers[groups]
            fits = row + LANES <= end and transitions >= WORTH * entries
            for e in range(entries if fits else 0):
                source = row + shifts[e]
                place, vectors = _number(kinds, e, known, slots, vectors)
                if source < 0 or source + LANES > count or place == len(known):
                    fits = False
                    break
                sources[at + e], numbers[at + e] = source, place
            if fits:
                first[groups] = row
                groups += 1
                pointers[groups] = at + entries
            else:
                for m in range(members):
                    single[alone + m] = row + m
                alone += members
            row += members
    return groups, vectors, alone


@njit(cache=True, nogil=True)
def _gather(
    rows: Rows,
    row: int,
    end: int,
    shifts: NDArray[np.int64],
    kinds: NDArray[np.uint32],
    order: NDArray[np.int64],
) -> tuple[int, int, int]:
    """Rows from `row` on while half of what leads to one leads to those before it, too.

    How many there are, of how many shifts (from a state to its source, ascending) and transitions.
    `kinds` are filled with the numbers of the rates, 0 where there is none.
    """
    entries, transitions, members = 0, 0, 0
    while members < LANES and row + members < end:
        i = row + members
        length = _by_source(rows, i, order)
        if length > MOST_ENTRIES:
            break
        new = length
        e = 0
        for k in range(length):
            shift = np.int64(rows.indices[order[k]]) - i
            while e < entries and shifts[e] < shift:
                e += 1
            if e < entries and shifts[e] == shift:
                e += 1
                new -= 1
        if members > 0 and (2 * new > length or entries + new > MOST_ENTRIES):
            break
        entries = _add(rows, i, order, length, shifts, kinds, entries, members)
        members += 1
        transitions += length
    return max(members, 1), entries, transitions


@njit(cache=True, nogil=True)
def _by_source(rows: Rows, row: int, order: NDArray[np.int64]) -> int:
    """Fills `order` with the places of a row's transitions, by source; how many there are."""
    indptr, indices = rows.indptr, rows.indices
    begin = np.int64(indptr[row])
    length = int(np.int64(indptr[row + 1]) - begin)
    for k in range(begin, begin + min(length, len(order))):
        at = k - begin
        while at > 0 and indices[order[at - 1]] > indices[k]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = k
    return length


@njit(cache=True, nogil=True)
def _add(
    rows: Rows,
    row: int,
    order: NDArray[np.int64],
    length: int,
    shifts: NDArray[np.int64],
    kinds: NDArray[np.uint32],
    entries: int,
    lane: int,
) -> int:
    """Adds a row's transitions to the entries of a group; how many of these there are then."""
    e = 0
    for k in range(length):
        shift = np.int64(rows.indices[order[k]]) - row
        while e < entries and shifts[e] < shift:
            e += 1
        if e == entries or shifts[e] != shift:
            for later in range(entries, e, -1):
                shifts[later] = shifts[later - 1]
                for other in range(LANES):
                    kinds[later, other] = kinds[later - 1, other]
            shifts[e] = shift
            for other in range(LANES):
                kinds[e, other] = 0
            entries += 1
        kinds[e, lane] = rows.numbers[order[k]]
        e += 1
    return entries


@njit(cache=True, nogil=True)
def _number(
    kinds: NDArray[np.uint32],
    entry: int,
    known: NDArray[np.uint32],
    slots: NDArray[np.uint32],
    count: int,
) -> tuple[int, int]:
    """The place of a vector of numbers among those known, which grow while there is room."""
    last = np.uint64(len(slots) - 1)
    key = np.uint64(0)
    for lane in range(LANES):
        key = (key ^ np.uint64(kinds[entry, lane])) * SPREAD
    slot = (key >> np.uint64(32)) & last
    while slots[slot] != 0:
        place = slots[slot] - 1
        same = True
        for lane in range(LANES):
            same = same and known[place, lane] == kinds[entry, lane]
        if same:
            return place, count
        slot = (slot + np.uint64(1)) & last
    if count < len(known):
        for lane in range(LANES):
            known[count, lane] = kinds[entry, lane]
        slots[slot] = count + 1
        return count, count + 1
    return count, count
