"""How long until an observer is sure: when the posterior passes a level, along sampled paths.

All hypotheses of a question weigh the same at first, and as many paths are drawn of each. With
P(h | seen until t) the posterior along a path, by the exact filter of every hypothesis,

    Bayes success by t    E max_h P(h | seen until t)
    sure by t             the share of paths on which that maximum was at least the level by then

Both are means of numbers in [0, 1] over paths that are drawn independently, so that `confidence`
bounds them; the median time is bounded by order statistics. From when on the best guess is right as
often as the level says is bounded by all moments t that are not ruled out: at t the success is at
least the level, and at the moment before it is below. Two bounds are asked about the true moment,
however many moments there are, so that each fails with half of what the interval may. The
observer looks at moments (`hmm.likelihood_ratio`), or sees every change with its time
(`hmm.continuous_watch`) and is asked at the same moments. Whoever is 90% sure is wrong in
one case of ten.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from covey.dynamics.hmm.continuous_watch import log_densities
from covey.dynamics.hmm.drawn_changes import draw_changes
from covey.dynamics.hmm.hidden_markov import Schedule, watched_chain
from covey.dynamics.hmm.likelihood_ratio import PathSampler
from covey.dynamics.hmm.visible_chain import visible_chain
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import InputError, UnsupportedError
from covey.model.following import FollowedAs
from covey.model.hypothesis import Hypothesis
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.numbers import Floats, is_whole
from covey.privacy.cases import cases_of
from covey.privacy.hypotheses import Star, check_same_moment, solver_of, stars_of
from covey.privacy.prior import TEAM, name_of
from covey.privacy.snapshot.arriving import check_start
from covey.privacy.stream.confidence import (
    Bounded,
    check_confidence,
    half_width,
    mean_between,
    share_between,
)
from covey.privacy.stream.problem import Sampling
from covey.privacy.stream.schedule import schedule
from covey.showing import Drawing
from covey.tabular import Tabular, columns_of
from covey.words import THIS_TEAM, each, lasting, rounded, when

_PATHS = 1_000  # of every hypothesis
_MOST = 20_000_000  # posteriors of all paths together
_SHOWN = 3  # paths of every hypothesis in a picture
_LOST = 1e-6  # the probability of leaving the states that are followed


@dataclass(frozen=True, eq=False)
class SureOf:
    """What is believed of one question: the hypotheses that are told apart, all alike at first.

    Attributes:
        names: What the hypotheses are called, what is there first: types of a followed robot.
        among: The other robots, where one is followed; else empty.
        hypotheses: What it could be instead.
        bayes_success: How often the best guess is right after each number of snapshots shown.
        sure: How probably somebody has been sure by then.
        median: The time by which somebody is sure with probability ½; infinite where that is later
            than was looked at.
        reaches: The time from which on the best guess is right as often as the level says; infinite
            where that is later than was looked at.
        right: Of those who are sure, how many are right, as estimated; NaN where nobody is.
        success: How often the best guess is right after every snapshot: (snapshots,).
        paths: Some posteriors of every hypothesis along paths: (hypotheses, paths, hypotheses,
            snapshots), the first of which made the path.
    """

    names: tuple[str, ...]
    among: str
    hypotheses: tuple[Hypothesis, ...]
    bayes_success: tuple[Bounded, ...]
    sure: tuple[Bounded, ...]
    median: Bounded
    reaches: Bounded
    right: float
    success: Floats = field(repr=False)
    paths: Floats = field(repr=False)

    @property
    def question(self) -> str:
        """What has to be told apart, in a sentence."""
        if self.among:
            return f"{' or '.join(self.names)}, beside {self.among}"
        others = [f"the same with {one}" for one in self.hypotheses]
        return " or ".join([THIS_TEAM, *others])


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
        watch = _Watching(solver, star, looks, sampling, number, progress)
        posterior = watch.continuous() if continuous else watch.snapshots()
        alpha = check_confidence(confidence) / len(stars)
        found.append(_sure_of(star, posterior, looks, level, alpha))
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


@dataclass(frozen=True)
class _Watching:
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


def _sure_of(star: Star, posterior: Floats, looks: Schedule, level: float, alpha: float) -> SureOf:
    """What posteriors along paths say: (truths, paths, hypotheses, snapshots)."""
    truths, paths, _, count = posterior.shape
    most = posterior.max(axis=2)  # (truths, paths, snapshots)
    sure = np.maximum.accumulate(most >= level, axis=2)
    first = np.where(sure[..., -1], sure.argmax(axis=2), count)  # count: never
    marks = [n - 1 for n in looks.marks]
    each = alpha / (2 * len(marks) + 2)
    # A path of every hypothesis makes one sample of the mean over all: those are independent.
    success = [mean_between(most[:, :, i].mean(axis=0), each) for i in marks]
    shares = [share_between(int(sure[..., i].sum()), truths * paths, each) for i in marks]
    then = np.minimum(first, count - 1)
    best = np.take_along_axis(posterior, then[:, :, None, None], axis=3)[..., 0].argmax(axis=2)
    right = (best == np.arange(truths)[:, None])[first < count]
    return SureOf(
        *_named(star),
        star.hypotheses,
        tuple(success),
        tuple(shares),
        _median(np.where(first < count, first * looks.every, np.inf).ravel(), each),
        _reaches(most.mean(axis=0), level, looks.every, each),
        float(right.mean()) if len(right) else math.nan,
        np.asarray(most.mean(axis=(0, 1))),
        posterior[:, :_SHOWN],
    )


def _reaches(samples: Floats, level: float, every: float, alpha: float) -> Bounded:
    """The first moment at which the mean is at least the level: of (samples, snapshots)."""
    mean = samples.mean(axis=0)
    widths = [half_width(float(v), len(samples), alpha) for v in samples.var(axis=0, ddof=1)]
    enough = np.append(mean + widths >= level, True)  # is it not ruled out? Last: not by the end
    before = np.append(True, mean - widths < level)
    times = np.append(np.arange(len(mean)) * every, math.inf)
    left = times[enough & before]
    found = times[np.append(mean >= level, True).argmax()]
    return Bounded(
        float(found), min(float(left[0]), float(found)), max(float(left[-1]), float(found))
    )


def _named(star: Star) -> tuple[tuple[str, ...], str]:
    """What the hypotheses are called, and among which others a followed robot is."""
    first = star.hypotheses[0]
    if isinstance(first, FollowedAs) and star.asked is not None:
        others = (one.to_type for one in star.hypotheses if isinstance(one, FollowedAs))
        return (first.from_type, *others), str(star.asked.team.without(first.from_type))
    return (TEAM, *map(name_of, star.hypotheses)), ""


def _median(times: Floats, alpha: float) -> Bounded:
    """The median, between two of the times that fail to hold it with probability at most alpha.

    Paths of several hypotheses are no sample of one distribution, but of each there are as many:
    how many are below the median of all is less spread than a binomial number (Hoeffding, 1956).
    """
    from scipy.special import bdtr  # noqa: PLC0415

    ordered, n = np.sort(times), len(times)
    below = bdtr(np.arange(n // 2), n, 0.5)  # of so many or fewer
    outside = int(np.searchsorted(below, alpha / 2, side="right"))  # that may be cut on each side
    if outside == 0:
        return Bounded(float(ordered[(n - 1) // 2]), 0.0, math.inf)
    return Bounded(
        float(ordered[(n - 1) // 2]), float(ordered[outside - 1]), float(ordered[n - outside])
    )
