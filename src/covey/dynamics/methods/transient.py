"""At a time, by uniformisation on every reachable state (`ctmc`)."""

from __future__ import annotations

from collections.abc import Sequence

from covey.dynamics.distribution import Distribution
from covey.dynamics.methods.method import ASKED, Method, Plan, Problem, Refused
from covey.errors import UnsupportedError
from covey.model.observation.adversary import Moment


class TransientMethod(Method):
    """The chain on every state, followed to all times in one pass."""

    name = "transient"

    def plan(self, problem: Problem, at: Moment, refused: Refused) -> Plan:
        """Where every state fits."""
        asked = problem.limits.method is not None
        if problem.too_many:
            if asked:
                raise problem.prepared.refusal(problem.start, advice="")
            raise UnsupportedError("the states do not fit in memory")
        why = ASKED if asked else "every reachable state fits in memory"
        fits = problem.certainly_fits
        return Plan(at, self.name, why, problem.reached.states, fits)

    def compute(self, problem: Problem, plans: Sequence[Plan]) -> list[Distribution]:
        """What is seen at every time."""
        chain = problem.chain()
        times = [float(plan.at) for plan in plans]
        result = chain.at(times, problem.progress)
        return [
            chain.distribution(
                problem.query,
                result.log_probabilities[i],
                chain.possible(time),
                float(result.log_error[i]),
                (self.name, plans[i].why),
            )
            for i, time in enumerate(times)
        ]
