"""Collaboration-DAGs: networks that build every compound from its parts in exactly one way.

The paper's definition lets a compound have several forming reactions, and its proposition (such
networks are complex-balanced) is then false: {1,2,3} formed from {1,2} + {3} and from {1} + {2,3}
has deficiency one. With one forming reaction per compound every reversible reaction adds a complex
to its linkage class (the compound alone) and an independent column to Γ: the deficiency is zero.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from covey.model.complex import Complex
from covey.model.network import Network
from covey.model.reaction import Reaction
from covey.model.species import Species, species_order
from covey.model.structure.finding import Finding


def collaboration_dag(network: Network) -> Finding:
    """Whether the network is a collaboration-DAG; if not, which reaction or compound forbids it."""
    arrows = {(reaction.reactants, reaction.products) for reaction in network.reactions}
    forms: dict[Species, Complex] = {}
    for reaction in network.reactions:
        if (reaction.products, reaction.reactants) not in arrows:
            return Finding.no(f"{reaction.arrow} cannot be undone")
        compound, parts = _compound(reaction)
        if compound is None:
            return Finding.no(f"{reaction.arrow} does not build one compound from parts")
        if forms.setdefault(compound, parts) != parts:
            return Finding.no(
                f"{compound} is formed in two ways: from {forms[compound]} and from {parts}"
            )
    loop = _loop(forms)
    if loop is not None:
        return Finding.no(f"{loop} takes part in building itself")
    return Finding.yes("every compound is built from its parts in exactly one way")


def _compound(reaction: Reaction) -> tuple[Species | None, Complex]:
    """The compound that the reaction forms or takes apart, and its parts."""
    for whole, parts in (
        (reaction.products, reaction.reactants),
        (reaction.reactants, reaction.products),
    ):
        if whole.single is not None and sum(n for _, n in parts) >= 2:
            return whole.single, parts
    return None, reaction.reactants


def _loop(forms: dict[Species, Complex]) -> Species | None:
    """A compound that is among its own parts, or among their parts, and so on."""
    made_of = {compound: [part for part, _ in parts] for compound, parts in forms.items()}
    try:
        TopologicalSorter(made_of).prepare()
    except CycleError as error:
        loop: list[Species] = error.args[1]
        return min(loop, key=species_order)
    return None
