"""Logs with a row for every robot and change, as a fleet manager would write them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from covey import Scenario, event_log
from covey.model.species import Species

BEGIN = datetime(2026, 5, 18, 6, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Row:
    time: float
    robot: str
    type: str
    before: str
    after: str


def robot_rows(scenario: Scenario, until: float, seed: int) -> Iterator[Row]:
    """A path of the team robot by robot: whoever takes part is drawn among those who can.

    First where everybody is, at the end a row that nothing has changed.
    """
    network, types = scenario.network, scenario.team.types
    log = event_log(network, scenario.start, until, seed=seed)
    rng = np.random.default_rng(seed)
    # Every species that is there, with the robots that are in it.
    groups: dict[Species, list[list[tuple[str, str]]]] = {}
    number = 0
    for name, count in types.items():
        place = scenario.initial[name]
        assert isinstance(place, Species)
        for _ in range(count):
            number += 1
            groups.setdefault(place, []).append([(f"r{number}", name)])
            yield Row(0.0, f"r{number}", name, "", str(place))
    for time, which in zip(log.times.tolist(), log.reactions.tolist(), strict=True):
        reaction = network.reactions[which]
        free: dict[str, list[tuple[str, str]]] = {}
        for species, count in reaction.reactants:
            for _ in range(count):
                if any(member in types for member in species.members):
                    those = groups[species]
                    for robot, type_ in those.pop(int(rng.integers(len(those)))):
                        free.setdefault(type_, []).append((robot, str(species)))
        for species, count in reaction.products:
            for _ in range(count):
                new = []
                for member in species.members:
                    if member in types:
                        robot, before = free[member].pop(int(rng.integers(len(free[member]))))
                        new.append((robot, member))
                        if before != str(species):
                            yield Row(time, robot, member, before, str(species))
                groups.setdefault(species, []).append(new)
    species = next(s for s, those in groups.items() if those and those[0])
    robot, type_ = groups[species][0][0]
    yield Row(until, robot, type_, str(species), str(species))


def iso(time: float, unit: float = 1.0) -> str:
    """A date in a zone two hours ahead."""
    moment = BEGIN + timedelta(seconds=time * unit)
    return (moment + timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M:%S.%f+02:00")
