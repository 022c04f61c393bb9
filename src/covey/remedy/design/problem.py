"""What is asked of a design, as one value: what may change, what for, and how far to search."""

from __future__ import annotations

from dataclasses import dataclass

from covey.model.io.scenario_file import dumps
from covey.model.scenario import Scenario
from covey.remedy.design.objective import Objective
from covey.remedy.design.tasks import Budget
from covey.remedy.design.variables import Variable


@dataclass(frozen=True)
class DesignProblem:
    """A setting that is looked for.

    Args:
        scenario: The team as it is.
        variables: What may change, and in which range.
        objective: What to make small or large, and what has to hold.
        budgets: What counts may cost together.
        starts: From how many places to search.
        seed: Where those are.
        front: At how many floors designs are asked for, besides; 0 for none.
    """

    scenario: Scenario
    variables: tuple[Variable, ...]
    objective: Objective
    budgets: tuple[Budget, ...]
    starts: int
    seed: int
    front: int

    def job(self) -> dict[str, object]:
        """What a journal has to be of."""
        table, objective = self.scenario.release.mechanism, self.objective
        return {
            "scenario": dumps(self.scenario.unpublished()),
            "mechanism": None if table is None else table.digest,
            "vary": [[v.name, v.low, v.high, v.kind, list(v.listed)] for v in self.variables],
            "aims": [
                objective.minimise,
                objective.maximise,
                dict(objective.floors),
                dict(objective.caps),
                objective.delta,
                *(measure.identity for measure in objective.also),
            ],
            "within": [[list(map(list, budget.prices)), budget.most] for budget in self.budgets],
            "starts": self.starts,
            "seed": self.seed,
            "front": self.front,
        }
