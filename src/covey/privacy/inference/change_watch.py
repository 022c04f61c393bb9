"""Watching without a break: what an observer believes after every change, by exact intensities.

Every line is a change of what is seen, with its time, and between two lines nothing changed: that
is seen as well. With the density p of all changes so far under each hypothesis (`continuous_watch`)
and the prior π,

    P(D' | changes until t)  ∝  π(D') · p(changes until t | D').

A line that shows what was there before says that nothing has changed until then.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import copy

import numpy as np

from covey.dynamics.hmm.continuous_watch import DensityFilter
from covey.dynamics.hmm.visible_chain import VisibleChain, visible_chain
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.threads import one_blas_thread
from covey.dynamics.validation import Progress, check_time
from covey.errors import InputError, UnsupportedError
from covey.model.frozen import FrozenMap
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.numbers import Ints, rows_in
from covey.privacy.hypotheses import check_same_moment
from covey.privacy.inference.evidence import read_evidence
from covey.privacy.inference.posterior import beliefs_of
from covey.privacy.inference.watch import Watched
from covey.privacy.prior import all_supposed, prior_over
from covey.privacy.snapshot.arriving import check_start

_MOST_EVENTS = 200_000  # between two lines
_ROUNDING = 1e-10  # of ln p, a line
_ALL = np.zeros(1, dtype=np.intp)  # the only path


class ChangeWatch:
    """The observer of one team, who sees change after change.

    Args:
        scenario: The team, its network, and what is seen of it.
        prior: What is believed before the first line, as `watch` takes it; afterwards the
            probability of every hypothesis by its name.
        stationary: Whether the team has settled before the first line; by default as the adversary
            looks.
        limits: How to compute: on how many states.
        progress: Called as progress(done, total, text) while the chains are prepared.
    """

    def __init__(
        self,
        scenario: Scenario,
        prior: Mapping[str, float] | None = None,
        stationary: bool | None = None,
        limits: Limits | None = None,
        progress: Progress | None = None,
    ) -> None:
        if scenario.release.instead is not None:
            raise UnsupportedError(
                "changes are those of what is there, and not of what is published instead: leave "
                "out release.mechanism",
                key="release.mechanism",
            )
        steady = scenario.adversary.at == "steady" if stationary is None else stationary
        check_start(scenario, "steady" if steady else 0.0, "a posterior")
        self.scenario, self.stationary, self._progress = scenario, steady, progress
        self._supposed = {one.name: one for one in all_supposed(scenario)}
        named = {name: one.hypothesis for name, one in self._supposed.items()}
        check_same_moment((one for one in named.values() if one is not None), "a feed")
        self.prior = prior_over(named, prior, scenario.protected)
        self._watched = next(iter(self._supposed.values())).scenario
        self._solver = Solver(self._watched.network, limits)
        self._filters: dict[str, DensityFilter] = {}
        self._time = 0.0
        self._shown: Ints = np.empty((1, 0), dtype=np.int64)
        self._lines = 0

    @property
    def names(self) -> list[str]:
        """What a line has to say: all that is seen."""
        return list(self._watched.query.groups(self._watched.network))

    @one_blas_thread
    def see(self, time: float, counts: Mapping[str, int]) -> Watched:
        """What is believed after one change more.

        Raises `InputError`, and forgets the line, where it is earlier than the last one or does not
        say every count.

        Args:
            time: When it was: not before the last line.
            counts: What is seen from then on: every sum.
        """
        now = check_time(time)
        seen = read_evidence(self._watched, counts, {}).observed
        if missing := [name for name in self.names if name not in seen]:
            raise InputError(
                f"{missing[0]} is missing: where every change is seen, a line has to say all counts"
            )
        if self._lines and now < self._time:
            raise InputError(
                f"the time {now:g} comes after {self._time:g}: times are expected in increasing "
                "order"
            )
        self._check_silence(now - self._time)
        row = np.array([[seen[name] for name in self.names]], dtype=np.int64)
        filters = self._first(row, now) if not self._lines else self._later(row, now)
        possible = any(one.logs[0] > -math.inf for one in filters.values())
        if possible:
            self._filters, self._time, self._shown = filters, now, row
            self._lines += 1
        return self._believed(now, seen, possible)

    def _check_silence(self, passed: float) -> None:
        """Refuses a time without a change that would take for ever to follow."""
        rates = [float(one.chain.exits.max()) for one in self._filters.values()]
        if (events := passed * max(rates, default=0.0)) > _MOST_EVENTS:
            raise InputError(
                f"{passed:g} pass without a change, some {events:.0e} events that are not seen: at "
                f"most {_MOST_EVENTS:,} can be followed"
            )

    def _first(self, row: Ints, now: float) -> dict[str, DensityFilter]:
        at: Moment = "steady" if self.stationary else now
        return {
            name: DensityFilter(chain, rows_in(chain.outcomes, row))
            for name, weight in self.prior.items()
            if weight > 0
            for chain in [self._chain(name, at)]
        }

    def _later(self, row: Ints, now: float) -> dict[str, DensityFilter]:
        found = {}
        for name, before in self._filters.items():
            one = copy(before)
            one.weights, one.logs = before.weights.copy(), before.logs.copy()
            one.move(_ALL, np.array([now - self._time]))
            if not np.array_equal(row, self._shown):
                one.change(_ALL, rows_in(one.chain.outcomes, row))
            found[name] = one
        return found

    def _chain(self, name: str, at: Moment) -> VisibleChain:
        case = self._supposed[name].case
        solver = self._solver.at_rates(case.network)
        start = np.array(case.start)
        return visible_chain(solver, start, self._watched.query, at, self._progress)

    def _believed(self, time: float, seen: Mapping[str, int], possible: bool) -> Watched:
        logs = {name: float(one.logs[0]) for name, one in self._filters.items()}
        if not logs:  # nothing possible was seen yet
            logs = {name: 0.0 for name, weight in self.prior.items() if weight > 0}
        off = _ROUNDING * (1 + self._lines)
        sizes = [len(one.chain) for one in self._filters.values()]
        return Watched(
            time,
            FrozenMap(seen),
            FrozenMap(),
            beliefs_of(
                self._supposed.values(),
                self.prior,
                logs,
                {name: (log - off, log + off) for name, log in logs.items()},
            ),
            "filtering",
            "the density of every change and of the time between",
            max(sizes, default=None),
            0.0,
            possible,
            self._lines,
            unit=self._watched.unit,
        )
