"""How fast what is given away, and what is achieved, changes with each rate: d/d ln of it.

Where `sensitivity` tries whole changes, these are derivatives: the first per cent of a rate changes
the leakage by a hundredth of them. They cost a few solves for all rates together.
"""

from __future__ import annotations

from dataclasses import dataclass

from covey.dynamics.sensitivity.chain_derivatives import Parameter
from covey.dynamics.sensitivity.distribution_derivatives import Sensitivities
from covey.dynamics.solver import Solver
from covey.model.frozen import FrozenMap
from covey.privacy.headline import DELTA
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.privacy.snapshot.sensitivities import (
    epsilon_sensitivities,
    leakage_sensitivities,
    team_sensitivities,
    total_variation_sensitivities,
)
from covey.remedy.performance import performance_sensitivities
from covey.study.sensitivity.changes import rate_knobs


@dataclass(frozen=True)
class RateSensitivity:
    """How fast everything changes with one rate, as it grows.

    Attributes:
        knob: The rate, as changes name it.
        leakage: D leakage / d ln rate; 0 where it is infinite, which no rate changes.
        total_variation: The same of the total variation.
        epsilon: And of ε at δ = 1e-6, which most of the time is finite where leakage is not; 0
            where it is 0 or infinite.
        performance: And of what the team achieves, by the names of the scenario's [performance].
    """

    knob: str
    leakage: float
    total_variation: float
    epsilon: float
    performance: FrozenMap[str, float]

    def row(self) -> dict[str, float | str]:
        """Plain values, by the names that tables and JSON have for them."""
        return {
            "knob": self.knob,
            "leakage": self.leakage,
            "total_variation": self.total_variation,
            "epsilon": self.epsilon,
            **{f"performance.{name}": value for name, value in self.performance.items()},
        }


def rate_sensitivities(
    solver: Solver, distributions: TeamDistributions
) -> tuple[RateSensitivity, ...]:
    """Of every rate; refused where distributions have no derivatives that could be solved for.

    Args:
        solver: That found the distributions.
        distributions: Of the team and its neighbours.
    """
    scenario = distributions.own
    knobs: dict[Parameter, str] = rate_knobs(scenario)
    if not knobs:
        return ()
    found = Sensitivities(solver, tuple(knobs))
    pairs = team_sensitivities(distributions, found)
    leaks = leakage_sensitivities(pairs, scenario.adversary.smoothing)
    apart = total_variation_sensitivities(pairs)
    rarely = epsilon_sensitivities(pairs, DELTA)
    achieved = performance_sensitivities(found, scenario)
    return tuple(
        RateSensitivity(
            knob,
            float(leaks[i]),
            float(apart[i]),
            float(rarely[i]),
            FrozenMap({name: float(sensitivities[i]) for name, sensitivities in achieved.items()}),
        )
        for i, knob in enumerate(knobs.values())
    )
