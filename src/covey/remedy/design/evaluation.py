"""One setting of a design, evaluated exactly: what it gives away, achieves, and leaves unsaid."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from covey.dynamics.solver import Solver
from covey.errors import UnsupportedError
from covey.model.following import refuse_following
from covey.model.frozen import FrozenMap
from covey.model.scenario import Scenario
from covey.model.varied import EPSILON, OBSERVE
from covey.privacy.measures.registry import Measure, Snapshot
from covey.privacy.snapshot.leakage import Leakage, leakage_of
from covey.privacy.snapshot.output_distributions import TeamDistributions, distributions_by
from covey.privacy.stream.confidence import Bounded
from covey.privacy.stream.figures import too_large_to_follow
from covey.privacy.stream.problem import Sampling, StreamProblem
from covey.privacy.stream.schedule import schedule
from covey.privacy.stream.stream import stream_by
from covey.remedy.design.publishing import Coarsening, loss_of
from covey.remedy.mechanism.problem import Task
from covey.remedy.mechanism.protect import protected
from covey.remedy.performance import Performance, performance_by

Setting = float | int | str
TRUTH = "none"  # instead of an ε
_ROUNDING = 1e-6  # as near as sums over all that can be seen are known, and no sample is


@dataclass(frozen=True)
class Evaluated:
    """A setting, and all that was computed of it.

    Attributes:
        scenario: The scenario with the setting.
        settings: The dotted names that the design sets, and to what.
        leakage: What one snapshot gives away, with its interval.
        performance: What the team achieves.
        delta: The δ at which ε is meant.
        loss: What the best reader of what is published is off by, where that was asked for.
        stream_guess: How often an observer of the whole stream is right, where that was asked for;
            the bounds hold with a confidence of 0.95 where paths had to be drawn.
        also: Other measures that the design is about, by name.
    """

    scenario: Scenario
    settings: FrozenMap[str, float | int | str]
    leakage: Leakage
    performance: Performance
    delta: float
    loss: Bounded | None = None
    stream_guess: Bounded | None = None
    also: FrozenMap[str, Bounded] = field(default_factory=FrozenMap)

    @property
    def values(self) -> dict[str, float | int]:
        """The numbers among the settings."""
        chosen = self.published
        return {
            name: value
            for name, value in self.settings.items()
            if name not in chosen and not isinstance(value, str)
        }

    @property
    def published(self) -> dict[str, float | int | str]:
        """Which counts are published, and at which ε, where the design chose that."""
        return {name: self.settings[name] for name in (OBSERVE, EPSILON) if name in self.settings}

    @property
    def sure(self) -> str:
        """How well the guess of the stream is known: empty where nothing was drawn for it."""
        guess = self.stream_guess
        if guess is None or guess.upper - guess.lower < _ROUNDING:
            return ""
        return f" (with {100 * Sampling().confidence:g}% confidence)"

    @property
    def distributions(self) -> TeamDistributions:
        """Of the team and its neighbours."""
        return self.leakage.distributions

    def privacy(self, name: str) -> float:
        """The most that a measure of privacy, or the loss, can be, as far as is proved.

        Args:
            name: "leakage", "total_variation", "guess", "epsilon", "stream_guess", "loss", or one
                of `also`; of a function the value, as nothing bounds it.
        """
        if name in self.also:
            figure = self.also[name]
            return figure.value if math.isnan(figure.upper) else figure.upper
        profile = self.leakage.profile
        if name == "leakage":
            return self.leakage.interval[1]
        if name == "epsilon":
            return profile.epsilon_interval(self.delta)[1]
        if name in ("loss", "stream_guess"):
            found: Bounded | None = getattr(self, name)
            if found is None:
                raise UnsupportedError(f"{name} was not asked for")
            return found.upper
        return profile.bayes_success if name == "guess" else 2 * profile.bayes_success - 1

    @property
    def measures(self) -> dict[str, float]:
        """Everything that a program is told, by name."""
        found = {name: self.privacy(name) for name in ("leakage", "total_variation", "guess")}
        if self.delta:
            found["epsilon"] = self.privacy("epsilon")
        for name in ("stream_guess", "loss"):
            if getattr(self, name) is not None:
                found[name] = self.privacy(name)
        found |= {name: self.privacy(name) for name in self.also}
        return found | {name: one.value for name, one in self.performance.measures.items()}


class Evaluator:
    """Evaluates settings of one scenario, and counts them.

    The solver of the last one is kept, and with it the chains that were solved: how they change
    with the rates is mostly what is asked next.

    Args:
        scenario: The scenario as it is.
        solver: For its network.
        delta: The δ at which ε is meant.
        more: "loss" and "stream_guess", where they are asked for.
        seed: Of the paths that a stream may need.
        also: Other measures of what one snapshot gives away.
    """

    def __init__(
        self,
        scenario: Scenario,
        solver: Solver,
        delta: float,
        more: Collection[str] = (),
        seed: int = 0,
        also: tuple[Measure, ...] = (),
    ) -> None:
        self.scenario, self.solver, self.delta = scenario, solver, delta
        self.more, self.seed, self.also = frozenset(more), seed, also
        self.evaluations = 0
        self._last = solver

    def __call__(self, settings: Mapping[str, Setting]) -> Evaluated:
        """What a setting gives away and achieves; an infinite leakage is an answer too."""
        scenario, distributions, solver = self._published(settings)
        found = leakage_of(distributions, scenario.adversary.smoothing)
        self.evaluations += 1
        return Evaluated(
            scenario,
            FrozenMap(settings),
            found,
            performance_by(solver, scenario),
            self.delta,
            **self._more(settings, scenario, solver),
            also=FrozenMap(self._also(distributions)),
        )

    def engine_of(self, point: Evaluated) -> Solver:
        """The solver that evaluated a point, or one that would do the same."""
        network = point.scenario.network
        return self._last if self._last.network is network else self.solver.at_rates(network)

    def more_of(self, settings: Mapping[str, Setting]) -> dict[str, Bounded]:
        """Only what has no derivatives: the loss, the guess of the stream, and other measures."""
        scenario, distributions, solver = self._published(settings)
        self.evaluations += 1
        return self._more(settings, scenario, solver) | self._also(distributions)

    def _also(self, distributions: TeamDistributions) -> dict[str, Bounded]:
        snapshot = Snapshot(distributions, distributions.scenario.adversary.smoothing)
        found = ((str(one), one.of(snapshot)) for one in self.also)
        return {name: Bounded(one.value, *one.interval) for name, one in found}

    def _published(
        self, settings: Mapping[str, Setting]
    ) -> tuple[Scenario, TeamDistributions, Solver]:
        """The scenario with the setting, what it publishes, and the solver that found it."""
        plain = {name: value for name, value in settings.items() if name not in (OBSERVE, EPSILON)}
        scenario = self.scenario.with_(plain, warn=False)
        epsilon = settings.get(EPSILON)
        query = scenario.query
        if OBSERVE in settings:
            query = Coarsening.parse(str(settings[OBSERVE]), self.scenario).query(self.scenario)
        if query.sums != scenario.query.sums or epsilon is not None:
            if scenario.release.mechanism is not None and epsilon is None:
                raise UnsupportedError(
                    "the mechanism of [release] is for the counts that are seen now: let "
                    "release.epsilon vary as well, or leave the mechanism out"
                )
            scenario = scenario.unpublished(query)
        solver = self._last = self.solver.at_rates(scenario.network)
        (distributions,) = distributions_by(solver, scenario)
        if epsilon is None or epsilon == TRUTH:
            return scenario, distributions, solver
        refuse_following(scenario, "a table (release.epsilon)")
        made_for = scenario.fingerprint([scenario.team], [scenario.adversary.at])
        task = Task((distributions,), float(epsilon), self.delta, made_for=made_for)
        table = protected(task).release
        scenario = scenario.with_({"release.mechanism": table}, warn=False)
        distributions = distributions.published(table)
        return scenario, replace(distributions, scenario=scenario), solver

    def _more(
        self, settings: Mapping[str, Setting], scenario: Scenario, solver: Solver
    ) -> dict[str, Bounded]:
        found: dict[str, Bounded] = {}
        if "loss" in self.more:
            whole = scenario.unpublished(self.scenario.query)  # as [observe] has it
            (distribution,) = solver.distributions(whole.start, [whole.adversary.at], whole.query)
            text = settings.get(OBSERVE)
            coarsening = None if text is None else Coarsening.parse(str(text), self.scenario)
            table = scenario.release.mechanism
            own = None if table is None else table.for_team(scenario.team.types)
            found["loss"] = loss_of(whole, distribution, coarsening, own)
        if "stream_guess" in self.more:
            looks = schedule(scenario, None, None, None, None)  # as `stream`: one figure
            if scenario.release.stand_in is None and too_large_to_follow(solver, scenario.start):
                raise _not_bounded()
            stream = stream_by(solver, StreamProblem(scenario, looks, Sampling(seed=self.seed)))
            if stream.method == "normal":
                raise _not_bounded()
            found["stream_guess"] = stream.bayes_success[-1]
        return found


def _not_bounded() -> UnsupportedError:
    return UnsupportedError(
        "the team is too large for what a stream gives away to be bounded, and an approximation is "
        "no target: minimise guess, or take fewer robots"
    )
