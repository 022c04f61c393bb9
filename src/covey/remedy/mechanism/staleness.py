"""What a published value costs as time goes by: the truth moves on, and the value stays.

With Y_s what is there a time s after a publication,

    c(y, z) = (1/Δ) ∫₀^Δ E[loss(Y_s, z) | Y_0 = y] ds

is what a reader loses who takes z for the truth at every moment until the next publication, Δ
later. It is a loss like any other, so that `linear_program` can find the table that costs
least by it; such a table does not publish the truth even where nothing is to be hidden, but what
will be nearest to it meanwhile.

With a memory the value is held while the truth is near it, so that the state X and the last value Z
have to be followed together, from one publication to the next; what its reader loses is

    (1/n) Σ_i Σ_{x,z} P(X_i = x, Z_i = z) c(x, z),      c(x, z) as above, given X_0 = x.

Means until Δ are integrals by straight lines between some lags: an approximation, of a cost and not
of a promise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from covey.dynamics.ctmc.propagator import MAX_STATES, propagator
from covey.dynamics.hmm.joint_distribution import Filter
from covey.dynamics.solver import Solver
from covey.errors import TooLargeError
from covey.model.observation.release_table import ReleaseTable
from covey.model.scenario import Scenario
from covey.numbers import Floats, Ints
from covey.remedy.mechanism.losses import Loss, losses_of

Outcome = tuple[int, ...]

_LAGS = 48
_SETTLED = 1e-7  # by so little the loss changes from one publication to the next


class Staleness:
    """What is there on average until the next publication, of a team that has settled.

    Args:
        solver: For the scenario's network.
        scenario: The team, and what is seen of it.
        everies: The times between publications that will be asked for.
    """

    def __init__(self, solver: Solver, scenario: Scenario, everies: Sequence[float]) -> None:
        check_few(solver, scenario)
        chain = Filter(solver, scenario.start, scenario.query, None)
        self._chain = chain
        self.names, self.outcomes = chain.names, chain.observations
        self.distribution = chain.first_distribution(stationary=True).distribution
        self._shows = np.zeros((len(self.distribution), len(self.outcomes)))
        self._shows[np.arange(len(self.distribution)), chain.look] = 1.0
        # (states, outcomes): from a state, what is there on average until then
        self._later: dict[float, Floats] = {}
        moves = float(self.distribution @ chain.generator.exits)  # in a unit of time; maybe none
        first = min(*everies, 1 / max(moves, 1e-300)) / 8
        grid = np.geomspace(first, max(everies), _LAGS)
        before, seen, total = 0.0, self._shows, np.zeros_like(self._shows)
        for lag in sorted({*grid.tolist(), *everies}):
            now = self._step(lag) @ self._shows
            total += (lag - before) * (seen + now) / 2
            before, seen = lag, now
            if lag in everies:
                self._later[lag] = total / lag

    def aged(self, loss: Loss, every: float, outcomes: Ints) -> dict[Outcome, dict[Outcome, float]]:
        """What it costs to publish z where y is there now, on average until the next time.

        As a table of losses among `outcomes`; where the team cannot be at y now, the loss now.
        """
        costs = losses_of(loss, self.names, self.outcomes, outcomes)
        chances = (self._shows * self.distribution[:, None]).T  # (outcomes, states)
        mean = chances @ self._later[every] @ costs / chances.sum(axis=1, keepdims=True)
        known = {tuple(row): cost for row, cost in zip(self.outcomes.tolist(), mean, strict=True)}
        now = losses_of(loss, self.names, outcomes, outcomes)
        rows = [tuple(row) for row in outcomes.tolist()]
        return {
            y: dict(zip(rows, known.get(y, now[i]).tolist(), strict=True))
            for i, y in enumerate(rows)
        }

    def cost(self, loss: Loss, every: float, table: ReleaseTable, count: int) -> float:
        """What the reader of so many publications through a table loses, its memory included."""
        costs = self._later[every] @ losses_of(loss, self.names, self.outcomes, table.published)
        rows, _ = table.rows_of(self.outcomes)
        fresh = self._shows @ (table.table / table.table.sum(axis=1, keepdims=True))[rows]
        held = (self._shows @ table.held(self.outcomes, table.published)) > 0
        step = self._step(every)
        joint = self.distribution[:, None] * fresh  # (states, published)
        total = last = float((joint * costs).sum())
        for done in range(1, count):
            moved = step.T @ joint
            kept = np.where(held, moved, 0.0)
            joint = kept + (moved - kept).sum(axis=1, keepdims=True) * fresh
            now = float((joint * costs).sum())
            if abs(now - last) <= _SETTLED * now:
                return (total + (count - done) * now) / count
            total, last = total + now, now
        return total / count

    def _step(self, lag: float) -> Floats:
        """From every state, the distribution so much later."""
        found = propagator(self._chain.generator, lag)
        if found is None:
            raise TooLargeError(
                f"a lag of {lag:g} takes the team through too many events to be followed"
            )
        return found.matrix


def check_few(solver: Solver, scenario: Scenario) -> None:
    """Refuses a team too large to follow how a published value ages, before anything is listed."""
    states = solver.reach(scenario.start).at_least
    if states > MAX_STATES:
        about = ",".join(
            f"{name}={float(f'{n:.1g}'):.0f}" for name, n in scenario.team.types.items()
        )
        raise TooLargeError(
            f"the team has {states:,} states or more, and how a published value ages is followed "
            f"on {MAX_STATES:,}. Publish a stand-in instead, which keeps to any target for a team "
            f"of any size: covey protect --stand-in {about}, or other counts that anybody would "
            "name",
            states=states,
        )
