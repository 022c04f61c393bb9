"""Watching a feed: what an observer believes after every line that was published, so far.

The lines are snapshots of *one* trajectory of the team, so beliefs do not follow from each line by
itself: for the team and for each neighbour the distribution of its state is carried along
(`forward_filter`) and with the prior π

    P(D' | y_1, …, y_n)  ∝  π(D') · P(y_1, …, y_n | D').

What is impossible. A line that a team cannot show, though another one can, rules that team out, for
good. A line that none of those left can show is told (`possible` is False) and left out: their
states move on to its time as if nobody had looked, beliefs stay as they were, and the watch goes
on. It means that the model is wrong about this team: its rates, its counts, or what a count says.

Time is counted from the start of the team; where it has settled before, from the first line on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from covey.dynamics.hmm.forward_filter import ForwardFilter, elapsed
from covey.dynamics.hmm.joint_distribution import Filter
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress, check_time
from covey.errors import InputError, UnsupportedError
from covey.model.frozen import FrozenMap
from covey.model.observation.release_table import ReleaseTable
from covey.model.scenario import Scenario
from covey.model.team import Team
from covey.numbers import Floats, Ints
from covey.privacy.distribution_cache import DistributionCache, Key
from covey.privacy.hypotheses import check_same_moment
from covey.privacy.inference.evidence import read_evidence
from covey.privacy.inference.posterior import Inference, beliefs_of
from covey.privacy.prior import all_supposed, prior_over
from covey.privacy.snapshot.arriving import check_start
from covey.privacy.snapshot.published import surely_watched
from covey.words import shown, when


@dataclass(frozen=True)
class Watched(Inference):
    """What is believed after all lines so far: an `Inference`, from several snapshots.

    Attributes:
        possible: Whether any team that was left could show the last line; if not, it is left out.
        snapshots: How many lines count.
    """

    possible: bool
    snapshots: int

    @property
    def _seen(self) -> str:
        if not self.possible:
            return (
                f"{shown(self.observed)} {when(self.at, self.unit)} is impossible for every team, "
                f"and left out. After {self.snapshots:,} snapshots before"
            )
        last = f"of {shown(self.observed)} {when(self.at, self.unit)}"
        if self.snapshots == 1:
            return f"After one snapshot {last}"
        return f"After {self.snapshots:,} snapshots, the last {last}"


class Watch:
    """The observer of one team, who sees line after line: `watch` makes one.

    Args:
        scenario: The team, its network, and what is seen of it.
        prior: What is believed before the first line; afterwards the probability of every
            hypothesis by its name.
        stationary: Whether the team has settled before the first line.
        limits: How to compute: on how many states.
        progress: Called as progress(done, total, text) while the chains are prepared.
    """

    def __init__(
        self,
        scenario: Scenario,
        prior: Mapping[str, float] | None,
        stationary: bool,
        limits: Limits | None,
        progress: Progress | None,
    ) -> None:
        check_start(scenario, "steady" if stationary else 0.0, "a posterior")
        self.scenario, self.stationary = scenario, stationary
        watched = surely_watched(scenario, "what an observer believes")
        self._supposed = {one.name: one for one in all_supposed(watched)}
        named = {name: one.hypothesis for name, one in self._supposed.items()}
        check_same_moment((one for one in named.values() if one is not None), "a feed")
        self.prior = prior_over(named, prior, scenario.protected)
        self._time: float | None = None if stationary else 0.0
        self._snapshots = 0
        self._table = scenario.release.mechanism
        scenario = next(iter(self._supposed.values())).scenario
        self._plain = scenario.unpublished()
        self._last: Mapping[str, int] | None = None  # published, where that is remembered
        solver = Solver(scenario.network, limits)
        alike = DistributionCache(solver, scenario.query, ())
        one_each = self._table is not None and bool(self._table.teams)
        # Teams that a relabelling maps onto each other are one filter.
        self._case_of: dict[str, Key] = {}
        tables: dict[Key, ReleaseTable | None] = {}
        for name in (name for name, weight in self.prior.items() if weight > 0):
            case = self._supposed[name].case
            by, start, moments = alike.key(case)
            key = by, case.start if one_each else start, moments
            self._case_of[name] = key
            tables[key] = self._table_of(self._supposed[name].team)
        for by, start, _ in self._case_of.values():
            if (reached := by.reach(start)).grows is not None:
                raise UnsupportedError(
                    f"infinitely many states ({reached.why}): a feed is followed on every state of "
                    "the team, so that there must be finitely many"
                )
        self._filters = {
            key: ForwardFilter(
                Filter(key[0], np.array(key[1]), scenario.query, progress),
                stationary=stationary,
                reported=None if self._table is None else partial(self._chances, tables[key]),
            )
            for key in dict.fromkeys(self._case_of.values())
        }

    @property
    def names(self) -> list[str]:
        """What a line may say: the counts that are seen, and of a followed robot what it does."""
        return list(self._plain.query.groups(self._plain.network))

    def see(self, time: float, counts: Mapping[str, int]) -> Watched:
        """What is believed after one line more.

        Raises `InputError`, and forgets the line, where it is earlier than the last one or names
        what is not seen.

        Args:
            time: When it was published: not before the last line.
            counts: What it says; sums that it leaves out may be anything.
        """
        now = check_time(time)
        seen = read_evidence(self._plain, counts, {}).observed
        self._check_whole(seen)
        if self._time is not None and now < self._time:
            raise InputError(
                f"the time {now:g} comes after {self._time:g}: times are expected in increasing "
                "order"
            )
        step = 0.0 if self._time is None else elapsed(self._time, now)
        self._time = now
        left = [one for one in self._filters.values() if one.log_likelihood > -math.inf]
        for one in left:
            one.move(step)
        possible = any(one.log_chance(seen) > -math.inf for one in left)
        if possible:
            self._snapshots += 1
            for one in left:
                one.see(seen)
        self._last = seen
        return self._believed(now, seen, possible)

    def _table_of(self, team: Team) -> ReleaseTable | None:
        return None if self._table is None else self._table.for_team(team.types)

    def _chances(
        self, table: ReleaseTable | None, outcomes: Ints, shown: Mapping[str, int]
    ) -> Floats:
        """How probable it is that these counts are published, of each outcome, and after the last.

        Args:
            table: Of the team that is supposed.
            outcomes: What may be there.
            shown: What is published.
        """
        assert table is not None
        return table.chances(outcomes, shown, self._last)

    def _check_whole(self, seen: Mapping[str, int]) -> None:
        """Refuses a line that leaves counts out, where it says by what the next one is held."""
        if self._table is not None and self._table.hold and len(seen) < len(self._table.counts):
            raise InputError(
                "the mechanism holds its values, so that a line has to say every count: "
                f"{', '.join(self._table.counts[:8])}",
                key="observed",
            )

    def _believed(self, time: float, seen: Mapping[str, int], possible: bool) -> Watched:
        filters = {name: self._filters[key] for name, key in self._case_of.items()}
        sizes = [len(one.distribution) for one in self._filters.values()]
        return Watched(
            time,
            FrozenMap(seen),
            FrozenMap(),
            beliefs_of(
                self._supposed.values(),
                self.prior,
                {name: one.log_likelihood for name, one in filters.items()},
                {name: one.bounds for name, one in filters.items()},
            ),
            "filtering",
            f"the distribution of the state of {len(sizes)} teams, snapshot after snapshot",
            max(sizes),
            max(one.lost for one in self._filters.values()),
            possible,
            self._snapshots,
            unit=self.scenario.unit,
        )


def watch(
    scenario: Scenario,
    *,
    prior: Mapping[str, float] | None = None,
    stationary: bool | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Watch:
    """An observer of one trajectory: `watch(scenario).see(time, counts)`, line after line.

    Args:
        scenario: The team, its network, and what is seen of it.
        prior: What is believed before: over types, as {"A": 3, "B": 1}, or over teams, as
            {"team": 1, "A->B": 1}; by default all teams alike.
        stationary: Whether the team has settled before the first line; by default as the adversary
            looks, who comes at a time or at "steady".
        limits: How to compute: on how many states.
        progress: Called as progress(done, total, text) while the chains are prepared.
    """
    steady = scenario.adversary.at == "steady" if stationary is None else stationary
    return Watch(scenario, prior, steady, limits, progress)
