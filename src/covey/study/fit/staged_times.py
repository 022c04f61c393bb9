"""Which reactions may happen in stages, and in how many they do (`erlang_likelihood`).

A reaction may, if it takes one of one species and nothing else, and nothing else leads out of that
species: then the reaction ends the time that every robot in it waits. Robots are followed through
the log (`logs.dwell_times`): those of the first type that the species has one of.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from covey.errors import UnsupportedError
from covey.model.scenario import Scenario
from covey.model.species import Species
from covey.study.fit.erlang_likelihood import FEWEST, StageFit, fit_stages
from covey.study.fit.logs.dwell_times import dwell_times
from covey.study.fit.logs.feeds.sources import Source
from covey.study.fit.logs.reading import Reading


@dataclass(frozen=True)
class LogOf:
    """A log of robots, and how it is to be read."""

    file: str | Path
    reading: Reading | None
    source: Source
    until: float | str | None


@dataclass(frozen=True)
class _Waiting:
    """A species that one reaction leads out of, and the type whose robots are followed."""

    species: Species
    reaction: int
    type: str


def staged_times(
    plain: Scenario, own: dict[Species, int], asked: bool, log: LogOf, confidence: float
) -> tuple[dict[int, StageFit], list[str]]:
    """For reactions by their numbers, in how many stages they happen; and what to know.

    Args:
        plain: The scenario without stages.
        own: How many stages the scenario gives to which species.
        asked: Whether the number is to be found; else only rates, at the scenario's own.
        log: Of robots.
        confidence: Of the intervals.
    """
    waiting = _waiting(plain)
    for species in own:
        if species not in {one.species for one in waiting.values()}:
            raise UnsupportedError(
                f"{species} has an erlang time, and its end is not always seen: the rate is "
                "fitted where nothing else leads out of the species, and it has one robot of some "
                "type. Write a rate in place of erlang(…), the inverse of the same mean time"
            )
    looked_at = {
        place: one for place, one in waiting.items() if asked or one.species in own
    }  # fmt: skip
    counted = {place: one.type for place, one in looked_at.items()}
    times = dwell_times(log.file, plain, counted, log.reading, log.source, log.until)
    found: dict[int, StageFit] = {}
    notes: list[str] = []
    for place, one in looked_at.items():
        arrow = plain.network.reactions[one.reaction].arrow
        ended = times[place].ended
        if len(ended) < FEWEST or not (ended > 0).all():
            few = f"only {len(ended)} times" if len(ended) < FEWEST else "some times are 0"
            keeps = f"{own[one.species]} stages, as before" if one.species in own else "one stage"
            notes.append(f"In how many stages {arrow} happens is not told: {few}. It has {keeps}.")
            continue
        given = None if asked else own[one.species]
        names = arrow, str(one.species)
        found[one.reaction] = fit_stages(times[place], confidence, names, given)
    return found, notes


def _waiting(plain: Scenario) -> dict[int, _Waiting]:
    """By the number of the species."""
    network, found = plain.network, {}
    for number, reaction in enumerate(network.reactions):
        species = reaction.reactants.single
        if species is None or reaction.rate_law is not None:
            continue
        place = network.index[species]
        alone = [t for t in plain.team.types if species.members.count(t) == 1]
        leaving = (network.changes[:, place] < 0).nonzero()[0].tolist()
        if leaving == [number] and alone:
            found[place] = _Waiting(species, number, alone[0])
    return found
