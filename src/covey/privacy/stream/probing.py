"""What an observer learns who acts: leakage of what is seen before and after a probe.

An observer who only watches waits until the team shows something. One who takes a dock away, or
sends a task, sees how the team answers: two teams that look alike at rest need not return to it
alike. What is seen is one snapshot just before the probe (`model.observation.probe`), how much the
probe took, and the snapshots after it, jointly (`dynamics.hmm.probed_distribution`). Leakage, total
variation and Bayes success are those of that joint distribution, as of any other; beside them
stand those of the same snapshots without a probe. The best of several probes is the one after which
an observer is right most often.

Nothing is to be learnt from the decision to probe: what is done, and when, does not depend on what
was seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.hmm.joint_distribution import Filter
from covey.dynamics.hmm.probed_distribution import probed_distribution
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import InputError, UnsupportedError
from covey.model.observation.adversary import Moment
from covey.model.observation.probe import Probe, check_probes, read_probes
from covey.model.scenario import Scenario
from covey.privacy.cases import Case, case_of
from covey.privacy.hypotheses import Star, check_same_moment, solver_of, stars_of
from covey.privacy.snapshot.arriving import check_start
from covey.privacy.snapshot.leakage import Leakage, leakage_of
from covey.privacy.snapshot.output_distributions import TeamDistributions, worst_first
from covey.privacy.stream.joint_distributions import MAX_SEQUENCES, MAX_STATES
from covey.showing import Showing
from covey.tabular import Tabular, columns_of
from covey.words import percent, when


@dataclass(frozen=True)
class Probed:
    """What one probe gives away.

    Attributes:
        probe: What is done, and when somebody looks.
        at: When: a time, or "steady".
        leakage: What the snapshots before and after it give away together.
        watching: What the same snapshots give away without a probe.
    """

    probe: Probe
    at: Moment
    leakage: Leakage
    watching: Leakage

    @property
    def bayes_success(self) -> float:
        """How often an observer is right who tells the team from a neighbour, at most."""
        return self.leakage.profile.bayes_success

    def __str__(self) -> str:
        profile, looks = self.leakage.profile, len(self.probe.looks)
        moment = when(self.at, self.leakage.distributions.own.unit)
        times = "once" if looks == 1 else f"{looks} times"
        return (
            f"{self.probe}, {moment}: an observer who looks before the probe and {times} after it "
            f"tells {profile.whom} from one with {profile.worst.neighbour} at most "
            f"{percent(self.bayes_success, 'up')} of the time; without the probe, "
            f"{percent(self.watching.profile.bayes_success, 'up')} (50% is guessing)."
        )


@dataclass(frozen=True)
class Probing(Showing, Tabular):
    """What an observer learns who may choose between probes.

    Attributes:
        of: Every probe.
    """

    of: tuple[Probed, ...]

    @property
    def best(self) -> Probed:
        """The probe after which an observer is right most often."""
        return max(self.of, key=lambda one: one.bayes_success)

    @property
    def table_columns(self) -> dict[str, list[Any]]:
        """A row for each probe."""
        return columns_of(
            {
                "probe": str(one.probe),
                "at": one.at,
                "looks": " ".join(f"{look:g}" for look in one.probe.looks),
                "leakage": one.leakage.value,
                "total_variation": one.leakage.profile.total_variation,
                "guess": one.bayes_success,
                "guess_watching": one.watching.profile.bayes_success,
            }
            for one in self.of
        )

    def __str__(self) -> str:
        choice = "" if len(self.of) == 1 else f"The best of {len(self.of)} probes: "
        return f"{choice}{self.best}"


def probe(
    scenario: Scenario,
    probes: Iterable[Probe | Mapping[str, Any]] | None = None,
    *,
    at: Moment | None = None,
    max_sequences: int = MAX_SEQUENCES,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Probing:
    """What probing the team gives away, probe by probe, beside what only watching does.

    Args:
        scenario: The team, its network, and what is seen of it.
        probes: What the observer may do; by default `adversary.probe` of the scenario.
        at: When probes are that do not say it: a time, or "steady"; by default when the adversary
            looks.
        max_sequences: How many sequences of observations may be followed.
        limits: How to compute: on how many states (20,000 by default).
        progress: Called as progress(done, total, text) while the work goes on.
    """
    listed = scenario.adversary.probe if probes is None else read_probes(probes)
    if not listed:
        raise InputError(
            "there is no probe: write tables [[adversary.probe]] with set and looks, as set = "
            '{ "resources.dock" = -1 } and looks = [1, 5]',
            key="adversary.probe",
        )
    check_probes(listed, scenario.network, scenario.team, scenario.initial)
    if scenario.release.instead is not None:
        raise UnsupportedError(
            "a probe is answered by the team itself, and not by what is published instead: leave "
            "out release.mechanism",
            key="release.mechanism",
        )
    limits = limits or Limits()
    stars = stars_of(scenario)
    check_same_moment((one for star in stars for one in star.hypotheses), "a probe")
    allowed = replace(limits, max_states=limits.max_states or MAX_STATES)
    solver = solver_of(Solver(scenario.network, allowed), scenario, stars)
    usual = scenario.adversary.at if at is None else at
    moments = [usual if one.at is None else one.at for one in listed]
    for moment in moments:
        check_start(scenario, moment, "a probe")
    by = _Acting(solver, stars, scenario.adversary.smoothing, max_sequences, progress)
    return Probing(tuple(by.probed(*both) for both in zip(listed, moments, strict=True)))


@dataclass(frozen=True)
class _Acting:
    """Who answers for all hypotheses."""

    solver: Solver
    stars: list[Star]
    smoothing: float
    max_sequences: int
    progress: Progress | None

    def probed(self, one: Probe, at: Moment) -> Probed:
        """What a probe gives away, and what the same snapshots do without it."""

        def acting(star: Star, case: Case) -> Distribution:
            scenario = star.scenario
            return probed_distribution(
                self.solver.at_rates(case.network), np.array(case.start), scenario.query, one,
                one.places(case.network, scenario.initial), at,
                max_sequences=self.max_sequences, progress=self.progress,
            )  # fmt: skip

        def watching(star: Star, case: Case) -> Distribution:
            solver, start = self.solver.at_rates(case.network), np.array(case.start)
            chain = Filter(solver, start, star.scenario.query, self.progress)
            chain.check_size(len(one.looks) + 1, self.max_sequences)
            begin = 0.0 if at == "steady" else float(at)
            times = [begin, *(begin + look for look in one.looks)]
            return chain.joint_distribution(times, at == "steady")

        return Probed(one, at, self._leakage(acting, at), self._leakage(watching, at))

    def _leakage(self, look: Callable[[Star, Case], Distribution], at: Moment) -> Leakage:
        """Of the distributions of all hypotheses, each computed once."""
        known: dict[Case, Distribution] = {}

        def seen(star: Star, case: Case) -> Distribution:
            if case not in known:
                known[case] = look(star, case)
            return known[case]

        parts = tuple(
            TeamDistributions(
                star.scenario,
                at,
                seen(star, case_of(star.scenario)),
                tuple((one, seen(star, case_of(star.scenario, one))) for one in star.hypotheses),
                asked=star.asked,
            )
            for star in self.stars
        )
        return leakage_of(worst_first(parts), self.smoothing)
