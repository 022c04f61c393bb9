"""Prices of one reference for several real teams, exactly where the pairs of states fit."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import CoveyError, TooLargeError
from covey.model.scenario import Scenario
from covey.numbers import Floats
from covey.remedy.mechanism.losses import Loss
from covey.remedy.stand_in.coupling import greedy, optimal
from covey.remedy.stand_in.pairs import Coupling, Pairs
from covey.remedy.stand_in.price import Price, exact_price, least_loss
from covey.remedy.stand_in.simulated_price import simulated_price


@dataclass(frozen=True, eq=False)
class Way:
    """How prices are found.

    Attributes:
        solver: Of the network.
        loss: What an error costs.
        coupling: "optimal" or "greedy"; None for the best that can be had.
        progress: Called while the work goes on.
    """

    solver: Solver
    loss: Loss
    coupling: str | None
    progress: Progress | None
    _seen: dict[Scenario, Distribution | None] = field(default_factory=dict)

    def seen(self, scenario: Scenario) -> Distribution | None:
        """What is seen of a scenario at its moment, computed once; None where it is not known."""
        if scenario not in self._seen:
            solver, at = self.solver.at_rates(scenario.network), [scenario.adversary.at]
            try:
                (found,) = solver.distributions(scenario.start, at, scenario.query)
            except CoveyError:
                found = None
            self._seen[scenario] = found
        return self._seen[scenario]


@dataclass(eq=False)
class Pricing:
    """Prices of one reference; `coupling` becomes "greedy" where pairs do not fit."""

    way: Way
    reference: Scenario
    coupling: str | None = None

    def __post_init__(self) -> None:
        self.coupling = self.way.coupling

    def price(self, real: Scenario) -> tuple[Price, Coupling | None]:
        """The price for a real team, and the coupling where pairs are listed."""
        way = self.way
        try:
            pairs = Pairs.of(way.solver, real, self.reference, way.loss)
        except TooLargeError:
            if self.coupling == "optimal":
                raise
            self.coupling = "greedy"
            means = self._means(real)
            return simulated_price(real, self.reference, way.loss, means, way.progress), None
        found = greedy(pairs) if self.coupling == "greedy" else optimal(pairs, way.progress)
        return exact_price(found, real.adversary.at, way.progress), found

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
