"""Many snapshots of a team too large to be followed: an approximation, and bounds beside it.

Two figures for every number of snapshots, which are never mixed up:

  the approximation   TV of the two linear noise models (`kalman`), from paths of theirs
  the proved bounds   of *simulated* paths of the true teams (`proved_bounds`): from below by the
                      same models' odds as a test, from above by what all that happens tells

A first look at every neighbour finds those that may be the worst; more paths are drawn of these
until no other can tell more by its bound from above, or as many events were weighed as there is
time for. The two looks share the probability to fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
from covey.privacy.stream.problem import ACCURACY, Sampling, StreamProblem
from covey.privacy.stream.stream_row import StreamRow, never_falling
from covey.privacy.stream.survey import Sampled

_DRAWN, _FEWEST = 4_000, 1_000  # paths of either model,
_NUMBERS = 1_000_000  # and snapshots of them
_EVENTS = 1.2e8  # that are weighed in all, at the usual accuracy: half a minute
_PART = 3  # of them in a first look at all, and in a second one at one neighbour
_FIRST, _SECOND = (50, 2_000), (100, 6_000)  # paths of either team, at least and at most,
_SIMULATED = 400  # and where hits are counted


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
    budget = _Budget.of(scenario.network, ours, looks, begin, sampling.accuracy)
    proved = _proved(comparisons, sampling, budget, progress)
    found = []
    for logs, (bounds, paths) in zip(apart, proved, strict=True):
        rows = [
            _row(int(mark), [each[:, i] for each in logs], bounds[i], problem.epsilons)
            for i, mark in enumerate(marks)
        ]
        found.append(Sampled(never_falling(rows), paths))
    return found


@dataclass(frozen=True)
class _Budget:
    """How many events may be weighed in all, and how many there are in a path of both teams."""

    events: float
    of_a_pair: float

    @classmethod
    def of(
        cls,
        network: Network,
        model: NormalSnapshots,
        looks: Schedule,
        begin: Moment,
        accuracy: float,
    ) -> _Budget:
        """By how often something happens; half the accuracy takes a quarter of the paths."""
        near = np.rint(np.maximum(model.means[0], 0.0)).astype(np.int64)[:, None]
        rate = sum(float(propensity(network, r, near)[0]) for r in range(len(network.reactions)))
        span = looks.every * (looks.count - 1) + (0.0 if isinstance(begin, str) else begin)
        return cls(_EVENTS * (ACCURACY / accuracy) ** 2, 2 * (rate * span + looks.count))

    def paths(self, neighbours: int, between: tuple[int, int]) -> int:
        """Paths of either team, in one look at so many neighbours."""
        least, most = between
        room = self.events / _PART / (neighbours * self.of_a_pair)
        return int(min(max(room, least), most))


def _proved(
    comparisons: Sequence[Comparison],
    sampling: Sampling,
    budget: _Budget,
    progress: Progress | None,
) -> list[tuple[list[Bounded], int]]:
    """What is proved of every neighbour, and by how many paths of either team."""
    alpha = check_confidence(sampling.confidence) / (2 * len(comparisons))
    first, second = budget.paths(len(comparisons), _FIRST), budget.paths(1, _SECOND)
    looked, found = set[int](), []
    for one in comparisons:
        paths = sampling.paths or (min(first, _SIMULATED) if one.lumped is None else first)
        found.append((one.bounds(paths, 2, alpha, progress), paths))
    weighed = first * len(comparisons) * budget.of_a_pair
    while sampling.paths is None:
        worst = max(range(len(found)), key=lambda i: (found[i][0][-1].upper, found[i][0][-1].value))
        weighed += second * budget.of_a_pair
        spent = bool(looked) and weighed > budget.events
        if spent or worst in looked or comparisons[worst].lumped is None:
            break
        looked.add(worst)
        more = comparisons[worst].bounds(second, 3, alpha, progress)
        both = zip(found[worst][0], more, strict=True)
        found[worst] = [new.within(old) for old, new in both], second
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
