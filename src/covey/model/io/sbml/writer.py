"""Scenarios as SBML, for simulators and editors of reaction networks.

Level 3 Version 1, which every program reads. One compartment of size 1 holds the team; a species
is counted in items, carries covey's name as its name and has its count at the start. Every
direction of a reaction is a reaction, with its name where it has one; its kinetic law is its
propensity as covey counts it: k A (A − 1) for 2 A, or k A² where the kinetics say so, or the law
that it has. Numbers are written in full, so that they read back as the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from covey.model.complex import Complex
from covey.model.io.identifiers import Identifiers, one_line
from covey.model.io.sbml.mathml import apply, integer, leaf, mathml, real
from covey.model.network import Network
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.reaction import Reaction
from covey.model.scenario import Scenario
from covey.model.species import Species
from covey.model.stoichiometry import Kinetics

_SBML = "http://www.sbml.org/sbml/level3/version1/core"
_MATHML = "http://www.w3.org/1998/Math/MathML"
_COMPARTMENT = "team"


def to_sbml(scenario: Scenario) -> str:
    """The network and the start of a scenario as an SBML document.

    Types, what is seen and who looks have no place in SBML, and stay in the scenario.

    Args:
        scenario: Whose network and start it is.
    """
    network = scenario.network
    network.check_constant_rates()
    ids = Identifiers(_COMPARTMENT)
    rates = {name: ids.new(name, "k") for name in network.rates}
    species = {s: ids.new(str(s), "x") for s in network.species}
    reactions = [
        ids.new(reaction.name.replace("'", "_back") or f"r{number}", "r")
        for number, reaction in enumerate(network.reactions, start=1)
    ]

    root = Element("sbml", xmlns=_SBML, level="3", version="1")
    model = SubElement(root, "model", substanceUnits="item", extentUnits="item")
    if scenario.title:
        model.set("name", one_line(scenario.title))
    _list_compartment(model)
    _list_species(model, species, scenario.start.tolist())
    if rates:  # a list must not be empty
        _list_rates(model, rates, network)
    listed = SubElement(model, "listOfReactions")
    for id_, reaction in zip(reactions, network.reactions, strict=True):
        part = SubElement(listed, "reaction", id=id_, reversible="false", fast="false")
        if reaction.name:
            part.set("name", reaction.name)
        _add_side(part, "listOfReactants", reaction.reactants, species)
        _add_side(part, "listOfProducts", reaction.products, species)
        math = SubElement(SubElement(part, "kineticLaw"), "math", xmlns=_MATHML)
        if reaction.rate_law is not None:
            names = rates | {str(s): id_ for s, id_ in species.items()}
            _list_modifiers(part, reaction, reaction.rate_law, species)
            math.append(mathml(reaction.rate_law.term, names))
            continue
        _add_product(math, [_rate(reaction, rates), *_powers(reaction, network.kinetics, species)])
    indent(root)
    # In ASCII, the rest as character references: the same bytes whatever the terminal speaks.
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root).decode()}\n'


def _list_modifiers(
    part: Element, reaction: Reaction, law: RateLaw, ids: Mapping[Species, str]
) -> None:
    """The species that a law counts and that stand on no side, listed before the law."""
    taken = {s for side in (reaction.reactants, reaction.products) for s, _ in side}
    counted = [s for s in ids if (s in law.species or str(s) in law.words) and s not in taken]
    if counted:
        listed = Element("listOfModifiers")
        for species in counted:
            SubElement(listed, "modifierSpeciesReference", species=ids[species])
        part.insert(len(part) - 1, listed)


def _list_compartment(model: Element) -> None:
    SubElement(
        SubElement(model, "listOfCompartments"),
        "compartment",
        id=_COMPARTMENT,
        spatialDimensions="3",
        size="1",
        constant="true",
    )


def _list_species(model: Element, ids: Mapping[Species, str], counts: Iterable[int]) -> None:
    listed = SubElement(model, "listOfSpecies")
    for (species, id_), count in zip(ids.items(), counts, strict=True):
        SubElement(
            listed,
            "species",
            id=id_,
            name=str(species),
            compartment=_COMPARTMENT,
            initialAmount=str(count),
            hasOnlySubstanceUnits="true",
            boundaryCondition="false",
            constant="false",
        )


def _list_rates(model: Element, ids: Mapping[str, str], network: Network) -> None:
    listed = SubElement(model, "listOfParameters")
    for name, id_ in ids.items():
        value = repr(network.rates[name])
        SubElement(listed, "parameter", id=id_, name=name, value=value, constant="true")


def _add_side(part: Element, name: str, side: Complex, ids: Mapping[Species, str]) -> None:
    if side:
        listed = SubElement(part, name)
        for species, n in side:
            SubElement(
                listed,
                "speciesReference",
                species=ids[species],
                stoichiometry=str(n),
                constant="true",
            )


def _rate(reaction: Reaction, ids: Mapping[str, str]) -> Element:
    rate = reaction.rate
    constant = real(rate) if isinstance(rate, float) else leaf("ci", ids[str(rate)])
    return constant if reaction.times == 1 else apply("times", integer(reaction.times), constant)


def _powers(
    reaction: Reaction, kinetics: Kinetics, ids: Mapping[Species, str]
) -> Iterator[Element]:
    """The factors of the propensity: A, A − 1, … for each A consumed, or a power of A."""
    for species, n in reaction.reactants:
        if kinetics == "power" and n > 1:
            yield apply("power", leaf("ci", ids[species]), integer(n))
            continue
        yield leaf("ci", ids[species])
        for taken in range(1, n):
            yield apply("minus", leaf("ci", ids[species]), integer(taken))


def _add_product(law: Element, factors: list[Element]) -> None:
    law.append(apply("times", *factors) if len(factors) > 1 else factors[0])
