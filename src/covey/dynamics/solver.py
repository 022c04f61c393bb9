"""The solver: one prepared problem a network, which everything that needs a distribution asks.

    plan           which method will answer, on how many states, and why, without computing it
    distributions  the same, and the answer: it does what the plan says

The methods are in `methods`, a file each; `planner` has their order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from covey.dynamics import planner
from covey.dynamics.distribution import Distribution
from covey.dynamics.methods.method import Plan, Problem
from covey.dynamics.prepared_network import PreparedNetwork
from covey.dynamics.validation import Progress, check_start, check_time
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.numbers import Ints


class Solver(PreparedNetwork):
    """The distributions of any team of one network.

    Args:
        network: The network.
        limits: How to compute: which method, on how many states, to which tolerance.
    """

    def plan(self, start: Sequence[int] | Ints, at: Moment, query: Query | None = None) -> Plan:
        """How the distribution of a start at a moment will be computed.

        Args:
            start: How many there are of each species.
            at: A time, or "steady".
            query: What is seen; by default everything.
        """
        return planner.plan(self._problem(start, query), _checked(at))

    def distributions(
        self,
        start: Sequence[int] | Ints,
        at: Sequence[Moment],
        query: Query | None = None,
        *,
        progress: Progress | None = None,
    ) -> list[Distribution]:
        """What is seen at several moments, each in its place; times in one pass.

        Args:
            start: How many there are of each species.
            at: Times, or "steady".
            query: What is seen; by default everything.
            progress: Called as progress(done, total, text) while the work goes on.
        """
        problem = self._problem(start, query, progress)
        moments = [_checked(moment) for moment in at]
        in_order = sorted(set(moments), key=lambda at: math.inf if at == "steady" else at)
        found = planner.distributions(problem, in_order)
        return [found[moment] for moment in moments]

    def _problem(
        self,
        start: Sequence[int] | Ints,
        query: Query | None,
        progress: Progress | None = None,
    ) -> Problem:
        state, seen = check_start(self.network, start), query or Query()
        seen.check(self.network)
        return Problem(self, state, seen, progress)


def _checked(at: Moment) -> Moment:
    return at if at == "steady" else check_time(at)
