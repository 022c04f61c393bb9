"""Folding by symmetry: the chain on orbits of states under permutations of the species.

A permutation g of the species is an automorphism when it maps the network's reactions, with
their rates, onto themselves and fixes the start. Then K commutes with g, p(t) is constant on
orbits, and the orbits form a Markov chain of their own (exact lumping): from an orbit to another
the rate is the sum of a_r(x) over the reactions that lead there, x being any member.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.lattice import Lattice, explore
from covey.errors import CoveyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from covey.dynamics.question import Progress
    from covey.model.network import Network

_LARGEST_GROUP = 720


def fold(
    network: Network,
    start: NDArray[np.int64],
    permutations: Sequence[NDArray[np.intp]],
    *,
    max_states: int,
    progress: Progress | None = None,
) -> Lattice:
    """The orbits reachable from `start` under the group that the permutations generate.

    `generator.build` makes their chain; an orbit's probability is shared equally by its
    `Lattice.orbit_sizes` members; `Lattice.index_of` finds the orbit of any state.
    A permutation g is an index array: the image of state x is x[g].
    """
    for permutation in permutations:
        _check(network, np.asarray(start), np.asarray(permutation))
    group = _closure([np.asarray(p, dtype=np.intp) for p in permutations], len(start))
    return explore(network, start, max_states=max_states, permutations=group, progress=progress)


def unfold(lattice: Lattice, states: NDArray[np.integer], folded: NDArray[np.float64]) -> (
    NDArray[np.float64]
):  # fmt: skip
    """Probabilities of single `states` from those of the orbits (last axis)."""
    place = lattice.index_of(states)
    shared: NDArray[np.float64] = (folded / lattice.orbit_sizes())[..., place]
    return np.where(place < 0, 0.0, shared)


def _check(network: Network, start: NDArray[np.int64], permutation: NDArray[np.intp]) -> None:
    """Refuse what is not an automorphism of the network and its start."""
    if sorted(permutation.tolist()) != list(range(len(start))):
        raise CoveyError(
            f"{permutation.tolist()} is not a permutation of the {len(start)} species. "
            "Give each index once."
        )
    if (start[permutation] != start).any():
        raise CoveyError(
            f"The permutation {permutation.tolist()} moves the start {start.tolist()} to "
            f"{start[permutation].tolist()}: fold only by symmetries of the start."
        )

    def reactions(order: NDArray[np.intp]) -> Counter[tuple[object, ...]]:
        rates: Counter[tuple[object, ...]] = Counter()
        rows = zip(network.reactants[:, order], network.changes[:, order], strict=True)
        for (reactants, change), rate in zip(rows, network.rate_constants, strict=True):
            rates[(*reactants.tolist(), *change.tolist(), float(rate))] += 1
        return rates

    if reactions(permutation) != reactions(np.arange(len(start))):
        raise CoveyError(
            f"The permutation {permutation.tolist()} does not map the reactions with their rates "
            "onto themselves: fold only by symmetries of the network."
        )


def _closure(generators: list[NDArray[np.intp]], species: int) -> list[NDArray[np.intp]]:
    """The whole group, identity first."""
    group = {tuple(range(species))}
    fresh = set(group)
    while fresh:
        fresh = {tuple(int(i) for i in g[list(h)]) for h in fresh for g in generators} - group
        group |= fresh
        if len(group) > _LARGEST_GROUP:
            raise CoveyError(
                f"The permutations generate a group of more than {_LARGEST_GROUP} elements: "
                "folding by it would cost more than it saves. Give fewer permutations."
            )
    return [np.array(element, dtype=np.intp) for element in sorted(group)]
