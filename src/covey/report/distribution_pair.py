"""The distribution of a team beside that of one neighbour, as people are shown it.

The observation at which the leakage is attained is the marked one. Where there are too many
observations to show, the most probable are shown, and the marked one in any case: it often is one
that hardly ever happens.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from covey.errors import InputError
from covey.model.hypothesis import Hypothesis
from covey.model.team import Neighbour
from covey.privacy.snapshot.comparison import severity
from covey.privacy.snapshot.divergences import aligned
from covey.privacy.snapshot.leakage import Leakage, PairLeakage, leakage_of
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.words import NOTHING, THIS_TEAM, chance, odds


@dataclass(frozen=True, eq=False)
class DistributionPair:
    """Every observation that is possible for the team or for the neighbour."""

    names: tuple[str, ...]
    outcomes: NDArray[np.int64]  # (observations, names), in lexicographic order
    probabilities: NDArray[np.float64]  # (2, observations): under the team, the neighbour
    pair: PairLeakage
    smoothing: float
    team: str = THIS_TEAM  # in a sentence

    def __len__(self) -> int:
        return len(self.outcomes)

    @property
    def neighbour(self) -> Hypothesis:
        """The team that this one is compared with."""
        return self.pair.neighbour

    @cached_property
    def marked(self) -> int | None:
        """The observation that gives most away; none where nothing is given away."""
        if self.pair.value < NOTHING:
            return None
        counts = [self.pair.observation[name] for name in self.names]
        return int(np.flatnonzero((self.outcomes == counts).all(axis=1))[0])

    def shown(self, most: int) -> list[int]:
        """The observations to show: all in their order, or the most probable first.

        The marked one is among them; where it is not probable enough, it is the last.
        """
        if len(self) <= most:
            return list(range(len(self)))
        likely: list[int] = np.argsort(-self.probabilities.max(axis=0), kind="stable").tolist()
        chosen = likely[:most]
        if self.marked is not None and self.marked not in chosen:
            chosen[-1] = self.marked
        return chosen

    def counts(self, observation: int) -> dict[str, int]:
        """What is seen: so many of each name."""
        return dict(zip(self.names, self.outcomes[observation].tolist(), strict=True))

    @property
    def verdict(self) -> str:
        """What the marked observation gives away; begins after the observation's name."""
        value, (_, high) = self.pair.value, self.pair.interval
        likely, unlikely = f"for {self.team}", f"with {self.neighbour}"
        if self.marked is None:
            proved = "is proved to tell" if high > NOTHING else "tells"
            return f"no observation {proved} {self.team} from one {unlikely}"
        chances = sorted(self.pair.log_probability, reverse=True)
        if self.pair.speaks_for == "neighbour":
            likely, unlikely = unlikely, likely
        if math.isinf(value):
            typed = isinstance(self.neighbour, Neighbour)
            gives = "gives a type away" if typed else f"settles {self.neighbour.whose}"
            return (
                f"{gives}: possible {likely} (probability {chance(chances[0])}), "
                f"impossible {unlikely}"
            )
        least = "at least " if math.isinf(high) else ""
        factor = odds(value, "down" if least else "nearest")
        note = f", smoothed by {self.smoothing:g}" if self.smoothing else ""
        return (
            f"gives most away: {least}{factor} times as likely {likely} as {unlikely} "
            f"({chance(chances[0])} against {chance(chances[1])}{note})"
        )

    def note(self, shown: int) -> str:
        """What to say below so many of them: that nothing is marked, that not all are there."""
        parts = []
        if self.marked is None:
            parts.append(f"{self.verdict[0].upper()}{self.verdict[1:]}.")
        if hidden := len(self) - shown:
            verb = "is" if hidden == 1 else "are"
            total = f"{len(self):,} observations"
            parts.append(f"{hidden:,} of {total} {verb} less probable, and not shown.")
        return " ".join(parts)


def distribution_pair(
    distributions: TeamDistributions, neighbour: Hypothesis | None = None
) -> DistributionPair:
    """The team's distribution beside a neighbour's; by default that of the largest leakage."""
    leak = leakage_of(distributions, distributions.scenario.adversary.smoothing)
    return of_leakage(distributions, leak, neighbour)


def of_leakage(
    distributions: TeamDistributions, leak: Leakage, neighbour: Hypothesis | None = None
) -> DistributionPair:
    """The same where the leakage is known already."""
    chosen = leak.neighbour if neighbour is None else neighbour
    found = [pair for pair in leak.pairs if pair.neighbour == chosen]
    if not found:
        raise InputError(
            f"a team with {chosen} is no neighbour here: expected one of "
            + "; ".join(str(pair.neighbour) for pair in leak.pairs[:8])
        )
    pair = max(found, key=severity)  # teams of a set may have the same hypothesis
    team, distribution = next(
        (part.team, other)
        for part in distributions.every
        if part.scenario.team == pair.team
        for one, other in part.neighbours
        if one == chosen
    )
    outcomes, ours, theirs = aligned(team, distribution)
    with np.errstate(under="ignore"):
        both = np.exp(np.stack([ours, theirs]))
    whom = leak.relation.whom(pair.team)
    return DistributionPair(team.names, outcomes, both, pair, leak.smoothing, whom)
