"""Every neighbour's figures from sampled paths: a first look at each, and more where it matters.

A neighbour that its first look shows not to be the worst is left at that where more would be
expensive. The paths that follow a first look are drawn afresh, so that how many there are does not
depend on what they show; the two looks share the probability of failing between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from covey.dynamics.hmm.hidden_markov import WatchedChain, watched_chain
from covey.dynamics.hmm.likelihood_ratio import Reports
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.model.hypothesis import Hypothesis
from covey.model.network import Network
from covey.model.team import Team
from covey.privacy.cases import Case, case_of, team_of
from covey.privacy.stream.confidence import check_confidence
from covey.privacy.stream.labelled import labelled, labelled_reports
from covey.privacy.stream.problem import StreamProblem
from covey.privacy.stream.sampled import PairOfTeams
from covey.privacy.stream.stream_row import StreamRow

_FIRST_LOOK = 512  # pairs of paths by which a neighbour is judged before more are spent on it
_LOST = 0.05  # of the accuracy, for paths that leave the states that are followed
_CHEAP = 2e9  # additions: below this no neighbour is left at its first look


class Sampled(NamedTuple):
    """What so many paths of either team tell."""

    rows: tuple[StreamRow, ...]
    paths: int


class Survey:
    """A scenario's team, its neighbours, and snapshots of them.

    Args:
        solver: For the scenario's network.
        problem: Of which team, when somebody looks, and how paths are drawn.
        reports: What outcomes of a team are reported as; by default themselves.
        one_each: Whether that differs from team to team.
        progress: Called as progress(done, total, text) while the work goes on.
    """

    def __init__(
        self,
        solver: Solver,
        problem: StreamProblem,
        reports: Callable[[Team], Reports] | None = None,
        progress: Progress | None = None,
        *,
        one_each: bool = False,
    ) -> None:
        self.one_each = one_each
        self.solver, self.problem, self.reports, self.progress = solver, problem, reports, progress
        self.scenario, self.sampling = problem.scenario, problem.sampling
        self.states = 0  # of the largest chain so far

    def estimates(self, neighbours: Sequence[Hypothesis], likely: Sequence[float]) -> list[Sampled]:
        """What paths tell of every neighbour, in their order.

        Those that `likely` calls the worst come first, so that others need no more than a look.
        """
        team = self._chain(case_of(self.scenario))
        alpha = check_confidence(self.sampling.confidence) / len(neighbours)
        known: dict[tuple[Network, tuple[int, ...]], Sampled] = {}
        found: dict[int, Sampled] = {}
        certain = 0.0
        for number in sorted(range(len(neighbours)), key=lambda i: -likely[i]):
            neighbour = neighbours[number]
            case = case_of(self.scenario, neighbour)
            key = self._alike(case)
            if key not in known:
                marks, epsilons = self.problem.looks.marks, self.problem.epsilons
                supposed = team_of(self.scenario, neighbour)
                chains, reports = self._reported(team, self._chain(case), supposed)
                pair = PairOfTeams(*chains, marks, epsilons, reports)
                look = partial(self._look, pair, number, alpha / 2, self._said(neighbour))
                known[key] = self._enough(pair, look, alpha / 2, certain)
            found[number] = known[key]
            certain = max(certain, known[key].rows[-1].total_variation.lower)
        return [found[number] for number in range(len(neighbours))]

    def _reported(
        self, team: WatchedChain, other: WatchedChain, supposed: Team
    ) -> tuple[tuple[WatchedChain, WatchedChain], Reports | None]:
        """Both chains, and how what they show is reported."""
        if self.reports is None:
            return (team, other), None
        own = self.reports(self.scenario.team)
        if not self.one_each:
            return (team, other), own
        return (labelled(team, 0), labelled(other, 1)), labelled_reports(
            [own, self.reports(supposed)]
        )

    def _enough(
        self,
        pair: PairOfTeams,
        look: Callable[[int, int], tuple[tuple[StreamRow, ...], float]],
        alpha: float,
        certain: float,
    ) -> Sampled:
        """A first look, and a second one unless it is certain that another neighbour is worse."""
        given = self.sampling.paths
        paths = given or _FIRST_LOOK
        rows, variance = look(0, paths)
        needed = pair.pairs_needed(variance, self.sampling.accuracy, alpha)
        beaten = rows[-1].total_variation.upper < certain
        if given is not None or (beaten and needed * pair.work > _CHEAP):
            return Sampled(rows, paths)
        return Sampled(look(1, needed)[0], needed)

    def _look(
        self,
        pair: PairOfTeams,
        number: int,
        alpha: float,
        progress: Progress | None,
        turn: int,
        paths: int,
    ) -> tuple[tuple[StreamRow, ...], float]:
        seeds = self.sampling.seeds(number, turn)
        return pair.look(
            paths,
            seeds,
            alpha,
            cores=self.sampling.cores,
            workers=self.problem.workers,
            progress=progress,
        )

    def _chain(self, case: Case) -> WatchedChain:
        chain = watched_chain(
            self.solver.at_rates(case.network),
            np.array(case.start),
            self.scenario.query,
            self.problem.looks,
            tolerance=_LOST * self.sampling.accuracy,
            cores=self.sampling.cores,
            progress=self.progress,
        )
        self.states = max(self.states, len(chain))
        return chain

    def _alike(self, case: Case) -> tuple[Network, tuple[int, ...]]:
        """The same for neighbours that a symmetry of the team maps onto each other."""
        if self.one_each or case.network != self.scenario.network:
            return case.network, case.start
        symmetries = self.solver.symmetries.keeping(self.scenario.query)
        images = symmetries.fixing(self.scenario.start)
        start = np.array(case.start)
        return case.network, min(tuple(start[image].tolist()) for image in images)

    def _said(self, neighbour: Hypothesis) -> Progress | None:
        said = self.progress
        if said is None:
            return None
        return lambda done, whole, text: said(done, whole, f"{neighbour}: {text}")
