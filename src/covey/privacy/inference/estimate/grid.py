"""What a watcher does not know: numbers of the model within ranges, and a grid of hypotheses.

A count has every whole number of its range, all equally probable. A rate κ is anywhere in its
range, ln κ evenly; the grid has some values of it, each of which stands for its cell, from half way
to the value below to half way to the one above (on the logarithmic scale), and is as probable as
the cell is long. Several unknown numbers are independent. The file's own value is on the grid: in
place of the nearest one. Each point of the grid is a hypothesis, the scenario with those values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from covey.errors import InputError, TooLargeError, did_you_mean, shown
from covey.model.scenario import Scenario
from covey.model.varied import Span, read_range
from covey.numbers import Floats, Ints, is_whole

POINTS = 15  # values of a rate, where nobody asks for another number
MOST_HYPOTHESES = 1_000
_WHOLE = ("types", "resources", "initial")


@dataclass(frozen=True, eq=False)
class Unknown:
    """One number that the watcher does not know.

    Attributes:
        name: Its dotted name, as `types.picker`.
        values: Those that it may have, ascending.
        prior: How probable each is before anything is seen.
        edges: From where to where each value stands for: (values, 2).
    """

    name: str
    values: Floats
    prior: Floats
    edges: Floats

    @property
    def is_count(self) -> bool:
        """Whether it is a whole number."""
        return self.name.partition(".")[0] in _WHOLE

    def at(self, place: int) -> float | int:
        """The value at a place, as a scenario takes it."""
        value = float(self.values[place])
        return int(value) if self.is_count else value


@dataclass(frozen=True, eq=False)
class Grid:
    """All hypotheses of a watcher: every combination of values.

    Attributes:
        scenario: The scenario as it is.
        unknowns: What the watcher does not know.
        places: For each hypothesis the place of its value of each unknown: (hypotheses, unknowns).
        prior: How probable each is before anything is seen: (hypotheses,).
        truth: Which of them the scenario itself is.
    """

    scenario: Scenario
    unknowns: tuple[Unknown, ...]
    places: Ints
    prior: Floats
    truth: int

    def __len__(self) -> int:
        return len(self.prior)

    def values(self, unknown: int) -> Floats:
        """What each hypothesis says of an unknown number: (hypotheses,)."""
        return self.unknowns[unknown].values[self.places[:, unknown]]

    def hypothesis(self, number: int) -> Scenario:
        """The scenario that a hypothesis supposes."""
        places = self.places[number].tolist()
        pairs = zip(self.unknowns, places, strict=True)
        return self.scenario.with_({one.name: one.at(place) for one, place in pairs}, warn=False)

    def name(self, number: int) -> str:
        """A hypothesis as messages call it: `types.picker = 3`."""
        pairs = zip(self.unknowns, self.places[number].tolist(), strict=True)
        return ", ".join(f"{one.name} = {one.at(place):g}" for one, place in pairs)


def read_grid(scenario: Scenario, ranges: Mapping[str, Span], points: int = POINTS) -> Grid:
    """The grid that ranges span.

    Args:
        scenario: The scenario, which every range has to hold.
        ranges: The least and the most of each unknown number, by its dotted name.
        points: How many values of a rate there are.
    """
    if not is_whole(points) or not 2 <= points <= MOST_HYPOTHESES:
        raise InputError(
            f"points is {shown(points)}: a whole number from 2 to {MOST_HYPOTHESES:,} is expected"
        )
    ends = {name: _ends(scenario, name, span) for name, span in ranges.items()}
    sizes = [int(h - low) + 1 if _is_count(name) else points for name, (low, h) in ends.items()]
    if math.prod(sizes) > MOST_HYPOTHESES:
        raise TooLargeError(
            f"the ranges make {math.prod(sizes):,} hypotheses, each of which is followed along "
            f"every path: at most {MOST_HYPOTHESES:,} are allowed. Take shorter ranges, fewer "
            "values of a rate (points), or fewer unknown numbers at once"
        )
    unknowns = tuple(
        _unknown(name, low, high, scenario.numbers[name], points)
        for name, (low, high) in ends.items()
    )
    places = np.array(list(np.ndindex(*(len(one.values) for one in unknowns))), dtype=np.int64)
    prior = np.prod([one.prior[places[:, k]] for k, one in enumerate(unknowns)], axis=0)
    own = [int(np.argmin(np.abs(one.values - scenario.numbers[one.name]))) for one in unknowns]
    truth = int(np.flatnonzero((places == own).all(axis=1))[0])
    return Grid(scenario, unknowns, places, prior / prior.sum(), truth)


def _is_count(name: str) -> bool:
    return name.partition(".")[0] in _WHOLE


def _ends(scenario: Scenario, name: str, span: Span) -> tuple[float, float]:
    """The range of a number, checked: it holds the scenario's own."""
    numbers = {n: v for n, v in scenario.numbers.items() if not n.startswith("control.")}
    if name not in numbers:
        hint = did_you_mean(name, numbers) or f" Numbers are {', '.join(list(numbers)[:8])}."
        raise InputError(f"there is no number {shown(name)} to estimate.{hint}")
    low, high, factor = read_range(name, span)
    own = numbers[name]
    if factor:
        low, high = low * own, high * own
    if _is_count(name) and not (low.is_integer() and high.is_integer()):
        raise InputError(f"{name} is a count: a range of whole numbers is expected, as 1:8")
    if not _is_count(name) and low <= 0:
        raise InputError(f"{name} is a rate: a range above 0 is expected, as 0.1:2")
    if not low <= own <= high:
        raise InputError(
            f"{name} is {own:g} in the scenario, outside {low:g}:{high:g}: what a watcher holds to "
            "be possible has to hold the truth"
        )
    return low, high


def _unknown(name: str, low: float, high: float, own: float, points: int) -> Unknown:
    if _is_count(name):
        values = np.arange(low, high + 1)
        even = np.full(len(values), 1 / len(values))
        return Unknown(name, values, even, np.column_stack([values, values]))
    values = np.geomspace(low, high, points)
    values[np.argmin(np.abs(np.log(values / own)))] = own
    inner = np.sqrt(values[1:] * values[:-1])
    edges = np.column_stack([np.r_[low, inner], np.r_[inner, high]])
    lengths = np.log(edges[:, 1] / edges[:, 0])
    return Unknown(name, values, lengths / lengths.sum(), edges)
