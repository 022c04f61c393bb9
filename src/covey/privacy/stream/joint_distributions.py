"""Several snapshots of one trajectory: the joint laws of what they show, sequence by sequence.

Snapshots at times t_1 ≤ … ≤ t_m see y_1, …, y_m of one path, so their laws do not multiply, and the
leakage of all together can be anything above that of each: a type that flips at rate 1 and one
that flips at rate 10 look alike in every single snapshot, and not in two that follow each other.

With E(y) keeping the states that look like y, and exp(Δ K) moving on, it is found by filtering,

    P(y_1, …, y_m) = 1' E(y_m) exp(Δ_m K) E(y_{m−1}) ⋯ exp(Δ_2 K) E(y_1) p(t_1),

one vector for every sequence so far. All numbers are positive: each keeps its relative accuracy,
and the relative errors of the steps add up. There are up to |Y|^m sequences, which is said before
it is tried. Where more sequences than states have to be moved on, exp(Δ K) is found column by
column instead, and applied to all of them.

p(t_1) is counted from the start, or, where the team has settled, t is counted from then on and p(0)
is the law of the steady state: the times 0 and 0.1 are then two snapshots at any time, 0.1 apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from covey.dynamics.distribution import Distribution
from covey.dynamics.hmm.joint_distribution import Filter
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress, check_times
from covey.errors import TooLargeError, UnsupportedError
from covey.model.scenario import Scenario
from covey.model.team import Team
from covey.privacy.snapshot.arriving import check_start
from covey.privacy.snapshot.output_distributions import TeamDistributions, neighbours_of

MAX_SEQUENCES = 50_000
MAX_STATES = 20_000
_MAX_NUMBERS = 50_000_000  # held at once


def joint_distributions(
    scenario: Scenario,
    times: Iterable[float],
    *,
    settled: bool | None = None,
    max_sequences: int = MAX_SEQUENCES,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> TeamDistributions:
    """The joint laws of the team and its neighbours, for `leakage_of` and `profile_of`.

    Columns are named `free@1`, `busy@1`, `free@2`, …: by the number of the snapshot. Raises
    `TooLargeError` with the number of sequences where it is above `max_sequences`.

    Args:
        scenario: The team, its network, and what is seen of it.
        times: When to look, in increasing order.
        settled: Whether times count from the steady state; by default as the adversary looks.
        max_sequences: How many sequences of observations may be followed.
        limits: How to compute: on how many states (20,000 by default).
        progress: Called as progress(done, total, text) while the work goes on.
    """
    if scenario.release.mechanism is not None:
        raise UnsupportedError(
            "what a mechanism publishes is not summed over, sequence by sequence: `stream` says "
            "what snapshots of it tell, by paths"
        )
    steady = scenario.adversary.at == "steady" if settled is None else settled
    check_start(scenario, "steady" if steady else 0.0, "several snapshots")
    limits = limits or Limits()
    solver = Solver(scenario.network, replace(limits, max_states=limits.max_states or MAX_STATES))
    listed = check_times(times).tolist()
    return joint_laws_by(solver, scenario, listed, steady, max_sequences, progress)


def joint_laws_by(
    solver: Solver,
    scenario: Scenario,
    times: list[float],
    settled: bool,
    max_sequences: int = MAX_SEQUENCES,
    progress: Progress | None = None,
) -> TeamDistributions:
    """The same, by a solver that is prepared for the scenario's network already."""
    neighbours = neighbours_of(scenario)
    known: dict[Team, Distribution] = {}

    def law_of(team: Team) -> Distribution:
        if team not in known:
            chain = Filter(solver, scenario.start_of(team), scenario.query, progress)
            _check_size(chain, len(times), max_sequences)
            known[team] = chain.joint_law(times, settled)
        return known[team]

    return TeamDistributions(
        scenario,
        "steady" if settled else times[-1],
        law_of(scenario.team),
        tuple((neighbour, law_of(neighbour.team)) for neighbour in neighbours),
    )


def _check_size(chain: Filter, snapshots: int, most: int) -> None:
    observations = len(chain.observations)
    sequences = observations**snapshots
    numbers = observations ** (snapshots - 1) * len(chain.look)
    if sequences > most or numbers > _MAX_NUMBERS:
        limit = (
            f"at most {most:,} are allowed"
            if sequences > most
            else f"over {len(chain.look):,} states that takes {8 * numbers / 2**30:.1f} GiB"
        )
        raise TooLargeError(
            f"{snapshots} snapshots of {observations:,} observations each make up to {sequences:,} "
            f"sequences, and {limit}: take fewer snapshots, a smaller team or a coarser query",
            states=sequences,
        )


def first_snapshots(laws: TeamDistributions, wanted: int, snapshots: int) -> TeamDistributions:
    """The laws of the first snapshots, of the laws of them all."""
    columns = slice(0, len(laws.team.names) // snapshots * wanted)
    first: dict[int, Distribution] = {}  # neighbours that share a law go on sharing it

    def part(law: Distribution) -> Distribution:
        if id(law) not in first:
            first[id(law)] = law.shown_as(law.names[columns], lambda rows: rows[:, columns])
        return first[id(law)]

    others = tuple((neighbour, part(law)) for neighbour, law in laws.neighbours)
    return replace(laws, team=part(laws.team), neighbours=others)
