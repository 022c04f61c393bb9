"""What a scenario is made of, as a notebook shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from covey.model.hypothesis import Hypothesis
from covey.model.network import Network
from covey.model.observation.query import Query
from covey.model.rate import print_rate
from covey.model.scenario import Scenario
from covey.model.structure.structure import Structure
from covey.model.team import Neighbour, Team
from covey.report.html_parts import MOST_ROWS, paragraph, table
from covey.report.notebook.parts import drawn, together
from covey.report.topology import draw_network
from covey.words import when

_MOST_NODES = 150


def _network(network: Network) -> Markup:
    size = f"{len(network.species)} species, {len(network.reactions)} reactions"
    rates = [_rate(network, i) for i in range(len(network.reactions))]
    rows = [
        (reaction.name or f"r{i + 1}", reaction.arrow, rate)
        for i, (reaction, rate) in enumerate(zip(network.reactions, rates, strict=True))
    ]
    return together(
        paragraph(f"Network: {size}, {network.kinetics} kinetics."),
        _topology(network),
        table(["", "reaction", "rate"], rows, left=(0, 1)),
    )


def _rate(network: Network, reaction: int) -> str:
    one = network.reactions[reaction]
    if not isinstance(one.rate, str):
        return one.time
    value = f"{one.rate} = {print_rate(network.rates[one.rate])}"
    return value if one.times == 1 else f"{one.time}, {value}"


def _topology(network: Network, resources: tuple[str, ...] = ()) -> Markup:
    if len(network.species) + len(network.reactions) > _MOST_NODES:
        return paragraph("A picture of so large a network takes a while: covey draw gives it.")
    return drawn(lambda: draw_network(network, resources=resources), "the network")


def _team(team: Team) -> Markup:
    return together(
        paragraph(f"Team: {str(team) or 'no robots of any type'}."), _members(team, "robots")
    )


def _hypothesis(hypothesis: Hypothesis) -> Markup:
    return paragraph(f"A team with {hypothesis}.")


def _neighbour(neighbour: Neighbour) -> Markup:
    return together(
        paragraph(f"A team with {neighbour}: {neighbour.team}."), _members(neighbour.team, "robots")
    )


def _members(team: Team, head: str) -> Markup:
    rows = [(name, count, "type, private") for name, count in team.types.items()]
    rows += [(name, count, "resource") for name, count in team.resources.items()]
    return table(["", head, ""], rows, left=(0, 2))


def _query(query: Query) -> Markup:
    if query.is_identity:
        return together(paragraph("Everything is seen: each species by itself."))
    note = query.overlap_note().strip(" ()")
    return together(
        paragraph("What is seen is how many there are of:"),
        _sums(query),
        *([paragraph(f"{note[0].upper()}{note[1:]}.")] if note else []),
    )


def _sums(query: Query) -> Markup:
    return table(["seen", "the sum of"], list(query.texts().items()), left=(0, 1))


def _scenario(scenario: Scenario) -> Markup:
    title = [Markup("<strong>{}</strong>").format(scenario.title)] if scenario.title else []
    team = str(scenario.team) or "no robots of any type"
    adversary = scenario.adversary
    note = f", smoothed by {adversary.smoothing:g}" if adversary.smoothing else ""
    if adversary.protect:
        note += f"; protected are {', '.join(adversary.protect)}"
    seen = paragraph("Everything is seen.") if scenario.query.is_identity else _sums(scenario.query)
    return together(
        *title,
        paragraph(f"Team: {team}; seen {when(adversary.at, scenario.unit)}{note}."),
        seen,
        _topology(scenario.network, tuple(scenario.team.resources)),
        *(paragraph(f"Worth a look: {caution}.") for caution in scenario.cautions[:MOST_ROWS]),
    )


def _structure(structure: Structure) -> Markup:
    network = structure.network
    numbers = {
        "species": len(network.species),
        "reactions": len(network.reactions),
        "complexes": len(network.complexes),
        "linkage classes": len(structure.linkage_classes),
        "rank": structure.rank,
        "deficiency": structure.deficiency,
    }
    findings = {
        "weakly reversible": structure.weakly_reversible,
        "complex balanced": structure.complex_balanced,
        "collaboration dag": structure.collaboration_dag,
    }
    said = [(name, "yes" if found else "no", found.why) for name, found in findings.items()]
    distributions = [
        (distribution.member or "", str(distribution))
        for distribution in structure.conservation_laws
    ]
    return together(
        table(["structure", ""], list(numbers.items())),
        table(["finding", "", "why"], said, left=(0, 1, 2)),
        table(["what stays the same", ""], distributions, left=(0, 1)),
    )


MODEL: tuple[tuple[type, Callable[[Any], Markup]], ...] = (
    (Network, _network),
    (Team, _team),
    (Neighbour, _neighbour),
    (Hypothesis, _hypothesis),
    (Query, _query),
    (Scenario, _scenario),
    (Structure, _structure),
)
