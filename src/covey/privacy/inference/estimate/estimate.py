"""What a watcher estimates: how near somebody who knows the model's form comes to its numbers.

Whoever knows how the robots meet and part, but not how many there are or how fast they are, weighs
the hypotheses of a grid by all that was seen so far. What is expected of that is said in the terms
of the number itself: "the number of pickers to within ± 0.8 (90%)", where 0.8 is half the length
of the shortest interval that holds it with a probability of 90%, on average over what the team may
show. That is by the exact filter on sampled paths (`followed`); teams too large for it by the
Fisher information of the linear noise model (`fisher`), an approximation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import InputError, TooLargeError, did_you_mean, shown
from covey.model.following import refuse_following
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.varied import Span
from covey.numbers import is_number
from covey.privacy.inference.estimate.estimate_problem import EstimateProblem
from covey.privacy.inference.estimate.estimated import Estimated
from covey.privacy.inference.estimate.fisher import approximated
from covey.privacy.inference.estimate.followed import Followed
from covey.privacy.inference.estimate.grid import POINTS, read_grid
from covey.privacy.snapshot.published import surely_watched
from covey.privacy.stream.problem import Sampling
from covey.privacy.stream.schedule import schedule
from covey.showing import Drawing
from covey.words import each, rounded, when

LEVEL = 0.9
_FINER = 1.5  # times the resolution of the grid: nearer than that, a finer grid would tell more


@dataclass(frozen=True)
class Estimation(Drawing):
    """What a watcher knows of some numbers of a scenario, after each number of snapshots.

    Attributes:
        at: Of the first snapshot: a time, or "steady".
        every: The time from one snapshot to the next.
        snapshots: After how many of them the figures are.
        of: The numbers, each with what is known of it.
        level: The probability with which a number is known to within something.
        method: "paths", sampled and filtered exactly; "normal", an approximation; or "exact" where
            a stand-in is published, and nothing is learnt.
        hypotheses: How many were weighed.
        paths: How many paths of the team were drawn, or simulated.
        confidence: With which all bounds hold together.
        seed: Of the paths: the same one gives the same figures.
        states: Of the largest chain that was followed.
        unit: The unit of time, where it is known.
        taken_for_steady: Whether steady state was asked for and `at` is a time that stands for it:
            the mean field has settled by then, and whether the team has is not known.
    """

    at: Moment
    every: float
    snapshots: tuple[int, ...]
    of: tuple[Estimated, ...]
    level: float
    method: str
    hypotheses: int
    paths: int
    confidence: float
    seed: int
    states: int | None
    taken_for_steady: bool = False
    unit: str | None = None

    def __getitem__(self, name: str) -> Estimated:
        return next(one for one in self.of if one.name == name)

    def __str__(self) -> str:
        who = (
            "Someone who knows the model but not its numbers, and looks "
            f"{each(self.every, self.unit)} from {when(self.at, self.unit)[3:]} on, comes to know"
        )
        return f"{who} {'; '.join(map(self._said, self.of))}.{self._sure}{self._finer}"

    def _said(self, one: Estimated) -> str:
        marks = dict.fromkeys((0, len(self.snapshots) - 1))
        after = ["one snapshot" if n == 1 else f"{n:,}" for n in self.snapshots]
        steps = ", ".join(f"{_near(one.within[i].value)} after {after[i]}" for i in marks)
        return (
            f"{one.what} {steps} (with {100 * self.level:g}% probability; before, "
            f"{_near(one.before)})"
        )

    @property
    def _sure(self) -> str:
        if self.method == "normal":
            return f" {self._approximated}"
        if self.method == "exact":
            return (
                " A stand-in is published, which shows the same whatever the numbers are: nothing "
                "is learnt of them."
            )
        parts = [
            f"{one.what} ± {rounded(one.within[-1].lower, '.3g', 'down')} to "
            f"{rounded(one.within[-1].upper, '.3g', 'up')}"
            for one in self.of
        ]
        return (
            f" The last figure is an average over {self.paths:,} sampled paths: "
            f"{', '.join(parts)}, with {100 * self.confidence:g}% confidence."
        )

    @property
    def _approximated(self) -> str:
        shares = [
            f"{one.what} {rounded(one.checked[-1].value, '.0%')} of the time (at least "
            f"{rounded(one.checked[-1].lower, '.0%', 'down')} with {100 * self.confidence:g}% "
            "confidence)"
            for one in self.of
            if one.checked is not None
        ]
        moment = (
            f" {when(self.at, self.unit)[3:].capitalize()} stands for steady state: the mean field "
            "has settled by then, but that the team has is not proved."
        ) * self.taken_for_steady
        return (
            "This is an approximation, the Fisher information of the linear noise model, as the "
            f"team is too large to be followed. On {self.paths:,} simulated paths whoever weighed "
            f"the hypotheses by that model came as near: {', '.join(shares)}.{moment}"
        )

    @property
    def _finer(self) -> str:
        """Where the grid is all that keeps a watcher from knowing more."""
        coarse = [
            one.name
            for one in self.of
            if self.method == "paths" and one.within[-1].value < _FINER * one.resolution
        ]
        if not coarse:
            return ""
        return (
            f" The grid limits what is known of {', '.join(coarse)}: take a shorter range or more "
            "points."
        )


def _near(width: float) -> str:
    return "exactly" if width == 0 else f"to within ± {width:.3g}"


def estimate(
    scenario: Scenario,
    of: Mapping[str, Span | None],
    every: float | None = None,
    until: float | None = None,
    *,
    level: float = LEVEL,
    points: int = POINTS,
    snapshots: Iterable[int] | None = None,
    sampling: Sampling | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Estimation:
    """What somebody who knows the model's form alone learns of its numbers, snapshot by snapshot.

    Args:
        scenario: The team, its network, what is seen of it or published, and from when on.
        of: The numbers that are not known, each with the least and the most it may be, as
            {"types.picker": (1, 8), "rates.meet": (0.05, 0.5)}; and measures of [performance] that
            follow from them, each with None.
        every: The time from one snapshot to the next; by default that of the scenario's [release].
        until: How long they go on: until / every snapshots; by default as [release] says.
        level: The probability with which a number is to be known to within something.
        points: How many values of a rate are weighed; of a count all are.
        snapshots: After how many of them to say what is known; by default 1, 2, 5, 10 and some more
            up to all.
        sampling: How many paths are drawn, which ones, and with which confidence bounds hold; its
            accuracy is not used.
        limits: How to compute: on how many states.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    refuse_following(scenario, "an estimate")
    if not is_number(level) or not 0 < level < 1:
        raise InputError(f"level is {shown(level)}: a number between 0 and 1 is expected, as 0.9")
    measures = tuple(name for name, span in of.items() if span is None)
    ranges = {name: span for name, span in of.items() if span is not None}
    _check_measures(scenario, measures, bool(ranges))
    problem = EstimateProblem(
        read_grid(scenario, ranges, points),
        measures,
        schedule(scenario, every, until, None, snapshots),
        float(level),
        sampling or Sampling(),
    )
    return _estimation(Solver(scenario.network, limits), problem, progress)


def _estimation(
    solver: Solver, problem: EstimateProblem, progress: Progress | None = None
) -> Estimation:
    grid, looks, sampling = problem.grid, problem.looks, problem.sampling
    quantities = problem.quantities(solver, progress)
    at, states = looks.at, None
    if grid.scenario.release.stand_in is not None:
        surely_watched(grid.scenario, "an estimate")
        found, method, paths = tuple(map(problem.nothing_learnt, quantities)), "exact", 0
    else:
        try:
            followed = Followed(solver, problem, progress)
            found, method, paths = followed.estimated(quantities), "paths", followed.paths
            states = followed.states
        except TooLargeError:
            if grid.scenario.release.mechanism is not None:
                raise
            found, at, paths = approximated(solver, problem, quantities, progress)
            method = "normal"
    return Estimation(
        at,
        looks.every,
        looks.marks,
        found,
        problem.level,
        method,
        len(grid),
        paths,
        sampling.confidence,
        sampling.seed,
        states,
        at != looks.at,
        grid.scenario.unit,
    )


def _check_measures(scenario: Scenario, measures: tuple[str, ...], ranges: bool) -> None:
    """Refuses what has no range and is no measure, and measures that nothing is unknown of."""
    for name in measures:
        if name in scenario.numbers:
            raise InputError(
                f"{name} has no range: the least and the most that it may be are expected, as "
                f"{name}=1:8"
            )
        if name not in scenario.performance:
            known = [*scenario.performance, *scenario.numbers]
            raise InputError(
                f"{shown(name)} is neither a number of the scenario nor a measure of its "
                f"[performance].{did_you_mean(name, known)}"
            )
    if not ranges:
        raise InputError(
            "what is not known is not said: at least one number with a range is expected, as "
            "types.picker=1:8" + (f"; {measures[0]} follows from it" if measures else "")
        )
