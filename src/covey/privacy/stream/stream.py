"""A day of snapshots: what whoever looks again and again learns of the team.

One snapshot tells little, and a shift of them nearly all: snapshots of one trajectory do not tell
the same again, and types that move differently are told apart by how they move. With y₁ … y_n seen
at t, t + Δ, t + 2Δ, …, everything that `profile` says of one snapshot is said of n together,

    TV_n = ½ Σ |P(y₁…y_n) − P'(y₁…y_n)|,      δ_n(ε) = Σ (P(y₁…y_n) − e^ε P'(y₁…y_n))₊,

and whoever has to tell the team from the neighbour is right (1 + TV_n)/2 of the time. Neighbours
that nothing tells from the team are recognised (`indistinguishable`): exactly half of the time.
Few snapshots are summed over all that can be seen (`joint_distributions`), exactly; many by the
paths of `sampled`, with bounds that hold together with a confidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress, check_time
from covey.errors import UnsupportedError
from covey.executors import Workers
from covey.model.hypothesis import Hypothesis
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.secret import TeamSet
from covey.model.team import Team
from covey.privacy.headline import (
    OverTime,
    Sentence,
    comparison_sentence,
    spoken,
    verdict_sentence,
)
from covey.privacy.hypotheses import Relation, check_same_moment, solver_of, stars_of
from covey.privacy.snapshot.arriving import check_start
from covey.privacy.snapshot.channel import Reporting, check_thinned
from covey.privacy.stream.confidence import Bounded
from covey.privacy.stream.figures import figures
from covey.privacy.stream.problem import ACCURACY, Sampling, StreamProblem
from covey.privacy.stream.schedule import schedule
from covey.privacy.stream.stream_row import StreamRow, worst_of
from covey.showing import Drawing
from covey.tabular import Tabular, columns_of
from covey.words import percent, when


@dataclass(frozen=True)
class PairStream:
    """What snapshots tell of the team and one neighbour.

    Attributes:
        neighbour: The hypothesis.
        rows: After each number of snapshots.
        paths: How many paths of either team were drawn; 0 where none had to be.
        team: The team that it is compared with.
    """

    neighbour: Hypothesis
    rows: tuple[StreamRow, ...]
    paths: int
    team: Team


@dataclass(frozen=True)
class Stream(Drawing, Tabular):
    """What snapshots that follow each other tell of a team.

    Attributes:
        at: Of the first snapshot: a time, or "steady".
        taken_for_steady: Whether steady state was asked for and `at` is a time that stands for it:
            the mean field has settled by then, and whether the team has is not known.
        every: The time from one snapshot to the next.
        epsilons: For which δ was asked.
        pairs: What is told of every neighbour.
        method: "exact"; "paths" where the last figures are from sampled paths, filtered exactly; or
            "normal" where they are an approximation, with bounds that simulated paths prove.
        exact: Up to how many snapshots the figures are exact.
        confidence: With which all bounds hold together, where paths were drawn.
        seed: Of the paths: the same one gives the same figures.
        states: Of the largest chain on which paths were drawn.
        relation: Which scenarios are compared.
        unit: The unit of time, where the scenario says it.
    """

    #: Where its formulas are, and what proves them.
    proof: ClassVar[str] = "docs/theory/stream.md#what-many-snapshots-give-away"

    at: Moment
    every: float
    epsilons: tuple[float, ...]
    pairs: tuple[PairStream, ...]
    method: str
    exact: int
    confidence: float
    seed: int
    states: int | None
    taken_for_steady: bool
    relation: Relation
    unit: str | None = None

    @property
    def rows(self) -> tuple[StreamRow, ...]:
        """After each number of snapshots, the most that is told of any neighbour."""
        return tuple(map(worst_of, zip(*(pair.rows for pair in self.pairs), strict=True)))

    @property
    def table_columns(self) -> dict[str, list[Any]]:
        """A row for each number of snapshots: how often an observer is right, and its bounds."""
        return columns_of(
            {"snapshots": row.snapshots}
            | dict(zip(("guess", "lower", "upper"), row.bayes_success, strict=True))
            for row in self.rows
        )

    @property
    def snapshots(self) -> tuple[int, ...]:
        """After how many of them the figures are."""
        return tuple(row.snapshots for row in self.pairs[0].rows)

    @property
    def total_variation(self) -> tuple[Bounded, ...]:
        """After each number of snapshots, of whichever neighbour is told apart most easily."""
        return tuple(row.total_variation for row in self.rows)

    @property
    def bayes_success(self) -> tuple[Bounded, ...]:
        """How often an observer is right who has to tell the team from a neighbour."""
        return tuple(row.bayes_success for row in self.rows)

    @property
    def worst(self) -> PairStream:
        """The neighbour that is told apart most easily in the end."""
        return max(self.pairs, key=lambda pair: pair.rows[-1].total_variation.value)

    @property
    def neighbour(self) -> Hypothesis:
        """The one of `worst`."""
        return self.worst.neighbour

    @property
    def worst_neighbours(self) -> tuple[Hypothesis, ...]:
        """After each number of snapshots, the neighbour that is told apart most easily by then.

        Of those that are told apart as well, the one that is in the end.
        """
        end = self.worst
        rows = range(len(end.rows))
        return tuple(
            max(self.pairs, key=lambda p: (p.rows[i].total_variation.value, p is end)).neighbour
            for i in rows
        )

    @property
    def paths(self) -> int:
        """How many paths of either team were drawn against the worst neighbour; 0: none."""
        return self.worst.paths

    @property
    def sampled(self) -> str:
        """How bounds are known that paths were drawn for; empty where nothing was drawn.

        Such as `with 95% confidence, from 4,000 sampled paths of either team`.
        """
        if self.method == "exact" or self.tells_nothing:
            return ""
        sure = f"with {100 * self.confidence:g}% confidence"
        return f"{sure}, from {self.paths:,} sampled paths of either team"

    @property
    def tells_nothing(self) -> bool:
        """Whether all snapshots tell the team from no neighbour, exactly."""
        return self.rows[-1].total_variation.upper == 0

    @property
    def verdict(self) -> Sentence:
        """The verdict in one line, by the last figure: its upper bound, or an approximation."""
        last = self.rows[-1].bayes_success
        right = last.value if self.method == "normal" else last.upper
        found = OverTime(
            bayes_success=((self.snapshots[-1], right),), every=self.every, unit=self.unit
        )
        how = "about" if self.method == "normal" else "at most"
        return verdict_sentence(self.neighbour.told, 0.0, found, how)

    def __str__(self) -> str:
        return f"{spoken(self.verdict)} {self.numbers}"

    @property
    def numbers(self) -> str:
        """What is compared, how often an observer is right on the way, and how sure that is."""
        compared = comparison_sentence(str(self.neighbour), self.relation.whom(self.worst.team))
        return f"{spoken(compared)} {self.on_the_way}"

    @property
    def on_the_way(self) -> str:
        """How often an observer is right after some snapshots and after all, and how sure it is."""
        named = _named(self.snapshots)
        both = zip(self.rows, self.worst_neighbours, strict=True)
        rows = [(row, of) for row, of in both if row.snapshots in named]
        one = len({of for _, of in rows}) == 1  # else each figure says whom it is about
        right = [
            f"{percent(row.bayes_success.value)} of the time after {row.snapshots:,}"
            f"{'' if one else f' ({of})'}"
            for row, of in rows
        ]
        right[0] = re.sub(r"after 1\b(?!,)", "after one snapshot", right[0], count=1)
        right[1:] = [text.replace(" of the time", "", 1) for text in right[1:]]
        begin = when(self.at, self.unit)[3:]
        return f"From {begin} on, right {', '.join(right)}.{self._sure}"

    @property
    def _sure(self) -> str:
        """How well the last figure is known."""
        last = self.rows[-1].bayes_success
        if self.method == "exact" or self.tells_nothing:
            return ""
        if self.method == "normal":
            least = percent(last.lower, "down")
            between = f"at least {least}" if last.upper == 1 else (
                f"between {least} and {percent(last.upper, 'up')}"
            )  # fmt: skip
            return (
                " These figures are a normal approximation: the team is too large for an exact "
                f"filter. Proved, with {100 * self.confidence:g}% confidence: {between} after all, "
                f"from {self.paths:,} simulated paths of either team.{self._assumed}"
            )
        return (
            f" The last figure is between {percent(last.lower, 'down')} and "
            f"{percent(last.upper, 'up')}; all bounds hold together {self.sampled}."
        )

    @property
    def _assumed(self) -> str:
        if not self.taken_for_steady:
            return ""
        return (
            f" {when(self.at, self.unit)[3:].capitalize()} stands for steady state: the mean field "
            "is at rest by then; that the team is, is not proved."
        )


def stream(
    scenario: Scenario,
    every: float | None = None,
    until: float | None = None,
    *,
    at: Moment | None = None,
    snapshots: Iterable[int] | None = None,
    epsilons: Iterable[float] = (),
    seen: Reporting | None = None,
    against: Sequence[Mapping[str, Any]] | None = None,
    teams: TeamSet | Mapping[str, object] | str | None = None,
    accuracy: float = ACCURACY,
    confidence: float = 0.95,
    paths: int | None = None,
    seed: int = 0,
    cores: int | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Stream:
    """What a team gives away to somebody who looks again and again.

    Args:
        scenario: The team, its network, and what is seen of it, or published.
        every: The time from one snapshot to the next; by default that of the scenario's [release].
        until: How long they go on: until / every snapshots; by default as [release] says.
        at: When the first one is: a time, or "steady"; by default when the adversary looks.
        snapshots: After how many of them to say what is known; by default 1, 2, 5, 10 and some more
            up to all.
        epsilons: For which δ is to be said as well.
        seen: What is reported of what is there, anew at every snapshot: the probability that a
            robot is seen, or a table, as `seen_through` takes them; by default all.
        against: Other values that the scenario could have, each by dotted names, as
            [{"rates.meet": 0.1}]: what it is compared with, instead of its secret.
        teams: A public set of teams, {"A": (5, 7), "B": (3, 5)}: the worst over all pairs in it.
        accuracy: How near the total variation of the worst neighbour is to be known, where paths
            have to be drawn.
        confidence: With which all bounds are to hold together, between 0 and 1.
        paths: How many paths of either team to draw; by default as many as the accuracy needs.
        seed: Of the paths: the same one gives the same figures, on however many cores.
        cores: Threads to compute on; by default one on each core.
        executor: Who draws paths, such as a Dask cluster's; by default threads of this process.
        workers: How many the executor has.
        limits: How to compute: which method for one snapshot, on how many states.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    scenario = scenario.keeping(against, teams)
    problem = StreamProblem(
        scenario,
        schedule(scenario, every, until, at, snapshots),
        Sampling(accuracy, confidence, paths, seed, cores),
        tuple(check_time(epsilon, "epsilon") for epsilon in epsilons),
        seen,
        None if executor is None else Workers.of(executor, workers),
    )
    return stream_by(Solver(scenario.network, limits), problem, progress)


def stream_by(solver: Solver, problem: StreamProblem, progress: Progress | None = None) -> Stream:
    """The same, by a solver that is prepared for the scenario's network already."""
    looks, sampling = problem.looks, problem.sampling
    check_start(problem.scenario, looks.at, "a stream of snapshots")
    stars = stars_of(problem.scenario)
    check_thinned(stars[0].scenario.query, problem.seen)
    solver = solver_of(solver, problem.scenario, stars)
    check_same_moment((one for star in stars for one in star.hypotheses), "a stream")
    shared = 1 - (1 - sampling.confidence) / len(stars)  # so that all bounds hold together
    problem = replace(problem, sampling=replace(sampling, confidence=shared))
    parts = [
        figures(solver, replace(problem, scenario=star.scenario), star.hypotheses, progress)
        for star in stars
    ]
    if len({part.at for part in parts}) > 1:
        raise UnsupportedError(
            "the teams of the set settle at different times, which a stream of all of them cannot "
            "wait for: give the time of the first snapshot by at"
        )
    methods = [part.method for part in parts]
    return Stream(
        parts[0].at,
        looks.every,
        problem.epsilons,
        tuple(
            PairStream(one, *rows, star.scenario.team)
            for star, part in zip(stars, parts, strict=True)
            for one, rows in part.pairs
        ),
        max(methods, key=["exact", "paths", "normal"].index),
        min(part.exact for part in parts),
        sampling.confidence,
        sampling.seed,
        max((part.states for part in parts if part.states is not None), default=None),
        parts[0].at != looks.at,
        Relation.of(problem.scenario),
        problem.scenario.unit,
    )


def _named(snapshots: Sequence[int]) -> set[int]:
    """Those that a sentence names: the first, some in between, the last."""
    named, least = {snapshots[0], snapshots[-1]}, 10
    for n in snapshots:
        if least <= n <= snapshots[-1] / 3:
            named.add(n)
            least = 6 * n
    return named
