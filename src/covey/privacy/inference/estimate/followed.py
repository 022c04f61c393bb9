"""What a watcher believes along sampled paths of the team, by the exact filter of each hypothesis.

Paths are drawn from the team as it is; what they show is weighed under every hypothesis h of the
grid, P_h(y₁ … y_n), and with the prior π

    P(h | y₁ … y_n)  ∝  π(h) · P_h(y₁ … y_n).

The same paths serve all hypotheses. Means over paths of the posterior of a value, and of how near
it is known, are means of bounded numbers: `confidence` bounds what is expected of them, with
nothing assumed. A window on a large chain (`hidden_markov`) is what the watcher computes with, too.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from covey.dynamics.hmm.hidden_markov import WatchedChain, watched_chain
from covey.dynamics.hmm.likelihood_ratio import PathSampler, Reports
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import InputError
from covey.model.scenario import Scenario
from covey.numbers import Floats
from covey.privacy.inference.estimate.credible import Quantity, within
from covey.privacy.inference.estimate.estimate_problem import EstimateProblem, about, bayes
from covey.privacy.inference.estimate.estimated import Estimated
from covey.privacy.snapshot.channel import reports_of
from covey.privacy.snapshot.published import released
from covey.privacy.stream.confidence import Bounded, check_confidence, mean_between

_PATHS, _FEWEST = 1_000, 100  # where nobody asks for another number
_WORK = 2e10  # additions along all of them, where nobody asks for another number
_MOST = 200_000_000  # snapshots of all paths together
_LOST = 1e-6  # the probability of leaving the states that are followed


class Followed:
    """A watcher along sampled paths.

    Args:
        solver: For the scenario's network.
        problem: Who looks when, and weighs which hypotheses.
        progress: Called as progress(done, total, text) while the work goes on.
    """

    def __init__(
        self, solver: Solver, problem: EstimateProblem, progress: Progress | None = None
    ) -> None:
        self.solver, self.problem, self.progress = solver, problem, progress
        self.states = 0  # of the largest chain
        self._reports = _reports(problem.grid.scenario)
        self._truth = self._chain(problem.grid.truth)
        self.paths = _paths(problem, self._truth)

    def posterior(self) -> Floats:
        """Of every hypothesis, path by path: (hypotheses, paths, marks)."""
        grid, looks, cores = self.problem.grid, self.problem.looks, self.problem.sampling.cores
        seed, _ = self.problem.sampling.seeds(0, 3)
        own = PathSampler(self._truth, self._truth, self._reports)
        reported = own.reported(looks.count, self.paths, seed, cores=cores)
        logs = np.empty((len(grid), self.paths, len(looks.marks)))
        for number in range(len(grid)):
            if self.progress is not None:
                self.progress(number, len(grid), f"hypotheses along {self.paths:,} paths")
            sampler = own
            if number != grid.truth:
                sampler = PathSampler(self._truth, self._chain(number), self._reports)
            logs[number] = sampler.log_likelihoods(reported, looks.marks, cores=cores)
        return bayes(logs, grid.prior)

    def estimated(self, quantities: list[Quantity]) -> tuple[Estimated, ...]:
        """What is expected of each quantity; all bounds hold together with the confidence."""
        posterior = self.posterior()
        marks = self.problem.looks.marks
        alpha = check_confidence(self.problem.sampling.confidence) / (2 * len(marks))
        values = sum(len(one.values) for one in quantities)
        return tuple(
            self._estimated(one, posterior, (alpha / len(quantities), alpha / values))
            for one in quantities
        )

    def _estimated(
        self, quantity: Quantity, posterior: Floats, alphas: tuple[float, float]
    ) -> Estimated:
        level = self.problem.level
        prior, before = self.problem.before(quantity)
        believed = quantity.marginal(posterior)  # (values, paths, marks)
        near, chances = [], []
        for i, mark in enumerate(self.problem.looks.marks):
            off = float(self._truth.errors[mark - 1])
            half = within(believed[:, :, i], quantity.edges, level)
            near.append(_scaled(half, quantity.most, alphas[0], off))
            chances.append(
                tuple(mean_between(row, alphas[1]).widened(off) for row in believed[:, :, i])
            )
        return Estimated(quantity, prior, before, tuple(near), tuple(chances))

    def _chain(self, number: int) -> WatchedChain:
        scenario = self.problem.grid.hypothesis(number).unpublished()
        with about(self.problem.grid, number):
            chain = watched_chain(
                self.solver.at_rates(scenario.network),
                scenario.start,
                scenario.query,
                self.problem.looks,
                tolerance=_LOST,
                cores=self.problem.sampling.cores,
            )
        self.states = max(self.states, len(chain))
        return chain


def _paths(problem: EstimateProblem, chain: WatchedChain) -> int:
    """How many are drawn; refused where what they show would not fit."""
    given, count = problem.sampling.paths, problem.looks.count
    if given is None:
        each = (10 + float(np.mean(chain.states_of)) ** 2) * count * len(problem.grid)
        return int(max(min(_PATHS, _WORK / each), _FEWEST))
    if given * count > _MOST:
        raise InputError(
            f"{given:,} paths of {count:,} snapshots: {_MOST:,} snapshots are kept at most, so "
            f"that up to {_MOST // count:,} paths can be drawn"
        )
    return given


def _scaled(samples: Floats, most: float, alpha: float, off: float) -> Bounded:
    """The mean of samples between 0 and `most`, with its bounds."""
    if most == 0:
        return Bounded(0.0, 0.0, 0.0)
    return Bounded(*(most * end for end in mean_between(samples / most, alpha).widened(off)))


def _reports(scenario: Scenario) -> Reports | None:
    """What outcomes are published as, where there is a mechanism."""
    table = scenario.release.mechanism
    if table is None:
        return None
    names = tuple(scenario.query.groups(scenario.network))
    publish = partial(released, table=table)
    return Reports(partial(reports_of, publish, names), table.held if table.hold else None)
