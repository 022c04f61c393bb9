"""A statistical audit: a lower bound on the leakage, from samples, for teams of any size.

For every event S of observations, L ≥ ln P(S|D) − ln P(S|D'): some y in S shows at least as much.
Both teams are simulated; for each neighbour and each direction

  1  on the first half of the samples, the event is chosen that promises the largest bound, among
     those that `events` knows;
  2  on the second half, which the choice has not seen, P(S|D) is bounded from below and P(S|D')
     from above by Clopper and Pearson's exact limits [1].

With N neighbours there are 2 N such bounds of two limits each. Each limit fails with probability
at most α / 4N, so that *all* hold together with confidence 1 − α (Bonferroni), and so does the
largest. It is a bound from below: the leakage may be more, and the tails where it mostly sits are
out of its sight, as no sample shows them.

[1] Clopper, Pearson, The use of confidence or fiducial limits, Biometrika 26 (1934).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from covey.dynamics.question import Progress, check_time
from covey.dynamics.simulation import MAX_EVENTS, end_points
from covey.errors import InputError
from covey.model.scenario import Scenario
from covey.model.team import Neighbour, Team
from covey.numbers import Floats, Ints
from covey.privacy.events import best_event
from covey.privacy.laws import neighbours_of
from covey.showing import Showing
from covey.words import number, when


@dataclass(frozen=True)
class AuditPair:
    """What the samples prove against one neighbour: the better of both directions.

    Attributes:
        neighbour: The neighbour.
        lower: Of ln P(S) under the one team over P(S) under the other; not negative.
        event: S, in words.
        speaks_for: "team" or "neighbour": under which of the two the event is more probable.
        hits: Samples of the second half in the event, of the team and of the neighbour.
    """

    neighbour: Neighbour
    lower: float
    event: str
    speaks_for: str
    hits: tuple[int, int]


@dataclass(frozen=True)
class Audit(Showing):
    """A lower bound on the leakage that holds with a confidence, never an upper one.

    Attributes:
        at: The time.
        confidence: With which the bound holds.
        samples: How many there were of each team.
        seed: Of the samples: the same one gives the same bound.
        pairs: What is proved against every neighbour.
    """

    at: float
    confidence: float
    samples: int
    seed: int
    pairs: tuple[AuditPair, ...]

    @property
    def worst(self) -> AuditPair:
        """The neighbour against which most is proved."""
        return max(self.pairs, key=lambda pair: pair.lower)

    @property
    def lower(self) -> float:
        """The leakage is at least this, with the confidence."""
        return self.worst.lower

    def __str__(self) -> str:
        how = f"{self.samples:,} samples of each team, seed {self.seed}"
        if self.lower == 0:
            return (
                f"The audit {when(self.at)} proves no leakage ({how}). This is a lower bound: it "
                "does not say that there is none."
            )
        pair = self.worst
        one, other = "this team", f"a team with {pair.neighbour}"
        if pair.speaks_for == "neighbour":
            one, other = other, one
        return (
            f"With confidence {self.confidence:.4g}, one glance {when(self.at)} leaks at least "
            f"{number(self.lower)} ({how}): {pair.event} is at least {math.exp(pair.lower):.3g} "
            f"times as likely for {one} as for {other}. This is a lower bound."
        )


def audit(
    scenario: Scenario,
    at: float | None = None,
    *,
    samples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
    max_events: int = MAX_EVENTS,
    cores: int | None = None,
    progress: Progress | None = None,
) -> Audit:
    """A lower bound on the leakage at a time, from simulated trajectories of each team.

    Args:
        scenario: The team, what is seen of it, and who looks.
        at: The time; by default the adversary's, which must not be "steady".
        samples: How many trajectories of each team.
        confidence: With which the bound is to hold, between 0 and 1.
        seed: Of the samples: the same one gives the same bound.
        max_events: A trajectory of more events is taken to run away, and refused.
        cores: Threads to compute on; by default one on each core.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    neighbours = neighbours_of(scenario)
    time = _time(scenario, at)
    alpha = _alpha(confidence) / (4 * len(neighbours))
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or samples < 2:
        raise InputError(f"samples is {samples!r:.40}: a whole number of at least 2 is expected")
    # A seed of its own for every team: equal seeds would make equal paths, not independent ones.
    seeds = np.random.SeedSequence(seed).generate_state(len(neighbours) + 1, np.uint64).tolist()
    matrix = scenario.query.matrix(scenario.network)  # (observations, species)

    def sample(team: Team, own_seed: int) -> Ints:
        states = end_points(
            scenario.network,
            scenario.start_of(team),
            time,
            samples=int(samples),
            seed=own_seed,
            max_events=max_events,
            cores=cores,
            progress=progress,
        )
        seen = np.asarray(states @ matrix.T, dtype=np.int64)
        table = scenario.release.mechanism
        return seen if table is None else table.drawn(seen, np.random.default_rng([own_seed, 1]))

    names = tuple(scenario.query.groups(scenario.network))
    ours = sample(scenario.team, seeds[0])
    pairs = tuple(
        _audit_pair(neighbour, names, ours, sample(neighbour.team, own), alpha)
        for neighbour, own in zip(neighbours, seeds[1:], strict=True)
    )
    return Audit(time, confidence, int(samples), seed, pairs)


def _audit_pair(
    neighbour: Neighbour, names: tuple[str, ...], ours: Ints, theirs: Ints, alpha: float
) -> AuditPair:
    half = len(ours) // 2

    def promise(hits: Ints, hits_other: Ints) -> Floats:
        """As from half as many samples as will decide."""
        return log_ratio_bound(2 * hits, 2 * hits_other, 2 * (half - half // 2), alpha)

    found = []
    for speaks_for, high, low in (("team", ours, theirs), ("neighbour", theirs, ours)):
        event = best_event(names, high[:half], low[:half], promise)
        hits = np.array([event.hits(high[half:])]), np.array([event.hits(low[half:])])
        lower = float(log_ratio_bound(*hits, len(ours) - half, alpha)[0])
        more, fewer = int(hits[0][0]), int(hits[1][0])
        by_team = (more, fewer) if speaks_for == "team" else (fewer, more)
        found.append(AuditPair(neighbour, max(lower, 0.0), str(event), speaks_for, by_team))
    return max(found, key=lambda pair: pair.lower)


def log_ratio_bound(hits: Ints, hits_other: Ints, trials: int, alpha: float) -> Floats:
    """Lower bounds on ln P(S)/Q(S), each limit failing with probability at most alpha.

    k hits in n trials: P is above the alpha-quantile of Beta(k, n − k + 1), and Q is below the
    (1 − alpha)-quantile of Beta(k + 1, n − k).
    """
    from scipy.special import betaincinv  # noqa: PLC0415

    with np.errstate(divide="ignore"):
        least = np.where(hits > 0, betaincinv(np.maximum(hits, 1), trials - hits + 1, alpha), 0.0)
        below = np.minimum(hits_other, trials - 1)
        most = np.where(hits_other < trials, 1 - betaincinv(trials - below, below + 1, alpha), 1.0)
        bound: Floats = np.log(least) - np.log(most)
    return bound


def _time(scenario: Scenario, at: float | None) -> float:
    moment = scenario.adversary.at if at is None else at
    if moment == "steady":
        raise InputError(
            "a simulation has no steady state: give the audit a time, long enough for the team "
            "to settle",
            key="adversary.at",
        )
    return check_time(moment)


def _alpha(confidence: float) -> float:
    if isinstance(confidence, bool) or not 0 < confidence < 1:
        raise InputError(
            f"the confidence is {confidence!r:.40}: a number between 0 and 1 is expected"
        )
    return 1 - confidence
