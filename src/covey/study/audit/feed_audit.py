"""A published feed: is it that of its reference? A test with a stated level.

A stand-in has the distribution of its reference, whatever the team is. So the reference is
simulated M times at the very times of the feed, and of all M + 1 feeds the features x_j are taken
(`features`: counts, changes, dwell times, pairs of successive looks). More features are directions
w·x: those that tell the reference best from each neighbouring team, by Fisher's discriminant
w = (Σ + λI)⁻¹ (μ' − μ) of feeds that were simulated besides. They see a real team through a
stand-in that does not hide it. With the mean and the spread of each feature over all M + 1,

    T = max_j |x_j − mean_j| / spread_j,    p = #{feeds with T at least that of the feed} / (M + 1)

once over the features and once over the directions; the smaller p counts twice (Bonferroni).

If the feed is the reference's, all M + 1 are alike and every rank of it as likely as every other:
P(p ≤ α) ≤ α, whatever the features are and however long the feed is (Barnard's Monte Carlo test
[1]). The same quantile of T holds for all features at once (Westfall and Young [2]), so that
those beyond it are named. A feed that passes may still differ in what no feature shows.

The reference begins with the feed, as it is published then: at its start, or where its scenario
says "steady" in its stationary distribution (`coupled_team.beginning`). The times of the feed must
not depend on what it shows: one that has a row for each change and no others is refused.

[1] Barnard, discussion of Bartlett, J. R. Statist. Soc. B 25 (1963); Besag, Clifford, Generalized
    Monte Carlo significance tests, Biometrika 76 (1989).
[2] Westfall, Young, Resampling-based multiple testing (1993).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from covey.dynamics.ssa.simulation import trajectories
from covey.dynamics.validation import Progress
from covey.errors import InputError, TooLargeError, did_you_mean, shown
from covey.model.io.stand_in_file import Reference, open_stand_in
from covey.model.scenario import Scenario
from covey.model.team import Team
from covey.numbers import Floats, is_whole
from covey.privacy.stream.confidence import check_confidence
from covey.remedy.stand_in.publishing.coupled_team import Beginning, beginning
from covey.showing import Drawing
from covey.study.audit.count_log import CountLog, CountRun, Files, read_counts
from covey.study.audit.features import Features
from covey.tabular import Tabular, columns_of

_PILOT = 300  # simulated feeds of each team by which features and directions are chosen
_LEAST_PILOT = 30  # where feeds are long
_MOST_AT_ONCE = 50_000_000  # numbers of these
_MOST_DIRECTIONS = 12
_RIDGE = 0.1
_CHUNK = 4_000_000  # numbers that are kept at a time
_MOST = 2_000_000_000  # numbers that are simulated
_NAMED = 5


@dataclass(frozen=True)
class FeedFeature:
    """One feature of the feed, beside the reference's.

    Attributes:
        what: In words.
        found: Of the feed.
        expected: Of the reference, in the mean.
        spread: How far feeds of the reference are usually off.
        p_value: How often some feature of a feed of the reference is as far off.
    """

    what: str
    found: float
    expected: float
    spread: float
    p_value: float


@dataclass(frozen=True)
class FeedAudit(Drawing, Tabular):
    """Whether a feed is that of its reference.

    Attributes:
        feed: Its name.
        reference: The team that it should show.
        rows: How many rows it has.
        level: Of the test: how often a feed of the reference is rejected at most.
        p_value: How often a feed of the reference is as odd as this one.
        features: What was looked at, the oddest first.
        samples: How many feeds of the reference were simulated.
        seed: Of these.
        notes: What to know.
    """

    feed: str
    reference: str
    rows: int
    level: float
    p_value: float
    features: tuple[FeedFeature, ...]
    samples: int
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def rejected(self) -> bool:
        """Whether the feed is not that of its reference, at the level."""
        return self.p_value <= self.level

    @property
    def odd(self) -> tuple[FeedFeature, ...]:
        """The features that show it."""
        return tuple(one for one in self.features if one.p_value <= self.level)

    @property
    def table_columns(self) -> dict[str, list[Any]]:
        """A row for each feature."""
        return columns_of(vars(one) for one in self.features)

    def __str__(self) -> str:
        test = (
            f"{self.rows:,} rows against {self.samples:,} simulated feeds, level {self.level:.4g}, "
            f"p = {self.p_value:.2g}"
        )
        if not self.rejected:
            return (
                f"The feed passes for one of its reference, {self.reference} ({test}). That does "
                "not prove that it is one."
            )
        named = "; ".join(
            f"{one.what} is {one.found:.4g}, where {one.expected:.4g} ± {one.spread:.2g} is usual"
            for one in self.odd[:_NAMED]
        )
        return f"The feed is not that of its reference, {self.reference} ({test}): {named}."


def audit_feed(
    reference: Reference | Scenario | str | Path,
    feed: Files | CountLog,
    *,
    samples: int = 999,
    confidence: float = 0.95,
    columns: Mapping[str, str] | None = None,
    unit: str | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> FeedAudit:
    """Whether a published feed is that of its reference, by a test of level 1 − confidence.

    Args:
        reference: A stand-in's file or what `open_stand_in` gives; or a scenario whose team the
            feed should show.
        feed: A file of published counts at times, or several.
        samples: How many feeds of the reference are simulated.
        confidence: One minus the level of the test.
        columns: What columns are called in the feed.
        unit: What dates and epoch times are counted in; by default the reference's [time] unit.
        seed: Of the simulated feeds.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    level = check_confidence(confidence)
    if not is_whole(samples) or samples < 1 or 1 / (samples + 1) > level:
        raise InputError(
            f"samples is {shown(samples)}: a whole number of at least {round(1 / level) - 1} is "
            "expected, or no feed could be rejected at this confidence"
        )
    scenario, notes = _scenario(reference)
    if not isinstance(feed, CountLog):
        feed = read_counts(feed, columns, unit, progress, usual_unit=scenario.unit)
    log = feed
    chosen = _places(scenario, log)
    _check_clock(log)
    rows = sum(len(run.times) for run in log.runs)
    size = rows * len(scenario.network.species)
    if size * samples > _MOST or size * _LEAST_PILOT > _MOST_AT_ONCE:
        raise TooLargeError(
            f"{rows:,} rows, simulated {samples:,} times: give fewer rows or fewer samples"
        )
    simulated = _Simulated(scenario, log, chosen, seed, progress)
    asked = _asked(simulated)
    found = np.concatenate(
        [asked.of([run.counts[None] for run in log.runs]), *simulated.features(asked, int(samples))]
    )  # (1 + samples, features)
    return FeedAudit(
        log.name, str(scenario.team), rows, level, *_tested(asked, found), int(samples), seed,
        (*log.notes, *notes),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Asked:
    """What is asked of a feed: features, and directions in which teams differ."""

    features: Features
    words: tuple[str, ...]
    centre: Floats  # (features,), of the reference
    directions: Floats  # (features, directions), each of spread 1 for the reference

    def of(self, runs: Sequence[Floats]) -> Floats:
        """Of feeds of one or several runs, in the mean of these: (feeds, features)."""
        plain = _mean_features(self.features, runs)
        return np.column_stack([plain, (plain - self.centre) @ self.directions])


def _asked(simulated: _Simulated) -> _Asked:
    """Chosen by feeds that are simulated for that alone."""
    count = simulated.pilot
    pilot = simulated.feeds(0, count)
    features = Features.of(simulated.log.names, np.concatenate(pilot, axis=1))
    words = list(features.measured(pilot[0][:1]))
    own = _mean_features(features, pilot)
    centre, spread = own.mean(axis=0), own.std(axis=0)
    unit = np.where(spread > 1e-12 * (1 + np.abs(centre)), spread, np.inf)
    scaled = (own - centre) / unit
    bends = scaled.T @ scaled / len(own) + _RIDGE * np.eye(len(unit))
    directions = []
    others = simulated.scenario.team.neighbours()[:_MOST_DIRECTIONS]
    for number, other in enumerate(others, start=1):
        theirs = _mean_features(features, simulated.feeds(number, count, other.team))
        way = np.linalg.solve(bends, (theirs.mean(axis=0) - centre) / unit) / unit
        directions.append(way / (float(((own - centre) @ way).std()) or 1.0))
        words.append(f"likeness to a team with {other}")
    made = np.array(directions).reshape(len(directions), len(unit)).T
    return _Asked(features, tuple(words), centre, made)


def _tested(asked: _Asked, found: Floats) -> tuple[float, tuple[FeedFeature, ...]]:
    """The p-value of the first row among all, and of each of its features."""
    words = asked.words
    centre, spread = found.mean(axis=0), found.std(axis=0)
    varies = spread > 1e-12 * (1 + np.abs(centre))
    off = np.abs(found - centre) / np.where(varies, spread, np.inf)
    kinds = [kind for kind in np.split(off, [len(asked.directions)], axis=1) if kind.shape[1]]
    chances = [
        min(1.0, len(kinds) * float((kind.max(axis=1) >= one).mean()))
        for kind in kinds
        for one in kind[0]
    ]
    own = found[1:].mean(axis=0), found[1:].std(axis=0)
    order = sorted(range(len(words)), key=lambda j: (chances[j], -off[0, j]))
    listed = tuple(
        FeedFeature(words[j], float(found[0, j]), float(own[0][j]), float(own[1][j]), chances[j])
        for j in order
    )
    return min(chances), listed


def _scenario(reference: Reference | Scenario | str | Path) -> tuple[Scenario, list[str]]:
    if isinstance(reference, Scenario):
        return reference, []
    public = reference if isinstance(reference, Reference) else open_stand_in(reference)
    if not public.truth:
        return public.scenario, []
    return public.scenario, [
        f"With probability {public.truth:g} this stand-in publishes the truth throughout: then it "
        "is rightly rejected."
    ]


def _places(scenario: Scenario, log: CountLog) -> list[int]:
    """Which of the counts that are seen each column is."""
    seen = list(scenario.query.groups(scenario.network))
    for name in log.names:
        if name not in seen:
            hint = did_you_mean(name, seen) or f" Published are {', '.join(seen)[:200]}."
            raise InputError(
                f"the column {shown(name)} is nothing that the reference shows.{hint}",
                file=log.name,
            )
    return [seen.index(name) for name in log.names]


def _check_clock(log: CountLog) -> None:
    """Refuses a feed whose rows come when something changes: their times tell what it shows."""
    several = [run for run in log.runs if len(run.times) > 2]
    if several and all(map(_on_change, several)):
        raise InputError(
            "every row differs from the one before, and they do not come at even times: it looks "
            "like a feed with a row for each change, whose times cannot be simulated. Publish it "
            "by a clock (--every D without --on-change), or write a row every D from it",
            file=log.name,
        )


def _on_change(run: CountRun) -> bool:
    gaps = np.diff(run.times)
    uneven = not np.allclose(gaps, gaps[0], rtol=1e-3)
    return uneven and bool((np.diff(run.counts, axis=0) != 0).any(axis=1).all())


@dataclass(frozen=True, eq=False)
class _Simulated:
    """Feeds of the reference, at the times of the feed."""

    scenario: Scenario
    log: CountLog
    chosen: list[int]
    seed: int
    progress: Progress | None

    @property
    def pilot(self) -> int:
        """How many feeds there is room for to choose features by."""
        size = sum(len(run.times) for run in self.log.runs) * len(self.scenario.network.species)
        return min(_PILOT, max(_LEAST_PILOT, _MOST_AT_ONCE // size))

    @cached_property
    def _begins(self) -> dict[Team, Beginning]:
        return {}

    def feeds(self, which: int, count: int, team: Team | None = None) -> list[Floats]:
        """So many feeds, others for every number: for each run (count, rows, counts)."""
        network, team = self.scenario.network, team or self.scenario.team
        if team not in self._begins:
            self._begins[team] = beginning(self.scenario.with_(team=team, warn=False))
        begin, found = self._begins[team], []
        for number, run in enumerate(self.log.runs):
            random = np.random.default_rng([self.seed, which, number])
            times, rows = np.unique(run.times - run.times[0] + begin.unseen, return_inverse=True)
            first = random.choice(len(begin.states), count, p=begin.probabilities)
            states = np.empty((count, len(times), len(network.species)), dtype=np.int64)
            for place in np.unique(first):
                here, seed = np.flatnonzero(first == place), int(random.integers(2**63))
                states[here] = trajectories(
                    network, begin.states[place], times=times, samples=len(here), seed=seed
                )
            flat = states.reshape(-1, len(network.species))
            seen = self.scenario.query.shown(flat, network.index)[:, self.chosen]
            found.append(seen.reshape(count, len(times), -1)[:, rows].astype(float))
        return found

    def features(self, asked: _Asked, samples: int) -> list[Floats]:
        """Those of so many feeds, a few at a time."""
        rows = max(len(run.times) for run in self.log.runs) * len(self.scenario.network.species)
        size, parts, done = max(1, _CHUNK // rows), [], 0
        while done < samples:
            count = min(size, samples - done)
            parts.append(asked.of(self.feeds(_MOST_DIRECTIONS + 1 + done, count)))
            done += count
            if self.progress is not None:
                self.progress(done, samples, "feeds of the reference")
        return parts


def _mean_features(features: Features, runs: Sequence[Floats]) -> Floats:
    """The features of feeds of one or several runs, in the mean of these: (feeds, features)."""
    each = [np.column_stack(list(features.measured(seen).values())) for seen in runs]
    return np.asarray(np.mean(each, axis=0))
