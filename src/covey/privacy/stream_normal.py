"""Many glances at a team too large to be followed: an approximation, and a test that proves less.

Two figures for every number of glances, which are never mixed up:

  the approximation   TV of the two linear noise models (`normal_glances`), from paths of theirs
  the proved bound    the same models' odds, used as a test on *simulated* paths of the true teams:
                      whoever says "the team" when the odds speak for it is right so often, and
                      TV ≥ P(says so | team) − P(says so | neighbour), each by Clopper and Pearson

Above there is no bound but 1. A simulation starts at the start: at steady state the team is looked
at from a time on by which it has settled, several times as long as its slowest mode takes, and the
bound is about that moment.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from covey.dynamics.mean_field import equilibrium
from covey.dynamics.normal_glances import NormalGlances, normal_glances
from covey.dynamics.question import Progress
from covey.dynamics.relaxation import settling_time
from covey.dynamics.simulation import trajectories
from covey.dynamics.watched_chain import Glances
from covey.model.scenario import Scenario
from covey.model.team import Neighbour, Team
from covey.numbers import Floats, Ints
from covey.privacy.confidence import Bounded, check_confidence, share_between
from covey.privacy.schedule import Schedule
from covey.privacy.stream_survey import Sampled, Sampling
from covey.privacy.told import Told, never_falling

_DRAWN = 4_000  # paths of either model
_SIMULATED = 400  # paths of either team
_FOLDS = 12.0  # e^-12 of the start is left


def approximated(
    scenario: Scenario,
    neighbours: Sequence[Neighbour],
    looks: Schedule,
    sampling: Sampling,
    epsilons: Sequence[float] = (),
    progress: Progress | None = None,
) -> list[Sampled]:
    """The approximation, and the bound that a test proves, against every neighbour."""
    glances = Glances(looks.at, looks.every, looks.marks[-1])
    paths = sampling.paths or _SIMULATED
    alpha = check_confidence(sampling.confidence) / (2 * len(neighbours) * len(looks.marks))
    marks = np.array(looks.marks)
    ours = _model(scenario, scenario.team, glances)
    simulated = _simulated(scenario, scenario.team, looks, paths, sampling.seeds(0, 2)[0], progress)
    found = []
    for number, neighbour in enumerate(neighbours):
        theirs = _model(scenario, neighbour.team, glances)
        seed = sampling.seeds(number, 2)[1]
        others = _simulated(scenario, neighbour.team, looks, paths, seed, progress)
        drawn = [
            _log_ratio(ours, theirs, model.draw(_DRAWN, np.random.default_rng([seed, i])), marks)
            for i, model in enumerate((ours, theirs))
        ]
        tested = [_log_ratio(ours, theirs, seen, marks) for seen in (simulated, others)]
        rows = [
            _told(int(mark), [d[:, i] for d in drawn], [t[:, i] for t in tested], epsilons, alpha)
            for i, mark in enumerate(marks)
        ]
        found.append(Sampled(never_falling(rows), paths))
    return found


def _told(
    glances: int,
    drawn: list[Floats],
    tested: list[Floats],
    epsilons: Sequence[float],
    alpha: float,
) -> Told:
    """`drawn` and `tested`: ln P'/P of what the team shows, and of what the neighbour does."""
    ours, theirs = drawn
    apart = float((np.abs(np.tanh(ours / 2)).mean() + np.abs(np.tanh(theirs / 2)).mean()) / 2)
    says = [share_between(int((logs < 0).sum()), len(logs), alpha) for logs in tested]
    proved = max(says[0].lower - says[1].upper, 0.0)
    deltas = []
    for epsilon in epsilons:
        with np.errstate(over="ignore", under="ignore"):
            ahead = np.maximum(-np.expm1(epsilon + ours), 0.0).mean()
            back = np.maximum(-np.expm1(epsilon - theirs), 0.0).mean()
        deltas.append(Bounded(float(max(ahead, back)), 0.0, 1.0))
    return Told(
        glances,
        Bounded(max(apart, proved), proved, 1.0),
        tuple(deltas),
        Bounded(0.0, 0.0, 1.0),
        -float(ours.mean()) / glances,
        None,
    )


def _log_ratio(team: NormalGlances, other: NormalGlances, seen: Floats, marks: Ints) -> Floats:
    """Ln P'/P: (paths, marks)."""
    ratio: Floats = other.log_density(seen, marks) - team.log_density(seen, marks)
    return ratio


def _model(scenario: Scenario, team: Team, glances: Glances) -> NormalGlances:
    return normal_glances(scenario.network, scenario.start_of(team), scenario.query, glances)


def _simulated(
    scenario: Scenario,
    team: Team,
    looks: Schedule,
    paths: int,
    seed: int,
    progress: Progress | None,
) -> Floats:
    """What true paths of a team show: (paths, glances, sums)."""
    start = scenario.start_of(team)
    begin = looks.at
    if begin == "steady":
        rest = equilibrium(scenario.network, scenario.start)
        begin = settling_time(scenario.network, scenario.start, rest, _FOLDS)
    states = trajectories(
        scenario.network,
        start,
        times=[begin + looks.every * i for i in range(looks.marks[-1])],
        samples=paths,
        seed=seed,
        progress=progress,
    )
    return np.asarray(states @ scenario.query.matrix(scenario.network).T, dtype=float)
