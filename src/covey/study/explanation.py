"""Explanation: a scenario read back in plain sentences, so that its author sees a mistake.

A rate constant κ is said as what people know of it: of one species that changes by itself as its
mean time 1/κ, of several that meet as how often that happens for each such pair. With a reaction at
erlang(k, κ) the mean is the same, and the standard deviation 1/(κ √k). Where something else may
happen to the same species first, 1/κ is the mean of this reaction alone, and the sentence says so.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from covey.model.complex import Complex
from covey.model.reaction import Reaction
from covey.model.scenario import Scenario
from covey.model.species import Species
from covey.privacy.hypotheses import Relation
from covey.words import a_or_an, each, lasting, many, plain, when

_MOST = 100  # reactions that are read out


@dataclass(frozen=True)
class Explanation:
    """A scenario in sentences, by what they are about.

    Attributes:
        parts: Headings, each with its sentences.
    """

    parts: tuple[tuple[str, tuple[str, ...]], ...]

    def keys(self) -> dict[str, list[str]]:
        """It as JSON: a list of sentences under each heading."""
        return {heading: list(sentences) for heading, sentences in self.parts}

    def __str__(self) -> str:
        return "\n\n".join(
            "\n".join([f"{heading.capitalize()}:", *(f"  {one}" for one in sentences)])
            for heading, sentences in self.parts
        )


def explain(scenario: Scenario) -> Explanation:
    """Reads a scenario back in plain sentences.

    Args:
        scenario: The team, its network, what is seen of it, and what is secret.
    """
    parts = {
        "team": _team(scenario),
        "what happens": _happens(scenario),
        "timetable": _timetable(scenario),
        "what is seen": _seen(scenario),
        "what is secret": _secret(scenario),
        "performance": [f"{name}: {one.text}." for name, one in scenario.performance.items()],
    }
    return Explanation(tuple((name, tuple(said)) for name, said in parts.items() if said))


def _team(scenario: Scenario) -> list[str]:
    team, unit = scenario.team, scenario.unit
    said = []
    if team.types:
        said.append(f"{_counted(team.types.items())}. The type of each robot is private.")
    if team.resources:
        said.append(f"They share {_counted(team.resources.items())}.")
    for name, place in scenario.initial.items():
        if isinstance(place, int):
            if place:
                said.append(
                    f"At the start there {'is' if place == 1 else 'are'} {many(place, name)}."
                )
        elif place != Species("", (name,)):
            kind = "Robots" if name in team.types else "Resources"
            said.append(f"{kind} of type {name} start as {place}.")
    said.append(
        "The file does not say what its times are counted in; [time] unit does."
        if unit is None
        else f"Times are in {unit}s, and rates are per {unit}."
    )
    return said


def _counted(counts: Iterable[tuple[str, int]]) -> str:
    """`6 carriers and 4 pickers`."""
    return _and([many(count, name) for name, count in counts])


def _and(parts: list[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)


def _happens(scenario: Scenario) -> list[str]:
    reactions = scenario.network.plain_reactions
    taken = Counter(s for r in reactions for s, _ in r.reactants)
    said = [
        _reaction(scenario, one, any(taken[species] > 1 for species, _ in one.reactants))
        for one in reactions[:_MOST]
    ]
    if len(reactions) > _MOST:
        said.append(f"And {len(reactions) - _MOST:,} more reactions.")
    for name, rule in scenario.network.control.items():
        said.append(f"Control: the rate of {name} is multiplied by {rule}.")
    return said


def _reaction(scenario: Scenario, reaction: Reaction, others: bool) -> str:
    """What happens, how often or after how long, and what becomes of it."""
    things, unit = scenario.team.resources, scenario.unit
    left, right = _complex(reaction.reactants, things), _complex(reaction.products, things)
    name = f" ({reaction.rate})" if isinstance(reaction.rate, str) else ""
    per = f"a {unit or 'time unit'}" if unit != "hour" else "an hour"
    single = reaction.reactants.single is not None
    one = single and len(_robots(reaction.reactants, things)) < 2  # robot, in the grammar
    becomes = _becomes(reaction, right, one)
    if reaction.rate_law is not None:
        how = f"at the rate {reaction.rate} {per} in all"
        return f"{_capital(left or right)}: {how}, {becomes}."
    rate = reaction.rate_constant(scenario.network.rates)
    if rate == 0:
        return f"{reaction.arrow} never happens: its rate is 0{name}."
    if not reaction.reactants:
        return f"{_capital(right)}: one such arrival {each(1 / rate, unit)} on average{name}."
    if single:
        stages = reaction.stages
        spread = lasting(1 / (rate * math.sqrt(stages)), unit)
        erlang = f", in {stages} equal stages (standard deviation {spread})" if stages > 1 else ""
        first = ", unless something else happens first" if others else ""
        stays = f"{'stays' if one else 'stay'} so for {lasting(1 / rate, unit)} on average{name}"
        return f"{_capital(left)} {stays}{erlang}{first}; then {becomes}."
    group = "pair" if sum(n for _, n in reaction.reactants) == 2 else "group"
    often = f"on average {plain(float(f'{rate:.4g}'))} times {per} for each such {group}{name}"
    return f"{_capital(left)} meet, {often}, and {becomes}."


def _becomes(reaction: Reaction, right: str, single: bool) -> str:
    if not reaction.products:
        return "leaves" if single else "leave"
    return f"becomes {right}" if single else f"become {right}"


def _robots(side: Complex, things: Collection[str]) -> list[str]:
    return [name for species, _ in side for name in species.members if name not in things]


def _complex(side: Complex, things: Collection[str]) -> str:
    said = [_species(species, count, things) for species, count in side]
    grouped = [f"({one})" if " and " in one and len(said) > 1 else one for one in said]
    return _and(grouped)


def _species(species: Species, count: int, things: Collection[str]) -> str:
    """`a free carrier`, `a carrier and a picker in pick`, `a carrier with a dock in charge`."""
    if species.is_plain:
        return f"{count} {species}"
    robots = [name for name in species.members if name not in things]
    shared = [name for name in species.members if name in things]
    if len(species.members) == 1:
        (name,) = species.members
        state = f" in {species.activity}" if species.activity else ""
        free = "" if species.activity else "free "
        several = f"{count} {free}robots of type {name}"
        return f"{_a(name, free) if count == 1 else several}{state}"
    who = _and([_a(name) for name in robots or shared])
    beside = f" with {_and([_a(name) for name in shared])}" if robots and shared else ""
    state = f" in {species.activity}" if species.activity else " together"
    return f"{count} times ({who}{beside}{state})" if count > 1 else f"{who}{beside}{state}"


def _a(name: str, free: str = "") -> str:
    if name.isdecimal():
        return f"a {free}robot of type {name}"
    return a_or_an(f"{free}{name}")


def _timetable(scenario: Scenario) -> list[str]:
    timetable, unit, rates = scenario.network.timetable, scenario.unit, scenario.network.rates
    said, begin = [], 0.0
    for number, phase in enumerate(timetable.phases, start=1):
        ends = f"to {phase.until:g}" if math.isfinite(phase.until) else "on"
        changed = [
            f"{name} is {plain(rate)} instead of {plain(rates[name])}"
            for name, rate in phase.rates.items()
        ]
        what = _and(changed) or "all rates are as above"
        name = phase.name or f"phase {number}"
        said.append(f"From {unit or 'time'} {begin:g} {ends} ({name}): {what}.")
        begin = phase.until
    if timetable and math.isfinite(begin):
        said.append("After that all rates are as above.")
    if timetable.period is not None:
        said.append(f"It begins again {each(timetable.period, unit)}.")
    return said


def _seen(scenario: Scenario) -> list[str]:
    adversary, release, unit = scenario.adversary, scenario.release, scenario.unit
    said = []
    if scenario.query.is_identity:
        said.append("How many there are of every species: nothing is hidden.")
    else:
        groups = scenario.query.groups(scenario.network)
        said += [
            f"{name}: how many there are of {text}."
            for name, text in scenario.query.texts().items()
        ]
        seen = {species for group in groups.values() for species in group.species}
        later = {stage for all_ in scenario.network.stages.values() for stage in all_[1:]}
        hidden = [str(one) for one in scenario.network.species if one not in seen | later]
        if hidden:
            said.append(f"Not seen: {', '.join(hidden[:12])}{' and more' * (len(hidden) > 12)}.")
    said.append(f"Somebody looks {when(adversary.at, unit)}.")
    if adversary.follow is not None:
        said.append("They follow one robot, and see which of these it is in.")
    if release.every is not None:
        until = "" if release.until is None else f", for {lasting(release.until, unit)}"
        said.append(f"It is published {each(release.every, unit)}{until}.")
    if release.instead is not None:
        said.append("What is published goes through a mechanism first.")
    return said


def _secret(scenario: Scenario) -> list[str]:
    relation = Relation.of(scenario)
    if relation.is_type and not relation.follow and len(relation.types) > 1:
        said = [f"Which type any one robot has: {_and(list(relation.types))} must look alike."]
    else:
        said = [f"Which of two holds: the scenario as it is, or: {relation}."]
    if relation.teams is not None:
        said.append(f"For every team of {relation.teams}.")
    return said


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
