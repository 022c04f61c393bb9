"""Compiled: tables of states, sweeps over the rows of a chain, and what can be reached.

The rate of a transition is that of its number in a table (see `rate_table`).
With NUMBA_DISABLE_JIT=1 the same functions run as plain Python and give the same answers.
Indices are unsigned: signed ones cost a wrap-around check per access, three times the time.
Kernels work on a range of rows without the GIL; threads are the caller's (see `threads`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.kernels.njit import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from covey.dynamics.kernels.rows import Rows


EMPTY = np.uint64(2**64 - 1)  # keys stay below 2^63
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: multiplicative hashing


def hash_table(keys: NDArray[np.uint64], room: int) -> NDArray[np.uint64]:
    """An open-addressing table of at least `room` slots (a power of two) that holds `keys`."""
    table = np.full(1 << (room - 1).bit_length(), EMPTY)
    insert(table, keys)
    return table


def insert(table: NDArray[np.uint64], keys: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Put keys into the table; the positions of those that were not there before."""
    first = np.empty(len(keys), dtype=np.intp)
    shift = np.uint64(65 - len(table).bit_length())
    with np.errstate(over="ignore"):  # the hash wraps, which plain Python would warn of
        new = _insert(table, keys, first, shift)
    return first[:new].copy()


@njit(cache=True, nogil=True)
def _insert(
    table: NDArray[np.uint64], keys: NDArray[np.uint64], first: NDArray[np.intp], shift: np.uint64
) -> int:
    """Linear probing; fills `first` and returns how many keys were new."""
    last = np.uint64(len(table) - 1)
    one = np.uint64(1)
    new = 0
    for i in range(len(keys)):
        key = keys[i]
        slot = (key * SPREAD) >> shift
        while table[slot] != EMPTY and table[slot] != key:
            slot = (slot + one) & last
        if table[slot] == EMPTY:
            table[slot] = key
            first[new] = i
            new += 1
    return new


def locate(keys: NDArray[np.uint64], needles: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Places of `needles` in sorted `keys`, -1 of others; the needles ascend but for a wrap."""
    out = np.empty(len(needles), dtype=np.intp)
    _locate(keys, needles, out)
    return out


@njit(cache=True, nogil=True)
def _locate(keys: NDArray[np.uint64], needles: NDArray[np.uint64], out: NDArray[np.intp]) -> None:
    """Merge two ascending sequences."""
    place, last = 0, len(keys) - 1
    for i in range(len(needles)):
        if i > 0 and needles[i] < needles[i - 1]:
            place = 0
        while place < last and keys[place] < needles[i]:
            place += 1
        out[i] = place if keys[place] == needles[i] else -1


def take_places(place: NDArray[np.int64], target: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Take out[i] = place[target[i]]++."""
    out = np.empty(len(target), dtype=np.int64)
    _take_places(place, target, out)
    return out


@njit(cache=True, nogil=True)
def _take_places(
    place: NDArray[np.int64], target: NDArray[np.uint32], out: NDArray[np.int64]
) -> None:
    """Fills `out` and counts `place` up."""
    for i in range(len(target)):
        out[i] = place[target[i]]
        place[target[i]] += 1


@njit(cache=True, nogil=True)
def number_rates(
    rates: NDArray[np.float64],
    slots: NDArray[np.uint32],
    table: NDArray[np.float64],
    known: int,
    shift: np.uint64,
    out: NDArray[np.uint32],
) -> tuple[int, int]:
    """Each rate's place in the table, which grows; how many were done, and are known.

    `slots` is a hash table of places, 0 where there is none. Ends early when the table is full.
    """
    last = np.uint64(len(slots) - 1)
    bits = rates.view(np.uint64)
    for i in range(len(rates)):
        slot = (bits[i] * SPREAD) >> shift
        while slots[slot] != 0 and table[slots[slot]] != rates[i]:
            slot = (slot + np.uint64(1)) & last
        if slots[slot] == 0:
            if known == len(table):
                return i, known
            slots[slot] = known
            table[known] = rates[i]
            known += 1
        out[i] = slots[slot]
    return len(rates), known


@njit(cache=True, nogil=True)
def sweep_rows(
    rows: Rows,
    exits: NDArray[np.float64],
    source: NDArray[np.float64],
    x: NDArray[np.float64],
    begin: int,
    end: int,
) -> None:
    """Gauss-Seidel for exits * x = incoming + source on the rows from begin to end."""
    indptr, indices, numbers, table = rows
    for i in range(np.uint64(begin), np.uint64(end)):
        total = source[i]
        for k in range(indptr[i], indptr[i + np.uint64(1)]):
            total += table[numbers[k]] * x[indices[k]]
        x[i] = total / exits[i]


@njit(cache=True, nogil=True)
def _scaled_inflow(
    rows: Rows,
    depth: NDArray[np.int32],
    powers: NDArray[np.float64],
    x: NDArray[np.float64],
    i: int,
) -> float:
    """What flows into a state from x · 2^depth, in units of its own 2^depth.

    `powers` are those of 2 around 2^0.
    """
    indptr, indices, numbers, table = rows
    middle = len(powers) // 2
    total = 0.0
    for k in range(indptr[i], indptr[i + np.uint64(1)]):
        step = min(max(depth[indices[k]] - depth[i], -middle), middle)
        total += table[numbers[k]] * x[indices[k]] * powers[middle + step]
    return total


@njit(cache=True, nogil=True)
def sweep_scaled_rows(
    rows: Rows,
    exits: NDArray[np.float64],
    source: NDArray[np.float64],
    depth: NDArray[np.int32],
    powers: NDArray[np.float64],
    x: NDArray[np.float64],
    begin: int,
    end: int,
) -> None:
    """The same for x · 2^depth, with source · 2^depth."""
    for i in range(np.uint64(begin), np.uint64(end)):
        x[i] = (source[i] + _scaled_inflow(rows, depth, powers, x, i)) / exits[i]


@njit(cache=True, nogil=True)
def inflow_scaled_rows(
    rows: Rows,
    depth: NDArray[np.int32],
    powers: NDArray[np.float64],
    x: NDArray[np.float64],
    out: NDArray[np.float64],
    begin: int,
    end: int,
) -> None:
    """What flows into each state from x · 2^depth, in units of 2^depth."""
    for i in range(np.uint64(begin), np.uint64(end)):
        out[i] = _scaled_inflow(rows, depth, powers, x, i)


@njit(cache=True, nogil=True)
def spread(
    indptr: NDArray[np.unsignedinteger],
    indices: NDArray[np.uint32],
    reached: NDArray[np.bool_],
) -> None:
    """Marks every state that a marked one leads to: down the rows and up, until none is new."""
    n, one = np.uint64(len(reached)), np.uint64(1)
    new = True
    while new:
        new = False
        for turn in range(np.uint64(2) * n):
            i = turn if turn < n else np.uint64(2) * n - one - turn
            if reached[i]:
                continue
            for k in range(indptr[i], indptr[i + one]):
                if reached[indices[k]]:
                    reached[i] = new = True
                    break


@njit(cache=True, nogil=True)
def trace_back(
    indptr: NDArray[np.unsignedinteger],
    indices: NDArray[np.uint32],
    found: NDArray[np.bool_],
    stack: NDArray[np.uint32],
) -> None:
    """Marks every state that leads to the one on the `stack`, which has room for all states."""
    left = 1
    while left:
        left -= 1
        i = stack[left]
        for k in range(indptr[i], indptr[i + np.uint64(1)]):
            if not found[indices[k]]:
                found[indices[k]] = True
                stack[left] = indices[k]
                left += 1


@njit(cache=True, nogil=True)
def bessel_rows(x: NDArray[np.float64], rows: NDArray[np.float64]) -> None:
    """Fills each row with multiples of I_k(x), downwards from its last entry but one."""
    first = rows.shape[1] - 2
    for row in range(len(x)):
        if x[row] <= 0.0:
            rows[row, 0] = 1.0
            continue
        rows[row, first] = 1e-300
        for k in range(first, 0, -1):
            rows[row, k - 1] = rows[row, k + 1] + (2 * k / x[row]) * rows[row, k]
            if rows[row, k - 1] > 1e250:
                rows[row] *= 1e-250


@njit(cache=True, nogil=True)
def ratio_rows(
    above: NDArray[np.float64], below: NDArray[np.float64], floor: float, begin: int, end: int
) -> tuple[float, float]:
    """The least and the largest of above / below where that is larger than floor."""
    least, most = np.inf, -np.inf
    for i in range(np.uint64(begin), np.uint64(end)):
        if below[i] > floor:
            ratio = above[i] / below[i]
            least, most = min(least, ratio), max(most, ratio)
    return least, most


@njit(cache=True, nogil=True)
def size_rows(term: NDArray[np.float64], total: NDArray[np.float64], begin: int, end: int) -> float:
    """The largest of |term / total|."""
    most = 0.0
    for i in range(np.uint64(begin), np.uint64(end)):
        if not abs(total[i]) > 0.0:
            return np.inf
        most = max(most, abs(term[i]) / abs(total[i]))
    return most


@njit(cache=True, nogil=True)
def contract(
    out: NDArray[np.float64],
    sizes: NDArray[np.int64],
    values: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    places: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    data: NDArray[np.float64],
    over: tuple[int, int],
    room: int,
) -> None:
    """Sums of products of tables: out[i] = Σ over v of ∏ over t of data[place of t at i and v].

    A cell i stands for indices of `sizes`. Each of the `values` (at 0, sensitivities along the
    axes, step with v, width) says between which v, of those `over` which to sum, a coordinate of a
    table lies within the table; `places` (at 0, sensitivities, step) is where the table has it. No
    cell has more than `room` values of v.
    """
    first, rises, strides = places
    index = np.zeros(len(sizes), dtype=np.int64)
    terms = np.empty(room)
    for cell in range(len(out)):
        low, high = _within(index, values, over)
        number = high - low + 1
        total = 0.0
        if number > 0:
            terms[:number] = 1.0
            for t in range(len(first)):
                place = first[t] + strides[t] * low
                for axis in range(len(sizes)):
                    place += rises[t, axis] * index[axis]
                for v in range(number):
                    terms[v] *= data[place + strides[t] * v]
            for v in range(number):
                total += terms[v]
        out[cell] = total
        for axis in range(len(sizes) - 1, -1, -1):
            index[axis] += 1
            if index[axis] < sizes[axis]:
                break
            index[axis] = 0


@njit(cache=True, nogil=True)
def _within(
    index: NDArray[np.int64],
    values: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    over: tuple[int, int],
) -> tuple[int, int]:
    """The least and the largest v at which every coordinate lies within its table."""
    start, sensitivities, steps, widths = values
    low, high = over
    for c in range(len(start)):
        value = start[c]
        for axis in range(len(index)):
            value += sensitivities[c, axis] * index[axis]
        above = widths[c] - 1 - value
        if steps[c] > 0:
            low, high = max(low, -(value // steps[c])), min(high, above // steps[c])
        elif steps[c] < 0:
            low, high = max(low, -(above // -steps[c])), min(high, value // -steps[c])
        elif value < 0 or above < 0:
            return 0, -1
        if high < low:
            return 0, -1
    return low, high
