"""What could be changed about a scenario, one thing at a time.

    a rate      half and double; named ones by their name, others by their reaction
    a count     one robot or resource more, one fewer
    a release   two of the sums that are seen published as one, or one of them not at all

A change is the scenario after it, with words that say what was done. A release that shows less
needs no new solution: its law follows from the law of what is seen now.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from covey.errors import CoveyError
from covey.model.query import Query
from covey.model.reaction import print_rate
from covey.model.scenario import Scenario

_MAX_MERGED = 12  # sums, of which every two are tried as one


@dataclass(frozen=True)
class Change:
    """One thing done to a scenario.

    Attributes:
        kind: "rate", "count" or "release".
        knob: What was turned: `rates.take`, `{B} + {R} -> {B,R}` (with its name before it,
            where it has one), `types.A`; for a release the sums concerned.
        words: How, such as `take: 3 → 6`.
        direction: 1 for more, −1 for less.
        scenario: The scenario after it.
    """

    kind: str
    knob: str
    words: str
    direction: int
    scenario: Scenario


def changes_of(scenario: Scenario, factor: float = 2.0) -> list[Change]:
    """Every single change that is tried; rates are divided and multiplied by `factor`."""
    return [*_rates(scenario, factor), *_counts(scenario), *_releases(scenario)]


def rate_knobs(scenario: Scenario) -> dict[str | int, str]:
    """Every rate that is used: by its name, or by the number of its reaction, and its knob."""
    network = scenario.network
    used = network.rate_names
    knobs: dict[str | int, str] = {
        name: f"rates.{name}" for name, value in network.rates.items() if name in used and value > 0
    }
    labels = Counter(reaction.label for reaction in network.reactions)
    for place, reaction in enumerate(network.reactions):
        if isinstance(reaction.rate, float) and reaction.rate > 0:
            several = labels[reaction.label] > 1
            knobs[place] = reaction.label + (f" (reaction {place + 1})" if several else "")
    return knobs


def _rates(scenario: Scenario, factor: float) -> Iterator[Change]:
    network = scenario.network
    for rate, knob in rate_knobs(scenario).items():
        value = network.rates[rate] if isinstance(rate, str) else network.rate_constants[rate]
        for direction, changed in _both(float(value), factor):
            after = (
                scenario.with_({knob: changed}, warn=False)
                if isinstance(rate, str)
                else _with_rate(scenario, rate, changed)
            )
            words = f"{knob.removeprefix('rates.')}: {print_rate(value)} → {print_rate(changed)}"
            yield Change("rate", knob, words, direction, after)


def _both(value: float, factor: float) -> Iterator[tuple[int, float]]:
    """Less and more of it; what would be no number any more is left out."""
    for direction, changed in ((-1, value / factor), (1, value * factor)):
        if 0 < changed < math.inf:
            yield direction, changed


def _with_rate(scenario: Scenario, place: int, rate: float) -> Scenario:
    network = scenario.network
    reactions = list(network.reactions)
    reactions[place] = replace(reactions[place], rate=rate)
    return scenario.with_(network=replace(network, reactions=tuple(reactions)), warn=False)


def _counts(scenario: Scenario) -> Iterator[Change]:
    team = scenario.team
    for table, counts in (("types", team.types), ("resources", team.resources)):
        for name, count in counts.items():
            for direction in (-1, 1):
                if count + direction < 0:
                    continue
                try:
                    changed = scenario.with_({f"{table}.{name}": count + direction}, warn=False)
                except CoveyError:  # more than a team can have
                    continue
                who = f"robot of type {name}" if name.isdecimal() else name
                words = f"{who}: {count:,} → {count + direction:,}"
                yield Change("count", f"{table}.{name}", words, direction, changed)


def _releases(scenario: Scenario) -> Iterator[Change]:
    texts = scenario.query.texts()
    if len(texts) < 2:  # the only sum, or everything: there is nothing to leave out
        return
    if scenario.release.mechanism is not None:  # it publishes these counts, and no others
        return
    for name in texts:
        rest = {other: text for other, text in texts.items() if other != name}
        yield _release(scenario, name, f"do not publish {name}", rest)
    if 2 < len(texts) <= _MAX_MERGED:
        for one, other in combinations(texts, 2):
            merged = f"{one} + {other}"
            while merged in texts:
                merged += "'"
            sums = {name: text for name, text in texts.items() if name not in (one, other)}
            sums[merged] = f"{texts[one]} + {texts[other]}"
            yield _release(scenario, merged, f"publish {one} and {other} as one number", sums)


def _release(scenario: Scenario, knob: str, words: str, sums: dict[str, str]) -> Change:
    coarser = scenario.with_(query=Query(sums), warn=False)
    return Change("release", knob, words, -1, coarser)
