"""Who comes and goes: reactions from `0` let robots in, and reactions to `0` let them out.

Inside a reaction robots are conserved, so nothing else changes how many there are of a type.
"""

from __future__ import annotations

from covey.errors import UnsupportedError
from covey.model.network import Network
from covey.model.reaction import Reaction


def sources(network: Network, type_: str) -> dict[int, float]:
    """At which rate lone robots of a type arrive at each species; empty where none arrive.

    Raises `UnsupportedError` where they arrive in company: then which robot has arrived is no
    question about one of them.
    """
    places: dict[int, float] = {}
    for reaction, rate in zip(network.reactions, network.rate_constants.tolist(), strict=True):
        if not _lets_in(reaction, type_):
            continue
        place = reaction.products.single
        if place is None or len(place.members) > 1:
            raise UnsupportedError(
                f"{reaction.arrow} lets a robot of type {type_} in with company: what is given "
                "away about one that arrives alone is not defined. Ask for a time instead: then "
                "the robots of the start are protected"
            )
        if reaction.rate_law is not None:
            raise UnsupportedError(
                f"{reaction.arrow} has a rate law of its own: what is given away about one robot "
                "that "
                "arrives is only known where robots arrive at a constant rate. Ask for a time "
                "instead: then the robots of the start are protected"
            )
        index = network.index[place]
        places[index] = places.get(index, 0.0) + rate
    return places


def comes(network: Network, type_: str) -> bool:
    """Whether robots of a type arrive."""
    return any(_lets_in(reaction, type_) for reaction in network.reactions)


def goes(network: Network, type_: str) -> bool:
    """Whether robots of a type leave."""
    return any(not r.products.terms and type_ in r.reactants.members() for r in network.reactions)


def _lets_in(reaction: Reaction, type_: str) -> bool:
    return not reaction.reactants.terms and type_ in reaction.products.members()
