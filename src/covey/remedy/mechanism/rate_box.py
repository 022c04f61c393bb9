"""A promise for every rate of a box: bounds that are proved, and no samples.

At steady state p_D(y; κ) = N_D(y; κ) / Z_D(κ), both polynomials in the rates with positive
coefficients (`spanning_trees`). So with θ = ln κ, ln Z_D and the ln A_D of what a table publishes,
A_D(z) = Σ_y M_D(z|y) N_D(y), are convex in θ. What one snapshot gives away is

    f = ln A_D + ln Z_D'  −  (ln Z_D + ln A_D')          convex minus convex,

and with a tangent T of the last bracket, which lies below it, f ≤ ln A_D + ln Z_D' − T: that is
convex, so that its largest value over the box is at a corner. There it is f itself plus what the
bracket is above T. Slopes of T come from differences to both sides, which enclose them by
convexity; roundings are added. The bound is above f at the corners by half the variance of the
number of changed rates in a random tree: it grows with the square of the box and with the number of
states (example warehouse: 0.07 at 5%, 0.3 at 10%).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.solver import Solver
from covey.dynamics.stationary.communicating_classes import closed_classes
from covey.dynamics.stationary.elimination import dense_error
from covey.dynamics.stationary.spanning_trees import log_spanning_trees
from covey.errors import InputError, TooLargeError, UnsupportedError, shown
from covey.model.frozen import FrozenMap
from covey.model.network import Network
from covey.model.observation.release_table import ReleaseTable
from covey.model.scenario import Scenario
from covey.model.team import Team
from covey.numbers import SPACING, Floats, Ints, distinct_rows, is_number, to_float

_STEP = 1e-5  # in ln κ, to either side, between which slopes are enclosed
_MOST_RATES = 10  # of which every corner is looked at
_MOST_WORK = 3e10  # products
_AT_ONCE = 4_000_000  # rates of chains that are eliminated together
_WIDER = 1e-12  # in ln κ: corners are rounded

Span = tuple[float, float]


@dataclass(frozen=True)
class RateBox:
    """Every rate between a least and a most.

    Attributes:
        rates: For each named rate the least and the most.
    """

    rates: FrozenMap[str, Span]

    @classmethod
    def of(cls, scenario: Scenario, within: float | Mapping[str, Span]) -> RateBox:
        """The box that is asked for, with the scenario's rates in it.

        Args:
            scenario: Whose rates these are.
            within: A share, 0.05 for five percent, by which every rate may be off; or the least and
                the most of each rate.
        """
        known = scenario.network.rates
        if not isinstance(within, Mapping):
            if not is_number(within) or not 0 < within < 1:
                raise InputError(f"within is {shown(within)}: a share below 1 is expected, as 0.05")
            if any(not isinstance(one.rate, str) for one in scenario.network.reactions):
                raise UnsupportedError(
                    "some reactions have a number or a rate law for their rate: every rate is off "
                    "by a share only where each has a name in [rates]"
                )
            share = float(within)
            spans = {name: (rate * (1 - share), rate * (1 + share)) for name, rate in known.items()}
        else:
            spans = {name: (to_float(low), to_float(high)) for name, (low, high) in within.items()}
        for name, (low, high) in spans.items():
            if name not in known:
                raise UnsupportedError(
                    f"{name} is no rate of [rates]: a box needs rates that have names; give it one"
                )
            if not 0 < low <= known[name] <= high < math.inf:
                raise InputError(
                    f"the box has {name} from {low:g} to {high:g}, and the scenario "
                    f"{known[name]:g}: both ends must be positive and finite, with the scenario's "
                    "rate between them",
                    key=f"rates.{name}",
                )
        _check_factors(
            scenario.network, {name for name, (low, high) in spans.items() if low < high}
        )
        return cls(FrozenMap(spans))

    def table(self) -> dict[str, list[float]]:
        """As a file has it."""
        return {name: list(span) for name, span in self.rates.items()}

    def __str__(self) -> str:
        return ", ".join(
            f"{name} {low:.3g} to {high:.3g}" for name, (low, high) in self.rates.items()
        )


def _check_factors(network: Network, open_rates: set[str]) -> None:
    """Refuses rate laws that are not in proportion to a rate of a box, whatever it is in the box.

    Trying some values would not do: `min(a, b)` is a for all that are small enough.
    """
    for reaction in network.reactions:
        law = reaction.rate_law
        if law is None:
            continue
        for name in sorted(open_rates & law.words):
            if law.factors.count(name) != 1 or law.mentions(name) != 1:
                raise UnsupportedError(
                    f"{reaction.arrow} has the rate law {law!s:.80}, which does not grow in "
                    f"proportion to {name}: a box of rates is bounded for rates that are factors. "
                    f"Give {name} another name there, or hold it"
                )


class _TeamChain:
    """The chain of a team as a function of the rates: K = Σ_r (κ_r / κ_r now) K_r + the rest."""

    def __init__(self, solvers: Sequence[Solver], scenario: Scenario, team: Team) -> None:
        start = scenario.start_of(team)
        base, *others = (solver.chain(start) for solver in solvers)
        classes = closed_classes(base.generator, base.start)
        if len(classes) != 1:
            raise UnsupportedError(
                "the team can settle in several ways, and rates decide in which: a box of rates is "
                "bounded for teams that settle in one"
            )
        kept = np.ix_(classes[0], classes[0])
        whole = base.generator.dense_rates()[kept]
        *doubled, tried = (chain.generator.dense_rates()[kept] for chain in others)
        self.parts = np.array([np.maximum(other - whole, 0.0) for other in doubled])
        rest = whole - self.parts.sum(axis=0)
        self.rest = np.where(rest > 1e-12 * whole, rest, 0.0)
        again = self.at(np.log(_trial(len(self.parts)))[None])[0]
        if not np.allclose(again, tried, rtol=1e-9, atol=0):
            raise UnsupportedError(
                "a rate law is a product of several rates of the box: at most one of them may be "
                "open in each"
            )
        self.outcomes, self.look = distinct_rows(base.seen(scenario.query)[classes[0]])

    def at(self, logs: Floats) -> Floats:
        """The rates from state to state, where ln κ is off by `logs`: (points, states, states)."""
        return np.asarray(self.rest + np.einsum("pr,rxy->pxy", np.exp(logs), self.parts))

    def solved(self, points: Floats) -> tuple[Floats, Floats]:
        """`ln Z` (points,) and the probability of every outcome (points, outcomes)."""
        totals, chances = [], []
        step = max(_AT_ONCE // self.rest.size, 1)
        for begin in range(0, len(points), step):
            trees = log_spanning_trees(self.at(points[begin : begin + step]))
            most = trees.max(axis=1, keepdims=True)
            weights = np.exp(trees - most)
            total = weights.sum(axis=1)
            totals.append(most[:, 0] + np.log(total))
            shows = np.zeros((len(trees), len(self.outcomes)))
            np.add.at(shows.T, self.look, (weights / total[:, None]).T)
            chances.append(shows)
        return np.concatenate(totals), np.concatenate(chances)

    @property
    def error(self) -> float:
        """How far ln Z and ln A may be off."""
        states = len(self.rest)
        return dense_error(states) + SPACING * (64 + 8 * states)


def _trial(rates: int) -> Floats:
    return np.asarray(1.0 + 0.5 * np.arange(1, rates + 1) / rates)


class BoxBound:
    """What tables give away at most, over a box, about teams that must look alike.

    Args:
        solver: For the scenario's network.
        scenario: Without a mechanism; at steady state.
        box: The rates.
        pairs: Teams that must not be told apart, in either order.
    """

    def __init__(
        self, solver: Solver, scenario: Scenario, box: RateBox, pairs: Iterable[tuple[Team, Team]]
    ) -> None:
        self.box, self.pairs = box, [*dict.fromkeys(pairs)]
        self.pairs += [(b, a) for a, b in self.pairs if (b, a) not in set(self.pairs)]
        names = list(box.rates)
        if len(names) > _MOST_RATES:
            raise TooLargeError(
                f"{len(names)} rates are open, and every corner of the box is looked at for up to "
                f"{_MOST_RATES}: leave fewer open (a fit that holds some), or give rates that are "
                "the same one name"
            )
        now = scenario.network.rates
        spans = [(math.log(a / now[n]), math.log(b / now[n])) for n, (a, b) in box.rates.items()]
        corners = itertools.product(*((low - _WIDER, high + _WIDER) for low, high in spans))
        steps = _STEP * np.eye(len(names))
        self.corners = np.array(list(corners))  # (corners, rates)
        self.points = np.concatenate([np.zeros((1, len(names))), steps, -steps, self.corners])
        factors = _trial(len(names))
        changes = [{name: 2 * now[name]} for name in names]
        changes += [{name: now[name] * f for name, f in zip(names, factors, strict=True)}]
        solvers = [solver, *(solver.at_rates(scenario.network.with_rates(c)) for c in changes)]
        teams = dict.fromkeys(team for pair in self.pairs for team in pair)
        self.chains = {team: _TeamChain(solvers, scenario, team) for team in teams}
        work = sum(len(self.points) * len(chain.rest) ** 3 for chain in self.chains.values())
        if work > _MOST_WORK:
            raise TooLargeError(
                "the chains of these teams are too large to be solved at every corner of the box "
                f"({work:.1g} products): take fewer teams, or leave fewer rates open"
            )
        self.query_names = tuple(scenario.query.groups(scenario.network))

        self._distributions: dict[tuple[Team, int], Distribution] = {}

    @cached_property
    def _solved(self) -> dict[Team, tuple[Floats, Floats]]:
        return {team: chain.solved(self.points) for team, chain in self.chains.items()}

    def distribution(self, team: Team, corner: int) -> Distribution:
        """What is seen of a team at a corner."""
        if (team, corner) not in self._distributions:
            self._distributions[team, corner] = self._distribution(team, corner)
        return self._distributions[team, corner]

    def _distribution(self, team: Team, corner: int) -> Distribution:
        chances = self._solved[team][1][len(self.points) - len(self.corners) + corner]
        chain = self.chains[team]
        return Distribution.merge(
            self.query_names, chain.outcomes, np.log(chances), log_error=2 * chain.error
        )

    def worst(self, table: ReleaseTable) -> list[tuple[float, float, int]]:
        """For each pair: the bound, how much of it is the remainder, and the corner.

        Args:
            table: Through which all is published.
        """
        if len(table.published) == 1:  # whatever is there, and whatever the rates
            return [(0.0, 0.0, 0) for _ in self.pairs]
        shown = {team: self._published(team, table) for team in self.chains}
        return [self._bound(a, b, shown[a], shown[b]) for a, b in self.pairs]

    def _published(self, team: Team, table: ReleaseTable) -> Floats:
        """`ln` of the probability of what is published: (points, published)."""
        own = table.for_team(team.types)
        rows: Ints = own.rows_of(self.chains[team].outcomes)[0]
        entries = own.table[rows] / own.table[rows].sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self._solved[team][1] @ entries))

    def _bound(self, a: Team, b: Team, ours: Floats, theirs: Floats) -> tuple[float, float, int]:
        possible = np.isfinite(ours[0])
        ours, theirs = ours[:, possible], theirs[:, possible]
        if not np.isfinite(theirs).all():
            return math.inf, 0.0, 0
        rates, error = self.corners.shape[1], self.chains[a].error + self.chains[b].error
        bracket = (self._solved[a][0] + self._solved[b][0])[:, None] + theirs  # ln Z + ln A'
        above = (bracket[1 : rates + 1] - bracket[0]) / _STEP  # (rates, published)
        below = (bracket[0] - bracket[rates + 1 : 2 * rates + 1]) / _STEP
        up, down = np.maximum(self.corners, 0), np.minimum(self.corners, 0)
        tangent = up @ np.minimum(above, below) + down @ np.maximum(above, below)
        remainder = bracket[2 * rates + 1 :] - bracket[0] - tangent
        size = np.abs(self.corners).sum(axis=1, keepdims=True)
        remainder += error * (8 + 4 * size / _STEP)
        total = ours[2 * rates + 1 :] - theirs[2 * rates + 1 :] + remainder
        corner, z = np.unravel_index(int(total.argmax()), total.shape)
        return float(total[corner, z]), float(remainder[corner, z]), int(corner)
