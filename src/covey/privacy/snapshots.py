"""Several glances at one trajectory: the joint law of what they show, and what that leaks.

Glances at times t_1 ≤ … ≤ t_m see y_1, …, y_m of one path, so their laws do not multiply, and the
leakage of all together can be anything above that of each: a type that flips at rate 1 and one
that flips at rate 10 look alike in every single glance, and not in two that follow each other.

With E(y) keeping the states that look like y, and exp(Δ K) moving on, it is found by filtering,

    P(y_1, …, y_m) = 1' E(y_m) exp(Δ_m K) E(y_{m−1}) ⋯ exp(Δ_2 K) E(y_1) p(t_1),

one vector for every sequence so far. All numbers are positive: each keeps its relative accuracy,
and the relative errors of the steps add up. There are up to |Y|^m sequences, which is said before
it is tried. Where more sequences than states have to be moved on, exp(Δ K) is found column by
column instead, and applied to all of them.

p(t_1) is counted from the start, or, where the team has settled, t is counted from then on and p(0)
is the law of the steady state: the times 0 and 0.1 are then two glances at any time, 0.1 apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from covey.dynamics.distribution import Distribution
from covey.dynamics.engine import Engine
from covey.dynamics.joint_law import Filter
from covey.dynamics.limits import Limits
from covey.dynamics.question import Progress, check_times
from covey.errors import TooLargeError
from covey.model.scenario import Scenario
from covey.model.team import Team
from covey.privacy.arriving import check_start
from covey.privacy.laws import TeamLaws, neighbours_of
from covey.privacy.leakage import Leakage, leakage_of
from covey.showing import Showing
from covey.words import number, shift, shown

MAX_SEQUENCES = 50_000
MAX_STATES = 20_000
_MAX_NUMBERS = 50_000_000  # held at once


@dataclass(frozen=True)
class Snapshots(Showing):
    """What several glances leak together, and each for itself.

    Attributes:
        times: When they are.
        settled: Whether times count from the steady state.
        joint: The leakage of all together; observations are named `free@1`, `free@2` and so on.
        single: The leakage of each alone.
    """

    times: tuple[float, ...]
    settled: bool
    joint: Leakage
    single: tuple[Leakage, ...]

    @property
    def value(self) -> float:
        """The leakage of all glances together."""
        return self.joint.value

    @property
    def interval(self) -> tuple[float, float]:
        """Bounds that the true value certainly keeps."""
        return self.joint.interval

    @property
    def observations(self) -> tuple[dict[str, int], ...]:
        """What has to be seen, glance by glance, for most to be given away."""
        m, counts = len(self.times), list(self.joint.observation.items())
        width = len(counts) // m
        return tuple(
            {name.rpartition("@")[0]: count for name, count in counts[i * width : (i + 1) * width]}
            for i in range(m)
        )

    def __str__(self) -> str:
        since = "after settling" if self.settled else "after the start"
        times = ", ".join(f"{time:g}" for time in self.times)
        alone = max(leakage.value for leakage in self.single)
        seen = ", then ".join(map(shown, self.observations))
        what = (
            "can settle a robot's type"
            if math.isinf(self.value)
            else f"shift the odds on any robot's type {shift(self.value, self.interval)}"
        )
        return (
            f"{len(self.times)} glances, {times} {since}, together {what} (leakage "
            f"{number(self.value)}, and {number(alone)} at most for one alone): most for "
            f"{seen}, against a team with {self.joint.neighbour}."
        )


def snapshots(
    scenario: Scenario,
    times: Iterable[float],
    *,
    settled: bool | None = None,
    smoothing: float | None = None,
    max_sequences: int = MAX_SEQUENCES,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Snapshots:
    """The leakage of several glances at one trajectory, together and each alone.

    Args:
        scenario: The team, its network, and what is seen of it.
        times: When to look, in increasing order.
        settled: Whether times count from the steady state; by default as the adversary looks.
        smoothing: The paper's ν, added to every probability; by default the adversary's.
        max_sequences: How many sequences of observations may be followed.
        limits: How to compute: on how many states (20,000 by default).
        progress: Called as progress(done, total, text) while the work goes on.
    """
    listed = tuple(check_times(times).tolist())
    steady = scenario.adversary.at == "steady" if settled is None else settled
    nu = scenario.adversary.smoothing if smoothing is None else smoothing
    laws = snapshot_laws(
        scenario,
        listed,
        settled=steady,
        max_sequences=max_sequences,
        limits=limits,
        progress=progress,
    )
    single = tuple(leakage_of(_only(laws, i, len(listed)), nu) for i in range(len(listed)))
    return Snapshots(listed, steady, leakage_of(laws, nu), single)


def snapshot_laws(
    scenario: Scenario,
    times: Iterable[float],
    *,
    settled: bool | None = None,
    max_sequences: int = MAX_SEQUENCES,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> TeamLaws:
    """The joint laws of the team and its neighbours, for `leakage_of` and `profile_of`.

    Columns are named `free@1`, `busy@1`, `free@2`, …: by the number of the glance. Raises
    `TooLargeError` with the number of sequences where it is above `max_sequences`.

    Args:
        scenario: The team, its network, and what is seen of it.
        times: When to look, in increasing order.
        settled: Whether times count from the steady state; by default as the adversary looks.
        max_sequences: How many sequences of observations may be followed.
        limits: How to compute: on how many states (20,000 by default).
        progress: Called as progress(done, total, text) while the work goes on.
    """
    neighbours = neighbours_of(scenario)
    listed = check_times(times).tolist()
    steady = scenario.adversary.at == "steady" if settled is None else settled
    check_start(scenario, "steady" if steady else 0.0, "several glances")
    known: dict[Team, Distribution] = {}
    limits = limits or Limits()
    engine = Engine(scenario.network, replace(limits, max_states=limits.max_states or MAX_STATES))

    def law_of(team: Team) -> Distribution:
        if team not in known:
            chain = Filter(engine, scenario.start_of(team), scenario.query, progress)
            _check_size(chain, len(listed), max_sequences)
            known[team] = chain.joint_law(listed, steady)
        return known[team]

    return TeamLaws(
        scenario,
        "steady" if steady else listed[-1],
        law_of(scenario.team),
        tuple((neighbour, law_of(neighbour.team)) for neighbour in neighbours),
    )


def _check_size(chain: Filter, glances: int, most: int) -> None:
    observations = len(chain.observations)
    sequences = observations**glances
    numbers = observations ** (glances - 1) * len(chain.look)
    if sequences > most or numbers > _MAX_NUMBERS:
        limit = (
            f"at most {most:,} are allowed"
            if sequences > most
            else f"over {len(chain.look):,} states that takes {8 * numbers / 2**30:.1f} GiB"
        )
        raise TooLargeError(
            f"{glances} glances of {observations:,} observations each make up to {sequences:,} "
            f"sequences, and {limit}: take fewer glances, a smaller team or a coarser query",
            states=sequences,
        )


def _only(laws: TeamLaws, glance: int, glances: int) -> TeamLaws:
    """The laws of one glance by itself."""
    width = len(laws.team.names) // glances
    columns = slice(glance * width, (glance + 1) * width)

    def part(law: Distribution) -> Distribution:
        names = [name.rpartition("@")[0] for name in law.names[columns]]
        return law.shown_as(names, law.outcomes[:, columns])

    others = tuple((neighbour, part(law)) for neighbour, law in laws.neighbours)
    return TeamLaws(laws.scenario, laws.at, part(laws.team), others)
