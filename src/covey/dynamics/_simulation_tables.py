"""A network as the kernels of `simulation` read it: flat arrays, and who depends on whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from covey.model.network import Network
from covey.numbers import Floats

Indices = NDArray[np.uint32]


class Tables(NamedTuple):
    """What the kernels know of a network.

    A propensity is κ times terms. The terms are first the counts themselves, then those powers of
    counts that some reaction needs, and last a one. Reactions stand in slots, sorted by group: all
    of a group share one term. Lists of lists are flat: that of slot r is at start[r] to start[r+1].
    """

    reaction: Indices  # (reactions,): the reaction in each slot
    rates: Floats  # (reactions,)
    rest: Indices  # (reactions, at least 1): its terms besides that of its group
    group_factor: Indices  # (groups,): the term that all of a group share
    group_start: Indices  # (groups + 1,)
    power_species: Indices  # (powers,)
    power_order: Indices  # (powers,)
    falling: bool
    changes_start: Indices
    changes_species: Indices
    changes_amount: Floats
    powers_start: Indices
    powers: Indices  # the powers that the reaction changes
    touched_start: Indices
    touched: Indices  # the slots with a changed term besides that of their group
    groups_start: Indices
    groups: Indices  # the groups that those are in


def tables_of(network: Network) -> Tables:
    """The network as the kernels read it."""
    n_species = len(network.species)
    order = network.reactants
    powers = sorted({(int(s), int(order[r, s])) for r, s in np.argwhere(order > 1)})
    one = n_species + len(powers)
    terms = [
        [int(s) if row[s] == 1 else n_species + powers.index((s, row[s])) for s in row.nonzero()[0]]
        for row in order
    ]
    used = Counter(term for row in terms for term in row)
    shared = [max(row, key=lambda term: used[term], default=one) for row in terms]
    slots = sorted(range(len(terms)), key=lambda r: shared[r])
    groups = sorted(set(shared))
    rest = [[term for term in terms[r] if term != shared[r]] for r in slots]
    width = max(1, *map(len, rest))
    changed = [network.changes[r].nonzero()[0] for r in slots]
    changed_powers = [[k for k, (s, _) in enumerate(powers) if s in c] for c in changed]
    touched = [
        [k for k, row in enumerate(rest) if set(row) & {*map(int, c), *(n_species + q for q in p)}]
        for c, p in zip(changed, changed_powers, strict=True)
    ]
    changes = network.changes[slots]
    return Tables(
        np.array(slots, dtype=np.uint32),
        network.rate_constants[slots],
        np.array([row + [one] * (width - len(row)) for row in rest], dtype=np.uint32),
        np.array(groups, dtype=np.uint32),
        np.cumsum([0, *(shared.count(term) for term in groups)]).astype(np.uint32),
        np.array([s for s, _ in powers], dtype=np.uint32),
        np.array([rho for _, rho in powers], dtype=np.uint32),
        network.kinetics == "falling",
        *_flat(changed),
        changes[changes != 0].astype(float),
        *_flat(changed_powers),
        *_flat(touched),
        *_flat([sorted({groups.index(shared[slots[k]]) for k in row}) for row in touched]),
    )


def _flat(
    lists: Sequence[Sequence[int] | NDArray[np.int64]],
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Where each list starts, and all of them one after the other."""
    starts = np.cumsum([0, *map(len, lists)])
    return starts.astype(np.uint32), np.array([v for row in lists for v in row], dtype=np.uint32)
