"""Group privacy: what one snapshot gives away about several robots at once.

    L_k(D) = max over teams D' in which at most k robots have another type, and over y,
             of |ln P(y|D) − ln P(y|D')|

Every such team is solved, nothing is multiplied: k·L(D) bounds L_k only if L bounds the leakage of
all teams on the way, and L(D) speaks of D alone. Teams are counts, so those that k robots can turn
D into are at the distance d(D, D') = Σ_t max(0, D_t − D'_t) ≤ k. They are counted before they are
solved, as the coefficients x^d y^d of

    Π_t (1 + Σ_{r ≤ D_t} x^r + Σ_{a ≥ 1} y^a),      r robots leaving the type, a joining it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.dynamics.distribution import Computed, Distribution
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import InputError, TooLargeError
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.team import Team
from covey.numbers import is_whole
from covey.privacy.distribution_cache import DistributionCache
from covey.privacy.headline import Sentence, guess_sentence, spoken, worst_sentence
from covey.privacy.hypotheses import neighbours_only
from covey.privacy.snapshot.arriving import check_start
from covey.privacy.snapshot.bayes_success import binary_success
from covey.privacy.snapshot.channel import Reporting, check_thinned, reported
from covey.privacy.snapshot.comparison import Comparison, WorstOf, compare_distributions
from covey.privacy.snapshot.output_distributions import published_cases
from covey.privacy.snapshot.pair_profile import divergence_profile
from covey.privacy.snapshot.published import as_published
from covey.showing import Showing
from covey.tabular import Tabular, columns_of
from covey.words import many, shown, when

MAX_TEAMS = 2_000


@dataclass(frozen=True)
class Regrouping:
    """A team in which some robots have another type.

    Attributes:
        changes: The types that changed, each with by how many robots.
        team: That team.
    """

    changes: tuple[tuple[str, int], ...]
    team: Team

    @property
    def robots(self) -> int:
        """How many robots changed type, at the least."""
        return sum(-change for _, change in self.changes if change < 0)

    def __str__(self) -> str:
        left = " and ".join(many(-n, name) for name, n in self.changes if n < 0)
        joined = " and ".join(many(n, name) for name, n in self.changes if n > 0)
        return f"{left} turned {joined}"


@dataclass(frozen=True)
class GroupPair(Comparison):
    """The leakage against one such team.

    Attributes:
        alternative: That team, and how it differs.
        total_variation: Bounds on it.
    """

    alternative: Regrouping
    total_variation: tuple[float, float]


@dataclass(frozen=True)
class GroupLeakage(Showing, Tabular, WorstOf[GroupPair]):
    """What one snapshot gives away about any group of robots.

    Attributes:
        at: The moment: a time, or "steady".
        smoothing: ν, which was added to every probability.
        robots: How many robots a group has at most.
        pairs: The leakage against every team in which such a group has other types.
        method: How the distributions were computed.
        why: And why not in another way.
        truncated_mass: The probability that was left out of one distribution, at most.
        unit: The unit of time, where it is known.
    """

    at: Moment
    smoothing: float
    robots: int
    pairs: tuple[GroupPair, ...]
    method: str
    why: str
    truncated_mass: float
    unit: str | None = None

    @property
    def table_columns(self) -> dict[str, list[Any]]:
        """A row for each pair that is compared."""
        return columns_of(
            {
                "against": str(pair.alternative),
                "leakage": pair.value,
                "lower": pair.interval[0],
                "upper": pair.interval[1],
                "observation": shown(pair.observation),
            }
            for pair in self.pairs
        )

    @property
    def alternative(self) -> Regrouping:
        """The team that differs most."""
        return self.worst.alternative

    @property
    def by_robots(self) -> dict[int, float]:
        """For each number of robots that changed type, the most that is given away."""
        found: dict[int, float] = {}
        for pair in self.pairs:
            size = pair.alternative.robots
            found[size] = max(found.get(size, 0.0), pair.value)
        return dict(sorted(found.items()))

    @property
    def furthest(self) -> GroupPair:
        """The team that is told apart most easily: that of the largest total variation."""
        return max(self.pairs, key=lambda pair: pair.total_variation[1])

    @property
    def bayes_success(self) -> float:
        """How often an observer is right who tells the two apart: (1 + TV) / 2, from above."""
        return binary_success(self.furthest.total_variation[1])

    @property
    def sentences(self) -> tuple[Sentence, Sentence]:
        """How often an observer is right after one snapshot, and the worst case."""
        who = "one robot" if self.robots == 1 else f"up to {self.robots} robots"
        furthest = self.furthest
        return (
            guess_sentence(
                f"One snapshot {when(self.at, self.unit)}",
                str(furthest.alternative),
                furthest.total_variation[1],
            ),
            worst_sentence(
                self.worst,
                self.interval,
                str(self.alternative),
                self.smoothing,
                f"the types of {who}",
            ),
        )

    def __str__(self) -> str:
        return " ".join(spoken(sentence) for sentence in self.sentences)


def group_leakage(
    scenario: Scenario,
    robots: int,
    at: Moment | None = None,
    *,
    smoothing: float | None = None,
    seen: Reporting | None = None,
    max_teams: int = MAX_TEAMS,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> GroupLeakage:
    """What one snapshot gives away about the types of up to so many robots together.

    Args:
        scenario: The team, its network, and what is seen of it.
        robots: How many robots a group has at the most.
        at: A time, or "steady"; by default when the adversary looks.
        smoothing: The paper's ν, added to every probability; by default the adversary's.
        seen: What is reported of what is there: the probability that a robot is seen, or a table,
            as `seen_through` takes them; by default all.
        max_teams: How many teams may be compared; more raise `TooLargeError`.
        limits: How to compute: which method, on how many states, to which tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    moment = scenario.adversary.at if at is None else at
    check_start(scenario, moment, "the leakage about a group")
    check_thinned(scenario.query, seen)
    neighbours_only(scenario, "the leakage about a group")
    between = scenario.protected
    size = _check_robots(robots, sum(scenario.team.types[name] for name in between))
    teams = count_teams(scenario.team, between, size)
    if teams > max_teams:
        raise TooLargeError(
            f"{teams:,} teams differ from this one in at most {size} robots, and at most "
            f"{max_teams:,} are allowed: take a smaller group, protect fewer types, or allow more "
            "teams"
        )
    nu = scenario.adversary.smoothing if smoothing is None else smoothing
    cache = DistributionCache(Solver(scenario.network, limits), scenario.query, [moment])

    def distribution_of(team: Team) -> Distribution:
        ((found,),) = published_cases(cache, scenario, [team])
        return _seen(as_published(scenario, found, team), seen)

    ours = distribution_of(scenario.team)
    pairs, distributions, table = [], [ours], scenario.release.mechanism
    for done, alternative in enumerate(regroupings(scenario.team, between, size)):
        if progress is not None:
            progress(done, teams, f"a team with {alternative}")
        if table is not None and not table.has(alternative.team.types):
            continue  # whoever knows the mechanism knows that it is none of these
        theirs = distribution_of(alternative.team)
        distributions.append(theirs)
        found = compare_distributions(ours, theirs, nu)
        pairs.append(
            GroupPair(
                found.value,
                found.interval,
                found.observation,
                found.log_probability,
                alternative,
                divergence_profile(ours, theirs).delta_interval(0.0),
            )
        )
    by = Computed.of(distributions)
    return GroupLeakage(
        moment, nu, size, tuple(pairs), by.method, by.why, by.truncated_mass, scenario.unit
    )


def regroupings(team: Team, between: tuple[str, ...], robots: int) -> Iterator[Regrouping]:
    """Every team in which 1 to `robots` robots have moved between the types, nearest first."""
    for distance in range(1, robots + 1):
        for changes in _changes([team.types[name] for name in between], distance, distance):
            moved = tuple((n, c) for n, c in zip(between, changes, strict=True) if c)
            types = {**team.types} | {name: team.types[name] + change for name, change in moved}
            yield Regrouping(moved, Team(types, team.resources))


def count_teams(team: Team, between: tuple[str, ...], robots: int) -> int:
    """How many teams there are at the distances 1 to `robots`."""
    ways = np.zeros((robots + 1, robots + 1), dtype=object)  # [left, joined]
    ways[0, 0] = 1
    for name in between:
        more = ways.copy()
        for n in range(1, robots + 1):
            more[:, n:] += ways[:, : robots + 1 - n]
            if n <= team.types[name]:
                more[n:, :] += ways[: robots + 1 - n, :]
        ways = more
    return int(sum(ways[d, d] for d in range(1, robots + 1)))


def _changes(counts: list[int], leaving: int, joining: int) -> Iterator[tuple[int, ...]]:
    """Changes of the counts with so many leaving and joining, no type doing both."""
    if not counts:
        if leaving == joining == 0:
            yield ()
        return
    first, *rest = counts
    for change in range(-min(first, leaving), joining + 1):
        left, joined = leaving + min(change, 0), joining - max(change, 0)
        for others in _changes(rest, left, joined):
            yield (change, *others)


def _seen(distribution: Distribution, channel: Reporting | None) -> Distribution:
    return distribution if channel is None else reported(distribution, channel)


def _check_robots(robots: int, most: int) -> int:
    if not is_whole(robots) or not 1 <= robots <= most:
        raise InputError(
            f"robots is {robots!r:.40}: a whole number from 1 to {most} is expected, the number "
            "of robots of the protected types"
        )
    return int(robots)
