"""How many states can a team reach from its start, and are they finitely many?

The states lie on a lattice: the conservation laws keep what they have at the start. Where the
species fall apart into roots (`elementary_species`) every lattice point is reachable. Counting them
is then a knapsack problem in whole numbers, solved one law at a time. Elsewhere the states are
explored one by one, up to a limit, unless robots that change by themselves show that there are far
more; a state that exceeds one of its ancestors in every species proves that there is no end (Karp
and Miller [1]).

[1] R. M. Karp, R. E. Miller, Parallel program schemata, J. Comput. Syst. Sci. 3, 1969.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from covey.errors import InputError, shown
from covey.model.network import Network
from covey.model.species import Species
from covey.model.structure.state_count import count_lattice
from covey.model.structure.structure import Structure
from covey.model.structure.surely_reached import surely_reached
from covey.model.team import MAX_COUNT, check_count
from covey.numbers import Ints

State = tuple[int, ...]

# What exploring may cost: a second or so, whatever the network.
_MAX_EXPLORED = 400_000
_MAX_COMPARED = 100_000
_FEW = 2_000  # states that are visited sooner than bounded from below
_MOST_LISTED = 5_000  # states that are kept, so that nobody has to look for them again


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
        listed: All of them, the start first, where they were explored and are not many; otherwise
            empty.
    """

    states: int | None
    finite: bool | None
    why: str
    at_least: int
    grows: Species | None = None
    listed: tuple[State, ...] = field(default=(), repr=False, compare=False)


def reach(
    network: Network | Structure, start: Sequence[int], *, enough: int | None = None
) -> Reach:
    """Counts the states that a network can reach from a start.

    Args:
        network: The network, or its structure where that is known already.
        start: How many there are of each species, in the order of `network.species`.
        enough: Where there are certainly more than so many, they are not counted to the end.
    """
    structure = _structure(network)
    species = structure.network.species
    if isinstance(start, str | Mapping) or not isinstance(start, Iterable):
        raise InputError(f"the start is {shown(start)}: a list of counts is expected")
    given = list(start)
    if len(given) != len(species):
        raise InputError(
            f"the start has {len(given)} counts: one for each of the {len(species)} species is "
            f"expected, {', '.join(map(str, species[:8]))}{', …' if len(species) > 8 else ''}"
        )
    most = 2 * MAX_COUNT  # a neighbour may have one more than a team can have
    counts = {
        s: check_count(n, f"the start of {s}", most) for s, n in zip(species, given, strict=True)
    }
    live = structure.live(list(counts.values()))
    if live is None:
        return Reach(1, True, "nothing can happen", 1)
    if live.roots is not None:
        states, complete = count_lattice(live.roots, counts, None if enough is None else enough + 1)
        if complete:
            return Reach(states, True, "every state that the conservation laws allow", states)
        return Reach(None, True, f"more than {states:,}, too many to count here", states)
    found = _explored(live, counts, enough)
    return found if live is structure else replace(found, listed=())  # of all species, or none


def _explored(live: Structure, counts: Mapping[Species, int], enough: int | None) -> Reach:
    """By visiting them; many are not, where there are certainly more than can be visited."""
    network, bounded = live.network, _bounded_by_laws(live)
    start = tuple(counts[s] for s in network.species)
    limit = _MAX_EXPLORED // len(network.species)
    if bounded:
        few = _explore(network, start, bounded, min(_FEW, limit))
        if few.states is not None:
            return few
    certain, why = surely_reached(network, counts, enough)
    if bounded and certain > _MAX_EXPLORED:
        return Reach(None, True, f"{certain:,} or more, {why}", certain)
    return _explore(network, start, bounded, limit)


def _structure(network: object) -> Structure:
    if isinstance(network, Network):
        return Structure(network)
    if isinstance(network, Structure):
        return network
    raise InputError(f"{shown(network)} is neither a Network nor the Structure of one")


def _explore(network: Network, start: State, bounded: bool, limit: int) -> Reach:
    """Visits the states one by one, and stops at proof of endless growth or at the limit.

    By mass action what has led from an ancestor to a larger state leads on from there; a law may
    stand still. So ancestors are followed back only as far as mass action has led.
    """
    steps = [
        (_entries(reactants), _entries(change), network.programs.get(number))
        for number, (reactants, change) in enumerate(
            zip(network.reactants, network.changes, strict=True)
        )
        if change.any()
    ]
    compared, weights_tried = 0, False
    came_from: dict[State, State | None] = {start: None}
    work = [start]
    for state in work:
        for needs, change, law in steps:
            for i, n in needs:  # the whole of a small team's planning: any() takes twice as long
                if state[i] < n:
                    break
            else:
                if law is not None and not law.fires(state):
                    continue
                after = list(state)
                for i, n in change:
                    after[i] += n
                new = tuple(after)
                if new in came_from:
                    continue
                came_from[new] = state if law is None else None
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
    listed = tuple(work) if len(work) <= _MOST_LISTED else ()
    return Reach(len(work), True, "counted by exploring", len(work), listed=listed)


def _entries(row: Ints) -> list[tuple[int, int]]:
    """Which of a row's numbers are not 0, and what they are."""
    places = row.nonzero()[0]
    return list(zip(places.tolist(), row[places].tolist(), strict=True))


def _bounded_by_laws(structure: Structure) -> bool:
    """Whether laws without negative coefficients, or types that never increase, hold everything."""
    network = structure.network
    held = {s for law in structure.conservation_laws if law.is_non_negative for s, _ in law.terms}
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
