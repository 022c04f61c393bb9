"""Many snapshots of a team too large to be followed: an approximation, and bounds beside it.

Two figures for every number of snapshots, which are never mixed up:

  the approximation   TV of the two linear noise models (`kalman`), from paths of theirs
  the proved bounds   of *simulated* paths of the true teams (`proved_bounds`): from below by the
                      same models' odds as a test, from above by what all that happens tells

A first look at every neighbour finds those that may be the worst; more paths are drawn of these
until no other can tell more by its bound from above. The two looks share the probability to fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from covey.dynamics.ctmc.propensity import propensity
from covey.dynamics.hmm.hidden_markov import Schedule
from covey.dynamics.hmm.kalman import NormalSnapshots, normal_snapshots
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.model.hypothesis import Hypothesis
from covey.model.network import Network
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.numbers import Floats, Ints
from covey.privacy.cases import Case, case_of
from covey.privacy.stream.confidence import Bounded, check_confidence
from covey.privacy.stream.large_teams.proved_bounds import Comparison
from covey.privacy.stream.problem import Sampling, StreamProblem
from covey.privacy.stream.stream_row import StreamRow, never_falling
from covey.privacy.stream.survey import Sampled

_DRAWN, _FEWEST = 4_000, 1_000  # paths of either model,
_NUMBERS = 1_000_000  # and snapshots of them
_SIMULATED = 400  # paths of either team, where hits are counted
_EVENTS = 1e8  # that are weighed in a second look, of
_FEWEST_PATHS, _MOST_PATHS = 500, 6_000  # paths of either team, and in a first look of
_PART, _LEAST = 6, 200  # this part of them, but not fewer


def approximated(
    solver: Solver,
    problem: StreamProblem,
    neighbours: Sequence[Hypothesis],
    begin: Moment,
    progress: Progress | None = None,
) -> list[Sampled]:
    """The approximation, and what is proved, against every neighbour.

    What is proved is about snapshots from `begin` on, which `first_look` gives.
    """
    scenario, looks, sampling = problem.scenario, problem.looks, problem.sampling
    marks, drawn = np.array(looks.marks), min(_DRAWN, max(_NUMBERS // looks.count, _FEWEST))
    ours = _model(scenario, case_of(scenario), looks)
    comparisons, apart = [], []
    for number, neighbour in enumerate(neighbours):
        theirs = _model(scenario, case_of(scenario, neighbour), looks)
        test = partial(_log_ratio, ours, theirs, marks=marks)
        comparisons.append(Comparison(solver, problem, neighbour, number, begin, test))
        seed = sampling.seeds(number, 2)[1]
        apart.append(
            [
                test(model.draw(drawn, np.random.default_rng([seed, i])))
                for i, model in enumerate((ours, theirs))
            ]
        )
    proved = _proved(comparisons, sampling, _paths(scenario.network, ours, looks, begin), progress)
    found = []
    for logs, (bounds, paths) in zip(apart, proved, strict=True):
        rows = [
            _row(int(mark), [each[:, i] for each in logs], bounds[i], problem.epsilons)
            for i, mark in enumerate(marks)
        ]
        found.append(Sampled(never_falling(rows), paths))
    return found


def _paths(network: Network, model: NormalSnapshots, looks: Schedule, begin: Moment) -> int:
    """How many paths of either team a second look can afford, by how often something happens."""
    near = np.rint(np.maximum(model.means[0], 0.0)).astype(np.int64)[:, None]
    rate = sum(float(propensity(network, r, near)[0]) for r in range(len(network.reactions)))
    span = looks.every * (looks.count - 1) + (0.0 if isinstance(begin, str) else begin)
    room = _EVENTS / (2 * (rate * span + looks.count))
    return int(min(max(room, _FEWEST_PATHS), _MOST_PATHS))


def _proved(
    comparisons: Sequence[Comparison], sampling: Sampling, most: int, progress: Progress | None
) -> list[tuple[list[Bounded], int]]:
    """What is proved of every neighbour, and by how many paths of either team, at most so many."""
    alpha = check_confidence(sampling.confidence) / (2 * len(comparisons))
    looked, found = set[int](), []
    for one in comparisons:
        paths = sampling.paths or (_SIMULATED if one.lumped is None else max(most // _PART, _LEAST))
        found.append((one.bounds(paths, 2, alpha, progress), paths))
    while sampling.paths is None:
        worst = max(range(len(found)), key=lambda i: (found[i][0][-1].upper, found[i][0][-1].value))
        if worst in looked or comparisons[worst].lumped is None:
            break
        looked.add(worst)
        more = comparisons[worst].bounds(most, 3, alpha, progress)
        both = zip(found[worst][0], more, strict=True)
        found[worst] = [new.within(old) for old, new in both], most
    return found


def _row(
    snapshots: int, drawn: list[Floats], proved: Bounded, epsilons: Sequence[float]
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
        Bounded(apart, 0.0, 1.0).within(proved),
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
