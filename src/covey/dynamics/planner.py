"""Plans: which method will answer a question, on how many states, and why.

Methods are gone through in the order of their merit, and the first that can is the plan; where it
turns out in computing that it cannot, the next one is. Whatever will be refused is refused here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from covey.dynamics.distribution import Distribution
from covey.dynamics.limits import MethodName
from covey.dynamics.methods.linear import LinearMethod
from covey.dynamics.methods.method import GaveUpError, Method, Plan, Problem, Refused
from covey.dynamics.methods.product_form import ProductFormMethod
from covey.dynamics.methods.projection import ProjectionMethod
from covey.dynamics.methods.stationary import StationaryMethod
from covey.dynamics.methods.timetable import TimetableMethod
from covey.dynamics.methods.transient import TransientMethod
from covey.dynamics.methods.truncated_stationary import TruncatedStationaryMethod
from covey.errors import CoveyError, TooLargeError, UnsupportedError
from covey.model.observation.adversary import Moment

# Where the closed forms both know every outcome the first one is quicker.
STEADY: tuple[Method, ...] = (
    LinearMethod(every_outcome=True),
    ProductFormMethod(),
    LinearMethod(),
    StationaryMethod(),
    TruncatedStationaryMethod(),
)
AT_A_TIME: tuple[Method, ...] = (LinearMethod(), TransientMethod(), ProjectionMethod())
UNDER_A_TIMETABLE: tuple[Method, ...] = (TimetableMethod(),)  # the others are for constant rates

_NONE: Refused = {}
_BY_NAME = {method.name: method for method in (*STEADY, *AT_A_TIME, *UNDER_A_TIMETABLE)}


def plan(problem: Problem, at: Moment, failed: Refused = _NONE) -> Plan:
    """By the first method that can; those that have `failed` in computing cannot."""
    asked = problem.limits.method
    refused: dict[MethodName, CoveyError] = {}
    timed = bool(problem.prepared.network.timetable)
    error: CoveyError | None = None
    methods = STEADY if at == "steady" else AT_A_TIME
    for method in UNDER_A_TIMETABLE if timed else methods:
        if asked not in (None, method.name):
            continue
        try:
            if method.name in failed:
                raise failed[method.name]
            return method.plan(problem, at, refused)
        except CoveyError as reason:
            refused[method.name] = error = reason
    error = _advised(problem, at, error or _another_moment(problem, at, timed), failed)
    return Plan(at, None, error.message, problem.reached.states, refusal=error)


def distributions(
    problem: Problem, moments: Sequence[Moment], failed: Refused = _NONE
) -> dict[Moment, Distribution]:
    """What is planned for every moment, done; times in one pass."""
    plans = [plan(problem, at, failed) for at in moments]
    for one in plans:
        if one.refusal is not None:
            raise one.refusal
    found: dict[Moment, Distribution] = {}
    for name in dict.fromkeys(one.method for one in plans if one.method is not None):
        same = [one for one in plans if one.method == name]
        times = [one.at for one in same]
        try:
            found |= zip(times, _BY_NAME[name].compute(problem, same), strict=True)
        except GaveUpError as error:
            found |= distributions(problem, times, {**failed, name: error.reason})
    return found


def hardest(plans: Sequence[Plan]) -> Plan:
    """Of the plans for a team and its neighbours, the one that promises least."""
    return max(
        plans,
        key=lambda one: (one.method is None, not one.certain, one.tolerance, one.states or 0),
    )


def _advised(problem: Problem, at: Moment, error: CoveyError, failed: Refused) -> CoveyError:
    """The refusal with what answers instead, which was asked whether it does."""
    if problem.limits.method is None:
        if at == "steady" and isinstance(error, TooLargeError):
            return error.saying(f"{error.message}. {_instead(problem)}")
        return error
    free = plan(replace(problem, prepared=problem.prepared.by_any_method()), at, failed)
    if free.refusal is None:
        advice = "Leave the method out"
        if not free.certain:
            advice += f". Should the states not fit, {_instead(problem)}"
        return error.saying(f"{error.message}. {advice}")
    if free.refusal.message.startswith(error.message):
        return free.refusal
    return free.refusal.saying(f"{error.message}. Without the method: {free.refusal.message}")


def _instead(problem: Problem) -> str:
    """What answers for a team of any size, where no distribution can be had."""
    said = "covey audit simulates what is given away by a team of any size (a lower bound)"
    if problem.reached.grows is not None:  # those of the start have left by the steady state
        return f"at a time, {said}"
    network = problem.prepared.network
    if not network.has_rate_laws and not network.timetable:  # a mean field that can be followed
        said += ", covey stream approximates it, for one snapshot or many"
    return f"{said}, and covey protect finds a stand-in to publish, which gives nothing away"


def _another_moment(problem: Problem, at: Moment, timed: bool) -> UnsupportedError:
    """That a method was asked for which does not answer at this moment, or under a timetable."""
    asked = problem.limits.method
    if timed:
        return UnsupportedError(f'the method "{asked}" is for constant rates: there is a timetable')
    if asked == "timetable":
        return UnsupportedError("no timetable is given ([[phase]])")
    if at == "steady":
        return UnsupportedError(
            f'the method "{asked}" answers only at a time, not for the steady state'
        )
    return UnsupportedError(
        f'the method "{asked}" answers only for the steady state (at = "steady"), not at {at:g}'
    )
