"""What to publish instead: the mechanism that costs least and gives away at most ε.

    1. laws       of the team and its neighbours, or of every team of a set, at every moment
    2. rare       outcomes that no law makes likely are published as their nearest common one:
                  that is a channel too, and costs next to nothing
    3. program    the linear program on what is left (`program`), for slightly less than ε
    4. clear      entries that are nothing but a solver's tolerance go; rows add up to one again
    5. evaluate   the leakage of what is then published, by `leakage_of`, with its interval

A mechanism whose upper bound is above the target is never handed out. If 5 fails by a little, the
table is mixed with publishing blindly, which brings any two laws together; if it fails by more, 2
is done more coarsely.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.engine import Engine
from covey.dynamics.limits import Limits
from covey.dynamics.question import Progress
from covey.errors import InputError, TooLargeError, shown
from covey.model.adversary import Moment
from covey.model.release_table import ReleaseTable, fingerprint
from covey.model.scenario import Scenario
from covey.model.team import Team, check_count
from covey.numbers import Floats, Ints, distinct_rows
from covey.privacy.channel import seen_through
from covey.privacy.laws import TeamLaws, laws_by
from covey.privacy.leakage import leakage_of
from covey.privacy.profile import profile_of
from covey.privacy.published import released
from covey.remedy.losses import Loss, losses_of
from covey.remedy.mechanism import Mechanism
from covey.remedy.program import NotSolvedError, Program

Teams = Mapping[str, Iterable[int]]

_RARE = (1e-8, 1e-6, 1e-4, 1e-3)  # a probability below which an outcome is rare
_SHORT = 1e-7  # by how much less than ε the program is solved for, relatively
_NOTHING = 1e-9  # an entry below this is a solver's tolerance
_MIXED = (0.0, *(10.0**-k for k in range(10, 1, -1)))  # how much blind publishing is tried
_MOST_OUTCOMES = 6_000
_MOST_TEAMS = 200


def protect(
    scenario: Scenario,
    epsilon: float,
    delta: float = 0.0,
    *,
    loss: Loss = "l1",
    teams: Teams | None = None,
    at: Moment | Sequence[Moment] | None = None,
    publish: Iterable[Sequence[int]] | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Mechanism:
    """What to publish instead of what is there, so that one glance gives away at most ε.

    Of all tables that keep to it, the one that costs least; `Mechanism` says what is promised, and
    `Mechanism.least` how near it is to the best there can be. It is for one glance: publishing
    again and again gives away more, and `stream` says how much.

    Args:
        scenario: The team, its network, and what is seen of it.
        epsilon: ε > 0: the leakage of what is published may be so much.
        delta: And may exceed it with this probability.
        loss: What it costs to publish something else: "l1", "squared", "change" (the chance that
            anything is changed), a weight for each count, or a table {seen: {published: loss}}.
        teams: Counts for some of the types, as {"A": range(5, 8)}: then every such team is
            protected from each of its neighbours; by default the scenario's team is.
        at: A moment or several, at each of which it is to hold; by default when the adversary
            looks.
        publish: The outcomes that may be published; by default every one that is possible for one
            of the teams or neighbours.
        limits: How to compute the laws: which method, on how many states, to which tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    if not _is_number(epsilon) or not 0 < epsilon < math.inf:
        raise InputError(
            f"epsilon is {shown(epsilon)}: a number above 0 is expected, as 0.5", key="epsilon"
        )
    if not _is_number(delta) or not 0 <= delta < 1:
        raise InputError(
            f"delta is {shown(delta)}: a probability below 1 is expected, as 1e-6", key="delta"
        )
    moments = _moments(scenario, at)
    members = _teams(scenario, teams)
    plain = scenario.unpublished()
    engine = Engine(plain.network, limits)
    laws = [
        found
        for team in members
        for found in laws_by(engine, plain.with_(team=team, warn=False), moments, progress)
    ]
    made_for = fingerprint(scenario, members, moments)
    return protected(laws, epsilon, delta, loss, publish, made_for, progress)


def protected(
    laws: Sequence[TeamLaws],
    epsilon: float,
    delta: float = 0.0,
    loss: Loss = "l1",
    publish: Iterable[Sequence[int]] | None = None,
    made_for: Mapping[str, object] | None = None,
    progress: Progress | None = None,
) -> Mechanism:
    """The mechanism for teams whose laws are known."""
    task = _Task(tuple(laws), float(epsilon), float(delta), loss, made_for or {})
    if publish is None and task.truth_is_best:
        same = task.judged(task.table(task.outcomes, np.eye(len(task.outcomes))))
        if same is not None:
            return same
    task.check_reachable()
    columns = task.outcomes if publish is None else _rows(publish, task.names)
    for attempt, rare in enumerate(_RARE):
        if progress is not None:
            progress(attempt, len(_RARE), "solving the linear program")
        try:
            found = task.solved(rare, columns, whole=publish is not None)
        except NotSolvedError:
            continue
        if found is not None:
            return found
    raise InputError(
        f"no mechanism was found whose leakage is certainly at most {epsilon:g}"
        + (f" but for a probability of {delta:g}" if delta else "")
        + ": allow more, or a δ (--delta 1e-6)",
        key="epsilon",
    )


@dataclass(frozen=True, eq=False)
class _Task:
    """What is asked for, of laws that are known."""

    laws: tuple[TeamLaws, ...]
    epsilon: float
    delta: float
    loss: Loss
    made_for: Mapping[str, object]

    @property
    def names(self) -> tuple[str, ...]:
        return self.laws[0].team.names

    @cached_property
    def distinct(self) -> list[Distribution]:
        """Every law once."""
        every = [law for one in self.laws for _, *pair in one.pairs for law in pair]
        return list({id(law): law for law in every}.values())

    @cached_property
    def _aligned(self) -> tuple[Ints, Floats]:
        rows = np.concatenate([law.outcomes for law in self.distinct])
        outcomes, place = distinct_rows(rows)
        if len(outcomes) > _MOST_OUTCOMES:
            raise TooLargeError(
                f"there are {len(outcomes):,} outcomes, and a mechanism can be found for "
                f"{_MOST_OUTCOMES:,}: see less of the team, as coarser counts in [observe], or "
                "publish one count at a time",
                states=len(outcomes),
            )
        chances = np.zeros((len(self.distinct), len(outcomes)))
        begin = 0
        for row, law in zip(chances, self.distinct, strict=True):
            row[place[begin : begin + len(law)]] = law.probabilities
            begin += len(law)
        return outcomes, chances

    @property
    def outcomes(self) -> Ints:
        """All that any law makes possible: (outcomes, counts)."""
        return self._aligned[0]

    @property
    def chances(self) -> Floats:
        """(laws, outcomes)."""
        return self._aligned[1]

    @cached_property
    def weights(self) -> Floats:
        """How likely each outcome is, over the teams and moments that it is for: (outcomes,)."""
        place = {id(law): i for i, law in enumerate(self.distinct)}
        rows = [place[id(one.team)] for one in self.laws]
        return np.asarray(self.chances[rows].mean(axis=0))

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Which two laws are neighbours, in both orders, each once."""
        place = {id(law): i for i, law in enumerate(self.distinct)}
        found: dict[tuple[int, int], None] = {}
        for one in self.laws:
            for _, law, other in one.pairs:
                i, j = place[id(law)], place[id(other)]
                if i != j:
                    found |= {(i, j): None, (j, i): None}
        return tuple(found)

    @property
    def truth_is_best(self) -> bool:
        """Whether nothing costs less than the truth, wherever the team may be."""
        losses = losses_of(self.loss, self.names, self.outcomes, self.outcomes)
        return bool((np.diag(losses) <= losses.min(axis=1)).all())

    @property
    def lost(self) -> float:
        return max(law.lost_mass for law in self.distinct)

    @property
    def error(self) -> float:
        return 2 * max(law.log_error for law in self.distinct)

    def check_reachable(self) -> None:
        """Refuses a target that no table could be shown to keep to."""
        if self.lost and not self.delta:
            raise InputError(
                f"a probability of {self.lost:.1g} was left out of the laws, so that no table is "
                f"certain to leak at most {self.epsilon:g}: allow a δ above it (--delta), or "
                "compute on all states (another --method)",
                key="delta",
            )
        if self.delta and self.delta <= self.lost:
            raise InputError(
                f"a probability of {self.lost:.1g} was left out of the laws, and δ is "
                f"{self.delta:g}: a larger one is needed (or a smaller --tolerance)",
                key="delta",
            )

    def solved(self, rare: float, columns: Ints, whole: bool) -> Mechanism | None:
        """The mechanism, rare outcomes being published as common ones; None where it fails.

        `whole` says that all columns are to be taken, and not only the common outcomes.
        """
        common = np.flatnonzero(self.chances.max(axis=0) >= rare)
        costs = losses_of("l1", self.names, self.outcomes, self.outcomes[common])
        nearest = costs.argmin(axis=1)  # of all outcomes: which common one
        laws = np.array([np.bincount(nearest, law, len(common)) for law in self.chances])
        published = columns if whole else self.outcomes[common]
        losses = losses_of(self.loss, self.names, self.outcomes[common], published)
        own = losses_of("l1", self.names, published, self.outcomes[common]).argmin(axis=1)
        scale = laws.max(axis=0)[own]
        weights = np.bincount(nearest, self.weights, len(common)).astype(float)
        program = Program(
            laws, self.pairs, weights, losses, scale,
            self.epsilon * (1 - _SHORT) - 2 * self.error - 1e-13,
            tuple((self.delta - self.distinct[i].lost_mass) * (1 - _SHORT) for i, _ in self.pairs)
            if self.delta else (0.0,) * len(self.pairs),
        )  # fmt: skip
        if program.epsilon <= 0:
            raise InputError(
                f"epsilon is {self.epsilon:g}, and the laws are known to {self.error:.1g} only: "
                "ask for more",
                key="epsilon",
            )
        channel, multipliers = program.solve()
        channel[channel < _NOTHING] = 0.0
        channel /= channel.sum(axis=1, keepdims=True)
        blind = program.weights @ channel
        blind /= blind.sum()
        for share in _MIXED:
            mixed = (1 - share) * channel + share * blind if share else channel
            used = np.flatnonzero(mixed.any(axis=0))
            table = self.table(published[used], mixed[nearest][:, used])
            if found := self.judged(table):
                return replace(
                    found, least=min(self._bound(multipliers, published, columns), found.loss)
                )
        return None

    def _bound(self, multipliers: Floats, published: Ints, columns: Ints) -> float:
        """What any table costs at least, whatever it publishes of all that it may."""
        like = losses_of("l1", self.names, columns, published).argmin(axis=1)
        whole = Program(
            self.chances, self.pairs, self.weights,
            losses_of(self.loss, self.names, self.outcomes, columns), np.ones(len(columns)),
            self.epsilon, (self.delta,) * len(self.pairs),
        )  # fmt: skip
        return whole.bound(multipliers[:, like])

    def table(self, published: Ints, channel: Floats) -> ReleaseTable:
        """A channel of all outcomes, as a table that promises nothing yet."""
        return ReleaseTable(
            self.names, self.outcomes, published, channel, self.epsilon, self.delta, math.inf,
            self.made_for,
        )  # fmt: skip

    def judged(self, table: ReleaseTable) -> Mechanism | None:
        """The mechanism with what it promises; None where that is not what was asked for."""
        after = [seen_through(one, partial(released, table=table)) for one in self.laws]
        leakages = tuple(map(leakage_of, after))
        profiles = tuple(map(profile_of, after))
        upper = max(leak.interval[1] for leak in leakages)
        if self.delta:
            kept = all(p.delta_interval(self.epsilon)[1] <= self.delta for p in profiles)
        else:
            kept = upper <= self.epsilon
        if not kept:
            return None
        losses = losses_of(self.loss, self.names, self.outcomes, table.published)
        same = losses_of("change", self.names, self.outcomes, table.published) == 0
        with np.errstate(invalid="ignore"):
            paid = np.where(table.table > 0, table.table * losses, 0.0).sum(axis=1)
        return Mechanism(
            replace(table, leakage=upper),
            tuple(map(leakage_of, self.laws)),
            leakages,
            profiles,
            float(self.weights @ paid / self.weights.sum()),
            0.0,
            float(self.weights @ (table.table * same).sum(axis=1) / self.weights.sum()),
            self.laws,
        )


def _moments(scenario: Scenario, at: Moment | Sequence[Moment] | None) -> list[Moment]:
    if at is None:
        return [scenario.adversary.at]
    moments: list[Moment] = [at] if isinstance(at, str | int | float) else list(at)
    if not moments:
        raise InputError("no moment is given: a time or steady is expected", key="at")
    return list(dict.fromkeys(moments))


def _teams(scenario: Scenario, teams: Teams | None) -> list[Team]:
    """Every team of the set."""
    if teams is None:
        return [scenario.team]
    for name in teams:
        if name not in scenario.team.types:
            raise InputError(
                f"{shown(name)} is not a type: {', '.join(scenario.team.types)} are", key="teams"
            )
    choices = {
        name: [check_count(n, f"teams.{name}") for n in teams.get(name, [count])]
        for name, count in scenario.team.types.items()
    }
    size = math.prod(map(len, choices.values()))
    if not 0 < size <= _MOST_TEAMS:
        raise InputError(f"{size:,} teams are meant: 1 to {_MOST_TEAMS} are expected", key="teams")
    return [
        Team(dict(zip(choices, counts, strict=True)), scenario.team.resources)
        for counts in product(*choices.values())
        if sum(counts) > 0
    ]


def _rows(publish: Iterable[Sequence[int]], names: tuple[str, ...]) -> Ints:
    listed = [tuple(row) for row in publish]
    if not listed or any(len(row) != len(names) for row in listed):
        raise InputError(
            f"outcomes that may be published have {len(names)} counts each: {', '.join(names[:8])}",
            key="publish",
        )
    checked = [[check_count(n, "publish") for n in row] for row in listed]
    return distinct_rows(np.array(checked, dtype=np.int64))[0]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.floating) and not isinstance(value, bool)
