"""Simulated paths of a team too large to be followed, and when they are first looked at.

At steady state they begin in the stationary distribution where that is had: from the product form
states are drawn exactly, and a chain that is small enough is solved, with a proof. Else they begin
where the team starts, and are looked at from a time on by which the *mean field* has settled. That
proves nothing of the team, which may sit behind a barrier that the mean field never crosses: what
is found is about snapshots from that time on, and said to be.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from covey.dynamics.ergodicity.relaxation_time import settling_time
from covey.dynamics.hmm.hidden_markov import Schedule
from covey.dynamics.mean_field.rate_equations import equilibrium
from covey.dynamics.product_form.draws import draw_states
from covey.dynamics.product_form.product_form import ProductForm
from covey.dynamics.solver import Solver
from covey.dynamics.ssa.simulation import trajectories
from covey.dynamics.validation import Progress
from covey.errors import CoveyError
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.numbers import LOST, Floats, Ints
from covey.privacy.cases import Case, cases_of
from covey.privacy.hypotheses import Star

_FOLDS = 12.0  # e^-12 of the start is left
_SOLVED = 300_000  # states of a chain that is solved for where to begin


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
    """Whether the stationary distribution is: in closed form, or of a chain that is solved."""
    solver, start = solver.at_rates(case.network), np.array(case.start)
    if isinstance(solver.closed_form, ProductForm):
        return True
    states = solver.reach(start).states
    if states is None or states > min(solver.max_states, _SOLVED):
        return False
    try:
        solver.chain(start, progress=progress).stationary(progress)
    except CoveyError:  # nothing could be proved of it
        return False
    return True


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


def _from_stationary(
    solver: Solver,
    start: Ints,
    times: Sequence[float],
    paths: int,
    seed: int,
    progress: Progress | None,
) -> tuple[Ints, float]:
    """Paths that begin in the stationary distribution, and how far that may be off, as a TV."""
    random = np.random.default_rng([seed, 1])
    if isinstance(solver.closed_form, ProductForm):
        return _followed(
            solver, draw_states(solver.closed_form, start, paths, random), times, seed
        ), 0.0
    chain = solver.chain(start, progress=progress)
    found = chain.stationary(progress)
    distribution = found.probabilities / found.probabilities.sum()
    picked = random.choice(len(distribution), paths, p=distribution)
    states = _followed(solver, chain.lattice.states[picked].astype(np.int64), times, seed)
    return states, float(np.expm1(found.log_error)) + found.lost * LOST


def _followed(solver: Solver, starts: Ints, times: Sequence[float], seed: int) -> Ints:
    """A path from each of the starts: (paths, times, species)."""
    states, counts = np.unique(starts, axis=0, return_counts=True)
    seeds = np.random.SeedSequence([seed, 2]).generate_state(len(states), np.uint64).tolist()
    return np.concatenate(
        [
            trajectories(solver.network, state, times=times, samples=n, seed=own)
            for state, n, own in zip(states, counts.tolist(), seeds, strict=True)
        ]
    )
