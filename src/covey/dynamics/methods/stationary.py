"""Steady, the limit of the chain on every reachable state (`stationary`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from covey.dynamics.chain import Chain
from covey.dynamics.distribution import Distribution
from covey.dynamics.methods.method import Method, Plan, Problem, Refused, no_closed_form
from covey.dynamics.stationary.limit import StationaryResult
from covey.errors import UnsupportedError
from covey.model.observation.adversary import Moment

_MOST_CLASSES = 3  # named in words


class StationaryMethod(Method):
    """K p = 0, or where the chain ends."""

    name = "stationary"

    def plan(self, problem: Problem, at: Moment, refused: Refused) -> Plan:
        """Where every state fits."""
        why, reached = no_closed_form(refused), problem.reached
        if problem.too_many:
            if problem.limits.method is None:
                raise UnsupportedError("the states do not fit in memory")
            if reached.grows is None:
                raise problem.prepared.refusal(problem.start)
            raise UnsupportedError(
                f'infinitely many states ({reached.why}): the method "stationary" lists every state'
            )
        return Plan(at, self.name, why, reached.states, problem.certainly_fits)

    def compute(self, problem: Problem, plans: Sequence[Plan]) -> list[Distribution]:
        """What is seen in the end."""
        (plan,) = plans
        chain = problem.chain()
        result = chain.stationary(problem.progress)
        why = _where_it_ends(chain, result) if len(result.classes) > 1 else plan.why
        logs, how = result.log_probabilities, (self.name, why)
        return [chain.distribution(problem.query, logs, np.isfinite(logs), result.log_error, how)]


def _where_it_ends(chain: Chain, result: StationaryResult) -> str:
    """Where a chain with several closed classes ends, each named by a state of it."""
    names = [str(species) for species in chain.network.species]
    order = np.argsort(-result.weights)
    parts = []
    for c in order[:_MOST_CLASSES]:
        members = result.classes[c]
        state = chain.lattice.states[members[0]]
        shown = ", ".join(f"{n} {name}" for n, name in zip(state, names, strict=True) if n)
        size = "" if len(members) == 1 else f" and {len(members) - 1:,} other states"
        parts.append(f"at {shown or 'nothing'}{size} with probability {result.weights[c]:.4g}")
    more = len(order) - _MOST_CLASSES
    return (
        f"the team ends in one of {len(order)} closed classes: "
        + "; ".join(parts)
        + (f"; and {more} more" if more > 0 else "")
    )
