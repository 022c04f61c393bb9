"""Several snapshots of one trajectory: the joint distributions of what they show.

Snapshots at times t_1 ≤ … ≤ t_m see y_1, …, y_m of one path, so their distributions do not
multiply, and the leakage of all together can be anything above that of each: a type that flips at
rate 1 and one that flips at rate 10 look alike in every single snapshot, and not in two that follow
each other.

With E(y) keeping the states that look like y, and exp(Δ K) moving on, it is found by filtering,

    P(y_1, …, y_m) = 1' E(y_m) exp(Δ_m K) E(y_{m−1}) ⋯ exp(Δ_2 K) E(y_1) p(t_1),

one vector for every sequence so far. All numbers are positive: each keeps its relative accuracy,
and the relative errors of the steps add up. There are up to |Y|^m sequences, which is said before
it is tried. Where more sequences than states have to be moved on, exp(Δ K) is found column by
column instead, and applied to all of them.

p(t_1) is counted from the start, or, where the team has stationary, t is counted from then on and
p(0) is the distribution of the steady state: the times 0 and 0.1 are then two snapshots at any
time, 0.1 apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.hmm.joint_distribution import Filter
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress, check_times
from covey.errors import UnsupportedError
from covey.model.scenario import Scenario
from covey.privacy.cases import Case, case_of
from covey.privacy.distribution_cache import DistributionCache, Key
from covey.privacy.hypotheses import Star, check_same_moment, hypotheses_of
from covey.privacy.snapshot.arriving import check_start
from covey.privacy.snapshot.output_distributions import TeamDistributions

MAX_SEQUENCES = 50_000
MAX_STATES = 20_000


def joint_distributions(
    scenario: Scenario,
    times: Iterable[float],
    *,
    stationary: bool | None = None,
    max_sequences: int = MAX_SEQUENCES,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> TeamDistributions:
    """The joint distributions of the team and its neighbours, for `leakage_of` and `profile_of`.

    Columns are named `free@1`, `busy@1`, `free@2`, …: by the number of the snapshot. Raises
    `TooLargeError` with the number of sequences where it is above `max_sequences`.

    Args:
        scenario: The team, its network, and what is seen of it.
        times: When to look, in increasing order.
        stationary: Whether times count from the steady state; by default as the adversary looks.
        max_sequences: How many sequences of observations may be followed.
        limits: How to compute: on how many states (20,000 by default).
        progress: Called as progress(done, total, text) while the work goes on.
    """
    if scenario.release.instead is not None:
        raise UnsupportedError(
            "what a mechanism publishes is not summed over, sequence by sequence: `stream` says "
            "what snapshots of it tell, by paths"
        )
    steady = scenario.adversary.at == "steady" if stationary is None else stationary
    check_start(scenario, "steady" if steady else 0.0, "several snapshots")
    limits = limits or Limits()
    solver = Solver(scenario.network, replace(limits, max_states=limits.max_states or MAX_STATES))
    listed = check_times(times).tolist()
    star = Star(scenario, tuple(hypotheses_of(scenario)))
    check_same_moment(star.hypotheses, "a sequence of snapshots")
    return joint_distributions_by(solver, star, listed, steady, max_sequences, progress)


def joint_distributions_by(
    solver: Solver,
    star: Star,
    times: list[float],
    stationary: bool,
    max_sequences: int = MAX_SEQUENCES,
    progress: Progress | None = None,
) -> TeamDistributions:
    """The same, by a solver that is prepared for the scenario's network already."""
    scenario = star.scenario
    known: dict[Key, Distribution] = {}
    cache = DistributionCache(solver, scenario.query, ())

    def distribution_of(case: Case) -> Distribution:
        key = cache.key(case)
        if key not in known:
            by, start, _ = key
            chain = Filter(by, np.array(start), scenario.query, progress)
            chain.check_size(len(times), max_sequences)
            known[key] = chain.joint_distribution(times, stationary)
        return known[key]

    return TeamDistributions(
        scenario,
        "steady" if stationary else times[-1],
        distribution_of(case_of(scenario)),
        tuple((one, distribution_of(case_of(scenario, one))) for one in star.hypotheses),
    )


def first_snapshots(
    distributions: TeamDistributions, wanted: int, snapshots: int
) -> TeamDistributions:
    """The distributions of the first snapshots, of the distributions of them all."""
    columns = slice(0, len(distributions.team.names) // snapshots * wanted)
    first: dict[int, Distribution] = {}  # neighbours that share a distribution go on sharing it

    def part(distribution: Distribution) -> Distribution:
        if id(distribution) not in first:
            first[id(distribution)] = distribution.shown_as(
                distribution.names[columns], lambda rows: rows[:, columns]
            )
        return first[id(distribution)]

    others = tuple(
        (neighbour, part(distribution)) for neighbour, distribution in distributions.neighbours
    )
    return replace(distributions, team=part(distributions.team), neighbours=others)
