"""The transitions of a large chain, for eight states at a time.

States are in the order of their keys (see `lattice`), so that neighbours mostly differ by one robot
that does something else. What leads to eight neighbours, by one reaction, comes from eight
neighbours again: one source and one number of eight rates, instead of eight of each. At ten robots
of each type in the task network that is a fifth of the entries, with six bytes each, and some
thousand different vectors of rates; a processor adds up eight rows at once.

A rate of zero stands where a state has no such transition, or belongs to the next group. Rows that
fit into no group are done one by one: where they are unlike their neighbours, as on the walls of a
folded chain, and at the ends, where eight states would lie outside.
"""

from __future__ import annotations

import numpy as np

from covey.dynamics.kernels.rows import Groups, Rows
from covey.numbers import Floats

_VECTORS = 2**16  # distinct vectors of rates, at most: their numbers have two bytes
_LINE = 64  # bytes of a line of cache, which a vector of rates fills


def grouped(rows: Rows, ends: list[int]) -> Groups:
    """The same chain by groups, none of which reaches beyond one of the `ends`."""
    from covey.dynamics.kernels.row_grouping import MOST_ENTRIES, WORTH, group_rows  # noqa: PLC0415
    from covey.dynamics.kernels.simd_sum import LANES  # noqa: PLC0415

    count, most = len(rows.indptr) - 1, len(rows.indices) // WORTH + MOST_ENTRIES
    first, single = (np.empty(count, dtype=np.uint32) for _ in range(2))
    pointers = np.empty(count + 1, dtype=rows.indptr.dtype)
    sources, numbers = np.empty(most, dtype=np.uint32), np.empty(most, dtype=np.uint16)
    known = np.empty((_VECTORS, LANES), dtype=np.uint32)
    slots = np.zeros(4 * _VECTORS, dtype=np.uint32)
    with np.errstate(over="ignore"):  # the hash wraps, which plain Python would warn of
        groups, vectors, alone = group_rows(
            rows, np.array(ends), first, pointers, sources, numbers, known, slots, single
        )
    entries = int(pointers[groups])
    rates = _aligned(LANES * vectors)
    rates[:] = rows.rates[known[:vectors]].ravel()
    return Groups(
        first[:groups].copy(), pointers[: groups + 1].copy(), sources[:entries].copy(),
        numbers[:entries].copy(), rates, single[:alone].copy(),
    )  # fmt: skip


def ungrouped(count: int) -> Groups:
    """A chain whose rows are all done one by one."""
    none = np.zeros(1, dtype=np.uint32)
    numbers, single = np.empty(0, dtype=np.uint16), np.arange(count, dtype=np.uint32)
    return Groups(none[:0], none, none[:0], numbers, np.empty(0), single)


def _aligned(count: int) -> Floats:
    """Room for numbers that begins with a line of cache."""
    room = np.empty(count + _LINE // 8)
    begin = -room.ctypes.data % _LINE // 8
    return room[begin : begin + count]
