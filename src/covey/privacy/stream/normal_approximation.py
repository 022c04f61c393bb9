"""Many snapshots of a team too large to be followed: an approximation, and a test that proves less.

Two figures for every number of snapshots, which are never mixed up:

  the approximation   TV of the two linear noise models (`kalman`), from paths of theirs
  the proved bound    the same models' odds, used as a test on *simulated* paths of the true teams:
                      whoever says "the team" when the odds speak for it is right so often, and
                      TV ≥ P(says so | team) − P(says so | neighbour), each by Clopper and Pearson

Above there is no bound but 1.

**At steady state.** Where the chain's stationary distribution is known and proved, simulated paths
begin in it. Else they begin where each team starts, and are looked at from a time on by which the
*mean field* has settled. That proves nothing of the team, which may sit behind a barrier that the
mean field never crosses: the bound is about snapshots from that time on, and said to be.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from covey.dynamics.ergodicity.relaxation_time import settling_time
from covey.dynamics.hmm.hidden_markov import Schedule
from covey.dynamics.hmm.kalman import NormalSnapshots, normal_snapshots
from covey.dynamics.mean_field.rate_equations import equilibrium
from covey.dynamics.solver import Solver
from covey.dynamics.ssa.simulation import trajectories
from covey.dynamics.validation import Progress
from covey.errors import CoveyError
from covey.model.hypothesis import Hypothesis
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.model.scenario import Scenario
from covey.numbers import LOST, Floats, Ints
from covey.privacy.cases import Case, case_of, cases_of
from covey.privacy.hypotheses import Star
from covey.privacy.stream.confidence import Bounded, check_confidence, share_between
from covey.privacy.stream.problem import StreamProblem
from covey.privacy.stream.stream_row import StreamRow, never_falling
from covey.privacy.stream.survey import Sampled

_DRAWN = 4_000  # paths of either model
_SIMULATED = 400  # paths of either team
_FOLDS = 12.0  # e^-12 of the start is left


def first_look(
    solver: Solver,
    star: Star,
    at: Moment,
    progress: Progress | None = None,
) -> Moment:
    """When simulated paths are first looked at: as asked, where they can be.

    "steady" only where the stationary distribution of every team is proved; else the time by which
    the mean field has settled.
    """
    cases = cases_of(star.scenario, star.hypotheses)
    if at != "steady" or all(_is_known(solver, case, progress) for case in cases):
        return at
    own, *others = cases
    return max(_settled(case) for case in (own, *(c for c in others if c.network != own.network)))


def _settled(case: Case) -> float:
    start = np.array(case.start)
    return settling_time(case.network, start, equilibrium(case.network, start), _FOLDS)


def _is_known(solver: Solver, case: Case, progress: Progress | None) -> bool:
    """Whether the stationary distribution is: of a chain that fits, and found with a proof."""
    solver, start = solver.at_rates(case.network), np.array(case.start)
    states = solver.reach(start).states
    if states is None or states > solver.max_states:
        return False
    try:
        solver.chain(start, progress=progress).stationary(progress)
    except CoveyError:  # nothing could be proved of it
        return False
    return True


def approximated(
    solver: Solver,
    problem: StreamProblem,
    neighbours: Sequence[Hypothesis],
    begin: Moment,
    progress: Progress | None = None,
) -> list[Sampled]:
    """The approximation, and the bound that a test proves, against every neighbour.

    The bound is about snapshots from `begin` on, which `first_look` gives.
    """
    scenario, looks, sampling = problem.scenario, problem.looks, problem.sampling
    paths = sampling.paths or _SIMULATED
    alpha = check_confidence(sampling.confidence) / (2 * len(neighbours) * len(looks.marks))
    marks = np.array(looks.marks)
    ours = _model(scenario, case_of(scenario), looks)

    def shows(case: Case, seed: int) -> tuple[Floats, float]:
        by = solver.at_rates(case.network)
        return simulated(by, case, scenario.query, looks, (begin, paths, seed), progress)

    shown, off = shows(case_of(scenario), sampling.seeds(0, 2)[0])
    found = []
    for number, neighbour in enumerate(neighbours):
        case = case_of(scenario, neighbour)
        theirs = _model(scenario, case, looks)
        seed = sampling.seeds(number, 2)[1]
        others, their_off = shows(case, seed)
        drawn = [
            _log_ratio(ours, theirs, model.draw(_DRAWN, np.random.default_rng([seed, i])), marks)
            for i, model in enumerate((ours, theirs))
        ]
        tested = [_log_ratio(ours, theirs, seen, marks) for seen in (shown, others)]
        rows = []
        for i, mark in enumerate(marks):
            proved = _proved([t[:, i] for t in tested], alpha) - off - their_off
            rows.append(
                _row(int(mark), [d[:, i] for d in drawn], max(proved, 0.0), problem.epsilons)
            )
        found.append(Sampled(never_falling(rows), paths))
    return found


def simulated(
    solver: Solver,
    case: Case,
    query: Query,
    looks: Schedule,
    drawn: tuple[Moment, int, int],
    progress: Progress | None = None,
) -> tuple[Floats, float]:
    """What simulated paths show, (paths, snapshots, sums), and how far off that may be, as a TV.

    Args:
        solver: For the case's network.
        case: What is simulated.
        query: What is seen of it.
        looks: When somebody looks.
        drawn: From when on, as `first_look` says, how many paths, and their seed.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    begin, paths, seed = drawn
    start = np.array(case.start)
    times = [looks.every * i for i in range(looks.count)]
    if begin == "steady":
        states, off = _from_stationary(solver, start, times, paths, seed, progress)
    else:
        moments, off = [begin + time for time in times], 0.0
        states = trajectories(
            case.network, start, times=moments, samples=paths, seed=seed,
            progress=progress,
        )  # fmt: skip
    seen = states @ query.matrix(case.network).T
    return np.asarray(seen, dtype=float), off


def _proved(tested: list[Floats], alpha: float) -> float:
    """TV is at least this. `tested`: ln P'/P of what the team shows, and of what the other does."""
    says = [share_between(int((logs < 0).sum()), len(logs), alpha) for logs in tested]
    return says[0].lower - says[1].upper


def _row(
    snapshots: int, drawn: list[Floats], proved: float, epsilons: Sequence[float]
) -> StreamRow:
    """`drawn`: ln P'/P of what the model of the team shows, and of what the neighbour's does."""
    ours, theirs = drawn
    apart = float((np.abs(np.tanh(ours / 2)).mean() + np.abs(np.tanh(theirs / 2)).mean()) / 2)
    deltas = []
    for epsilon in epsilons:
        with np.errstate(over="ignore", under="ignore"):
            ahead = np.maximum(-np.expm1(epsilon + ours), 0.0).mean()
            back = np.maximum(-np.expm1(epsilon - theirs), 0.0).mean()
        deltas.append(Bounded(float(max(ahead, back)), 0.0, 1.0))
    return StreamRow(
        snapshots,
        Bounded(max(apart, proved), proved, 1.0),
        tuple(deltas),
        Bounded(0.0, 0.0, 1.0),
        -float(ours.mean()) / snapshots,
        None,
    )


def _log_ratio(team: NormalSnapshots, other: NormalSnapshots, seen: Floats, marks: Ints) -> Floats:
    """`ln P'/P`: (paths, marks)."""
    ratio: Floats = other.log_density(seen, marks) - team.log_density(seen, marks)
    return ratio


def _model(scenario: Scenario, case: Case, looks: Schedule) -> NormalSnapshots:
    return normal_snapshots(case.network, np.array(case.start), scenario.query, looks)


def _from_stationary(
    solver: Solver,
    start: Ints,
    times: Sequence[float],
    paths: int,
    seed: int,
    progress: Progress | None,
) -> tuple[Ints, float]:
    """Paths that begin in the stationary distribution, and how far that may be off, as a TV."""
    chain = solver.chain(start, progress=progress)
    found = chain.stationary(progress)
    distribution = found.probabilities / found.probabilities.sum()
    picked = np.random.default_rng([seed, 1]).choice(len(distribution), paths, p=distribution)
    places, counts = np.unique(picked, return_counts=True)
    seeds = np.random.SeedSequence([seed, 2]).generate_state(len(places), np.uint64).tolist()
    states = [
        trajectories(solver.network, chain.lattice.states[place], times=times, samples=n, seed=own)
        for place, n, own in zip(places.tolist(), counts.tolist(), seeds, strict=True)
    ]
    return np.concatenate(states), float(np.expm1(found.log_error)) + found.lost * LOST
