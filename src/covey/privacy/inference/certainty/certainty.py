"""How long until an observer is sure: when the posterior passes a level, along sampled paths.

All hypotheses of a question weigh the same at first, and as many paths are drawn of each. With
P(h | seen until t) the posterior along a path, by the exact filter of every hypothesis,

    Bayes success by t    E max_h P(h | seen until t)
    sure by t             the share of paths on which that maximum was at least the level by then

Both are means of numbers in [0, 1] over paths that are drawn independently, so that `confidence`
bounds them. Whoever is 90% sure is wrong in one case of ten.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.dynamics.hmm.hidden_markov import Schedule
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import InputError, UnsupportedError
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.numbers import is_whole
from covey.privacy.hypotheses import check_same_moment, solver_of, stars_of
from covey.privacy.inference.certainty.posterior_paths import PosteriorPaths
from covey.privacy.inference.certainty.sure_of import SureOf, sure_of
from covey.privacy.snapshot.arriving import check_start
from covey.privacy.stream.confidence import (
    check_confidence,
)
from covey.privacy.stream.problem import Sampling
from covey.privacy.stream.schedule import schedule
from covey.showing import Drawing
from covey.tabular import Tabular, columns_of
from covey.words import each, lasting, rounded, when

_PATHS = 1_000  # of every hypothesis
_MOST = 20_000_000  # posteriors of all paths together


@dataclass(frozen=True, eq=False)
class Certainty(Drawing, Tabular):
    """How long until an observer is sure.

    Attributes:
        at: Of the first snapshot: a time, or "steady".
        every: The time from one snapshot to the next.
        level: The probability from which on somebody is sure.
        continuous: Whether every change is seen, and not only snapshots.
        snapshots: After how many of them something is said.
        of: What is believed of every question: of a followed robot, one for each type that it has.
        sampled: How many paths of every hypothesis were drawn.
        confidence: With which all bounds hold together.
        seed: Of the paths.
        unit: The unit of time, where it is known.
    """

    at: Moment
    every: float
    level: float
    continuous: bool
    snapshots: tuple[int, ...]
    of: tuple[SureOf, ...]
    sampled: int
    confidence: float
    seed: int
    unit: str | None = None

    @property
    def times(self) -> tuple[float, ...]:
        """How long somebody has watched after each number of snapshots shown."""
        return tuple((n - 1) * self.every for n in self.snapshots)

    @property
    def table_columns(self) -> dict[str, list[Any]]:
        """A row for each question and number of snapshots."""
        return columns_of(
            {"question": one.question, "snapshots": n, "time": time}
            | dict(zip(("guess", "guess_lower", "guess_upper"), right, strict=True))
            | dict(zip(("sure", "sure_lower", "sure_upper"), sure, strict=True))
            for one in self.of
            for n, time, right, sure in zip(
                self.snapshots, self.times, one.bayes_success, one.sure, strict=True
            )
        )

    def success_from(self, one: SureOf, least: float) -> float:
        """From when on the best guess is right so often, as estimated; infinite: not by the end.

        Args:
            one: Of which question.
            least: How often.
        """
        enough = np.flatnonzero(one.success >= least)
        return float(enough[0]) * self.every if len(enough) else math.inf

    def __str__(self) -> str:
        how = "sees every change" if self.continuous else f"looks {each(self.every, self.unit)}"
        parts = [self._said(one) for one in self.of]
        return (
            f"How long until someone is {self.level:.0%} sure who {how} from "
            f"{when(self.at, self.unit)[3:]} on, where all possibilities are equally likely "
            f"beforehand? {' '.join(parts)} All bounds hold together with "
            f"{100 * self.confidence:g}% confidence ({self.sampled:,} sampled paths of each "
            "possibility)."
        )

    def _said(self, one: SureOf) -> str:
        last, sure = self.times[-1], one.sure[-1]
        wrong = "" if math.isnan(one.right) else f", {1 - one.right:.1%} of them wrongly"
        if math.isinf(one.median.value):
            half = f"more than {lasting(last, self.unit)}"
        else:
            upper = f"{one.median.upper:.3g}" if math.isfinite(one.median.upper) else "later"
            half = (
                f"{lasting(one.median.value, self.unit)} (between {one.median.lower:.3g} and "
                f"{upper})"
            )
        return (
            f"{one.question[0].upper()}{one.question[1:]}: {half} in half of all cases. After "
            f"{lasting(last, self.unit)}, {sure.value:.1%} are sure (between "
            f"{rounded(sure.lower, '.1%', 'down')} and {rounded(sure.upper, '.1%', 'up')}){wrong}."
        )


def certainty(
    scenario: Scenario,
    every: float | None = None,
    until: float | None = None,
    *,
    level: float = 0.9,
    continuous: bool = False,
    at: Moment | None = None,
    snapshots: Iterable[int] | None = None,
    paths: int = _PATHS,
    confidence: float = 0.95,
    seed: int = 0,
    cores: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Certainty:
    """How long until an observer is sure which hypothesis holds, such as a followed robot's type.

    Args:
        scenario: The team, its network, and what is seen of it; `adversary.follow` follows a robot.
        every: The time from one snapshot to the next; by default that of the scenario's [release].
        until: How long they go on; by default as [release] says.
        level: From which probability on somebody is sure: above ½ and below 1.
        continuous: Whether every change is seen with its time, and not only snapshots.
        at: When the first one is: a time, or "steady"; by default when the adversary looks.
        snapshots: After how many of them to say what is known, as `stream` takes it.
        paths: How many are drawn of every hypothesis.
        confidence: With which all bounds are to hold together, between 0 and 1.
        seed: Of the paths: the same one gives the same figures.
        cores: Threads to compute on; by default one on each core.
        limits: How to compute: on how many states.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    looks = schedule(scenario, every, until, at, snapshots)
    _check(scenario, looks, level, paths)
    check_confidence(confidence)
    stars = stars_of(scenario)
    check_same_moment((one for star in stars for one in star.hypotheses), "certainty")
    solver = solver_of(Solver(scenario.network, limits), scenario, stars)
    sampling = Sampling(confidence=confidence, paths=paths, seed=seed, cores=cores)
    found = []
    for number, star in enumerate(stars):
        watch = PosteriorPaths(solver, star, looks, sampling, number, progress)
        posterior = watch.continuous() if continuous else watch.snapshots()
        alpha = check_confidence(confidence) / len(stars)
        found.append(sure_of(star, posterior, looks, level, alpha))
    return Certainty(
        looks.at,
        looks.every,
        level,
        continuous,
        looks.marks,
        tuple(found),
        paths,
        confidence,
        seed,
        scenario.unit,
    )


def _check(scenario: Scenario, looks: Schedule, level: float, paths: int) -> None:
    if scenario.release.instead is not None:
        raise UnsupportedError(
            "how long until somebody is sure is asked of what is there, and not of what is "
            "published instead: leave out release.mechanism, or ask stream",
            key="release.mechanism",
        )
    if isinstance(level, bool) or not 0.5 < level < 1:
        raise InputError(f"the level is {level!r:.40}: a number above 0.5 and below 1 is expected")
    if not is_whole(paths) or paths < 2:
        raise InputError(f"paths is {paths!r:.40}: a whole number of at least 2 is expected")
    if paths * looks.count > _MOST:
        raise InputError(
            f"{paths:,} paths of {looks.count:,} snapshots: {_MOST:,} snapshots are kept at most, "
            f"so that up to {_MOST // looks.count:,} paths can be drawn"
        )
    check_start(scenario, looks.at, "how long until somebody is sure")
