"""The posterior of every hypothesis along paths drawn of each, by exact filters.

The observer looks at moments (`hmm.likelihood_ratio`), or sees every change with its time
(`hmm.continuous_watch`) and is asked at the same moments.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.dynamics.hmm.continuous_watch import log_densities
from covey.dynamics.hmm.drawn_changes import draw_changes
from covey.dynamics.hmm.hidden_markov import Schedule, watched_chain
from covey.dynamics.hmm.likelihood_ratio import PathSampler
from covey.dynamics.hmm.visible_chain import visible_chain
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.numbers import Floats
from covey.privacy.cases import cases_of
from covey.privacy.hypotheses import Star
from covey.privacy.stream.problem import Sampling

_LOST = 1e-6  # the probability of leaving the states that are followed


@dataclass(frozen=True)
class PosteriorPaths:
    """The hypotheses of one star, whose paths are drawn and weighed by all of them."""

    solver: Solver
    star: Star
    looks: Schedule
    sampling: Sampling
    number: int
    progress: Progress | None

    def snapshots(self) -> Floats:
        """Of snapshots: (truths, paths, hypotheses, snapshots)."""
        chains = [
            watched_chain(
                self.solver.at_rates(case.network), np.array(case.start), self.star.scenario.query,
                self.looks, tolerance=_LOST, cores=self.sampling.cores, progress=self.progress,
            )
            for case in cases_of(self.star.scenario, self.star.hypotheses)
        ]  # fmt: skip
        marks = range(1, self.looks.count + 1)
        logs = []
        for truth, team in enumerate(chains):
            self._say(truth, len(chains))
            own = PathSampler(team, team)
            shown = own.reported(
                self.looks.count, self._paths, self._seed(truth), cores=self.sampling.cores
            )
            samplers = [PathSampler(team, other) for other in chains]
            weighed = [
                one.log_likelihoods(shown, marks, cores=self.sampling.cores) for one in samplers
            ]
            logs.append(np.stack(weighed, axis=1))
        return _bayes(np.stack(logs))

    def continuous(self) -> Floats:
        """The same where every change is seen."""
        query = self.star.scenario.query
        chains = [
            visible_chain(
                self.solver.at_rates(case.network), np.array(case.start), query, self.looks.at,
                self.progress,
            )
            for case in cases_of(self.star.scenario, self.star.hypotheses)
        ]  # fmt: skip
        times = np.arange(self.looks.count, dtype=np.float64) * self.looks.every
        logs = []
        for truth, team in enumerate(chains):
            self._say(truth, len(chains))
            changes = draw_changes(team, float(times[-1]), self._paths, self._seed(truth))
            logs.append(np.stack([log_densities(one, changes, times) for one in chains], axis=1))
        return _bayes(np.stack(logs))

    @property
    def _paths(self) -> int:
        assert self.sampling.paths is not None
        return self.sampling.paths

    def _seed(self, truth: int) -> int:
        return self.sampling.seeds(self.number, truth)[0]

    def _say(self, truth: int, whole: int) -> None:
        if self.progress is not None:
            self.progress(truth, whole, f"{self._paths:,} paths of {self.looks.count} snapshots")


def _bayes(logs: Floats) -> Floats:
    """The posterior from ln P, along the axis of hypotheses; a path is possible for its maker."""
    logs = logs - logs.max(axis=2, keepdims=True)
    with np.errstate(under="ignore"):
        weights = np.exp(logs)
    return np.asarray(weights / weights.sum(axis=2, keepdims=True))
