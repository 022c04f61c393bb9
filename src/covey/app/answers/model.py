"""What a text means: types, rates, species, sums, and where each of them stands in it."""

from __future__ import annotations

import hashlib
from typing import Any

from covey.dynamics.solver import Solver
from covey.model.io.scenario_file import places_of
from covey.model.scenario import Scenario
from covey.privacy.hypotheses import Relation
from covey.study.explanation import explain


def model(solver: Solver, scenario: Scenario, text: str) -> dict[str, Any]:
    """The scenario as the page shows it."""
    network, team, query = scenario.network, scenario.team, scenario.query
    groups = query.groups(network)
    seen = {species for group in groups.values() for species in group.species}
    places, relation = places_of(text), Relation.of(scenario)
    return {
        "title": scenario.title,
        "types": dict(team.types),
        "resources": dict(team.resources),
        "rates": dict(network.rates),
        "species": [str(species) for species in network.species],
        "sums": query.texts(),
        "hidden": [str(species) for species in network.species if species not in seen],
        "initial": {
            name: place if isinstance(place, int) else str(place)
            for name, place in scenario.initial.items()
        },
        "adversary": {
            "at": scenario.adversary.at,
            "smoothing": scenario.adversary.smoothing,
            "protect": list(scenario.protected),
        },
        "secret": "" if relation.is_type else str(relation),
        "release": _release(scenario),
        "control": {
            name: {"rule": rule.table(), "values": dict(rule.values)}
            for name, rule in network.control.items()
        },
        "performance": {name: one.text for name, one in scenario.performance.items()},
        "reactions": [
            {"text": str(reaction), "name": reaction.name} for reaction in network.reactions
        ],
        "states": solver.reach(scenario.start).states,
        "words": [list(part) for part in explain(scenario).parts],
        "warnings": [str(caution) for caution in scenario.cautions],
        "places": places,
        "settable": _settable(scenario),
        "network_key": network_key(scenario),
    }


def network_key(scenario: Scenario) -> str:
    """A digest of all that the picture of the network shows."""
    parts = [*map(str, scenario.network.reactions), *scenario.team.resources]
    return hashlib.sha256("\n".join(parts).encode("utf-8")).hexdigest()[:16]


def _release(scenario: Scenario) -> dict[str, Any] | None:
    release = scenario.release
    if release.every is None and release.until is None:
        return None
    return {"every": release.every, "until": release.until}


def _settable(scenario: Scenario) -> list[str]:
    """What a slider may set: the numbers of the scenario, by their dotted names."""
    used = scenario.network.rate_names
    return [
        *(f"types.{name}" for name in scenario.team.types),
        *(f"resources.{name}" for name in scenario.team.resources),
        *(f"rates.{name}" for name in scenario.network.rates if name in used),
        *(
            f"control.{name}.{part}"
            for name, rule in scenario.network.control.items()
            for part in rule.values
        ),
        "adversary.at",
        "release.every",
        "release.until",
    ]
