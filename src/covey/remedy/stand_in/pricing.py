"""Prices of one reference for several real teams, exactly where the pairs of states fit.

Elsewhere both are coupled on the way: by a potential of their difference where there is one, else
greedily; and the price is simulated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import CoveyError, TooLargeError, UnsupportedError
from covey.model.scenario import Scenario
from covey.numbers import Floats
from covey.remedy.mechanism.losses import Loss
from covey.remedy.stand_in.coupling import greedy, optimal
from covey.remedy.stand_in.difference import difference_potential
from covey.remedy.stand_in.pairs import Coupling, Pairs
from covey.remedy.stand_in.price import Price, exact_price, least_loss
from covey.remedy.stand_in.simulated_price import EVENTS, simulated_price

_QUICK_STATES = 50_000  # of a chain: a second or so for each team


@dataclass(frozen=True, eq=False)
class Way:
    """How prices are found.

    Attributes:
        solver: Of the network.
        loss: What an error costs.
        coupling: "optimal", "difference" or "greedy"; None for the best that can be had.
        progress: Called while the work goes on.
    """

    solver: Solver
    loss: Loss
    coupling: str | None
    progress: Progress | None
    _seen: dict[Scenario, Distribution | None] = field(default_factory=dict)

    def seen(self, scenario: Scenario) -> Distribution | None:
        """What is seen of a scenario at its moment, computed once; None where it is not known.

        Nor is it where that takes long: a price does not need it, and is only narrower with it.
        """
        if scenario not in self._seen:
            solver, at = self.solver.at_rates(scenario.network), scenario.adversary.at
            found = None
            try:
                if _is_quick(solver, scenario):
                    (found,) = solver.distributions(scenario.start, [at], scenario.query)
            except CoveyError:
                pass
            self._seen[scenario] = found
        return self._seen[scenario]


def _is_quick(solver: Solver, scenario: Scenario) -> bool:
    """Whether what is seen is soon known: in closed form, or on a chain that is not large."""
    states = solver.reach(scenario.start).states
    if states is not None and states <= _QUICK_STATES:
        return True
    if scenario.adversary.at == "steady":
        return solver.has_closed_form
    return not isinstance(solver.linear, UnsupportedError)


class Priced(NamedTuple):
    """What a reference costs a team, and how both are coupled."""

    price: Price
    coupling: str  # "optimal", "difference" or "greedy"
    listed: Coupling | None  # of all pairs, where they fit


@dataclass(frozen=True, eq=False)
class Pricing:
    """Prices of one reference."""

    way: Way
    reference: Scenario

    def price(self, real: Scenario, *, rough: bool = False) -> Priced:
        """The price for a real team; a rough one is simulated briefly, of the greedy coupling."""
        way = self.way
        if way.coupling == "difference":
            return self._on_the_way(real, rough)
        try:
            pairs = Pairs.of(way.solver, real, self.reference, way.loss)
        except TooLargeError:
            if way.coupling == "optimal":
                raise
            return self._on_the_way(real, rough)
        found = greedy(pairs) if way.coupling == "greedy" else optimal(pairs, way.progress)
        exact = exact_price(found, real.adversary.at, way.progress)
        return Priced(exact, way.coupling or "optimal", found)

    def _on_the_way(self, real: Scenario, rough: bool) -> Priced:
        """Simulated: of any number of robots."""
        way, differences = self.way, None
        if way.coupling != "greedy" and not rough:
            differences = difference_potential(real, self.reference, way.loss, way.progress)
        found = simulated_price(
            real, self.reference, way.loss, self._means(real), differences, way.progress,
            0.0 if rough else EVENTS,
        )  # fmt: skip
        return Priced(found, "greedy" if differences is None else "difference", None)

    def _means(self, real: Scenario) -> Floats | None:
        """By how much each count is off in the mean; None where that is not known exactly."""
        both = self.way.seen(real), self.way.seen(self.reference)
        if any(seen is None or seen.truncated_mass > 0 for seen in both):
            return None
        ours, theirs = ([seen.mean[name] for name in seen.names] for seen in both if seen)
        return np.subtract(ours, theirs, dtype=np.float64)

    def least(self, real: Scenario) -> float:
        """What nothing with the reference's distribution costs less than; 0 where not known."""
        ours, theirs = self.way.seen(real), self.way.seen(self.reference)
        if ours is None or theirs is None:
            return 0.0
        return least_loss(ours, theirs, self.way.loss)
