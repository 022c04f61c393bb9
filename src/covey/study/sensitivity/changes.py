"""What could be changed about a scenario, one thing at a time.

    a rate      half and double; named ones by their name, others by their reaction
    a count     one robot or resource more, one fewer
    a release   two of the sums that are seen published as one, or one of them not at all

A change is the scenario after it, with words that say what was done. A release that shows less
needs no new solution: its distribution follows from the distribution of what is seen now. Where the
scenario's [design] says what is somebody's to choose, changes stay within its ranges; others are
tried as well, as they tell what matters, but nobody is advised to make them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from covey.errors import CoveyError
from covey.model.observation.query import Query
from covey.model.rate import print_rate
from covey.model.scenario import Scenario
from covey.remedy.design.variables import read_variables

_MAX_MERGED = 12  # sums, of which every two are tried as one


@dataclass(frozen=True)
class Change:
    """One thing done to a scenario.

    Attributes:
        kind: "rate", "count" or "release".
        knob: What was turned: `rates.take`, `{B} + {R} -> {B,R}` (with its name before it,
            where it has one), `types.A`; for a release the sums concerned.
        words: How, such as `take: 3 → 6`, in four digits at most.
        direction: 1 for more, −1 for less.
        scenario: The scenario after it.
        allowed: Whether it is somebody's to choose, as far as the scenario says.
    """

    kind: str
    knob: str
    words: str
    direction: int
    scenario: Scenario
    allowed: bool = True


Ranges = Mapping[str, tuple[float, float]]


def changes_of(
    scenario: Scenario, factor: float = 2.0, ranges: Ranges | None = None
) -> list[Change]:
    """Every single change that is tried; rates are divided and multiplied by `factor`.

    `ranges` are those of [design], by default of this scenario.
    """
    within = ranges_of(scenario) if ranges is None else ranges
    found = [*_rates(scenario, factor, within), *_counts(scenario), *_releases(scenario)]
    return [_judged(change, within) for change in found] if scenario.vary else found


def ranges_of(scenario: Scenario) -> dict[str, tuple[float, float]]:
    """The least and the most of every number that [design] lets vary by itself."""
    found = {}
    for variable in read_variables(scenario.vary, scenario) if scenario.vary else ():
        if variable.kind != "choice" and len(variable.names) == 1:
            name = variable.names[0]
            unit = scenario.numbers[name] if variable.kind == "factor" else 1.0
            found[name] = variable.low * unit, variable.high * unit
    return found


def _judged(change: Change, ranges: Ranges) -> Change:
    if change.kind == "release":  # to publish less is always possible
        return change
    low, high = ranges.get(change.knob, (math.inf, -math.inf))
    own = change.knob in ranges and low <= change.scenario.numbers[change.knob] <= high
    return change if own else replace(change, allowed=False)


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


def _rates(scenario: Scenario, factor: float, ranges: Ranges) -> Iterator[Change]:
    network = scenario.network
    for rate, knob in rate_knobs(scenario).items():
        value = (
            network.rates[rate]
            if isinstance(rate, str)
            else network.reactions[rate].rate_constant({})
        )
        for direction, changed in _both(value, factor, ranges.get(knob)):
            after = (
                scenario.with_({knob: changed}, warn=False)
                if isinstance(rate, str)
                else _with_rate(scenario, rate, changed)
            )
            words = f"{knob.removeprefix('rates.')}: {_said(value)} → {_said(changed)}"
            yield Change("rate", knob, words, direction, after)


def _said(rate: float) -> str:
    """A rate as a sentence has it: a design leaves seventeen digits, and nobody reads them."""
    return print_rate(float(f"{rate:.4g}"))


def _both(
    value: float, factor: float, within: tuple[float, float] | None
) -> Iterator[tuple[int, float]]:
    """Less and more of it, up to the ends of a range; what would be no number is left out."""
    low, high = within or (0.0, math.inf)
    for direction, changed in (
        (-1, max(value / factor, min(low, value))),
        (1, min(value * factor, max(high, value))),
    ):
        if 0 < changed < math.inf and changed != value:
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
    if scenario.release.instead is not None:  # it publishes these counts, and no others
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
            seen = scenario.query.sums
            if seen[one].threshold or seen[other].threshold:
                continue
            sums[merged] = str(seen[one].plus(seen[other]))
            yield _release(scenario, merged, f"publish {one} and {other} as one number", sums)


def _release(scenario: Scenario, knob: str, words: str, sums: dict[str, str]) -> Change:
    coarser = scenario.with_(query=Query(sums), warn=False)
    return Change("release", knob, words, -1, coarser)
