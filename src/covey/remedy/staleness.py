"""What a published value costs as time goes by: the truth moves on, and the value stays.

With Y_s what is there a time s after a publication,

    c(y, z) = (1/Δ) ∫₀^Δ E[loss(Y_s, z) | Y_0 = y] ds

is what a reader loses who takes z for the truth at every moment until the next publication, Δ
later. It is a loss like any other, so that the program of `program` can find the table that costs
least by it; such a table does not publish the truth even where nothing is to be hidden, but what
will be nearest to it meanwhile.

The joint law of Y_0 and Y_s, of a team that has settled, is known at some lags; the integral is by
straight lines between them: an approximation, of a cost and not of a promise.
"""

from __future__ import annotations

import numpy as np

from covey.dynamics import squaring
from covey.dynamics.engine import Engine
from covey.dynamics.joint_law import Filter
from covey.dynamics.step_matrix import step_matrix
from covey.errors import TooLargeError
from covey.model.scenario import Scenario
from covey.numbers import Ints
from covey.remedy.losses import Loss, losses_of

Outcome = tuple[int, ...]

_LAGS = 48


class Staleness:
    """The joint laws of what is there now and later, of a team that has settled.

    Args:
        engine: For the scenario's network.
        scenario: The team, and what is seen of it.
        shortest: The shortest time between publications that will be asked for.
        longest: And the longest.
    """

    def __init__(self, engine: Engine, scenario: Scenario, shortest: float, longest: float) -> None:
        chain = Filter(engine, scenario.start, scenario.query, None)
        if len(chain.look) > squaring.MAX_STATES:
            raise TooLargeError(
                f"the team has {len(chain.look):,} states, and how a published value ages is "
                f"followed on {squaring.MAX_STATES:,}: take a smaller team",
                states=len(chain.look),
            )
        self.names, self.outcomes = chain.names, chain.observations
        law = chain.first_law(settled=True).law
        shown = np.zeros((len(self.outcomes), len(law)))
        shown[chain.look, np.arange(len(law))] = 1.0
        self.lags = np.concatenate([[0.0], np.geomspace(shortest / 8, longest, _LAGS)])
        found = []
        for lag in self.lags.tolist():
            step = step_matrix(chain.generator, lag)
            if step is None:
                raise TooLargeError(
                    f"a lag of {lag:g} takes the team through too many events to be followed"
                )
            found.append((shown * law) @ step.matrix @ shown.T)
        self.joint = np.array(found)  # (lags, outcomes now, outcomes later)

    def aged(self, loss: Loss, every: float, outcomes: Ints) -> dict[Outcome, dict[Outcome, float]]:
        """What it costs to publish z where y is there now, on average until the next time.

        As a table of losses among `outcomes`; where the team cannot be at y now, the loss now.
        """
        inside = self.lags < every
        lags = np.append(self.lags[inside], every)
        last = int(inside.sum())
        share = (every - self.lags[last - 1]) / (self.lags[last] - self.lags[last - 1])
        between = (1 - share) * self.joint[last - 1] + share * self.joint[last]
        joints = np.concatenate([self.joint[:last], between[None]])
        middles = (joints[1:] + joints[:-1]) / 2
        later = np.tensordot(np.diff(lags), middles, axes=1) / every  # (now, on average later)
        costs = losses_of(loss, self.names, self.outcomes, outcomes)
        mean = later @ costs / later.sum(axis=1, keepdims=True)
        known = {tuple(row): cost for row, cost in zip(self.outcomes.tolist(), mean, strict=True)}
        now = losses_of(loss, self.names, outcomes, outcomes)
        rows = [tuple(row) for row in outcomes.tolist()]
        return {
            y: dict(zip(rows, known.get(y, now[i]).tolist(), strict=True))
            for i, y in enumerate(rows)
        }
