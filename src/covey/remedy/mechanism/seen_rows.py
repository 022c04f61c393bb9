"""What a publisher has before it when it draws: an outcome, and its own team where that counts.

With one table for all teams a row is an outcome. With one table a team a row is a team and an
outcome that this team can show: distributions of two teams then have no row in common, and the
linear program chooses all tables together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.errors import TooLargeError
from covey.model.frozen import FrozenMap
from covey.model.team import Team
from covey.numbers import Floats, Ints, distinct_rows
from covey.remedy.mechanism.losses import losses_of

_MOST_ROWS = 6_000


@dataclass(frozen=True, eq=False)
class SeenRows:
    """Every row, and how likely each distribution makes it.

    Attributes:
        teams: Of which there is a table each; empty where one is for all.
        table: Which table a row is of, (rows,).
        outcomes: What is seen in a row, (rows, counts).
        chances: How likely each row is, a line for each distribution, (distributions, rows).
    """

    teams: tuple[FrozenMap[str, int], ...]
    table: Ints
    outcomes: Ints
    chances: Floats

    @classmethod
    def of(cls, sources: Sequence[tuple[Team, Distribution]], *, one_each: bool) -> SeenRows:
        """The rows of distributions of teams.

        Args:
            sources: A team and the distribution of what is seen of it.
            one_each: Whether there is one table a team.
        """
        teams = tuple(dict.fromkeys(team.types for team, _ in sources)) if one_each else ()
        which = [teams.index(team.types) if teams else 0 for team, _ in sources]
        sizes = [len(distribution) for _, distribution in sources]
        every = np.concatenate([distribution.outcomes for _, distribution in sources])
        keyed = np.column_stack([np.repeat(which, sizes), every])
        rows, place = distinct_rows(keyed)
        if len(rows) > _MOST_ROWS:
            raise TooLargeError(
                f"there are {len(rows):,} outcomes{' of all teams' * bool(teams)}, and a mechanism "
                f"can be found for {_MOST_ROWS:,}: see less of the team, as coarser counts in "
                "[observe], publish one count at a time, or take a smaller set of teams",
                states=len(rows),
            )
        chances = np.zeros((len(sources), len(rows)))
        begin = 0
        for line, (_, distribution) in zip(chances, sources, strict=True):
            line[place[begin : begin + len(distribution)]] = distribution.probabilities
            begin += len(distribution)
        return cls(teams, rows[:, 0], rows[:, 1:], chances)

    @cached_property
    def _distinct(self) -> tuple[Ints, Ints]:
        return distinct_rows(self.outcomes)

    @property
    def seen(self) -> Ints:
        """Every outcome once: (seen, counts)."""
        return self._distinct[0]

    @property
    def place(self) -> Ints:
        """Which outcome of `seen` each row has: (rows,)."""
        return self._distinct[1]

    @cached_property
    def likely(self) -> Floats:
        """How likely an outcome is at most: (seen,)."""
        most = np.zeros(len(self.seen))
        np.maximum.at(most, self.place, self.chances.max(axis=0))
        return most

    def common(self, rare: float) -> tuple[Ints, Ints]:
        """The rows that are not rare, and for each row which of them is nearest in its table.

        Args:
            rare: A probability below which a row is rare.
        """
        likely = self.chances.max(axis=0)
        kept = likely >= rare
        nearest = np.empty(len(likely), dtype=np.int64)
        for table in np.unique(self.table):
            own = np.flatnonzero(self.table == table)
            kept[own[likely[own].argmax()]] = True
        common = np.flatnonzero(kept)
        for table in np.unique(self.table):
            own = np.flatnonzero(self.table == table)
            among = np.flatnonzero(self.table[common] == table)
            away = self._away(self.outcomes[own], self.outcomes[common[among]])
            nearest[own] = among[away.argmin(axis=1)]
        return common, nearest

    def tables(self, channel: Floats) -> Floats:
        """The tables of a channel on rows: (seen, published), one for each team where there are.

        What a team cannot show is published as the nearest outcome that it can.

        Args:
            channel: The probability of what is published, (rows, published).
        """
        if not self.teams:
            return channel  # rows are the outcomes, in the same order
        found = np.empty((len(self.teams), len(self.seen), channel.shape[1]))
        for table in range(len(self.teams)):
            own = np.flatnonzero(self.table == table)
            nearest = self._away(self.seen, self.outcomes[own]).argmin(axis=1)
            found[table] = channel[own[nearest]]
        return found

    def channel(self, tables: Floats) -> Floats:
        """The channel on rows of such tables: (rows, published)."""
        return tables[self.place] if tables.ndim == 2 else tables[self.table, self.place]

    def _away(self, some: Ints, others: Ints) -> Floats:
        names = tuple(map(str, range(self.outcomes.shape[1])))
        return losses_of("l1", names, some, others)
