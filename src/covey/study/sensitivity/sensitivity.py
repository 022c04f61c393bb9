"""How leakage moves when one thing changes, and which single changes help most.

Every value is exact, as `leakage` is: the difference between two scenarios is a difference of two
leakages, not a derivative of an approximation. Where leakage has no upper bound, being infinite or
known from below only (a projection left mass out), the total variation still tells scenarios apart;
so both are given. Where the leakage is that of a case rarer than one in 1e9, changes are judged by
the total variation as well: to mend what never happens is no advice.

What the team is for counts, too: changes that keep every measure of [performance] are advised
before those that cost some of it, and what they do to each is said.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import InputError, TooLargeError, UnsupportedError
from covey.model.following import refuse_following
from covey.model.observation.adversary import Moment
from covey.model.observation.observed_sum import ObservedSum
from covey.model.scenario import Scenario
from covey.privacy.headline import RARE
from covey.privacy.measures.registry import Measure, MeasureFunction, read_measures
from covey.privacy.snapshot.output_distributions import TeamDistributions, distributions_by
from covey.showing import Showing
from covey.study.sensitivity.changes import Change, changes_of
from covey.study.sensitivity.equivalent_changes import alike
from covey.study.sensitivity.found import Found, achieved, found_by, found_in
from covey.study.sensitivity.rate_sensitivities import RateSensitivity, rate_sensitivities
from covey.tabular import Tabular, columns_of

_VISIBLE = 0.99  # of what is given away: more than that is no help
_SEEN = 1e-3  # of all guesses: 50.1% instead of 50.1% is no advice
_KEPT = 0.99  # of a measure of performance: whoever has so much of it has kept it
ALONE = 20_000  # states in all, below which starting other processes does not pay


@dataclass(frozen=True)
class Effect:
    """A change, and what it brings.

    Attributes:
        change: What was done.
        after: What is given away after it.
    """

    change: Change
    after: Found

    def row(self) -> dict[str, float | str]:
        """Both as plain values, by the names that tables and JSON have for them."""
        return {
            "kind": self.change.kind,
            "knob": self.change.knob,
            "change": self.change.words,
            "leakage": self.after.leakage,
            "lower": self.after.interval[0],
            "upper": self.after.interval[1],
            "total_variation": self.after.total_variation,
            **self.after.measures,
            **{f"performance.{name}": value for name, value in self.after.performance.items()},
            "error": self.after.why,
        }


@dataclass(frozen=True)
class Sensitivity(Showing, Tabular):
    """The effect of every single change on what one snapshot gives away.

    Attributes:
        scenario: The scenario as it is.
        before: What it gives away.
        effects: What it gives away after each change.
        sensitivities: How fast that changes with each rate; empty where no derivatives are solved
            for.
    """

    scenario: Scenario
    before: Found
    effects: tuple[Effect, ...]
    sensitivities: tuple[RateSensitivity, ...] = ()

    def best(self, count: int = 3) -> list[Effect]:
        """The changes that help most, at most one for each thing that can be changed.

        Those that keep what the team achieves come first. What [design] does not let anybody
        choose is not among them; of several with the same effect, such as half of a rate and twice
        that of its reverse at steady state, only the first is.

        Args:
            count: How many, at most.
        """
        helping = filter(self._helps, self.effects)
        chosen: dict[str, Effect] = {}
        for effect in sorted(helping, key=lambda e: (not self.keeps(e), self._rank(e.after))):
            if not any(effect.after.same_as(other.after) for other in chosen.values()):
                chosen.setdefault(effect.change.knob, effect)
        return list(chosen.values())[:count]

    def keeps(self, effect: Effect) -> bool:
        """Whether the team then achieves as much as now, but for a hundredth of each measure.

        Args:
            effect: One of `effects`.
        """
        after = effect.after.performance
        return all(
            after[name] >= now - (1 - _KEPT) * abs(now)
            for name, now in self.before.performance.items()
        )

    def achieved(self, effect: Effect) -> str:
        """What becomes of every measure of performance: `picks 0.72 instead of 0.92 (-22%)`.

        Args:
            effect: One of `effects`.
        """
        then = effect.after.performance
        return ", ".join(
            f"{name} {then[name]:.3g}{instead_of(now, then[name])}"
            for name, now in self.before.performance.items()
        )

    def like(self, effect: Effect) -> list[Effect]:
        """The other changes with the same effect that may be made, and cost no more.

        Args:
            effect: One of `effects`.
        """
        return [
            e
            for e in self.effects
            if e is not effect
            and e.change.allowed
            and e.after.same_as(effect.after)
            and (self.keeps(e) or not self.keeps(effect))
        ]

    @property
    def by_leakage(self) -> bool:
        """Whether changes are judged by the leakage, and not by the total variation alone."""
        return self.before.probability >= RARE

    def _rank(self, found: Found) -> tuple[float, ...]:
        return found.rank if self.by_leakage or found.why else found.rank[2:]

    def _helps(self, effect: Effect) -> bool:
        """Whether it may be made, and lowers what is given away so much that one can see it."""
        before, after = self.before, effect.after
        if after.why or not effect.change.allowed or self._rank(after) >= self._rank(before):
            return False
        if self.by_leakage and after.bounded:
            return not before.bounded or after.interval[1] < _VISIBLE * before.interval[0]
        return (
            after.total_variation < _VISIBLE * before.total_variation
            and before.bayes_success - after.bayes_success >= _SEEN
        )

    @property
    def table_columns(self) -> dict[str, list[Any]]:
        """A row for each change."""
        return columns_of(effect.row() for effect in self.effects)

    def __str__(self) -> str:
        now, best = self.before.described, self.best()
        if not best:
            return (
                f"Of {len(self.effects)} single changes none lowers what is given away so that one "
                f"could see it ({now})."
            )
        helpful = "; ".join(
            f"{e.change.words} ({', '.join(filter(None, [e.after.described, self.achieved(e)]))})"
            for e in best
        )
        return f"Of {len(self.effects)} single changes these help most (now {now}): {helpful}."


def sensitivity(
    scenario: Scenario,
    at: Moment | None = None,
    *,
    factor: float = 2.0,
    measures: str | MeasureFunction | Iterable[str | MeasureFunction] = (),
    smoothing: float | None = None,
    limits: Limits | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Sensitivity:
    """Tries every single change: rates by a factor both ways, counts by one, coarser releases.

    Args:
        scenario: What is changed.
        at: A time, or "steady"; by default when the adversary looks.
        factor: By which rates are divided and multiplied.
        smoothing: The paper's ν, added to every probability; by default the adversary's.
        measures: One or several besides leakage and total variation, as `sweep` takes them: names,
            or functions of the distributions; each is a column of the table.
        limits: How to compute: which method, on how many states, to which tolerance.
        workers: How many processes; by default one on each core where the work is worth it.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    refuse_following(scenario, "a table of single changes")
    if not 1 < factor < math.inf:
        raise InputError(f"the factor is {factor:g}: a number above 1 is expected")
    asked = {"at": at, "smoothing": smoothing}
    given = {f"adversary.{name}": v for name, v in asked.items() if v is not None}
    scenario = scenario.with_(given) if given else scenario
    solver = Solver(scenario.network, limits)
    (distributions,) = distributions_by(solver, scenario, None, progress)
    asked_for = read_measures(measures) if measures else ()
    if any(one.achieved for one in asked_for):
        raise InputError("what the team achieves is measured in any case: leave performance.… out")
    if not all(one.travels for one in asked_for):
        workers = 1
    found = sensitivity_by(solver, distributions, factor, workers, progress, asked_for)
    try:
        return replace(found, sensitivities=rate_sensitivities(solver, distributions))
    except (TooLargeError, UnsupportedError):
        return found


def sensitivity_by(
    solver: Solver,
    distributions: TeamDistributions,
    factor: float = 2.0,
    workers: int | None = None,
    progress: Progress | None = None,
    measures: tuple[Measure, ...] = (),
) -> Sensitivity:
    """The sensitivity of a team whose distributions are known, by the solver that found them."""
    refuse_following(distributions.own, "a table of single changes")
    scenario = distributions.own
    changes = changes_of(scenario, factor)
    releases = [i for i, change in enumerate(changes) if change.kind == "release"]
    others = [i for i, change in enumerate(changes) if change.kind != "release"]
    own = any(measure.function is not None for measure in measures)  # it may ask for one type
    same = (
        list(range(len(others)))
        if own
        else alike(solver, scenario, [changes[i].scenario for i in others])
    )
    distinct = [i for place, i in enumerate(others) if same[place] == place]
    before = found_in(distributions, achieved(solver, scenario), measures)
    found = {
        i: found_in(_coarser(distributions, changes[i].scenario), before.performance, measures)
        for i in releases
    }
    if workers is None and (distributions.computed.states or ALONE) * len(distinct) < ALONE:
        workers = 1
    work = found_by(solver, [changes[i].scenario for i in distinct], workers, measures)
    for done, (place, after) in enumerate(work, start=1):
        found[distinct[place]] = after
        if progress is not None:
            progress(done, len(distinct), "single changes")
    found |= {i: found[others[first]] for i, first in zip(others, same, strict=True)}
    effects = tuple(Effect(change, found[i]) for i, change in enumerate(changes))
    return Sensitivity(scenario, before, effects)


def instead_of(now: float, then: float) -> str:
    """What a figure that is `then` is to what it is now: ` instead of 0.925 (-22.1%)`."""
    if math.isclose(now, then, rel_tol=5e-4):
        return " as now"
    return f" instead of {now:.3g}" + (f" ({(then - now) / abs(now):+.1%})" if now else "")


def _coarser(distributions: TeamDistributions, scenario: Scenario) -> TeamDistributions:
    """What another query shows, each of whose sums is a sum of sums seen now."""
    seen = dict(enumerate(distributions.scenario.query.sums.values()))
    columns = [_parts(wanted, seen) for wanted in scenario.query.sums.values()]
    names = tuple(scenario.query.sums)

    def shown(distribution: Distribution) -> Distribution:
        return distribution.shown_as(
            names, lambda outcomes: np.stack([outcomes[:, c].sum(axis=1) for c in columns], axis=1)
        )

    found = distributions.shown_by(shown)
    return replace(found, scenario=found.scenario.with_(query=scenario.query, warn=False))


def _parts(wanted: ObservedSum, seen: Mapping[int, ObservedSum]) -> list[int]:
    """Which of the sums seen now, one or two, make up another."""
    for i, one in seen.items():
        if one == wanted:
            return [i]
    sums = {i: one for i, one in seen.items() if one.threshold is None}
    return next([i, j] for i, j in combinations(sums, 2) if sums[i].plus(sums[j]) == wanted)
