"""At a time, on the states that carry the probability: finite state projection (`projection`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.methods.method import Method, Plan, Problem, Refused
from covey.dynamics.projection.finite_state_projection import MAX_STATES, project_many
from covey.model.observation.adversary import Moment


class ProjectionMethod(Method):
    """As many states as the tolerance needs, for all times in one pass."""

    name = "projection"

    def plan(self, problem: Problem, at: Moment, refused: Refused) -> Plan:
        """It is always tried: only the computation shows whether enough states fit."""
        allowed = problem.limits.tolerance_of(self.name)
        known = problem.too_many or problem.limits.method is not None
        why = problem.how_many if known else "the states do not fit in memory"
        return Plan(at, self.name, why, problem.reached.states, False, tolerance=allowed)

    def compute(self, problem: Problem, plans: Sequence[Plan]) -> list[Distribution]:
        """What is seen at every time, but for what was left out."""
        network = problem.prepared.network
        names = [str(species) for species in network.species]
        projections = project_many(
            network,
            problem.start,
            [float(plan.at) for plan in plans],
            tolerance=problem.limits.tolerance_of(self.name),
            max_states=min(problem.prepared.max_states, MAX_STATES),
            progress=problem.progress,
        )
        found = []
        for plan, projection in zip(plans, projections, strict=True):
            with np.errstate(divide="ignore"):
                logs = np.log(projection.probabilities)
            whole = Distribution.merge(
                names, projection.states, logs,
                log_error=0.0, truncated_mass=projection.truncated_mass,
                method=self.name, why=plan.why, states=len(projection),
            )  # fmt: skip
            found.append(whole.observe(problem.query))
        return found
