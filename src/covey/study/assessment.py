"""Assessment: everything that a report says about one scenario, computed once.

The distributions of the team and its neighbours are solved once and every question is asked of
them: leakage, profile, the odds at a stated risk, and what single changes would do. The time axis
of the trace is chosen so that the picture shows the team settle: several relaxation times of the
mean field, or half as long again as the time at which the adversary looks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from covey.dynamics.ctmc.propagator import MAX_STATES
from covey.dynamics.ergodicity.relaxation_time import settling_time
from covey.dynamics.limits import Limits
from covey.dynamics.mean_field.rate_equations import equilibrium
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress, check_time
from covey.errors import CoveyError, InputError, UnsupportedError
from covey.model.following import refuse_following
from covey.model.scenario import Scenario
from covey.model.structure.structure import Structure
from covey.numbers import Floats
from covey.privacy.headline import OverTime
from covey.privacy.inference.estimate.estimate import Estimation
from covey.privacy.snapshot.arriving import check_start
from covey.privacy.snapshot.exposed import Exposed, exposed_types
from covey.privacy.snapshot.leakage import Headline, Leakage, leakage_of
from covey.privacy.snapshot.output_distributions import TeamDistributions, distributions_by
from covey.privacy.snapshot.profile import Profile
from covey.privacy.stream.pace import busiest, over_time, usual_stream
from covey.privacy.stream.problem import ACCURACY
from covey.privacy.stream.stream import Stream
from covey.remedy.design.design import Design
from covey.showing import Showing
from covey.study.fit.fit import Fit
from covey.study.fit.fit_file import FittedRates
from covey.study.mix import mix
from covey.study.rate_range import RateRange, fitted_scenario, rate_range
from covey.study.remedies import Remedies, remedies, usual_design
from covey.study.sensitivity.sensitivity import Sensitivity, sensitivity_by
from covey.study.sensitivity.shortest import Shortest, read_target, shortest
from covey.study.trace import Trace, trace_by

T = TypeVar("T")

TIMES = 61  # of a trace
_FOLDS = 6.0  # e^-6 of the start is left
QUICK_STREAM = 10_000  # states of a team that many snapshots are followed on
_QUICK_STATES = 20_000  # of a chain that is followed over time without being asked for
_QUICK_EVENTS, _QUICK_EVENTS_IF_SMALL = 1e6, 1e10  # the same; a small chain is squared


@dataclass(frozen=True)
class Assessment(Showing):
    """What was found about a scenario.

    Attributes:
        scenario: The scenario.
        structure: What its wiring says.
        distributions: The distributions of the team and of its neighbours.
        leakage: What one snapshot gives away.
        stream: What many snapshots give away; None where it was not computed.
        trace: The leakage over time; None where it was not computed.
        sensitivity: What single changes do; None where it was not computed.
        remedy: What to publish instead; None where it was not computed.
        design: How to run the team instead; None where it was not computed.
        missing: For "stream", "mix", "trace", "sensitivity", "remedy" and "design", why there is
            none.
        limits: How it was computed.
        until: The last time of the trace, as it was asked for.
        seconds: How long it took.
        rate_range: What fitted rates leave open; None where the rates are given.
        shortest: The shortest list of changes that meets a target; None where none was given.
        mix: What the stream of [release] tells of how many robots there are of each type; None
            where it was not computed.
    """

    scenario: Scenario
    structure: Structure
    distributions: TeamDistributions
    leakage: Leakage
    stream: Stream | None
    trace: Trace | None
    sensitivity: Sensitivity | None
    remedy: Remedies | None
    design: Design | None
    missing: dict[str, str]
    limits: Limits
    until: float | None
    seconds: float
    rate_range: RateRange | None = None
    shortest: Shortest | None = None
    mix: Estimation | None = None

    @property
    def headline(self) -> Headline:
        """What to say first."""
        if self.stream is None:
            return self.leakage.headline(over_time=OverTime(why=self.missing["stream"]))
        return self.leakage.headline(over_time=over_time(self.scenario, self.stream))

    @property
    def profile(self) -> Profile:
        """How often one snapshot tells what."""
        return self.leakage.profile

    @property
    def exposed(self) -> list[Exposed]:
        """The protected types, the most exposed first."""
        return exposed_types(self.leakage)

    def __str__(self) -> str:
        said = [self.headline, self.rate_range, self.sensitivity, self.shortest]
        return " ".join(str(part) for part in said if part is not None)


def assess(
    scenario: Scenario,
    *,
    until: float | None = None,
    changes: bool = True,
    target: Mapping[str, float] | Iterable[str] = (),
    limits: Limits | None = None,
    workers: int | None = None,
    fitted: Fit | FittedRates | None = None,
    progress: Progress | None = None,
) -> Assessment:
    """Answers every question about the scenario.

    Args:
        scenario: The team, its network, and what is seen of it.
        until: Leakage over time is followed until then; by default until the team has settled, and
            not at all where its Markov chain is so large that this would take long.
        changes: Whether single changes are tried, which is most of the work, and, where [release]
            says how it is published, what to publish instead of all of its stream.
        target: The most that guess, total_variation or leakage may be, `{"guess": 0.51}` or
            "guess=0.51": the shortest list of changes that meets it is looked for.
        limits: How to compute: which method, on how many states, to which tolerance.
        workers: How many processes; by default one on each core where the work is worth it.
        fitted: What was fitted to a log of the team: the scenario is taken with these rates, and
            what their intervals leave open is said.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    refuse_following(scenario, "a report")
    if fitted is not None:
        scenario = fitted_scenario(scenario, fitted)
    solver = Solver(scenario.network, limits)
    if until is not None and check_time(until, "the last time") == 0:
        raise InputError("the last time is 0: a time after the start is expected")
    wanted = read_target(target)
    if wanted and not changes:
        raise InputError("a target is met by changes, and they are not to be tried: leave one out")
    began = time.perf_counter()
    missing: dict[str, str] = {}
    (distributions,) = distributions_by(solver, scenario, None, progress)
    watched = _unless_refused(missing, "stream", lambda: watched_stream(solver, scenario, progress))
    known = None
    if scenario.release.is_stream:
        known = _unless_refused(missing, "mix", lambda: mix(scenario, limits, progress))
    moving = _unless_refused(
        missing, "trace", lambda: usual_trace(solver, scenario, until, progress)
    )
    instead = _unless_refused(
        missing,
        "remedy",
        lambda: remedies(solver, distributions, watched, streams=changes, progress=progress),
    )
    if changes:
        effects = sensitivity_by(solver, distributions, 2.0, workers, progress)
        steps = shortest(solver, effects, wanted, workers, progress) if wanted else None
        better = _unless_refused(
            missing, "design", lambda: usual_design(solver, distributions, progress)
        )
    else:
        better, missing["design"] = None, "changes were not asked for"
        effects, missing["sensitivity"] = None, "single changes were not asked for"
        steps = None
    open_ = (
        None if fitted is None else rate_range(scenario, fitted, limits=limits, progress=progress)
    )
    return Assessment(
        scenario,
        solver.structure,
        distributions,
        leakage_of(distributions, scenario.adversary.smoothing),
        watched,
        moving,
        effects,
        instead,
        better,
        missing,
        solver.limits,
        until,
        time.perf_counter() - began,
        open_,
        steps,
        known,
    )


def _unless_refused(missing: dict[str, str], part: str, compute: Callable[[], T]) -> T | None:
    try:
        return compute()
    except CoveyError as error:
        missing[part] = error.message
        return None


def watched_stream(
    solver: Solver,
    scenario: Scenario,
    progress: Progress | None,
    accuracy: float = ACCURACY,
) -> Stream:
    """What many snapshots give away, where that is known soon, or can be said roughly."""
    return usual_stream(
        solver, scenario, quick=QUICK_STREAM, roughly=True, accuracy=accuracy, progress=progress
    )


def usual_trace(
    solver: Solver, scenario: Scenario, until: float | None, progress: Progress | None
) -> Trace:
    """The leakage over time until the team has settled; where that is far off, on request only."""
    if scenario.adversary.at == "steady":
        check_start(scenario, "steady", "leakage over time")
    if until is None:
        rest = rest_of(scenario)
        until = horizon(scenario, rest)
        _check_quick(solver, scenario, until, rest)
    times = until * np.linspace(0.0, 1.0, TIMES) ** 2  # early on most happens
    return trace_by(solver.by_any_method(), scenario, times, progress=progress)


def rest_of(scenario: Scenario) -> Floats | None:
    """Where the mean field comes to rest, if it does."""
    try:
        return equilibrium(scenario.network, scenario.start)
    except UnsupportedError:
        return None


def _check_quick(solver: Solver, scenario: Scenario, until: float, rest: Floats | None) -> None:
    """Refuses what would take long though nobody asked for it."""
    reached = solver.reach(scenario.start)
    if reached.states is not None and reached.states > _QUICK_STATES:
        raise InputError(
            f"a snapshot at a time needs the Markov chain on {reached.states:,} states; following "
            "it takes long, and is done where the last time is given"
        )
    events = until * busiest(scenario, rest)
    small = reached.states is not None and reached.states <= MAX_STATES
    if events > (_QUICK_EVENTS_IF_SMALL if small else _QUICK_EVENTS):
        raise InputError(
            f"by time {until:g}, when the team has settled, its fast reactions have happened some "
            f"{events:.0e} times; following them takes long, and is done where the last time is "
            "given"
        )


def horizon(scenario: Scenario, rest: Floats | None) -> float:
    """A time by which the team has settled at `rest`, or by which the adversary has looked."""
    at = scenario.adversary.at
    if at != "steady" and at > 0:
        return float(f"{1.5 * at:.1e}")
    if rest is None:
        raise UnsupportedError(
            "the mean field does not come to rest, so that no time is long enough by itself: give "
            "the last time"
        )
    return settling_time(scenario.network, scenario.start, rest, _FOLDS)
