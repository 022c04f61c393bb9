"""Numbers of a team too large to be followed: the Fisher information of its linear noise model.

With p_θ the density that the model (`kalman`) gives to n snapshots at the numbers θ, and s the
score ∂ ln p_θ / ∂θ at the true ones,

    I = E s sᵀ,      C = (I + diag(12 / r²))⁻¹,      ± z √(gᵀ C g)

is how near a number with the gradient g is known: C is the covariance of the estimate, with the
ranges r of the unknown numbers taken for normal ones of the same variance r²/12, and z the normal
quantile of the level. The score is a central difference, by one robot or by a hundredth of a rate;
the mean is over paths of the model.

This is an approximation, and proves nothing. It is checked on simulated paths of the true team:
whoever weighs the hypotheses of the grid by the model's densities, and names the posterior mean, is
as near as that on a share of them, which Clopper and Pearson's limits go with.
"""

from __future__ import annotations

import numpy as np

from covey.dynamics.hmm.kalman import normal_snapshots
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.numbers import Floats
from covey.privacy.cases import case_of
from covey.privacy.hypotheses import Star
from covey.privacy.inference.estimate.credible import Quantity
from covey.privacy.inference.estimate.estimate_problem import EstimateProblem, about, bayes
from covey.privacy.inference.estimate.estimated import Estimated
from covey.privacy.inference.estimate.grid import Unknown
from covey.privacy.stream.confidence import Bounded, check_confidence, share_between
from covey.privacy.stream.large_teams.simulated_paths import first_look, simulated

_NUMBERS = 20_000_000  # of all that drawn paths show
_DRAWN, _FEWEST = 4_000, 64  # paths of the model
_SIMULATED = 400  # paths of the team
_PART = 0.01  # of a rate, for a difference


def approximated(
    solver: Solver,
    problem: EstimateProblem,
    quantities: list[Quantity],
    progress: Progress | None = None,
) -> tuple[tuple[Estimated, ...], Moment, int]:
    """What is known of each quantity; when paths are first looked at, and how many there are."""
    scenario, looks, sampling = problem.grid.scenario, problem.looks, problem.sampling
    at = first_look(solver, Star(scenario, ()), looks.at, progress)
    paths = sampling.paths or _SIMULATED
    seed, other = sampling.seeds(0, 4)
    seen, start_off = simulated(
        solver, case_of(scenario), scenario.query, looks, (at, paths, seed), progress
    )
    covariances = _covariances(problem, other)
    posterior = _weighed(problem, seen, progress)
    gradients = _gradients(solver, problem)
    alpha = check_confidence(sampling.confidence) / (len(quantities) * len(looks.marks))
    level = problem.level
    found = []
    for quantity, gradient in zip(quantities, gradients, strict=True):
        prior, before = problem.before(quantity)
        spread = np.sqrt(np.einsum("i,mij,j->m", gradient, covariances, gradient))
        near = np.minimum(_quantile(level) * spread, before)  # (marks,)
        believed = quantity.marginal(posterior)  # (values, paths, marks)
        off = np.abs(np.einsum("v,vpm->pm", quantity.values, believed) - quantity.truth)
        hits = (off <= near).sum(axis=0).tolist()
        found.append(
            Estimated(
                quantity,
                prior,
                before,
                tuple(Bounded(half, 0.0, quantity.most) for half in near.tolist()),
                tuple(
                    tuple(Bounded(chance, 0.0, 1.0) for chance in column)
                    for column in believed.mean(axis=1).T.tolist()
                ),
                tuple(share_between(hit, paths, alpha).widened(start_off) for hit in hits),
            )
        )
    return tuple(found), at, paths


def _weighed(problem: EstimateProblem, seen: Floats, progress: Progress | None) -> Floats:
    """The posterior by the model's densities, path by path: (hypotheses, paths, marks)."""
    grid, marks = problem.grid, np.array(problem.looks.marks)
    logs = np.empty((len(grid), len(seen), len(marks)))
    for number in range(len(grid)):
        if progress is not None:
            progress(number, len(grid), f"hypotheses along {len(seen):,} paths")
        with about(grid, number):
            logs[number] = _log_density(problem, grid.hypothesis(number), seen)
    return bayes(logs, grid.prior)


def _log_density(problem: EstimateProblem, scenario: Scenario, seen: Floats) -> Floats:
    model = normal_snapshots(scenario.network, scenario.start, scenario.query, problem.looks)
    return model.log_density(seen, np.array(problem.looks.marks))


def _covariances(problem: EstimateProblem, seed: int) -> Floats:
    """Of the estimate of the unknown numbers, after each number of snapshots."""
    grid, looks = problem.grid, problem.looks
    scenario = grid.scenario
    model = normal_snapshots(scenario.network, scenario.start, scenario.query, looks)
    room = int(_NUMBERS / (looks.count * max(len(model.seen), 1)))
    drawn = model.draw(min(max(room, _FEWEST), _DRAWN), np.random.default_rng(seed))
    scores = []
    for one in grid.unknowns:
        ends = [_log_density(problem, end, drawn) for end in _beside(scenario, one)]
        scores.append((ends[1] - ends[0]) / _apart(scenario, one))
    score = np.array(scores)  # (unknowns, paths, marks)
    information = np.einsum("ipm,jpm->mij", score, score) / score.shape[1]
    ranges = np.array([one.edges[-1, 1] - one.edges[0, 0] for one in grid.unknowns])
    return np.linalg.inv(information + np.diag(12 / ranges**2))


def _gradients(solver: Solver, problem: EstimateProblem) -> list[Floats]:
    """Of every quantity by every unknown number: the unknown numbers first, then measures."""
    unknowns, scenario = problem.grid.unknowns, problem.grid.scenario
    found = list(np.eye(len(unknowns)))
    if problem.measures:
        columns = []
        for one in unknowns:
            less, more = (problem.measured(solver, end) for end in _beside(scenario, one))
            columns.append((np.array(more) - np.array(less)) / _apart(scenario, one))
        found += list(np.array(columns).T)
    return found


def _ends(scenario: Scenario, one: Unknown) -> tuple[float, float]:
    """Beside the true number: one robot fewer and one more, or a hundredth of a rate."""
    own = scenario.numbers[one.name]
    if one.is_count:
        return max(own - 1, 0.0), own + 1
    return own * (1 - _PART), own * (1 + _PART)


def _apart(scenario: Scenario, one: Unknown) -> float:
    low, high = _ends(scenario, one)
    return high - low


def _beside(scenario: Scenario, one: Unknown) -> list[Scenario]:
    ends = [int(end) if one.is_count else end for end in _ends(scenario, one)]
    return [scenario.with_({one.name: end}, warn=False) for end in ends]


def _quantile(level: float) -> float:
    from scipy.special import ndtri  # noqa: PLC0415

    return float(ndtri((1 + level) / 2))
