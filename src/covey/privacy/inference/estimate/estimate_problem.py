"""What is asked of a watcher, as one value, and what comes of it: probabilities of hypotheses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from covey.dynamics.expected_measures import expected_measures
from covey.dynamics.hmm.hidden_markov import Schedule
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import CoveyError
from covey.model.scenario import Scenario
from covey.numbers import Floats
from covey.privacy.inference.estimate.credible import Quantity, within
from covey.privacy.inference.estimate.estimated import Estimated
from covey.privacy.inference.estimate.grid import Grid
from covey.privacy.stream.confidence import Bounded
from covey.privacy.stream.problem import Sampling


@dataclass(frozen=True, eq=False)
class EstimateProblem:
    """A watcher of a scenario, who weighs the hypotheses of a grid.

    Attributes:
        grid: The hypotheses; the scenario's own team is one of them.
        measures: Which measures of [performance] are estimated besides.
        looks: When somebody looks.
        level: The probability with which a number is to be known to within something.
        sampling: How paths are drawn.
    """

    grid: Grid
    measures: tuple[str, ...]
    looks: Schedule
    level: float
    sampling: Sampling

    def quantities(self, solver: Solver, progress: Progress | None = None) -> list[Quantity]:
        """The unknown numbers, and the measures, by what each hypothesis says of them."""
        grid = self.grid
        found = [
            Quantity(
                one.name,
                float(grid.scenario.numbers[one.name]),
                one.values,
                one.edges,
                grid.places[:, k],
            )
            for k, one in enumerate(grid.unknowns)
        ]
        if not self.measures:
            return found
        counts = all(one.is_count for one in grid.unknowns)
        rows = []
        for number in range(len(grid)):
            with about(grid, number):
                rows.append(self.measured(solver, grid.hypothesis(number), progress))
        for name, column in zip(self.measures, np.array(rows).T, strict=True):
            values, places = np.unique(column, return_inverse=True)
            edges = np.column_stack([values, values])
            if not counts:  # a value stands for what is half way to those beside it
                middle = (values[1:] + values[:-1]) / 2
                edges = np.column_stack([np.r_[values[0], middle], np.r_[middle, values[-1]]])
            truth = float(column[grid.truth])
            found.append(Quantity(name, truth, values, edges, places.ravel()))
        return found

    def before(self, quantity: Quantity) -> tuple[tuple[float, ...], float]:
        """How probable each value is before anything is seen, and how near the number is known."""
        prior = quantity.marginal(self.grid.prior[:, None])
        near = within(prior, quantity.edges, self.level)
        return tuple(prior[:, 0].tolist()), float(near[0])

    def nothing_learnt(self, quantity: Quantity) -> Estimated:
        """What is known of a number by whoever learns nothing."""
        prior, near = self.before(quantity)
        marks = len(self.looks.marks)
        chances = tuple(Bounded(chance, chance, chance) for chance in prior)
        return Estimated(
            quantity, prior, near, (Bounded(near, near, near),) * marks, (chances,) * marks
        )

    def measured(
        self, solver: Solver, scenario: Scenario, progress: Progress | None = None
    ) -> list[float]:
        """What each measure is in a scenario."""
        measures = {name: scenario.performance[name] for name in self.measures}
        own = solver.at_rates(scenario.network)
        found = expected_measures(own, scenario, measures, progress)
        return [found[name].value for name in self.measures]


@contextmanager
def about(grid: Grid, number: int) -> Iterator[None]:
    """Errors inside say which hypothesis they are about."""
    try:
        yield
    except CoveyError as error:
        if number == grid.truth:
            raise
        raise error.saying(f"with {grid.name(number)}: {error.message}") from None


def bayes(log_likelihoods: Floats, prior: Floats) -> Floats:
    """The posterior over hypotheses, along the first axis."""
    with np.errstate(divide="ignore", under="ignore"):
        weighed = log_likelihoods + np.log(prior).reshape(-1, *[1] * (log_likelihoods.ndim - 1))
        chances = np.exp(weighed - weighed.max(axis=0))
    return np.asarray(chances / chances.sum(axis=0), dtype=float)
