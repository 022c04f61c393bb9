"""Every neighbour's figures from sampled paths: a first look at each, and more where it matters.

A neighbour that its first look shows not to be the worst is left at that where more would be
expensive. The paths that follow a first look are drawn afresh, so that how many there are does not
depend on what they show; the two looks share the probability of failing between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from covey.dynamics.hmm.hidden_markov import Snapshots, WatchedChain, watched_chain
from covey.dynamics.hmm.likelihood_ratio import Reports
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import InputError
from covey.model.scenario import Scenario
from covey.model.team import Neighbour
from covey.numbers import Ints
from covey.privacy.stream.confidence import check_confidence
from covey.privacy.stream.sampled import MOST_PATHS, PairOfTeams
from covey.privacy.stream.schedule import Schedule
from covey.privacy.stream.stream_row import StreamRow

ACCURACY = 0.02  # where nobody asks for another: whoever asks the same is told the same figure
_FIRST_LOOK = 512  # pairs of paths by which a neighbour is judged before more are spent on it
_LOST = 0.05  # of the accuracy, for paths that leave the states that are followed
_CHEAP = 2e9  # additions: below this no neighbour is left at its first look


@dataclass(frozen=True)
class Sampling:
    """How paths are drawn.

    Args:
        accuracy: How near the total variation of the worst neighbour is to be known.
        confidence: With which all bounds hold together.
        paths: How many paths of either team; by default as many as the accuracy needs.
        seed: Of the paths.
        cores: Threads to compute on; by default one on each core.
    """

    accuracy: float = ACCURACY
    confidence: float = 0.95
    paths: int | None = None
    seed: int = 0
    cores: int | None = None

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        if isinstance(self.accuracy, bool) or not 0 < self.accuracy < 1:
            raise InputError(
                f"the accuracy is {self.accuracy!r:.40}: a number between 0 and 1 is expected, as "
                "0.01"
            )
        for name, least, most in (("paths", 2, MOST_PATHS), ("seed", 0, 2**63), ("cores", 1, 4096)):
            value = getattr(self, name)
            whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if value is not None and not (whole and least <= value <= most):
                raise InputError(
                    f"{name} is {value!r:.40}: a whole number from {least} to {most:,} is expected"
                )

    def seeds(self, neighbour: int, look: int) -> tuple[int, int]:
        """For paths of the team and of a neighbour, by its number."""
        state = np.random.SeedSequence([self.seed, neighbour, look]).generate_state(2, np.uint64)
        return int(state[0]), int(state[1])


class Sampled(NamedTuple):
    """What so many paths of either team tell."""

    rows: tuple[StreamRow, ...]
    paths: int


class Survey:
    """A scenario's team, its neighbours, and snapshots of them.

    Args:
        solver: For the scenario's network.
        scenario: The team, its network, and what is seen of it.
        snapshots: When somebody looks.
        sampling: How paths are drawn.
        epsilons: For which δ is said.
        reports: What outcomes are reported as; by default themselves.
        progress: Called as progress(done, total, text) while the work goes on.
    """

    def __init__(
        self,
        solver: Solver,
        scenario: Scenario,
        snapshots: Schedule,
        sampling: Sampling,
        epsilons: Sequence[float] = (),
        reports: Reports | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.solver, self.scenario = solver, scenario
        self.snapshots, self.sampling, self.progress = snapshots, sampling, progress
        self.epsilons, self.reports = epsilons, reports
        self.states = 0  # of the largest chain so far

    def told(self, neighbours: Sequence[Neighbour], likely: Sequence[float]) -> list[Sampled]:
        """What paths tell of every neighbour, in their order.

        Those that `likely` calls the worst come first, so that others need no more than a look.
        """
        team = self._chain(self.scenario.start)
        alpha = check_confidence(self.sampling.confidence) / len(neighbours)
        known: dict[tuple[int, ...], Sampled] = {}
        found: dict[int, Sampled] = {}
        certain = 0.0
        for number in sorted(range(len(neighbours)), key=lambda i: -likely[i]):
            neighbour = neighbours[number]
            start = self.scenario.start_of(neighbour.team)
            key = self._alike(start)
            if key not in known:
                pair = PairOfTeams(
                    team, self._chain(start), self.snapshots.marks, self.epsilons, self.reports
                )
                look = partial(self._look, pair, number, alpha / 2, self._said(neighbour))
                known[key] = self._enough(pair, look, alpha / 2, certain)
            found[number] = known[key]
            certain = max(certain, known[key].rows[-1].total_variation.lower)
        return [found[number] for number in range(len(neighbours))]

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
        return pair.look(paths, seeds, alpha, cores=self.sampling.cores, progress=progress)

    def _chain(self, start: Ints) -> WatchedChain:
        looks = self.snapshots
        chain = watched_chain(
            self.solver,
            start,
            self.scenario.query,
            Snapshots(looks.at, looks.every, looks.marks[-1]),
            tolerance=_LOST * self.sampling.accuracy,
            cores=self.sampling.cores,
            progress=self.progress,
        )
        self.states = max(self.states, len(chain))
        return chain

    def _alike(self, start: Ints) -> tuple[int, ...]:
        """The same for neighbours that a symmetry of the team maps onto each other."""
        symmetries = self.solver.symmetries.keeping(self.scenario.query)
        images = symmetries.fixing(self.scenario.start)
        return min(tuple(start[image].tolist()) for image in images)

    def _said(self, neighbour: Neighbour) -> Progress | None:
        said = self.progress
        if said is None:
            return None
        return lambda done, whole, text: said(done, whole, f"{neighbour}: {text}")
