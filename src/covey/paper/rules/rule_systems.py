"""The small systems that the paper's design rules are tried on, and what is read off them.

Four readings: the exact leakage; the leakage smoothed by ν = 1e-5; the total variation; and how
often an observer guesses right who looks `SNAPSHOTS` times, once in a unit of time: a day, by the
hour. The first three are exact up to rounding. The last is from sampled paths, with an interval
that holds with confidence 0.95, and is left out where the chain or the neighbours are many.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from covey.dynamics.solver import Solver
from covey.model.scenario import Scenario
from covey.model.team import Team
from covey.paper.case_studies.tree_shapes import read_tree
from covey.paper.readings import COLUMNS, NU, worst_readings
from covey.paper.scenarios import task_network, three_types
from covey.privacy.snapshot.output_distributions import team_distributions
from covey.privacy.stream.stream import stream

READINGS = ("exact", "smoothed", "tv", "guess")
SNAPSHOTS, EVERY = 24, 1.0
ACCURACY = 0.03  # of the total variation after a day
SEED = 2016
FOLLOWED = 2_500  # states times neighbours, up to which snapshots are followed
NEIGHBOURS = 12  # the same: with more, in trees of 5 leaves and up, all observers were nearly sure
_ROUNDING = 1e-9  # two readings that should be the same differ by no more


class System(NamedTuple):
    """One of the paper's systems.

    `kind` is "tasks" (six rates: to encounter, to abandon), "three types" (κ1 to κ4) or "tree",
    which has a `shape`, and one forming rate for each compound.
    """

    kind: str
    team: tuple[int, ...]
    rates: tuple[float, ...]
    shape: str = ""

    @property
    def robots(self) -> int:
        """Of all types together."""
        return sum(self.team)

    def scenario(self) -> Scenario:
        """The system as a scenario."""
        if self.kind == "tasks":
            return task_network(self.team, self.rates[:3], self.rates[3:])
        if self.kind == "three types":
            return three_types(self.team, self.rates)
        tree = read_tree(self.shape)
        network = tree.network([(rate, 1.0) for rate in self.rates])
        team = {str(leaf): count for leaf, count in enumerate(self.team)}
        return Scenario(network, Team(team), tree.sizes())

    def __str__(self) -> str:
        what = f"tree {self.shape}" if self.kind == "tree" else self.kind
        alike = len(set(self.team)) == 1 and self.kind == "tree"
        team = f"{self.team[0]} a type" if alike else f"({','.join(map(str, self.team))})"
        rates = ",".join(f"{rate:g}" for rate in self.rates)
        return f"{what}, {team}" + ("" if set(self.rates) == {1.0} else f", rates {rates}")


def tasks(
    team: Sequence[int],
    encounter: Sequence[float] = (1.0, 1.0, 1.0),
    abandon: Sequence[float] = (1.0, 1.0, 1.0),
) -> System:
    """The task network, at τ = 10."""
    return System("tasks", tuple(team), (*encounter, *abandon))


def three(team: Sequence[int], rates: Sequence[float] = (1.0, 1.0, 1.0, 1.0)) -> System:
    """The first case study, at steady state."""
    return System("three types", tuple(team), tuple(rates))


def tree(shape: str, robots: int, rates: Sequence[float] = ()) -> System:
    """A tree with so many robots of each type, at steady state; all rates 1 unless given."""
    leaves = read_tree(shape).leaves
    return System("tree", (robots,) * leaves, tuple(rates) or (1.0,) * (leaves - 1), shape)


def read_off(system: System) -> list[list[float]]:
    """Of each of `READINGS` the value and the ends of its interval; NaN where it is left out."""
    scenario = System(*system).scenario()
    (distributions,) = team_distributions(scenario)
    worst = worst_readings(
        distributions.team, [distribution for _, distribution in distributions.neighbours]
    )
    found = dict(zip(COLUMNS, worst.tolist(), strict=True))
    exact = [[found[column]] * 3 for column in ("leakage", NU, "tv")]
    return [*exact, _guess(scenario)]


def _guess(scenario: Scenario) -> list[float]:
    reach = Solver(scenario.network).reach(scenario.start)
    neighbours = len(list(scenario.team.neighbours()))
    few = reach.states is not None and reach.states * neighbours <= FOLLOWED
    if not few or neighbours > NEIGHBOURS:
        return [math.nan] * 3
    day = stream(
        scenario, every=EVERY, until=EVERY * SNAPSHOTS, snapshots=[SNAPSHOTS], accuracy=ACCURACY,
        seed=SEED, cores=1,
    )  # fmt: skip
    last = day.bayes_success[-1]
    return [last.value, last.lower, last.upper]


def order(better: Sequence[float], other: Sequence[float]) -> int:
    """1 where the first gives away less than the other, −1 where it gives away more, else 0.

    Both are a value and the ends of its interval: where the intervals meet, nothing is known.
    """
    value, low, high = better
    theirs, their_low, their_high = other
    if math.isinf(value) or math.isinf(theirs):
        return (value < theirs) - (value > theirs)
    slack = _ROUNDING * max(abs(value), abs(theirs))
    return (high + slack < their_low) - (low > their_high + slack)
