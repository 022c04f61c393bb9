"""One setting of a design, evaluated exactly: what it gives away, and what it achieves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from covey.dynamics.engine import Engine
from covey.model.frozen import FrozenMap
from covey.model.scenario import Scenario
from covey.privacy.laws import TeamLaws, laws_by
from covey.privacy.leakage import Leakage, leakage_of
from covey.remedy.performance import Performance, performance_by


@dataclass(frozen=True)
class Evaluated:
    """A setting, and all that was computed of it.

    Attributes:
        scenario: The scenario with the setting.
        settings: The dotted names that the design sets, and to what.
        leakage: What one glance gives away, with its interval.
        performance: What the team achieves.
        delta: The δ at which ε is meant.
    """

    scenario: Scenario
    settings: FrozenMap[str, float | int]
    leakage: Leakage
    performance: Performance
    delta: float

    @property
    def laws(self) -> TeamLaws:
        """Of the team and its neighbours."""
        return self.leakage.laws

    def privacy(self, name: str) -> float:
        """The most that a measure of privacy can be, as far as is proved.

        Args:
            name: "leakage", "total_variation", "guess" or "epsilon".
        """
        profile = self.leakage.profile
        if name == "leakage":
            return self.leakage.interval[1]
        if name == "epsilon":
            return profile.epsilon_interval(self.delta)[1]
        return profile.right if name == "guess" else 2 * profile.right - 1

    @property
    def measures(self) -> dict[str, float]:
        """Everything that a program is told, by name."""
        found = {name: self.privacy(name) for name in ("leakage", "total_variation", "guess")}
        if self.delta:
            found["epsilon"] = self.privacy("epsilon")
        return found | {name: one.value for name, one in self.performance.measures.items()}


class Evaluator:
    """Evaluates settings of one scenario, and counts them.

    The engine of the last one is kept, and with it the chains that were solved: how they change
    with the rates is mostly what is asked next.
    """

    def __init__(self, scenario: Scenario, engine: Engine, delta: float) -> None:
        self.scenario, self.engine, self.delta = scenario, engine, delta
        self.evaluations = 0
        self._last = engine

    def __call__(self, settings: Mapping[str, float | int]) -> Evaluated:
        """What a setting gives away and achieves; an infinite leakage is an answer too."""
        scenario = self.scenario.with_(dict(settings), warn=False)
        engine = self._last = self.engine.at_rates(scenario.network)
        (laws,) = laws_by(engine, scenario)
        found = leakage_of(laws, scenario.adversary.smoothing)
        self.evaluations += 1
        return Evaluated(
            scenario, FrozenMap(settings), found, performance_by(engine, scenario), self.delta
        )

    def engine_of(self, point: Evaluated) -> Engine:
        """The engine that evaluated a point, or one that would do the same."""
        network = point.scenario.network
        return self._last if self._last.network is network else self.engine.at_rates(network)
