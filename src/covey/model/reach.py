"""How many states can a team reach from its start, and are they finitely many?

The states lie on a lattice: the conservation laws keep what they have at the start. Where every
species can fall apart, reversibly, into root species, and there are as many roots as laws, every
lattice point falls apart into the same root state, and the reverse path leads from there to any
other point: all of them are reachable. Counting them is then a knapsack problem in whole numbers,
solved one law at a time. Elsewhere the states are explored one by one, up to a limit; a state that
exceeds one of its ancestors in every species proves that there is no end (Karp and Miller [1]).

[1] R. M. Karp, R. E. Miller, Parallel program schemata, J. Comput. Syst. Sci. 3, 1969.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from covey.model.lattice_count import Roots, count_lattice
from covey.model.network import Network
from covey.model.reaction import Complex, Reaction
from covey.model.species import Species
from covey.model.structure import Structure
from covey.model.team import check_count

State = tuple[int, ...]

# What exploring may cost: a second or so, whatever the network.
_MAX_EXPLORED = 400_000
_MAX_COMPARED = 100_000


@dataclass(frozen=True)
class Reach:
    """The reachable states: their number, where it is known, and whether it is finite.

    Attributes:
        states: How many there are; None where that is not known.
        finite: Whether they come to an end; None where neither that nor endless growth could be
            shown.
        why: How it is known, or what keeps it from being known.
        at_least: A number that the states certainly reach.
        grows: A species that was shown to grow without end.
    """

    states: int | None
    finite: bool | None
    why: str
    at_least: int
    grows: Species | None = None


def reach(structure: Structure, start: Sequence[int]) -> Reach:
    """Counts the states that a network can reach from a start.

    Args:
        structure: What its wiring says.
        start: How many of each species there are at first, in the order of `network.species`.
    """
    network = structure.network
    counts = {
        s: check_count(n, f"the start of {s}") for s, n in zip(network.species, start, strict=True)
    }
    live = live_reactions(network, counts)
    if not live:
        return Reach(1, True, "nothing can happen", 1)
    if len(live) < len(network.reactions):
        structure = Structure(Network(live, network.rates, network.kinetics))
    parts = falls_apart(structure)
    if parts is not None:
        states, complete = count_lattice(parts, counts)
        if complete:
            return Reach(states, True, "every state that the conservation laws allow", states)
        return Reach(None, True, f"more than {states:,}, too many to count here", states)
    return _explore(structure, tuple(counts[s] for s in structure.network.species))


def live_reactions(network: Network, counts: dict[Species, int]) -> list[Reaction]:
    """The reactions that can ever happen: all their reactants can come about."""
    lacking = [{s for s, _ in r.reactants if not counts[s]} for r in network.reactions]
    awaited: dict[Species, list[int]] = defaultdict(list)
    for number, missing in enumerate(lacking):
        for species in missing:
            awaited[species].append(number)
    ready = [number for number, missing in enumerate(lacking) if not missing]
    for number in ready:
        for species, _ in network.reactions[number].products:
            for waiting in awaited.pop(species, []):
                lacking[waiting].discard(species)
                if not lacking[waiting]:
                    ready.append(waiting)
    return [network.reactions[number] for number in sorted(ready)]


def falls_apart(structure: Structure) -> dict[Species, Roots] | None:
    """What every species falls apart into, if that shows every lattice point to be reachable."""
    network = structure.network
    arrows = {(reaction.reactants, reaction.products) for reaction in network.reactions}
    ways: dict[Species, list[Complex]] = defaultdict(list)
    for whole, pieces in arrows:
        if whole.single is not None and pieces and (pieces, whole) in arrows:
            ways[whole.single].append(pieces)
    parts: dict[Species, Roots] = {}
    for species in network.species:
        if species not in parts and not _splits(species, ways):
            _spread(species, ways, parts)
    while len(parts) < len(network.species):
        found = {s: r for s in network.species if s not in parts for r in _resolve(ways[s], parts)}
        if not found:
            return None
        parts |= found
    roots = {species for species, roots in parts.items() if roots == {species: 1}}
    return parts if len(roots) == len(structure.laws) else None


def _splits(species: Species, ways: dict[Species, list[Complex]]) -> bool:
    """Whether this species, or one that it converts into, falls apart into several pieces."""
    seen, work = {species}, [species]
    while work:
        for pieces in ways[work.pop()]:
            other = pieces.single
            if other is None:
                return True
            if other not in seen:
                seen.add(other)
                work.append(other)
    return False


def _spread(root: Species, ways: dict[Species, list[Complex]], parts: dict[Species, Roots]) -> None:
    """Makes one species the root of all that convert into it."""
    parts[root] = {root: 1}
    work = [root]
    while work:
        for pieces in ways[work.pop()]:
            other = pieces.single
            if other is not None and other not in parts:
                parts[other] = {root: 1}
                work.append(other)


def _resolve(ways: list[Complex], parts: dict[Species, Roots]) -> list[Roots]:
    """The roots of a species one of whose ways apart leads to species that have theirs."""
    for pieces in ways:
        if all(species in parts for species, _ in pieces):
            roots: Roots = defaultdict(int)
            for species, n in pieces:
                for root, m in parts[species].items():
                    roots[root] += n * m
            return [dict(roots)]
    return []


def _explore(structure: Structure, start: State) -> Reach:
    """Visits the states one by one, and stops at proof of endless growth or at the limit."""
    network = structure.network
    steps = [
        (
            [(network.index[species], n) for species, n in reaction.reactants],
            [(network.index[species], n) for species, n in reaction.change().items()],
        )
        for reaction in network.reactions
    ]
    bounded = _bounded_by_laws(structure)
    compared, weights_tried = 0, False
    came_from: dict[State, State | None] = {start: None}
    work = [start]
    limit = _MAX_EXPLORED // len(network.species)
    for state in work:
        for needs, change in steps:
            if not change or any(state[i] < n for i, n in needs):
                continue
            after = list(state)
            for i, n in change:
                after[i] += n
            new = tuple(after)
            if new in came_from:
                continue
            came_from[new] = state
            work.append(new)
            if not bounded:
                grown, steps_back = _exceeds_ancestor(new, came_from)
                compared += steps_back
                if grown is not None:
                    species = network.species[grown]
                    why = f"{species} can grow without end"
                    return Reach(None, False, why, len(work), species)
        if compared > _MAX_COMPARED and not weights_tried:
            weights_tried, bounded = True, _bounded_by_weights(network)
        if len(work) > limit or (compared > _MAX_COMPARED and not bounded):
            why = f"more than {len(work) - 1:,}, counted by exploring"
            return Reach(None, True if bounded else None, why, len(work))
    return Reach(len(work), True, "counted by exploring", len(work))


def _bounded_by_laws(structure: Structure) -> bool:
    """Whether laws without negative coefficients, or types that never increase, hold everything."""
    network = structure.network
    held = {s for law in structure.laws if law.is_non_negative for s, _ in law.terms}
    gained = {
        member
        for reaction in network.reactions
        for member in reaction.products.members() - reaction.reactants.members()
    }
    held |= {species for species in network.species if set(species.members) - gained}
    return held >= set(network.species)


def _bounded_by_weights(network: Network) -> bool:
    """Whether some weights w ≥ 1 have w Γ ≤ 0: then nothing can grow, whatever the start.

    A linear program proposes them; they are made rational and checked in whole numbers.
    """
    from scipy.optimize import linprog  # noqa: PLC0415  (takes most of a second)

    changes = [reaction.change() for reaction in network.reactions]
    rows = np.zeros((len(changes), len(network.species)))
    for row, change in enumerate(changes):
        for species, n in change.items():
            rows[row, network.index[species]] = n
    found = linprog(np.ones(rows.shape[1]), A_ub=rows, b_ub=np.zeros(len(rows)), bounds=(1, None))
    if found.x is None:
        return False
    weights = {
        s: Fraction(w).limit_denominator(10**6)
        for s, w in zip(network.species, found.x, strict=True)
    }
    return all(sum(weights[s] * n for s, n in change.items()) <= 0 for change in changes) and all(
        weight > 0 for weight in weights.values()
    )


def _exceeds_ancestor(state: State, came_from: dict[State, State | None]) -> tuple[int | None, int]:
    """A species that has grown since an ancestor that this state covers, and how far back it is."""
    ancestor, steps = came_from[state], 1
    while ancestor is not None:
        if all(now >= then for now, then in zip(state, ancestor, strict=True)):
            pairs = zip(state, ancestor, strict=True)
            return next(i for i, (now, then) in enumerate(pairs) if now > then), steps
        ancestor, steps = came_from[ancestor], steps + 1
    return None, steps
