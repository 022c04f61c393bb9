"""One mechanism to be found: its distributions on common rows, its program, and its judgement.

    rare       rows that no distribution makes likely are published as their nearest common one:
               that is a channel too, and costs next to nothing
    program    the linear program on what is left (`linear_program`), for slightly less than ε
    clear      entries that are nothing but a solver's tolerance go; rows add up to one again
    evaluate   the leakage of what is then published, by `leakage_of`, with its interval

A table whose upper bound is above the target is never handed out. If it fails by a little, it is
mixed with publishing blindly, which brings any two distributions together. Always publishing the
same keeps to every target, and is what is left where nothing else does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.errors import InputError
from covey.model.observation.release_table import ReleaseTable
from covey.model.team import Team
from covey.numbers import Floats, Ints
from covey.privacy.cases import team_of
from covey.privacy.snapshot.leakage import leakage_of
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.privacy.snapshot.profile import profile_of
from covey.remedy.mechanism.linear_program import NotSolvedError, Prices, Program
from covey.remedy.mechanism.losses import Loss, least_share, losses_of, publishable
from covey.remedy.mechanism.mechanism import Mechanism
from covey.remedy.mechanism.seen_rows import SeenRows

_SHORT = 1e-7  # by how much less than ε the program is solved for, relatively
_NOTHING = 1e-9  # an entry below this is a solver's tolerance
_ROOM = 1e3  # δ over what was left out, where one is proposed
# How much blind publishing is tried: next to none, and where that is not enough, more, up to all.
MIXED = (0.0, *(10.0**-k for k in range(10, 1, -1)))
MIXED_MORE = (0.03, 0.1, 0.3, 1.0)
_CELLS = 300_000  # rows × what could be published, of which all is looked at for the bound


@dataclass(frozen=True, eq=False)
class Task:
    """What is asked for, of distributions that are known.

    Attributes:
        distributions: Of every team and moment, what is there.
        epsilon: The leakage that is allowed.
        delta: And so much more for each event: at most e^ε times as likely, plus δ.
        loss: What an error costs.
        made_for: The fingerprint that the mechanism will carry.
        one_each: Whether every team has a table of its own; else there is one for all.
        worst: Whether the loss is that of the worst team and moment; else it is their mean.
        guarded: Further distributions whose neighbours must look alike, which cost nothing.
        slack: By how much less than ε the program is solved for.
    """

    distributions: tuple[TeamDistributions, ...]
    epsilon: float
    delta: float = 0.0
    loss: Loss = "l1"
    made_for: Mapping[str, object] = field(default_factory=dict)
    one_each: bool = False
    worst: bool = False
    guarded: tuple[TeamDistributions, ...] = ()
    slack: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """What outcomes count."""
        return self.distributions[0].team.names

    @cached_property
    def _sources(self) -> dict[tuple[object, int], tuple[Team, Distribution]]:
        """Every distribution once for each table that it goes through."""
        found: dict[tuple[object, int], tuple[Team, Distribution]] = {}
        for one in self.distributions + self.guarded:
            found.setdefault(self._key(one.scenario.team, one.team), (one.scenario.team, one.team))
            for neighbour, own, other in one.pairs:
                for team, seen in (
                    (one.scenario.team, own),
                    (team_of(one.scenario, neighbour), other),
                ):
                    found.setdefault(self._key(team, seen), (team, seen))
        return found

    def _key(self, team: Team, seen: Distribution) -> tuple[object, int]:
        return (team.types if self.one_each else None, id(seen))

    @cached_property
    def _place(self) -> dict[tuple[object, int], int]:
        return {key: i for i, key in enumerate(self._sources)}

    @property
    def compared(self) -> list[TeamDistributions]:
        """Those that have a neighbour to be told from: not every team of a set has."""
        return [one for one in self.distributions if one.neighbours]

    @property
    def distinct(self) -> list[Distribution]:
        """Every distribution once."""
        return [distribution for _, distribution in self._sources.values()]

    @cached_property
    def rows(self) -> SeenRows:
        """What may be there, and how likely it is."""
        return SeenRows.of(list(self._sources.values()), one_each=self.one_each)

    @property
    def outcomes(self) -> Ints:
        """All that any distribution makes possible: (outcomes, counts)."""
        return self.rows.seen

    @cached_property
    def weights(self) -> Floats:
        """How likely each row is, a line for each team and moment that it is for."""
        places = [self._place[self._key(one.scenario.team, one.team)] for one in self.distributions]
        likely = self.rows.chances[places]
        return np.asarray(likely / likely.sum(axis=1, keepdims=True))

    @property
    def charged(self) -> Floats:
        """The weights whose worst loss counts: (losses, rows)."""
        return self.weights if self.worst else self.weights.mean(axis=0, keepdims=True)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Which two distributions are neighbours, in both orders, each once."""
        found: dict[tuple[int, int], None] = {}
        for one in self.distributions + self.guarded:
            for neighbour, own, other in one.pairs:
                i = self._place[self._key(one.scenario.team, own)]
                j = self._place[self._key(team_of(one.scenario, neighbour), other)]
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
        """The most that any distribution leaves out."""
        return max(distribution.truncated_mass for distribution in self.distinct)

    @property
    def error(self) -> float:
        """How far the logarithm of a ratio of two distributions may be off."""
        return 2 * max(distribution.log_error for distribution in self.distinct)

    def check_reachable(self) -> None:
        """Refuses a target that no table could be shown to keep to."""
        if self.lost and not self.delta:
            raise InputError(
                f"a probability of {self.lost:.1g} was left out of the distributions, so that "
                f"only a constant is certain to leak at most {self.epsilon:g}: allow a δ above it "
                f"(--delta {min(_ROOM * self.lost, 0.5):.0e}), or, where there are finitely many "
                "states, compute on all of them",
                key="delta",
            )
        if self.delta and self.delta <= self.lost:
            raise InputError(
                f"a probability of {self.lost:.1g} was left out of the distributions, and δ is "
                f"{self.delta:g}: a larger one is needed (or a smaller --tolerance)",
                key="delta",
            )

    def solved(
        self, rare: float, columns: Ints, whole: bool, shares: tuple[float, ...] = MIXED
    ) -> Mechanism | None:
        """The mechanism, rare outcomes being published as common ones; None where it fails.

        `whole` says that all columns are to be taken, and not only the common outcomes; `shares`
        how much blind publishing may be mixed in.
        """
        rows = self.rows
        common, nearest = rows.common(rare)
        size = len(common)
        published = columns if whole else rows.seen[np.unique(rows.place[common])]
        seen = rows.outcomes[common]
        own = losses_of("l1", self.names, published, rows.seen[rows.likely >= rare])
        program = Program(
            np.array([np.bincount(nearest, line, size) for line in rows.chances]),
            self.pairs,
            np.array([np.bincount(nearest, line, size) for line in self.charged]),
            losses_of(self.loss, self.names, seen, published),
            rows.likely[rows.likely >= rare][own.argmin(axis=1)],
            (self.epsilon - self.slack) * (1 - _SHORT) - 2 * self.error - 1e-13,
            self._deltas,
        )
        if program.epsilon <= 0:
            raise NotSolvedError(f"the distributions are known to {self.error:.1g} only")
        channel, prices = program.solve()
        channel[channel < _NOTHING] = 0.0
        channel /= channel.sum(axis=1, keepdims=True)
        blind = program.weights.mean(axis=0) @ channel
        blind /= blind.sum()

        def mixed(share: float) -> Mechanism | None:
            much = (1 - share) * channel + share * blind if share else channel
            used = np.flatnonzero(much.any(axis=0))
            return self.judged(self.table(published[used], much[nearest][:, used]))

        found = _first_found(mixed, shares)
        if found is None:
            return None
        least = self._least(prices, published, columns if whole else None)
        return replace(found, least=min(least, found.loss))

    @property
    def _deltas(self) -> tuple[float, ...]:
        """What δ leaves each pair."""
        if not self.delta:
            return (0.0,) * len(self.pairs)
        lost = [distribution.truncated_mass for distribution in self.distinct]
        return tuple((self.delta - lost[i]) * (1 - _SHORT) for i, _ in self.pairs)

    def constant(self, columns: Ints) -> Mechanism | None:
        """Always publishing the same, whichever costs least; None where the loss allows none.

        What is published tells nothing then, and so keeps to any target.
        """
        costs = losses_of(self.loss, self.names, self.rows.outcomes, columns)
        expected = (self.charged @ np.where(np.isinf(costs), 0.0, costs)).max(axis=0)
        expected[np.isinf(costs).any(axis=0)] = math.inf
        best = int(expected.argmin())
        return self.judged(self.table(columns[[best]], np.ones((len(costs), 1))))

    @cached_property
    def everything(self) -> Ints | None:
        """All that could be published; None where that is too much to be looked at."""
        return publishable(self.loss, self.outcomes, _CELLS // len(self.rows.outcomes))

    def _least(self, prices: Prices, published: Ints, columns: Ints | None) -> float:
        """What any table costs at least, whatever it publishes of `columns`, or at all."""
        if columns is not None:
            return self._bound(prices, published, columns)
        among = self._bound(prices, published, self.outcomes)
        at_all = among * least_share(self.loss, self.outcomes)
        if at_all == among or self.everything is None:
            return at_all
        return max(at_all, min(among, self._bound(prices, published, self.everything)))

    def _bound(self, prices: Prices, published: Ints, columns: Ints) -> float:
        """What any table costs at least that publishes these columns only."""
        like = losses_of("l1", self.names, columns, published).argmin(axis=1)
        rows = self.rows
        whole = Program(
            rows.chances, self.pairs, self.charged,
            losses_of(self.loss, self.names, rows.outcomes, columns), np.ones(len(columns)),
            self.epsilon, (self.delta,) * len(self.pairs),
        )  # fmt: skip
        return whole.bound(prices._replace(limits=prices.limits[:, like]))

    def table(self, published: Ints, channel: Floats) -> ReleaseTable:
        """A channel of all rows, as a table that promises nothing yet."""
        return ReleaseTable(
            self.names, self.outcomes, published, self.rows.tables(channel), self.epsilon,
            self.delta, math.inf, self.made_for, teams=self.rows.teams,
        )  # fmt: skip

    def same(self) -> ReleaseTable:
        """The truth, as a table."""
        return self.table(self.outcomes, np.eye(len(self.outcomes))[self.rows.place])

    def judged(self, table: ReleaseTable) -> Mechanism | None:
        """The mechanism with what it promises; None where that is not what was asked for."""
        after = [one.published(table) for one in self.compared]
        leakages = tuple(map(leakage_of, after))
        profiles = tuple(map(profile_of, after))
        upper = max(leak.interval[1] for leak in leakages)
        if self.delta:
            kept = all(p.delta_interval(self.epsilon)[1] <= self.delta for p in profiles)
        else:
            kept = upper <= self.epsilon
        channel = self.rows.channel(table.table)  # of the table as it is stored
        losses = losses_of(self.loss, self.names, self.rows.outcomes, table.published)
        if not kept or np.isinf(losses[channel > 0]).any():
            return None
        same = losses_of("change", self.names, self.rows.outcomes, table.published) == 0
        with np.errstate(invalid="ignore"):
            paid = np.where(channel > 0, channel * losses, 0.0).sum(axis=1)
        paying, unchanged = self.weights @ paid, self.weights @ (channel * same).sum(axis=1)
        return Mechanism(
            replace(table, leakage=upper),
            tuple(map(leakage_of, self.compared)),
            leakages,
            profiles,
            float(paying.max() if self.worst else paying.mean()),
            0.0,
            float(unchanged.min() if self.worst else unchanged.mean()),
            self.distributions,
            losses=tuple(paying.tolist()),
            truths=tuple(unchanged.tolist()),
            worst=self.worst,
        )


def _first_found(
    mixed: Callable[[float], Mechanism | None], shares: tuple[float, ...]
) -> Mechanism | None:
    """What the first share gives that does: the more is mixed in, the less is told.

    So where the largest share fails all do, and the first that does is found by halving.
    """
    found = mixed(shares[0])
    if found is not None or (found := mixed(shares[-1])) is None:
        return found
    fails, does = 0, len(shares) - 1
    while does - fails > 1:
        middle = (fails + does) // 2
        if (other := mixed(shares[middle])) is None:
            fails = middle
        else:
            found, does = other, middle
    return found
