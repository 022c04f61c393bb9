"""States that are certainly reached, counted where not all of them can be.

    conversions   robots that change one by one, each by itself
    what can be undone
                  the reactions whose way back is there too: every point of their lattice is
                  reached (`state_count`), also once some robots have changed by themselves

Both leave reactions out, and so are bounds from below.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping

from covey.model.network import Network
from covey.model.species import Species
from covey.model.structure.state_count import count_lattice
from covey.model.structure.structure import Structure


def surely_reached(
    network: Network, counts: Mapping[Species, int], enough: int | None
) -> tuple[int, str]:
    """A number of states that is certainly reached, and by what.

    Args:
        network: The reactions.
        counts: How many there are of each species at the start.
        enough: More than so many need not be counted to the end.
    """
    alone = _by_conversions(network, counts)
    undone = _by_what_can_be_undone(network, counts, enough)
    if undone > alone:
        return undone, "by reactions that can be undone, and robots that change by themselves"
    return alone, "as robots change by themselves"


def _by_what_can_be_undone(
    network: Network, counts: Mapping[Species, int], enough: int | None
) -> int:
    """The lattice of the reactions that have a way back, with robots that have changed before.

    At the start there are roots alone. As many as one likes can change by themselves at first, to
    places that these reactions leave alone; then the others reach every point of their lattice.
    """
    sides = {(r.reactants, r.products) for r in network.reactions if r.rate_law is None}
    kept = [
        i
        for i, r in enumerate(network.reactions)
        if r.rate_law is None and (r.products, r.reactants) in sides
    ]
    if not kept:
        return 1
    part = network.part(kept)
    parts = Structure(part).roots
    if parts is None or any(counts[s] and roots != {s: 1} for s, roots in parts.items()):
        return 1
    places = dict(parts)
    leads_to = _conversions(network)
    for source in [s for s, roots in parts.items() if roots == {s: 1} and counts[s]]:
        for place in _places(source, leads_to):
            if place not in places and not counts[place]:
                places[place] = {source: 1}
    found, _ = count_lattice(
        places, {s: counts[s] for s in places}, None if enough is None else enough + 1
    )
    return found


def _conversions(network: Network) -> dict[Species, list[Species]]:
    """Where a robot alone may go from each species, in one reaction."""
    leads_to: dict[Species, list[Species]] = defaultdict(list)
    for reaction in network.reactions:
        source, target = reaction.reactants.single, reaction.products.single
        if source is not None and target is not None and reaction.rate_law is None:
            leads_to[source].append(target)
    return leads_to


def _places(species: Species, leads_to: Mapping[Species, list[Species]]) -> list[Species]:
    """Where a robot may come to by itself, where it is first of all."""
    places = [species]
    for place in places:
        places += [s for s in dict.fromkeys(leads_to.get(place, ())) if s not in places]
    return places


def _by_conversions(network: Network, counts: Mapping[Species, int]) -> int:
    """A number of states that is certainly reached: by robots that change one by one.

    Where A -> B are the reactions of one robot alone, n robots at A go to any of the k species
    that lead on from there, each by itself: these are C(n + k − 1, k − 1) states. Robots at
    species whose ways do not meet multiply them.
    """
    leads_to = _conversions(network)
    ways = []
    for species in network.species:
        if counts[species]:
            places = _places(species, leads_to)
            number = math.comb(counts[species] + len(places) - 1, len(places) - 1)
            ways.append((number, set(places)))
    total, taken = 1, set[Species]()
    for number, among in sorted(ways, key=lambda way: way[0], reverse=True):
        if not among & taken:
            total *= number
            taken |= among
    return total
