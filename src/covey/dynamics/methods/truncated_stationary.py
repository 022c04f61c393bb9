"""Steady, on states that carry the probability, with a proof about all others (`ergodicity`)."""

from __future__ import annotations

from collections.abc import Sequence

from covey.dynamics.distribution import Distribution
from covey.dynamics.ergodicity.certificate import ANOTHER_QUESTION
from covey.dynamics.methods.method import Method, Plan, Problem, Refused, no_closed_form
from covey.errors import CoveyError, NoStationaryDistributionError, TooLargeError
from covey.model.network import Network
from covey.model.observation.adversary import Moment
from covey.model.structure.reachability import Reach


class TruncatedStationaryMethod(Method):
    """A truncation of the states, once it is proved that there is a steady state at all."""

    name = "window"

    def plan(self, problem: Problem, at: Moment, refused: Refused) -> Plan:
        """Where the proof is found; only the computation shows whether enough states fit."""
        _check_leaves(problem.prepared.network, problem.reached)
        try:
            proof = problem.prepared.ergodicity(problem.start)
        except CoveyError as error:
            raise _unproved(problem, error, refused) from None
        return Plan(
            at, self.name, f"{problem.how_many}; {proof.why}", problem.reached.states, False,
            tolerance=problem.limits.tolerance_of(self.name), prepared=proof,
        )  # fmt: skip

    def compute(self, problem: Problem, plans: Sequence[Plan]) -> list[Distribution]:
        """What is seen, but for what was left out."""
        (plan,) = plans
        most = problem.prepared.truncation_states
        return [
            plan.prepared.distribution(
                problem.query, plan.why, plan.tolerance, most, problem.progress
            )
        ]


def _check_leaves(network: Network, reached: Reach) -> None:
    """That there is no steady state, where what grows is never taken away."""
    grows = reached.grows
    if grows is None or any(reaction.change().get(grows, 0) < 0 for reaction in network.reactions):
        return
    raise NoStationaryDistributionError(
        f"there is no steady state: {reached.why}, and no reaction takes any away. Add one that "
        f"does, or leave out what brings it. {ANOTHER_QUESTION}"
    )


def _unproved(problem: Problem, error: CoveyError, refused: Refused) -> CoveyError:
    """Why there is no answer without a proof, and what to do."""
    reached, listed = problem.reached, refused.get("stationary")
    if reached.grows is not None:
        return error.saying(f"infinitely many states ({reached.why}): {error.message}")
    if problem.limits.method is not None:
        return error
    why = f" ({no_closed_form(refused)}; {error.message})"
    if isinstance(listed, TooLargeError):  # they were listed until they did not fit
        return listed.saying(f"{listed.message}{why}")
    return problem.prepared.refusal(problem.start, why)
