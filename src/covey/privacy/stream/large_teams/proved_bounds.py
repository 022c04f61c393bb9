"""Bounds of what snapshots of a large team tell, which hold without a filter.

**From above.** Whoever sees every event, and only takes one robot for one of the other type, tells
the teams apart at least as well as whoever sees snapshots of the counts. Of all that happens the
likelihood ratio L = P'/P has a closed form (`lumped_ratio`). With t = (1 − L)/(1 + L), and half of
the paths drawn from either team, TV ≤ E |t|. It is loose: a robot's events tell more than counts
each minute.

**From below.** A test σ = ±1 of what snapshots show, whose choice proves nothing, is right so
often: TV ≥ P(σ = 1) − P'(σ = 1) = E σt. The mean of σt has the same limit as counting how often
σ is right, and varies as little as there is to be told. Where L is not had, hits are counted: each
share by Clopper and Pearson. The test here is the sign of what a normal approximation says.

Both are means of numbers in [−1, 1], so that `confidence` bounds them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.model.hypothesis import Hypothesis
from covey.model.observation.adversary import Moment
from covey.numbers import Floats
from covey.privacy.cases import case_of
from covey.privacy.stream.confidence import Bounded, mean_between, share_between
from covey.privacy.stream.large_teams.lumped_teams import LumpedTeams, lumped_teams
from covey.privacy.stream.large_teams.simulated_paths import simulated
from covey.privacy.stream.problem import StreamProblem


@dataclass(frozen=True)
class Comparison:
    """The team and a neighbour, whose paths can be drawn.

    Attributes:
        solver: For the scenario's network.
        problem: Of which team, when somebody looks, and how paths are drawn.
        neighbour: What it is compared with.
        number: Of the neighbour; paths are drawn by it.
        begin: When the first snapshot is, as `first_look` says.
        test: What speaks for the neighbour, > 0, or the team, < 0: of what is shown, (paths,
            snapshots, sums), after each number of snapshots: (paths, marks).
    """

    solver: Solver
    problem: StreamProblem
    neighbour: Hypothesis
    number: int
    begin: Moment
    test: Callable[[Floats], Floats]

    @cached_property
    def lumped(self) -> LumpedTeams | None:
        """Both as one robot passes for another type; None where there is no bound from above."""
        return lumped_teams(self.solver, self.problem.scenario, self.neighbour, self.begin)

    def bounds(
        self, paths: int, look: int, alpha: float, progress: Progress | None = None
    ) -> list[Bounded]:
        """Of the total variation after each number of snapshots; the value is the test's.

        All fail together with probability at most alpha.

        Args:
            paths: How many paths of either team.
            look: Which of several looks this is, from 2 on: each draws paths of its own.
            alpha: The probability to fail.
            progress: Called as progress(done, total, text) while the work goes on.
        """
        seeds = self.problem.sampling.seeds(self.number, look)
        each = alpha / len(self.problem.looks.marks)
        if self.lumped is None:
            return self._counted(paths, seeds, each, progress)
        looks, cores = self.problem.looks, self.problem.sampling.cores
        times: Floats = looks.every * np.arange(looks.count, dtype=np.float64)
        marks = np.array(looks.marks)
        tested, told = [], []
        for of_neighbour, seed in zip((False, True), seeds, strict=True):
            shown, speaks = self.lumped.shown(
                of_neighbour, paths, times, marks, seed, cores, progress
            )
            tested.append(-np.sign(self.test(shown)) * speaks)
            told.append(np.abs(speaks))
        right, most = (tested[0] + tested[1]) / 2, (told[0] + told[1]) / 2  # (paths, marks)
        found = []
        for i in range(len(marks)):
            least = mean_between((1 + right[:, i]) / 2, each)  # of both only one side is
            upper = mean_between(most[:, i], each).upper  # needed: each fails with each / 2
            value, lower = (max(2 * share - 1, 0.0) for share in least[:2])
            found.append(Bounded(value, min(lower, upper), upper))
        return found

    def _counted(
        self, paths: int, seeds: tuple[int, int], alpha: float, progress: Progress | None
    ) -> list[Bounded]:
        """From below alone, by counting how often the test is right."""
        scenario, looks = self.problem.scenario, self.problem.looks
        says, off = [], 0.0
        for supposed, seed in zip((None, self.neighbour), seeds, strict=True):
            case = case_of(scenario, supposed)
            by, drawn = self.solver.at_rates(case.network), (self.begin, paths, seed)
            shown, less = simulated(by, case, scenario.query, looks, drawn, progress)
            off += less
            hits = (self.test(shown) < 0).sum(axis=0).tolist()
            says.append([share_between(hit, paths, alpha) for hit in hits])
        return [
            Bounded(
                max(ours.value - theirs.value, 0.0), max(ours.lower - theirs.upper - off, 0.0), 1.0
            )
            for ours, theirs in zip(*says, strict=True)
        ]
