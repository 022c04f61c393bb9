"""The distribution of what is seen, for one question: a solver is prepared, asked, and dropped."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from covey.dynamics.distribution import Distribution
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress, check_start
from covey.model.network import Network
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.model.scenario import Scenario


def distribution(
    scenario: Scenario,
    at: Moment | None = None,
    *,
    states: bool = False,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Distribution:
    """P(y) for a scenario's team: of every observation, or of every state.

    Args:
        scenario: The team, its network, and what is seen of it.
        at: A time, or "steady"; by default when the adversary looks.
        states: Whether every state is an outcome, instead of what the query shows of it.
        limits: How to compute: which method, on how many states, to which tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    (observed,) = solve(
        scenario.network,
        scenario.start,
        [scenario.adversary.at if at is None else at],
        query=Query() if states else scenario.query,
        limits=limits,
        progress=progress,
    )
    return observed


def solve(
    network: Network,
    start: ArrayLike,
    at: Sequence[Moment],
    *,
    query: Query | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> list[Distribution]:
    """The distributions at several moments, each in its place; times in one pass.

    Args:
        network: The network.
        start: How many there are of each species, in the order of `network.species`.
        at: Times, or "steady".
        query: What is seen; by default everything.
        limits: How to compute: which method, on how many states, to which tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    solver = Solver(network, limits)
    return solver.distributions(check_start(network, start), at, query, progress=progress)
