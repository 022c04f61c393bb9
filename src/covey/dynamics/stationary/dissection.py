"""An order in which to eliminate states so that few new transitions come about.

Nested dissection [1], by the levels of a breadth-first search [2]: the states at the middle
distance from one at the rim separate those that are nearer from those that are farther. Both sides
are eliminated first, each cut in the same way, and what separates them last. On a flat lattice of n
states that takes about 15 n^1.5 additions, where a band takes n^2.

[1] A. George, SIAM J. Numer. Anal. 10 (1973). [2] A. George, J. W. H. Liu, SIAM J. Numer. Anal. 15
(1978).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_LEAF = 40  # states that are not cut any further
_MOST_WORK = 2e10  # additions: a minute
_MOST_ROOM = 5e7  # rates that are kept: 1.2 GB

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Part:
    """States that are eliminated together: those at the places begin … end − 1 of the order.

    `rim` has the later places that they, or what was eliminated before them, lead to or come from.
    """

    begin: int
    end: int
    rim: Indices

    def __len__(self) -> int:
        return self.end - self.begin

    @property
    def size(self) -> int:
        """How many states their matrix has."""
        return len(self) + len(self.rim)

    @property
    def neighbours(self) -> NDArray[np.float64]:
        """How many states are left in it when each of theirs goes: (states of the part,)."""
        return np.arange(self.size - 1.0, len(self.rim) - 1, -1)


@dataclass(frozen=True, eq=False)
class Dissection:
    """The order, and its parts, each after all that it takes over from."""

    order: Indices  # (states,): the last one stays
    parts: tuple[Part, ...]

    @property
    def neighbours(self) -> NDArray[np.float64]:
        """How many states each one leads to, or comes from, when it is eliminated: (states,)."""
        return np.concatenate([part.neighbours for part in self.parts])

    @property
    def work(self) -> float:
        """How many additions elimination takes."""
        return float((self.neighbours**2).sum())


def dissection(graph: csr_array, last: int) -> Dissection | None:
    """The order for a connected graph with symmetric links; `last` is eliminated never.

    None where elimination would take much longer than a minute, or a gigabyte.
    """
    groups = [*_groups(graph, last), np.array([last])]
    order = np.concatenate(groups)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    ends = np.cumsum([len(group) for group in groups])
    owner = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    taken_over: list[list[Indices]] = [[] for _ in groups]
    parts, room, work = [], 0, 0.0
    for number, group in enumerate(groups):
        end = int(ends[number])
        linked = [place[_neighbours(graph, group)], *taken_over[number]]
        rim = np.unique(np.concatenate(linked))
        rim = rim[rim >= end]
        part = Part(end - len(group), end, rim)
        parts.append(part)
        room += 2 * len(part) * part.size
        work += float((part.neighbours**2).sum())
        if room > _MOST_ROOM or work > _MOST_WORK:
            return None
        if len(rim):
            taken_over[owner[rim[0]]].append(rim)
    return Dissection(order, tuple(parts))


def _neighbours(graph: csr_array, nodes: Indices) -> Indices:
    begins, ends = graph.indptr[nodes].astype(np.int64), graph.indptr[nodes + 1].astype(np.int64)
    lengths = ends - begins
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.asarray(graph.indices[np.repeat(begins, lengths) + within], dtype=np.int64)


def _groups(graph: csr_array, last: int) -> list[Indices]:
    """The states but one in groups, each after all that it separates."""
    from covey.dynamics.kernels import dissection as kernels  # noqa: PLC0415

    n = graph.shape[0]
    indptr, indices = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    part, level = np.zeros(n, dtype=np.int64), np.full(n, -1)
    part[last] = -1
    queue = np.empty(n, dtype=np.int64)
    waiting, groups, numbers = [np.delete(np.arange(n), last)], [], 0
    while waiting:
        members = waiting.pop()
        if len(members) <= _LEAF:
            groups.append(members)
            continue
        numbers += 1
        part[members] = numbers
        start = int(members[0])
        for _ in range(3):  # from the farthest of the farthest: that is at the rim
            level[members] = -1
            found = kernels.levels(indptr, indices, part, numbers, start, level, queue)
            start = int(queue[found - 1])
        far = level[members]
        if found < len(members):  # it falls apart
            waiting += [members[far < 0], members[far >= 0]]
            continue
        middle = int(level[queue[found // 2]])
        if middle == 0 or far.max() < 2:
            groups.append(members)
            continue
        groups.append(members[far == middle])
        waiting += [side for side in (members[far < middle], members[far > middle]) if len(side)]
    return [group for group in reversed(groups) if len(group)]
