"""A network as the kernels of `simulation` read it: flat arrays, and who depends on whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from covey.model.network import Network
from covey.model.rate_laws import program
from covey.numbers import Floats

Indices = NDArray[np.uint32]


class Tables(NamedTuple):
    """What the kernels know of a network.

    A propensity is κ times terms. The terms are first the counts themselves, then what steps make
    of terms before them, and last a one. The first steps are the powers of counts that some
    reaction needs; then come the constants and steps of rate laws (`program`), the last of which is
    a term that is the whole rate, and nan where the rate law gives none. Reactions stand in slots,
    sorted by group: all of a group share one term. Lists of lists are flat: that of slot r is at
    start[r] to start[r+1]. They are filled up to multiples of two or three, with changes by nothing
    and with what is then computed twice: loops that are as long each time end where the processor
    expects it, which saves a sixth of the time.
    """

    reaction: Indices  # (reactions,): the reaction in each slot
    rates: Floats  # (reactions,)
    rest: Indices  # (reactions, at least 1): its terms besides that of its group
    group_factor: Indices  # (groups,): the term that all of a group share
    group_start: Indices  # (groups + 1,)
    step_operation: Indices  # (steps,)
    step_left: Indices  # (steps,): a term
    step_right: Indices  # (steps,): another; for a power its order
    step_constant: Floats  # (steps,): for a constant its value
    falling: bool
    changes_start: Indices
    changes_species: Indices
    changes_amount: Floats
    steps_start: Indices
    steps: Indices  # the steps whose terms the reaction changes, in order
    touched_start: Indices
    touched: Indices  # the slots with a changed term besides that of their group
    groups_start: Indices
    groups: Indices  # the groups that those are in


def tables_of(network: Network) -> Tables:
    """The network as the kernels read it."""
    n_species = len(network.species)
    order = network.reactants
    powers = sorted(
        {(int(s), int(order[r, s])) for r, s in np.argwhere(order > 1) if r not in network.programs}
    )
    steps = _Steps(n_species)
    power = {pair: steps.add(program.CHOICES, *pair) for pair in powers}
    terms = [
        [steps.law(network, r)] if r in network.programs
        else [int(s) if row[s] == 1 else power[s, row[s]] for s in row.nonzero()[0].tolist()]
        for r, row in enumerate(order)
    ]  # fmt: skip
    one = n_species + len(steps.all)
    used = Counter(term for row in terms for term in row)
    shared = [max(row, key=lambda term: used[term], default=one) for row in terms]
    slots = sorted(range(len(terms)), key=lambda r: shared[r])
    groups = sorted(set(shared))
    rest = [[term for term in terms[r] if term != shared[r]] for r in slots]
    width = max(1, *map(len, rest))
    changed = [network.changes[r].nonzero()[0].tolist() for r in slots]
    changed_steps = [steps.changed_by(set(c)) for c in changed]
    touched = [
        [k for k, row in enumerate(rest) if set(row) & {*c, *(n_species + q for q in p)}]
        for c, p in zip(changed, changed_steps, strict=True)
    ]
    summed = [sorted({groups.index(shared[slots[k]]) for k in row}) for row in touched]
    amounts = [network.changes[r, row].tolist() for r, row in zip(slots, changed, strict=True)]
    rates = np.where(np.isnan(network.rate_constants), 1.0, network.rate_constants)
    return Tables(
        np.array(slots, dtype=np.uint32),
        rates[slots],
        np.array([row + [one] * (width - len(row)) for row in rest], dtype=np.uint32),
        np.array(groups, dtype=np.uint32),
        np.cumsum([0, *(shared.count(term) for term in groups)]).astype(np.uint32),
        np.array([step[0] for step in steps.all], dtype=np.uint32),
        np.array([step[1] for step in steps.all], dtype=np.uint32),
        np.array([step[2] for step in steps.all], dtype=np.uint32),
        np.array([step[3] for step in steps.all], dtype=np.float64),
        network.kinetics == "falling",
        *_flat([_filled(row, 3) for row in changed]),
        np.array([amount for row in amounts for amount in _filled(row, 3, 0)], dtype=np.float64),
        *_flat(changed_steps),
        *_flat([_filled(row, 3) for row in touched]),
        *_flat([_filled(row, 2) for row in summed]),
    )


class _Steps:
    """The steps of a network, each with the species that its term depends on."""

    def __init__(self, species: int) -> None:
        self.all: list[tuple[int, int, int, float]] = []  # operation, left, right, constant
        self._depends: list[set[int]] = [{i} for i in range(species)]  # of every term
        self._species = species

    def add(self, operation: int, left: int = 0, right: int = 0, constant: float = 0.0) -> int:
        """The term of another step."""
        used = [left] if operation == program.CHOICES else [left, right]
        used = [] if operation == program.CONSTANT else used
        self.all.append((operation, left, right, constant))
        self._depends.append(set().union(*(self._depends[term] for term in used)))
        return self._species + len(self.all) - 1

    def law(self, network: Network, reaction: int) -> int:
        """The term that is the whole rate of a reaction with a rate law."""
        law = network.programs[reaction]
        place = {i: i for i in range(law.species)}
        for constant in law.constants:
            place[len(place)] = self.add(program.CONSTANT, constant=constant)
        for operation, left, right in law.steps:
            place[len(place)] = self.add(operation, place[left], place[right])
        rate = self.add(program.RATE, place[law.result], place[law.result])
        for species in network.reactants[reaction].nonzero()[0].tolist():
            needed = float(network.reactants[reaction, species])
            least = self.add(program.CONSTANT, constant=needed)
            rate = self.add(program.ONLY, rate, self.add(program.AT_MOST, least, species))
        return rate

    def changed_by(self, species: set[int]) -> list[int]:
        """The steps whose terms change with one of these counts, in order."""
        depends = self._depends[self._species :]
        return [k for k, needed in enumerate(depends) if needed & species]


def _filled(row: list[int], multiple: int, by: int | None = None) -> list[int]:
    """A list whose length is a multiple, filled up by a number or its last one again."""
    missing = -len(row) % multiple
    return [*row, *([row[-1] if by is None else by] * missing)] if row else row


def _flat(lists: Sequence[Sequence[int]]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Where each list starts, and all of them one after the other."""
    starts = np.cumsum([0, *map(len, lists)])
    return starts.astype(np.uint32), np.array([v for row in lists for v in row], dtype=np.uint32)
