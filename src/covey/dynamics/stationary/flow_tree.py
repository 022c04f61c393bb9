"""What a balance of flows proves of K p = 0, however seldom the chain changes between groups.

Given any p > 0, take a spanning tree of the states, and let A be the states that one of its edges
cuts off. If in and out are what flows into A and out of it, Σ p(x) rate(x → y) over all transitions
that cross, the flow F along the edge becomes F ± (in − out): then as much enters A as leaves it.
Once that is done at every edge, every state is in balance, and p is the exact distribution of a
chain whose rates are off by factors 1 ± ε, ε = |in − out| / F, along the edges of the tree only. By
the Markov chain tree theorem (see `elimination`)

    |ln p − ln true p| ≤ 2 Σ −ln(1 − ε)      over all edges of the tree,      for every state.

Only sums of positive numbers are compared: a flow between two groups that is 1e-100 of those within
is weighed against itself. So groups that are hardly ever left are no worse than others, where a
residual K p, which is rounded within the groups, proves nothing of what goes on between them. The
tree has the largest flows that there are, so that no flow that crosses an edge is larger than its
own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from covey.numbers import UNIT, Floats, Ints

if TYPE_CHECKING:
    from covey.dynamics.stationary.sweeps import Sweeps

_COMPARED = 8  # roundings of a sum of flows over another flow
_GIVEN = 16  # roundings of a rate that the chain was made with, at most


@dataclass(frozen=True, eq=False)
class FlowTree:
    """The flows of a chain at some p, and a spanning tree of the largest, from state 0 on.

    A flow is sizes · 2^levels, in any unit.
    """

    source: Ints  # (transitions,)
    target: Ints  # (transitions,)
    sizes: Floats  # (transitions,): none is 0
    levels: NDArray[np.int32]  # (transitions,)
    states: int

    @cached_property
    def _rank(self) -> Floats:
        """The log2 of every flow."""
        ranks: Floats = np.log2(self.sizes) + self.levels
        return ranks

    @cached_property
    def edges(self) -> tuple[Ints, Ints, Floats]:
        """Both ends of every edge of the tree, and the log2 of the larger flow along it."""
        from scipy.sparse import coo_array  # noqa: PLC0415
        from scipy.sparse.csgraph import minimum_spanning_tree  # noqa: PLC0415

        low, high = np.minimum(self.source, self.target), np.maximum(self.source, self.target)
        order = np.lexsort((self._rank, high, low))
        low, high, rank = low[order], high[order], self._rank[order]
        largest = np.append((np.diff(low) != 0) | (np.diff(high) != 0), True)
        low, high, rank = low[largest], high[largest], rank[largest]
        cost = rank.max() + 1 - rank  # above 0: a 0 would be no link
        found = minimum_spanning_tree(coo_array((cost, (low, high)), (self.states,) * 2).tocsr())
        found = found.tocoo()
        return found.row.astype(np.intp), found.col.astype(np.intp), rank.max() + 1 - found.data

    def groups(self, most: int) -> Ints:
        """At most so many groups of states: again and again each joins where most flows."""
        from scipy.sparse import coo_array  # noqa: PLC0415
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

        group, count = np.arange(self.states), self.states
        one, other, rank = self.edges
        rising = np.argsort(rank)
        ends = np.stack([one, other], axis=1)[rising]
        while count > most:
            begins = group[ends]
            begins = begins[begins[:, 0] != begins[:, 1]]
            best = np.empty(count, dtype=np.intp)
            best[begins.ravel()] = begins[:, ::-1].ravel()  # the last one stays
            links = coo_array((np.ones(count), (np.arange(count), best)), (count, count))
            count, joined = connected_components(links, directed=False)
            group = joined[group]
        return np.asarray(group, dtype=np.intp)

    def error(self) -> float:
        """The bound on |ln p − ln true p| of the module's docstring, rounding counted."""
        from covey.dynamics.kernels import flow_tree as kernels  # noqa: PLC0415

        parent, distance = self._rooted()
        size, level = self._along(parent)
        sums = np.zeros((2, 2, self.states))
        ends, flows = (self.source, self.target), (self.sizes, self.levels)
        kernels.crossing(ends, flows, (parent, distance), (size, level), *sums)
        into, out = sums[:, 0]
        rounded = _COMPARED * UNIT * (into + out)
        off = (1.01 * (np.abs(into - out) + rounded))[parent != np.arange(self.states)]
        if not (off < 0.5).all():
            return math.inf
        return float(1.01 * (-2 * np.log1p(-off).sum() + 2 * _GIVEN * UNIT * self.states))

    def _rooted(self) -> tuple[Ints, Ints]:
        """The parent of each state, the root's being itself, and how far each is from there."""
        from scipy.sparse import coo_array  # noqa: PLC0415
        from scipy.sparse.csgraph import breadth_first_order  # noqa: PLC0415

        one, other, _ = self.edges
        links = coo_array((np.ones(len(one)), (one, other)), (self.states,) * 2).tocsr()
        order, parent = breadth_first_order(links, 0, directed=False)
        parent = parent.astype(np.int64)
        parent[0] = 0
        distance = np.zeros(self.states, dtype=np.int64)
        for state in order[1:]:
            distance[state] = distance[parent[state]] + 1
        return parent, distance

    def _along(self, parent: Ints) -> tuple[Floats, NDArray[np.int32]]:
        """The larger flow between each state and its parent; 1 for the root."""
        up, down = self.target == parent[self.source], self.source == parent[self.target]
        child = np.concatenate([self.source[up], self.target[down]])
        flows = np.concatenate([np.flatnonzero(up), np.flatnonzero(down)])
        rising = np.argsort(self._rank[flows])
        size, level = np.ones(self.states), np.zeros(self.states, dtype=np.int32)
        size[child[rising]] = self.sizes[flows[rising]]
        level[child[rising]] = self.levels[flows[rising]]
        size[0], level[0] = 1.0, 0
        return size, level


def flow_tree(sweeps: Sweeps) -> FlowTree:
    """The flows where sweeps are now."""
    chain, depth = sweeps.generator, sweeps.depth
    source = chain.indices.astype(np.intp)
    parts, levels = np.frexp(chain.rates)
    if depth is not None:
        levels = levels + depth[source]
    sizes = parts * sweeps.distribution[source]
    return FlowTree(source, chain.targets, sizes, levels.astype(np.int32), len(chain))
