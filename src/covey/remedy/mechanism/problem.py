"""One mechanism to be found: its distributions on common outcomes, its program, and its judgement.

    rare       outcomes that no distribution makes likely are published as their nearest common one:
    that is
               a channel too, and costs next to nothing
    program    the linear program on what is left (`program`), for slightly less than ε
    clear      entries that are nothing but a solver's tolerance go; rows add up to one again
    evaluate   the leakage of what is then published, by `leakage_of`, with its interval

A table whose upper bound is above the target is never handed out. If it fails by a little, it is
mixed with publishing blindly, which brings any two distributions together. Always publishing the
same keeps to every target, and is what is left where nothing else does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.errors import InputError, TooLargeError
from covey.model.release_table import ReleaseTable
from covey.numbers import Floats, Ints, distinct_rows
from covey.privacy.snapshot.channel import seen_through
from covey.privacy.snapshot.leakage import leakage_of
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.privacy.snapshot.profile import profile_of
from covey.privacy.snapshot.published import released
from covey.remedy.mechanism.linear_program import NotSolvedError, Program
from covey.remedy.mechanism.losses import Loss, losses_of
from covey.remedy.mechanism.mechanism import Mechanism

_SHORT = 1e-7  # by how much less than ε the program is solved for, relatively
_NOTHING = 1e-9  # an entry below this is a solver's tolerance
# How much blind publishing is tried: next to none, and where that is not enough, more, up to all.
MIXED = (0.0, *(10.0**-k for k in range(10, 1, -1)))
MIXED_MORE = (0.03, 0.1, 0.3, 1.0)
_MOST_OUTCOMES = 6_000


@dataclass(frozen=True, eq=False)
class Task:
    """What is asked for, of distributions that are known.

    Attributes:
        distributions: Of every team and moment, what is there.
        epsilon: The leakage that is allowed.
        delta: And so much more for each event: at most e^ε times as likely, plus δ.
        loss: What an error costs.
        made_for: The fingerprint that the mechanism will carry.
    """

    distributions: tuple[TeamDistributions, ...]
    epsilon: float
    delta: float = 0.0
    loss: Loss = "l1"
    made_for: Mapping[str, object] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """What outcomes count."""
        return self.distributions[0].team.names

    @cached_property
    def distinct(self) -> list[Distribution]:
        """Every distribution once."""
        every = [
            distribution
            for one in self.distributions
            for _, *pair in one.pairs
            for distribution in pair
        ]
        return list({id(distribution): distribution for distribution in every}.values())

    @cached_property
    def _aligned(self) -> tuple[Ints, Floats]:
        rows = np.concatenate([distribution.outcomes for distribution in self.distinct])
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
        for row, distribution in zip(chances, self.distinct, strict=True):
            row[place[begin : begin + len(distribution)]] = distribution.probabilities
            begin += len(distribution)
        return outcomes, chances

    @property
    def outcomes(self) -> Ints:
        """All that any distribution makes possible: (outcomes, counts)."""
        return self._aligned[0]

    @property
    def chances(self) -> Floats:
        """(distributions, outcomes)."""
        return self._aligned[1]

    @cached_property
    def weights(self) -> Floats:
        """How likely each outcome is, over the teams and moments that it is for: (outcomes,)."""
        place = {id(distribution): i for i, distribution in enumerate(self.distinct)}
        rows = [place[id(one.team)] for one in self.distributions]
        return np.asarray(self.chances[rows].mean(axis=0))

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Which two distributions are neighbours, in both orders, each once."""
        place = {id(distribution): i for i, distribution in enumerate(self.distinct)}
        found: dict[tuple[int, int], None] = {}
        for one in self.distributions:
            for _, distribution, other in one.pairs:
                i, j = place[id(distribution)], place[id(other)]
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
                "only a "
                f"constant is certain to leak at most {self.epsilon:g}: allow a δ above it, or, "
                "where there are finitely many states, compute on all of them",
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
        common = np.flatnonzero(self.chances.max(axis=0) >= rare)
        costs = losses_of("l1", self.names, self.outcomes, self.outcomes[common])
        nearest = costs.argmin(axis=1)  # of all outcomes: which common one
        distributions = np.array(
            [np.bincount(nearest, distribution, len(common)) for distribution in self.chances]
        )
        published = columns if whole else self.outcomes[common]
        losses = losses_of(self.loss, self.names, self.outcomes[common], published)
        own = losses_of("l1", self.names, published, self.outcomes[common]).argmin(axis=1)
        scale = distributions.max(axis=0)[own]
        weights = np.bincount(nearest, self.weights, len(common)).astype(float)
        program = Program(
            distributions, self.pairs, weights, losses, scale, self.epsilon * (1 - _SHORT) - 2 *
            self.error - 1e-13, tuple((self.delta - self.distinct[i].truncated_mass) * (1 - _SHORT)
            for i, _ in self.pairs) if self.delta else (0.0,) * len(self.pairs),
        )  # fmt: skip
        if program.epsilon <= 0:
            raise NotSolvedError(f"the distributions are known to {self.error:.1g} only")
        channel, multipliers = program.solve()
        channel[channel < _NOTHING] = 0.0
        channel /= channel.sum(axis=1, keepdims=True)
        blind = program.weights @ channel
        blind /= blind.sum()
        for share in shares:
            mixed = (1 - share) * channel + share * blind if share else channel
            used = np.flatnonzero(mixed.any(axis=0))
            table = self.table(published[used], mixed[nearest][:, used])
            if found := self.judged(table):
                return replace(
                    found, least=min(self._bound(multipliers, published, columns), found.loss)
                )
        return None

    def constant(self, columns: Ints) -> Mechanism | None:
        """Always publishing the same, whichever costs least; None where the loss allows none.

        What is published tells nothing then, and so keeps to any target.
        """
        costs = losses_of(self.loss, self.names, self.outcomes, columns)
        expected = self.weights @ np.where(np.isinf(costs), 0.0, costs)
        expected[np.isinf(costs).any(axis=0)] = math.inf
        best = int(expected.argmin())
        return self.judged(self.table(columns[[best]], np.ones((len(self.outcomes), 1))))

    def _bound(self, multipliers: Floats, published: Ints, columns: Ints) -> float:
        """What any table costs at least, whatever it publishes of all that it may."""
        like = losses_of("l1", self.names, columns, published).argmin(axis=1)
        whole = Program(
            self.chances, self.pairs, self.weights,
            losses_of(self.loss, self.names, self.outcomes, columns), np.ones(len(columns)),
            self.epsilon, (self.delta,) * len(self.pairs),
        )  # fmt: skip
        return whole.bound(multipliers[:, like])

    def _expected(self, values: Floats) -> float:
        """The mean over the teams and moments; of ones it is one."""
        return float((self.weights * values).sum() / self.weights.sum())

    def table(self, published: Ints, channel: Floats) -> ReleaseTable:
        """A channel of all outcomes, as a table that promises nothing yet."""
        return ReleaseTable(
            self.names, self.outcomes, published, channel, self.epsilon, self.delta, math.inf,
            self.made_for,
        )  # fmt: skip

    def judged(self, table: ReleaseTable) -> Mechanism | None:
        """The mechanism with what it promises; None where that is not what was asked for."""
        after = [seen_through(one, partial(released, table=table)) for one in self.distributions]
        leakages = tuple(map(leakage_of, after))
        profiles = tuple(map(profile_of, after))
        upper = max(leak.interval[1] for leak in leakages)
        if self.delta:
            kept = all(p.delta_interval(self.epsilon)[1] <= self.delta for p in profiles)
        else:
            kept = upper <= self.epsilon
        losses = losses_of(self.loss, self.names, self.outcomes, table.published)
        if not kept or np.isinf(losses[table.table > 0]).any():
            return None
        same = losses_of("change", self.names, self.outcomes, table.published) == 0
        with np.errstate(invalid="ignore"):
            paid = np.where(table.table > 0, table.table * losses, 0.0).sum(axis=1)
        return Mechanism(
            replace(table, leakage=upper),
            tuple(map(leakage_of, self.distributions)),
            leakages,
            profiles,
            self._expected(paid),
            0.0,
            self._expected((table.table * same).sum(axis=1)),
            self.distributions,
        )
