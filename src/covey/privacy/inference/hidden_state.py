"""Where is it now: the posterior of what is not seen, for somebody who knows the team.

With p(x) the distribution of the state at that moment and E(x) how probable it is to show what was
seen (0 or 1 where the truth is shown),

    P(x | y)  =  p(x) E(x) / Σ p E.

Robots of one type are exchangeable, so that a given robot of type t is in species s, which holds m
of its type, with the probability

    E[ m x_s / N_t | y ],       N_t = Σ_s m_s x_s  robots of type t in all.

Over a feed p is the distribution of the state given all lines so far (`forward_filter`). With a
mass m left out of p, and ln p off by e, no probability is off by more than e^2e m / Σ p E + e.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from covey.dynamics.hmm.forward_filter import ForwardFilter, elapsed
from covey.dynamics.hmm.joint_distribution import Filter
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress, check_time
from covey.errors import InputError, UnsupportedError
from covey.model.following import refuse_following
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.model.scenario import Scenario
from covey.numbers import SPACING, Floats, Ints
from covey.privacy.inference.evidence import read_evidence
from covey.showing import Showing
from covey.words import rounded, shown, when

_TOLD = 3  # places of a robot that the sentence names
Places = dict[str, dict[str, float]]


@dataclass(frozen=True)
class HiddenState(Showing):
    """What is believed of the counts that are not seen, and of where one robot of each type is.

    Attributes:
        at: The moment: a time, or "steady".
        observed: What was seen last.
        knowing: What was known besides.
        counts: For each species, how probable each number of it is.
        places: For each type, how probable it is that one robot of it is in each species.
        places_before: The same at that moment before anything was seen.
        error: No probability is off by more than this.
        method: How the distribution of the state was computed.
        states: On how many states.
        snapshots: How many snapshots count.
        possible: Whether the team can show the last one; if not, it is left out.
        unit: The unit of time, where it is known.
    """

    at: Moment
    observed: Mapping[str, int]
    knowing: Mapping[str, int]
    counts: Mapping[str, Mapping[int, float]]
    places: Places
    places_before: Places
    error: float
    method: str
    states: int | None
    snapshots: int = 1
    possible: bool = True
    unit: str | None = None

    @property
    def means(self) -> dict[str, float]:
        """How many there are of each species, on average."""
        return {
            name: math.fsum(n * chance for n, chance in chances.items())
            for name, chances in self.counts.items()
        }

    def __str__(self) -> str:
        knows = f" and knowing {shown(self.knowing)}" if self.knowing else ""
        many = f"{self.snapshots:,} snapshots, the last " if self.snapshots > 1 else ""
        parts = []
        for name, places in self.places.items():
            likely = sorted(places, key=lambda place: places[place], reverse=True)[:_TOLD]
            named = ", ".join(
                f"{place} with probability {places[place]:.4g} "
                f"({self.places_before[name].get(place, 0.0):.3g} before)"
                for place in likely
            )
            parts.append(f"a robot of type {name} is in {named}")
        sure = (
            "" if self.error < 1e-3 else f" Each may be off by {rounded(self.error, '.1g', 'up')}."
        )
        seen = f"After {many}{shown(self.observed)} {when(self.at, self.unit)}{knows}"
        return f"{seen}, the team being known, {'; '.join(parts)}.{sure}"


def hidden_state(
    scenario: Scenario,
    observed: Mapping[str, int],
    *,
    knowing: Mapping[str, int] | None = None,
    at: Moment | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> HiddenState:
    """What an observer who knows the team believes of its state after seeing `observed`.

    Raises `InputError` where the team cannot look like this.

    Args:
        scenario: The team, its network, and what is seen of it.
        observed: Counts of the query's sums; those that it leaves out may be anything.
        knowing: Counts that are known besides, of sums or species.
        at: A time, or "steady"; by default when the adversary looks.
        limits: How to compute: which method, on how many states, to which tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    scenario.release.refuse_stand_in("where a robot is")
    refuse_following(scenario, "where a robot is")
    moment = scenario.adversary.at if at is None else at
    evidence = read_evidence(scenario, observed, knowing or {})
    solver = Solver(scenario.network, limits)
    (found,) = solver.distributions(scenario.start, [moment], Query(), progress=progress)
    seen = evidence.query.matrix(scenario.network)
    chances = evidence.chances(evidence.query.compared(found.outcomes @ seen.T))
    with np.errstate(under="ignore"):
        weights = found.probabilities * chances
    total = float(weights.sum())
    if total <= 0:
        raise InputError(
            f"{shown(evidence.observed)} is impossible {when(moment, scenario.unit)} for this team"
            + (f", knowing {shown(evidence.known)}" if evidence.known else "")
            + ": covey distribution lists what can be seen",
            key="observed",
        )
    return HiddenState(
        moment,
        evidence.observed,
        evidence.known,
        _counts(scenario, found.outcomes, weights / total),
        _places(scenario, found.outcomes, weights / total),
        _places(scenario, found.outcomes, found.probabilities / found.probabilities.sum()),
        _error(found.log_error + SPACING * (len(found) + 8), found.truncated_mass, total),
        found.method,
        found.states,
        unit=scenario.unit,
    )


class StateWatch:
    """An observer of one trajectory of a known team, who asks where its robots are.

    Args:
        scenario: The team, its network, and what is seen of it.
        stationary: Whether the team has settled before the first line; by default as the adversary
            looks, who comes at a time or at "steady".
        limits: How to compute: on how many states.
        progress: Called as progress(done, total, text) while the chain is prepared.
    """

    def __init__(
        self,
        scenario: Scenario,
        stationary: bool | None = None,
        *,
        limits: Limits | None = None,
        progress: Progress | None = None,
    ) -> None:
        scenario.release.refuse_stand_in("where a robot is")
        refuse_following(scenario, "where a robot is")
        steady = scenario.adversary.at == "steady"
        self.scenario, self.stationary = scenario, steady if stationary is None else stationary
        self._table, self._plain = scenario.release.mechanism, scenario.unpublished()
        self._last: Mapping[str, int] | None = None
        self._time: float | None = None if self.stationary else 0.0
        self._snapshots = 0
        solver = Solver(scenario.network, limits)
        if (reached := solver.reach(scenario.start)).grows is not None:
            raise UnsupportedError(
                f"infinitely many states ({reached.why}): a feed is followed on every state of the "
                "team, so that there must be finitely many"
            )
        chain = Filter(solver, scenario.start, scenario.query, progress)
        self._states = chain.chain.lattice.states.astype(np.int64)  # (states, species)
        reported = None if self._table is None else self._chances
        self._seen, self._unseen = (
            ForwardFilter(chain, stationary=self.stationary, reported=by) for by in (reported, None)
        )

    def see(self, time: float, counts: Mapping[str, int]) -> HiddenState:
        """What is believed after one line more; a line that is impossible is left out.

        Args:
            time: When it was published: not before the last line.
            counts: What it says; sums that it leaves out may be anything.
        """
        now = check_time(time)
        observed = read_evidence(self._plain, counts, {}).observed
        if self._time is not None and now < self._time:
            raise InputError(
                f"the time {now:g} comes after {self._time:g}: times are expected in increasing "
                "order"
            )
        if self._table is not None and self._table.hold and len(observed) < len(self._table.counts):
            raise InputError(
                "the mechanism holds its values, so that a line has to say every count",
                key="observed",
            )
        step = 0.0 if self._time is None else elapsed(self._time, now)
        self._time = now
        for one in (self._seen, self._unseen):
            one.move(step)
        possible = self._seen.log_chance(observed) > -math.inf
        if possible:
            self._seen.see(observed)
            self._snapshots += 1
        self._last = observed
        believed = self._seen.distribution
        return HiddenState(
            now,
            observed,
            {},
            _counts(self.scenario, self._states, believed),
            _places(self.scenario, self._states, believed),
            _places(self.scenario, self._states, self._unseen.distribution),
            _error(self._seen.log_error, self._seen.lost, 1.0),
            "filtering",
            len(believed),
            self._snapshots,
            possible,
            self.scenario.unit,
        )

    def _chances(self, outcomes: Ints, published: Mapping[str, int]) -> Floats:
        assert self._table is not None
        return self._table.chances(outcomes, published, self._last)


def _counts(scenario: Scenario, states: Ints, weights: Floats) -> dict[str, dict[int, float]]:
    found, written = {}, _written(scenario)
    counts = states @ written.matrix(scenario.network).T
    for name, column in zip(written.groups(scenario.network), counts.T, strict=True):
        chances = np.bincount(column, weights)
        there = np.flatnonzero(chances > 0)
        found[name] = {int(n): float(chances[n]) for n in there}
    return found


def _places(scenario: Scenario, states: Ints, weights: Floats) -> Places:
    """Of one robot of each type that is there at all."""
    found: Places = {}
    written = _written(scenario)
    names, stages = [*written.groups(scenario.network)], written.matrix(scenario.network)
    for name in scenario.team.types:
        held = np.array([species.members.count(name) for species in scenario.network.species])
        robots = states * held  # (states, species): of this type in each
        total = robots.sum(axis=1)
        there = total > 0
        if not (weights[there] > 0).any():
            continue
        chances = weights[there] @ (robots[there] / total[there, None]) / weights[there].sum()
        places = stages @ chances
        found[name] = {names[i]: float(places[i]) for i in np.flatnonzero(stages @ held)}
    return found


def _written(scenario: Scenario) -> Query:
    """Every species that is written, each with all of its stages."""
    return Query().with_stages(scenario.network)


def _error(log_error: float, lost: float, total: float) -> float:
    return min(1.0, math.exp(min(2 * log_error, 50.0)) * lost / total + log_error)
