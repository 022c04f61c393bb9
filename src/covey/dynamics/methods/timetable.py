"""Where rates follow a timetable: from phase to phase, and periodic steady states (`phases`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.methods.method import ASKED, Method, Plan, Problem, Refused
from covey.dynamics.phases import MOST_PERIODIC, PhaseChains
from covey.errors import TooLargeError, UnsupportedError
from covey.model.observation.adversary import Moment


class TimetableMethod(Method):
    """The chain on every state, phase after phase."""

    name = "timetable"

    def plan(self, problem: Problem, at: Moment, refused: Refused) -> Plan:
        """Where every state fits; a periodic steady state needs the matrix of a whole period."""
        timetable = problem.prepared.network.timetable
        if problem.too_many:
            raise problem.prepared.refusal(problem.start)
        if at == "steady":
            if timetable.period is None:
                raise UnsupportedError(
                    "a timetable that does not repeat has no steady state: ask at a time, or say "
                    "after which time it begins again, as [time] period = 1440"
                )
            if problem.reached.at_least > MOST_PERIODIC:
                raise TooLargeError(
                    f"a periodic steady state is found on at most {MOST_PERIODIC:,} states, and "
                    f"there are {problem.reached.at_least:,}: ask at a time some periods after the "
                    "start",
                    states=problem.reached.at_least,
                )
        asked = problem.limits.method is not None
        why = ASKED if asked else f"rates follow a timetable of {len(timetable.phases)} phases"
        return Plan(at, self.name, why, problem.reached.states, problem.certainly_fits)

    def compute(self, problem: Problem, plans: Sequence[Plan]) -> list[Distribution]:
        """What is seen at every moment, in the order of time."""
        walk = PhaseChains(problem.prepared, problem.start, problem.progress)
        found = []
        for plan in plans:
            chain = walk.chain
            if plan.at == "steady":
                distribution, error = walk.periodic()
                possible = distribution > 0
            else:
                distribution, error = walk.at(float(plan.at))
                possible = chain.possible(float(plan.at))
            with np.errstate(divide="ignore"):
                logs = np.log(distribution)
            found.append(
                chain.distribution(problem.query, logs, possible, error, (self.name, plan.why))
            )
        return found
