"""Assessment: everything that a report says about one scenario, computed once.

The laws of the team and its neighbours are solved once and every question is asked of them:
leakage, profile, the odds at a stated risk, and what single changes would do. The time axis of the
trace is chosen so that the picture shows the team settle: several of the slowest relaxation times
of the mean field, 1 / min |Re λ| over the eigenvalues λ ≠ 0 of its Jacobian at rest, or half as
long again as the time at which the adversary looks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from covey.dynamics import squaring
from covey.dynamics.mean_field import equilibrium, jacobian
from covey.dynamics.question import check_time
from covey.errors import CoveyError, InputError, UnsupportedError
from covey.model.reach import reach
from covey.model.scenario import Scenario
from covey.model.structure import Structure
from covey.privacy.laws import Limits, TeamLaws, team_laws
from covey.privacy.leakage import Leakage, leakage_of
from covey.privacy.profile import Profile, profile_of
from covey.showing import Showing
from covey.study.sensitivity import Sensitivity, sensitivity_of
from covey.study.trace import Trace, trace

Floats = NDArray[np.float64]
T = TypeVar("T")

_TIMES = 61
_RELAXATIONS = 6.0
_QUICK_STATES = 20_000  # of a chain that is followed over time without being asked for
_QUICK_EVENTS, _QUICK_EVENTS_IF_SMALL = 1e6, 1e10  # the same; a small chain is squared


@dataclass(frozen=True)
class Exposed:
    """The most that is given away about one robot of a type.

    Attributes:
        type: The type.
        leakage: The leakage about it.
        total_variation: Tells types apart whose leakage is infinite.
    """

    type: str
    leakage: float
    total_variation: float


@dataclass(frozen=True)
class Assessment(Showing):
    """What was found about a scenario.

    Attributes:
        scenario: The scenario.
        structure: What its wiring says.
        laws: The laws of the team and of its neighbours.
        leakage: What one glance gives away at worst.
        profile: And how often.
        trace: The leakage over time; None where it was not computed.
        sensitivity: What single changes do; None where it was not computed.
        missing: For "trace" and "sensitivity", why there is none.
        limits: How it was computed.
        until: The last time of the trace, as it was asked for.
        seconds: How long it took.
    """

    scenario: Scenario
    structure: Structure
    laws: TeamLaws
    leakage: Leakage
    profile: Profile
    trace: Trace | None
    sensitivity: Sensitivity | None
    missing: dict[str, str]
    limits: Limits
    until: float | None
    seconds: float

    @property
    def exposed(self) -> list[Exposed]:
        """The protected types, the most exposed first."""
        apart: dict[str, float] = {}
        for pair in self.profile.pairs:
            name = pair.neighbour.from_type
            apart[name] = max(apart.get(name, 0.0), pair.total_variation)
        found = [Exposed(name, leak, apart[name]) for name, leak in self.leakage.exposed.items()]
        return sorted(found, key=lambda e: (e.leakage, e.total_variation), reverse=True)

    def __str__(self) -> str:
        said = [self.leakage, self.profile, self.sensitivity]
        return " ".join(str(part) for part in said if part is not None)


def assess(
    scenario: Scenario,
    *,
    until: float | None = None,
    changes: bool = True,
    limits: Limits | None = None,
    workers: int | None = None,
) -> Assessment:
    """Answers every question about the scenario; `changes=False` leaves out the single changes.

    Leakage over time is followed until `until`; by default until the team has settled, and not at
    all where its Markov chain is so large that this would take long.
    """
    limits = limits or Limits()
    if until is not None and check_time(until, "the last time") == 0:
        raise InputError("the last time is 0: a time after the start is expected")
    began = time.perf_counter()
    missing: dict[str, str] = {}
    structure = Structure(scenario.network)
    (laws,) = team_laws(scenario, None, limits)
    solved = time.perf_counter() - began
    moving = _unless_refused(missing, "trace", lambda: _trace(scenario, structure, until, limits))
    quiet = replace(limits, progress=None)
    if changes:
        effects = sensitivity_of(laws, 2.0, quiet, workers, limits.progress, solved)
    else:
        effects, missing["sensitivity"] = None, "single changes were not asked for"
    return Assessment(
        scenario,
        structure,
        laws,
        leakage_of(laws, scenario.adversary.smoothing),
        profile_of(laws),
        moving,
        effects,
        missing,
        quiet,
        until,
        time.perf_counter() - began,
    )


def _unless_refused(missing: dict[str, str], part: str, compute: Callable[[], T]) -> T | None:
    try:
        return compute()
    except CoveyError as error:
        missing[part] = error.message
        return None


def _trace(scenario: Scenario, structure: Structure, until: float | None, limits: Limits) -> Trace:
    if until is None:
        rest = _rest(scenario)
        until = horizon(scenario, rest)
        _check_quick(scenario, structure, until, rest)
    return trace(
        scenario,
        until * np.linspace(0.0, 1.0, _TIMES) ** 2,  # early on most happens
        max_states=limits.max_states,
        tolerance=limits.tolerance,
        progress=limits.progress,
    )


def _rest(scenario: Scenario) -> Floats | None:
    """Where the mean field comes to rest, if it does."""
    try:
        return equilibrium(scenario.network, scenario.start)
    except UnsupportedError:
        return None


def _check_quick(
    scenario: Scenario, structure: Structure, until: float, rest: Floats | None
) -> None:
    """Refuses what would take long though nobody asked for it."""
    reached = reach(structure, scenario.start.tolist())
    if reached.states is not None and reached.states > _QUICK_STATES:
        raise InputError(
            f"a snapshot at a time needs the Markov chain on {reached.states:,} states; following "
            "it takes long, and is done where the last time is given (--until)"
        )
    events = until * _busiest(scenario, rest)
    small = reached.states is not None and reached.states <= squaring.MAX_STATES
    if events > (_QUICK_EVENTS_IF_SMALL if small else _QUICK_EVENTS):
        raise InputError(
            f"by time {until:g}, when the team has settled, its fast reactions have happened some "
            f"{events:.0e} times; following them takes long, and is done where the last time is "
            "given (--until)"
        )


def _busiest(scenario: Scenario, rest: Floats | None) -> float:
    """About how many events there are in a unit of time, at the start or at rest."""
    network, start = scenario.network, scenario.start.astype(float)
    states = [start] if rest is None else [start, rest]
    return max(
        float(network.rate_constants @ np.prod(x**network.reactants, axis=1)) for x in states
    )


def horizon(scenario: Scenario, rest: Floats | None) -> float:
    """A time by which the team has settled at `rest`, or by which the adversary has looked."""
    at = scenario.adversary.at
    if at != "steady" and at > 0:
        return _round(1.5 * at)
    if rest is None:
        raise UnsupportedError(
            "the mean field does not come to rest, so that no time is long enough by itself: give "
            "the last time (--until)"
        )
    first, last = (
        np.abs(np.linalg.eigvals(jacobian(scenario.network, x)).real)
        for x in (scenario.start.astype(float), rest)
    )
    fastest = float(max(first.max(), last.max()))
    moving = last[last > 1e-9 * fastest]
    if not moving.size:  # it creeps to its rest, or nothing moves
        raise UnsupportedError(
            "how long the team takes to settle is not known: give the last time (--until)"
        )
    return _round(_RELAXATIONS / float(moving.min()))


def _round(value: float) -> float:
    """Two digits."""
    return float(f"{value:.1e}")
