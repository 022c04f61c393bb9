"""A statistical audit: lower bounds from samples, for teams of any size.

For every event S of observations, L ≥ ln P(S|D) − ln P(S|D'): some y in S shows at least as much;
and the total variation is at least P(S|D) − P(S|D'). Both teams are simulated; for each neighbour,
each direction and each of the two,

  1  on the first half of the samples, the event is chosen that promises the largest bound, among
     those that `events` knows;
  2  on the second half, which the choice has not seen, P(S|D) is bounded from below and P(S|D')
     from above by Clopper and Pearson's exact limits [1].

With N neighbours there are 4 N such bounds of two limits each. Each limit fails with probability
at most α / 8N, so that *all* hold together with confidence 1 − α (Bonferroni), and so does the
largest. They are bounds from below: there may be more, and the tails where leakage mostly sits are
out of their sight, as no sample shows them.

**At steady state.** A simulation has none, so a time stands for it: ten relaxation times of the
mean field, and then as long as it takes until samples at that time and at twice that time cannot be
told apart by the very test above. That proves nothing: a team behind a barrier may move on a
thousand times later. The bounds are for that time, and what is said of them says so.

[1] Clopper, Pearson, The use of confidence or fiducial limits, Biometrika 26 (1934).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.dynamics.ergodicity.relaxation_time import settling_time
from covey.dynamics.mean_field.rate_equations import equilibrium
from covey.dynamics.ssa.simulation import MAX_EVENTS, end_points
from covey.dynamics.validation import Progress, check_time
from covey.errors import InputError, UnsupportedError, shown
from covey.model.hypothesis import Hypothesis
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.numbers import Floats, Ints, is_whole
from covey.privacy.cases import case_of, team_of
from covey.privacy.hypotheses import check_same_moment, hypotheses_of
from covey.privacy.inference.distinguishing_events import best_event
from covey.privacy.snapshot.arriving import check_start
from covey.privacy.snapshot.bayes_success import binary_success
from covey.privacy.snapshot.published import surely_watched
from covey.privacy.stream.confidence import check_confidence, least_share, most_share
from covey.showing import Showing
from covey.tabular import Tabular, columns_of
from covey.words import number, odds, percent, when

_FOLDS = 10.0  # e^-10 of the start is left
_DOUBLINGS = 6  # of the time, before a team is said not to settle

Bound = Callable[[Ints, Ints, int, float], Floats]


@dataclass(frozen=True)
class AuditPair:
    """What the samples prove against one neighbour: the better of both directions.

    Attributes:
        neighbour: The neighbour.
        lower: Of ln P(S) under the one team over P(S) under the other; not negative.
        event: S, in words.
        speaks_for: "team" or "neighbour": under which of the two the event is more probable.
        hits: Samples of the second half in the event, of the team and of the neighbour.
        total_variation: Of it, a lower bound; not negative.
        apart: The event that shows the total variation, in words.
    """

    neighbour: Hypothesis
    lower: float
    event: str
    speaks_for: str
    hits: tuple[int, int]
    total_variation: float
    apart: str


@dataclass(frozen=True)
class Audit(Showing, Tabular):
    """Lower bounds that hold together with a confidence, never upper ones.

    Attributes:
        at: The time.
        steady: Whether steady state was asked for, and that time stands for it; that the team has
            settled by then is not proved.
        confidence: With which the bounds hold.
        samples: How many there were of each team.
        seed: Of the samples: the same one gives the same bounds.
        pairs: What is proved against every neighbour.
        unit: The unit of time, where it is known.
    """

    at: float
    steady: bool
    confidence: float
    samples: int
    seed: int
    pairs: tuple[AuditPair, ...]
    unit: str | None = None

    @property
    def table_columns(self) -> dict[str, list[Any]]:
        """A row for each neighbour: what is proved at least."""
        return columns_of(
            {
                "against": str(pair.neighbour),
                "lower": pair.lower,
                "total_variation": pair.total_variation,
                "event": pair.event,
            }
            for pair in self.pairs
        )

    @property
    def worst(self) -> AuditPair:
        """The neighbour against which the largest leakage is proved."""
        return max(self.pairs, key=lambda pair: pair.lower)

    @property
    def lower(self) -> float:
        """The leakage is at least this, with the confidence."""
        return self.worst.lower

    @property
    def furthest(self) -> AuditPair:
        """The neighbour against which the largest total variation is proved."""
        return max(self.pairs, key=lambda pair: pair.total_variation)

    @property
    def total_variation(self) -> float:
        """The total variation is at least this, with the confidence."""
        return self.furthest.total_variation

    @property
    def bayes_success(self) -> float:
        """How often an observer can be right at least, with the confidence: (1 + TV) / 2."""
        return binary_success(self.total_variation)

    def __str__(self) -> str:
        how = f"{self.samples:,} samples of each team, seed {self.seed}"
        place = when(self.at, self.unit)
        if self.steady:
            place += (
                " (it stands for steady state; that the team has settled by then is not proved)"
            )
        if self.lower == self.total_variation == 0:
            return (
                f"The audit proves no leakage {place} ({how}). This is a lower bound: it does not "
                "say that there is none."
            )
        said = [f"With confidence {self.confidence:.4g}, from {how}, {place},"]
        if self.total_variation > 0:
            far = self.furthest
            said.append(
                f"an observer can tell this team from one with {far.neighbour} at least "
                f"{percent(self.bayes_success, 'down')} of the time by one snapshot, by "
                f"{far.apart};"
            )
        said.append(f"one snapshot leaks at least {number(self.lower, 'down')}{self._shift()}.")
        return " ".join(said) + " These are lower bounds."

    def _shift(self) -> str:
        pair = self.worst
        if pair.lower == 0:
            return ""
        one, other = "this team", f"a team with {pair.neighbour}"
        if pair.speaks_for == "neighbour":
            one, other = other, one
        return (
            f": {pair.event} is at least {odds(pair.lower, 'down')} times as likely for {one} as "
            f"for {other}"
        )


def audit(
    scenario: Scenario,
    at: Moment | None = None,
    *,
    samples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
    max_events: int = MAX_EVENTS,
    cores: int | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Lower bounds on leakage and total variation, from simulated trajectories of each team.

    Args:
        scenario: The team, what is seen of it, and who looks.
        at: The time; by default the adversary's. For "steady" a time stands, at which samples
            cannot be told from those at twice that time.
        samples: How many trajectories of each team.
        confidence: With which the bounds are to hold, between 0 and 1.
        seed: Of the samples: the same one gives the same bounds.
        max_events: A trajectory of more events is taken to run away, and refused.
        cores: Threads to compute on; by default one on each core.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    scenario = surely_watched(scenario, "an audit")
    neighbours = hypotheses_of(scenario)
    check_same_moment(neighbours, "an audit")
    moment = scenario.adversary.at if at is None else at
    limit = check_confidence(confidence)
    if not is_whole(samples) or samples < 2:
        raise InputError(f"samples is {samples!r:.40}: a whole number of at least 2 is expected")
    names, table = tuple(scenario.query.groups(scenario.network)), scenario.release.of_one_snapshot

    def sample(supposed: Hypothesis | None, time: float, own_seed: int) -> Ints:
        case = case_of(scenario, supposed)
        states = end_points(
            case.network,
            np.array(case.start),
            time,
            samples=int(samples),
            seed=own_seed,
            max_events=max_events,
            cores=cores,
            progress=progress,
        )
        seen = scenario.query.shown(states, scenario.network.index)
        if table is None:
            return seen
        return table.for_team(team_of(scenario, supposed).types).drawn(
            seen, np.random.default_rng([own_seed, 1])
        )

    check_start(scenario, moment, "an audit")
    steady = moment == "steady"
    if steady:
        seeds = iter(_seeds([seed, 1], _DOUBLINGS + 2))  # others than those of the audit
        time = _settled(scenario, lambda time: sample(None, time, next(seeds)), names, limit)
    else:
        time = check_time(moment)
    # A seed of its own for every team: equal seeds would make equal paths, not independent ones.
    first, *others = _seeds(seed, len(neighbours) + 1)
    ours, alpha = sample(None, time, first), limit / (8 * len(neighbours))
    pairs = tuple(
        _audit_pair(neighbour, names, ours, sample(neighbour, time, own), alpha)
        for neighbour, own in zip(neighbours, others, strict=True)
    )
    return Audit(time, steady, confidence, int(samples), seed, pairs, scenario.unit)


def _seeds(of: int | list[int], count: int) -> list[int]:
    seed = of[0] if isinstance(of, list) else of
    if seed < 0:
        raise InputError(f"seed is {shown(seed)}: a whole number from 0 on is expected")
    found: list[int] = np.random.SeedSequence(of).generate_state(count, np.uint64).tolist()
    return found


def _settled(
    scenario: Scenario, sample: Callable[[float], Ints], names: tuple[str, ...], limit: float
) -> float:
    """A time at which samples cannot be told from those at twice that time."""
    rest = equilibrium(scenario.network, scenario.start)
    time = settling_time(scenario.network, scenario.start, rest, _FOLDS)
    now = sample(time)
    for _ in range(_DOUBLINGS):
        later = sample(2 * time)
        if _best_bound(names, (now, later), difference_bound, limit / 4).value <= 0:
            return time
        time, now = 2 * time, later
    raise UnsupportedError(
        f"{when(time, scenario.unit)} the team has not settled: samples at that time and at half "
        "of it can still be told apart. Give the audit a time"
    )


def _audit_pair(
    neighbour: Hypothesis, names: tuple[str, ...], ours: Ints, theirs: Ints, alpha: float
) -> AuditPair:
    ratio, apart = (
        _best_bound(names, (ours, theirs), bound, alpha)
        for bound in (log_ratio_bound, difference_bound)
    )
    speaks_for = "neighbour" if ratio.swapped else "team"
    return AuditPair(
        neighbour,
        max(ratio.value, 0.0),
        ratio.event,
        speaks_for,
        ratio.hits,
        max(apart.value, 0.0),
        apart.event,
    )


@dataclass(frozen=True)
class _Proved:
    """A bound, the event that shows it, and how often that was seen in each sample."""

    value: float
    event: str
    hits: tuple[int, int]
    swapped: bool  # the event is more probable where the second sample comes from


def _best_bound(
    names: tuple[str, ...], samples: tuple[Ints, Ints], bound: Bound, alpha: float
) -> _Proved:
    """The better of both directions: two bounds, of two limits each."""
    size = len(samples[0])
    half = size // 2

    def promise(hits: Ints, hits_other: Ints) -> Floats:
        """As from half as many samples as will decide."""
        return bound(2 * hits, 2 * hits_other, 2 * (half - half // 2), alpha)

    found = []
    for swapped in (False, True):
        high, low = samples[::-1] if swapped else samples
        event = best_event(names, high[:half], low[:half], promise)
        more, fewer = event.hits(high[half:]), event.hits(low[half:])
        value = float(bound(np.array([more]), np.array([fewer]), size - half, alpha)[0])
        hits = (fewer, more) if swapped else (more, fewer)
        found.append(_Proved(value, str(event), hits, swapped))
    return max(found, key=lambda proved: proved.value)


def log_ratio_bound(hits: Ints, hits_other: Ints, trials: int, alpha: float) -> Floats:
    """Lower bounds on ln P(S)/Q(S), each limit failing with probability at most alpha."""
    least, most = least_share(hits, trials, alpha), most_share(hits_other, trials, alpha)
    with np.errstate(divide="ignore"):
        bound: Floats = np.log(least) - np.log(most)
    return bound


def difference_bound(hits: Ints, hits_other: Ints, trials: int, alpha: float) -> Floats:
    """Lower bounds on P(S) − Q(S), each limit failing with probability at most alpha."""
    return least_share(hits, trials, alpha) - most_share(hits_other, trials, alpha)
