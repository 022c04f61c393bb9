"""Plans: which method will answer a question, on how many states, and why.

Nothing is computed here but sizes and proofs; whatever will be refused is refused here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from covey.dynamics.ergodicity.certificate import ANOTHER_QUESTION
from covey.dynamics.limits import STEADY_METHODS, TIME_METHODS, Method
from covey.dynamics.monomolecular.closed_form import PreparedSum
from covey.dynamics.product_form.elimination.convolve import TooSlowError
from covey.dynamics.product_form.product_form import Prepared, ProductForm
from covey.errors import CoveyError, NoStationaryLawError, TooLargeError, UnsupportedError
from covey.model.adversary import Moment
from covey.model.network import Network
from covey.model.query import Query
from covey.model.structure.reachability import Reach
from covey.numbers import Ints

if TYPE_CHECKING:
    from covey.dynamics.solver import Solver

ADVICE = "Take a smaller team"
LEAVE_OUT = "Leave the method out"
FEW_STATES = 5_000  # so few are solved as a chain, also where robots move independently
_QUICK = 1e7  # rows that a sum over every outcome may write: some seconds


@dataclass(frozen=True)
class Plan:
    """How a law will be computed, or why it will not be.

    Attributes:
        at: For which moment.
        method: By which method; None where the question is refused.
        why: Why by this one, or why not at all.
        states: How many states the Markov chain has, where they are counted.
        certain: False where only the computation can show whether the states, or the tables, fit
            in memory.
        refusal: The error that `Solver.laws` raises, where the question is refused.
        tolerance: The probability that may be left out; 0 where every outcome is computed.
    """

    at: Moment
    method: Method | None
    why: str
    states: int | None
    certain: bool = True
    refusal: CoveyError | None = None
    tolerance: float = 0.0


def hardest(plans: list[Plan]) -> Plan:
    """Of the plans for a team and its neighbours, the one that promises least."""
    return max(
        plans,
        key=lambda plan: (plan.method is None, not plan.certain, plan.tolerance, plan.states or 0),
    )


def plan_time(
    solver: Solver, start: Ints, at: float, query: Query
) -> tuple[Plan, PreparedSum | None]:
    """How the law at a time will be computed, and the sum where robots move independently."""
    asked, reached = solver.limits.method, solver.reach(start)
    if asked == "linear" or (asked is None and not _few(reached)):
        plan, prepared = plan_linear(solver, start, at, query)
        if prepared is not None or asked is not None:
            return plan, prepared
    return _plan_chain(solver, reached, start, at), None


def plan_linear(
    solver: Solver, start: Ints, at: Moment, query: Query
) -> tuple[Plan, PreparedSum | None]:
    """How the law of robots that move independently will be computed, or why it will not."""
    reached = solver.reach(start)
    try:
        if isinstance(solver.linear, UnsupportedError):
            raise solver.linear
        prepared = solver.linear.prepare(start, at, query, solver.limits.tolerance_of("linear"))
    except CoveyError as refusal:
        return _refused(at, reached, refusal), None
    return Plan(at, "linear", prepared.why, reached.states), prepared


def _few(reached: Reach) -> bool:
    """Whether there are so few states that the chain on them is quick."""
    return reached.states is not None and reached.states <= FEW_STATES


def _plan_chain(solver: Solver, reached: Reach, start: Ints, at: float) -> Plan:
    """How the law at a time will be computed from states."""
    asked = solver.limits.method
    if asked in STEADY_METHODS:
        return _refused(at, reached, UnsupportedError(
            f'the method "{asked}" answers only for the steady state, not at {at:g}: leave the '
            'method out, or ask for at = "steady"'
        ))  # fmt: skip
    too_many = reached.grows is not None or solver.too_many(start)
    if asked == "transient":
        if too_many:
            return _refused(at, reached, solver.refusal(start, advice=LEAVE_OUT))
        return Plan(at, "transient", "asked for", reached.states, _fits(solver, reached))
    if asked == "projection" or too_many:
        why = "asked for"
        if reached.grows is not None:
            why = f"infinitely many states: {reached.why}"
        elif asked is None:
            why = f"{reached.at_least:,} states or more do not fit in memory"
        allowed = solver.limits.tolerance_of("projection")
        return Plan(at, "projection", why, reached.states, certain=False, tolerance=allowed)
    why = "every reachable state fits in memory"
    return Plan(at, "transient", why, reached.states, _fits(solver, reached))


def plan_steady(
    solver: Solver, start: Ints, query: Query
) -> tuple[Plan, Prepared | PreparedSum | None]:
    """The plan, and the sums of the closed form where that is the method."""
    asked, reached = solver.limits.method, solver.reach(start)
    if asked in TIME_METHODS:
        error: CoveyError = UnsupportedError(
            f'the method "{asked}" answers only at a time, not for the steady state: '
            "leave the method out"
        )
        return _refused("steady", reached, error), None
    why_not = "asked for"
    linear: tuple[Plan, PreparedSum | None] | None = None
    if asked == "linear" or (asked is None and not _few(reached)):
        linear = plan_linear(solver, start, "steady", query)
        # Where both know every outcome this is the quicker one.
        if asked == "linear" or (linear[1] is not None and linear[1].whole):
            return linear
    if asked not in ("stationary", "window"):
        try:
            if isinstance(solver.closed_form, UnsupportedError):
                raise solver.closed_form
            prepared, allowed = _closed_form(solver, solver.closed_form, start, query)
        except (UnsupportedError, TooLargeError) as refusal:
            if asked == "product-form":
                return _refused("steady", reached, refusal), None
            why_not = f"no closed form: {refusal.message}"
        else:
            why = "complex-balanced: the steady state has a closed form"
            why = why if asked is None else "asked for"
            if allowed:
                why += f", followed for all but {allowed:.2g} of the probability"
            certain = prepared.certain
            plan = Plan("steady", "product-form", why, reached.states, certain, tolerance=allowed)
            return plan, prepared
    if linear is not None and linear[1] is not None:
        return linear
    return plan_stationary(solver, start, why_not), None


def _closed_form(
    solver: Solver, form: ProductForm, start: Ints, query: Query
) -> tuple[Prepared, float]:
    """The sums of the closed form, and which probability they may leave out.

    Every outcome, where that takes seconds; else all but a tolerance; and where that cannot be
    had, every outcome as long as it may take.
    """
    try:
        return form.prepare(start, query, max_written=_QUICK), 0.0
    except TooLargeError as error:
        whole = error
    allowed = solver.limits.tolerance_of("product-form")
    try:
        return form.prepare(start, query, tolerance=allowed), allowed
    except (TooLargeError, UnsupportedError) as error:
        if isinstance(whole, TooSlowError):
            return form.prepare(start, query), 0.0
        raise (error if isinstance(error, TooLargeError) else whole) from None


def plan_stationary(solver: Solver, start: Ints, why: str) -> Plan:
    """How the steady state will be computed without a closed form, and `why` without one."""
    reached, asked = solver.reach(start), solver.limits.method
    endless = reached.grows is not None
    too_many = endless or solver.too_many(start)
    if asked == "window" or (too_many and asked is None):
        return plan_window(solver, start, why)
    if endless:
        error: CoveyError = UnsupportedError(
            f'infinitely many states ({reached.why}): the method "stationary" lists every state. '
            "Leave the method out"
        )
        return _refused("steady", reached, error)
    if too_many:
        return _refused("steady", reached, solver.refusal(start, f" ({why})"))
    return Plan("steady", "stationary", why, reached.states, _fits(solver, reached))


def plan_window(solver: Solver, start: Ints, why: str) -> Plan:
    """How the steady state will be computed on a part of the states; `why` without a closed form.

    Whether there is one at all is shown here; it is refused where it is not.
    """
    reached = solver.reach(start)
    if reached.grows is not None and (refusal := _never_leaves(solver.network, reached)):
        return _refused("steady", reached, refusal)
    try:
        settled = solver.settled(start)
    except CoveyError as error:
        if reached.grows is None and not solver.too_many(start):
            why = f"{error.message}. Leave the method out: every reachable state fits in memory"
            return _refused("steady", reached, error.saying(why))
        if reached.grows is None:  # finitely many, or not known
            return _refused("steady", reached, solver.refusal(start, f" ({why}; {error.message})"))
        endless = error.saying(f"infinitely many states ({reached.why}): {error.message}")
        return _refused("steady", reached, endless)
    if reached.grows is not None:
        many = f"infinitely many states: {reached.why}"
    elif solver.limits.method == "window":
        many = "asked for"
    else:
        many = f"{reached.at_least:,} states or more do not fit in memory"
    allowed = solver.limits.tolerance_of("window")
    text = f"{many}; {settled.why}"
    return Plan("steady", "window", text, reached.states, certain=False, tolerance=allowed)


def _never_leaves(network: Network, reached: Reach) -> CoveyError | None:
    """That there is no steady state, where what grows is never taken away."""
    grows = reached.grows
    if grows is None or any(reaction.change().get(grows, 0) < 0 for reaction in network.reactions):
        return None
    return NoStationaryLawError(
        f"there is no steady state: {reached.why}, and no reaction takes any away. Add one that "
        f"does, or leave out what brings it. {ANOTHER_QUESTION}"
    )


def _fits(solver: Solver, reached: Reach) -> bool:
    """Whether it is certain that the states fit, folded or not."""
    return reached.states is not None and reached.states <= solver.max_states


def _refused(at: Moment, reached: Reach, error: CoveyError) -> Plan:
    return Plan(at, None, error.message, reached.states, refusal=error)
