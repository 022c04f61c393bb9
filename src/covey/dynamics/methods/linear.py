"""Robots that move independently: the sum over them, at a time or steady (`monomolecular`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from covey.dynamics.distribution import Distribution
from covey.dynamics.methods.method import Method, Plan, Problem, Refused
from covey.errors import UnsupportedError
from covey.model.observation.adversary import Moment

FEW_STATES = 5_000  # so few are solved as a chain, also where robots move independently


@dataclass(frozen=True)
class LinearMethod(Method):
    """A convolution over the robots; of `every_outcome`, or within windows where those are many."""

    name = "linear"
    every_outcome: bool = False

    def plan(self, problem: Problem, at: Moment, refused: Refused) -> Plan:
        """By the sums, unless the chain is small."""
        form, states = problem.prepared.linear, problem.reached.states
        if problem.limits.method is None and states is not None and states <= FEW_STATES:
            raise UnsupportedError("there are few states: the chain on them is quick")
        if isinstance(form, UnsupportedError):
            raise form
        tolerance = problem.limits.tolerance_of(self.name)
        prepared = form.prepare(problem.start, at, problem.query, tolerance)
        if self.every_outcome and not prepared.whole:
            raise UnsupportedError("there are too many outcomes to compute every one")
        return Plan(at, self.name, prepared.why, states, prepared=prepared)

    def compute(self, problem: Problem, plans: Sequence[Plan]) -> list[Distribution]:
        """Each of the sums."""
        return [plan.prepared.distribution() for plan in plans]
