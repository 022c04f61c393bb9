"""Counting the states of a lattice without listing them.

Every species that is not a root takes so many of each root (`Roots`), and the start says how many
roots there are in all. The states are the ways to fill the species within those budgets: a knapsack
problem, solved one species at a time over a table of what can be left. A root that no species needs
any more is dropped from the table, which therefore stays small.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.model.species import Species, species_order
from covey.model.structure.elementary_species import Roots
from covey.numbers import distinct_rows

Filler = tuple[tuple[Hashable, int], ...]  # what one of a species takes out of the roots

_MAX_EFFORT = 30_000_000  # numbers written: a second or two
_EXACT = 2**53  # counts below this are exact in floating point


def count_lattice(
    parts: dict[Species, Roots], counts: dict[Species, int], enough: int | None = None
) -> tuple[int, bool]:
    """The number of ways to fill the species that are not roots within what the roots allow.

    The second value says whether it is the whole number, or only a part that it certainly exceeds:
    where there are `enough` for certain, or too many to be counted.
    """
    budget: dict[Hashable, int] = defaultdict(int)
    for species, roots in parts.items():
        for root, n in roots.items():
            budget[root] += n * counts[species]
    fillers: Counter[Filler] = Counter(
        tuple((root, roots[root]) for root in sorted(roots, key=species_order))
        for species, roots in parts.items()
        if roots != {species: 1}
    )
    certain = _disjoint(fillers, budget)
    if certain >= min(_EXACT, enough or _EXACT):
        return min(certain, _EXACT), False
    if enough is not None:
        apart, left = _split(fillers, budget)
        dealt = _count(apart, left)
        if dealt is not None and dealt >= enough:
            return min(dealt, _EXACT), apart == fillers and dealt < _EXACT
    half = {root: n // 2 for root, n in budget.items()}  # fewer of everything: no more ways
    if enough is not None and (part := _count(fillers, half)) is not None and part >= enough:
        return part, False
    whole = _count(fillers, budget)
    if whole is not None:
        return min(whole, _EXACT), whole < _EXACT
    while whole is None and any(half.values()):
        whole = _count(fillers, half)
        half = {root: n // 2 for root, n in half.items()}
    return min(max(certain, whole or 1), _EXACT), False


def _count(fillers: Counter[Filler], budget: Mapping[Hashable, int]) -> int | None:
    """The number of ways; None where counting them takes too long."""
    users: dict[Hashable, list[Filler]] = defaultdict(list)
    for filler in fillers:
        for root, _ in filler:
            users[root].append(filler)
    table = _Table((), np.zeros((1, 0), dtype=np.int64), np.ones(1))
    effort = 0
    while users:
        # The root that fewest species still need closes soonest and keeps the table small.
        chosen = max(users[min(users, key=lambda root: len(users[root]))], key=len)
        for root, _ in chosen:
            users[root].remove(chosen)
            if not users[root]:
                del users[root]
        opened = table.open(chosen, budget)
        effort += opened.branches(chosen, set(users)) * (1 + len(opened.roots))
        if effort > _MAX_EFFORT:
            return None
        table = opened.fill(chosen, fillers[chosen], set(users))
        if table.ways.sum() >= _EXACT:
            return _EXACT
    return int(table.ways.sum())


def _disjoint(fillers: Counter[Filler], budget: Mapping[Hashable, int]) -> int:
    """So many ways there are for certain: with species that have no root in common."""
    ways = []
    for filler, kinds in fillers.items():
        most = min(budget[root] // need for root, need in filler)
        ways.append((math.comb(most + kinds, kinds), filler))
    total, taken = 1, set[Hashable]()
    for number, filler in sorted(ways, key=lambda way: way[0], reverse=True):
        roots = {root for root, _ in filler}
        if not roots & taken:
            total *= number
            taken |= roots
    return total


def _split(
    fillers: Counter[Filler], budget: Mapping[Hashable, int]
) -> tuple[Counter[Filler], dict[Hashable, int]]:
    """The same with every plentiful root dealt out to its users beforehand: no more ways.

    A root stays shared where some species finds it the scarcest. The table then holds those only.
    """
    users = Counter(root for filler in fillers for root, _ in filler)

    def room(part: tuple[Hashable, int]) -> int:
        root, need = part
        return budget[root] // (need * users[root])

    scarce = {min(filler, key=room)[0] for filler in fillers}
    apart: Counter[Filler] = Counter()
    left = {root: budget[root] for root in scarce}
    for filler, kinds in fillers.items():
        own = {root: root if root in scarce else (root, filler) for root, _ in filler}
        left |= {own[root]: budget[root] // users[root] for root in own if root not in scarce}
        apart[tuple((own[root], need) for root, need in filler)] += kinds
    return apart, left


@dataclass(frozen=True)
class _Table:
    """What can be left of the open roots' budgets, each with the number of ways that leave it."""

    roots: tuple[Hashable, ...]
    left: NDArray[np.int64]  # (rows, roots)
    ways: NDArray[np.float64]  # (rows,): whole numbers, exact as long as they are below 2^53

    def open(self, filler: Filler, budget: Mapping[Hashable, int]) -> _Table:
        """Adds the roots that the filler needs and that are not open yet."""
        new = [root for root, _ in filler if root not in self.roots]
        fresh = np.tile([budget[root] for root in new], (len(self.ways), 1)).astype(np.int64)
        return _Table((*self.roots, *new), np.hstack([self.left, fresh]), self.ways)

    def branches(self, filler: Filler, needed: set[Hashable]) -> int:
        """How many rows `fill` will make, before equal ones are put together."""
        if not any(root in needed for root, _ in filler):
            return len(self.ways)
        return int((self._most(filler) + 1).sum())

    def fill(self, filler: Filler, kinds: int, needed: set[Hashable]) -> _Table:
        """Takes out 0, 1, 2, … of `kinds` species alike; keeps only the roots still needed."""
        kept = [i for i, root in enumerate(self.roots) if root in needed]
        most = self._most(filler)
        if not any(root in needed for root, _ in filler):  # what is kept stays the same
            rooms, which = np.unique(most, return_inverse=True)
            factors = _combinations(rooms.tolist(), kinds)[which.ravel()]
            return self._merged(kept, self.left[:, kept], self.ways * factors)
        row = np.repeat(np.arange(len(most)), most + 1)
        taken = np.arange(len(row)) - np.repeat(np.cumsum(most + 1) - most - 1, most + 1)
        needs = dict(filler)
        step = np.array([needs.get(self.roots[i], 0) for i in kept], dtype=np.int64)
        factors = _combinations(range(int(most.max(initial=0)) + 1), kinds - 1)
        left = self.left[row][:, kept] - taken[:, None] * step
        return self._merged(kept, left, self.ways[row] * factors[taken])

    def _most(self, filler: Filler) -> NDArray[np.int64]:
        """How many of the filler every row has room for."""
        columns = [self.roots.index(root) for root, _ in filler]
        needs = np.array([need for _, need in filler])
        room: NDArray[np.int64] = (self.left[:, columns] // needs).min(axis=1)
        return room

    def _merged(
        self, kept: list[int], left: NDArray[np.int64], ways: NDArray[np.float64]
    ) -> _Table:
        rows, group = distinct_rows(left)
        total = np.bincount(group, ways, len(rows)).astype(np.float64)
        return _Table(tuple(self.roots[i] for i in kept), rows, total)


def _combinations(numbers: Iterable[int], kinds: int) -> NDArray[np.float64]:
    """In how many ways each number can be dealt out to `kinds` + 1 places."""
    cap = _EXACT  # beyond it nothing is exact, and the count ends
    return np.array([float(min(math.comb(n + kinds, kinds), cap)) for n in numbers])
