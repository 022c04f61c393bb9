"""A release table: what is published instead of what is there, drawn anew at every snapshot.

    P(z is published) = Σ_y table[y, z] P(y is there)

A row for every outcome y that may be there, a column for every one that may be published. What no
row is for is published as the nearest outcome that has one, in robots (L1; the first of several):
a refusal would tell. There may be one table for each team of a public set (`teams`): whoever
publishes knows its team and takes the table of that team (`for_team`); nothing here says which team
that is. A table with a memory (`hold`) publishes the last value again as long as the
truth is near it, and only then draws anew. `covey protect` makes such tables, and says for which
network, teams, query and moments: `made_for` is their fingerprint. In any other scenario the table
still says what is published, but what was promised of it does not hold.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from covey.errors import InputError
from covey.model.frozen import FrozenMap
from covey.model.io.clock import check_unit
from covey.numbers import Floats, Ints, distinct_rows

_BLOCK = 4_000_000  # distances at a time


@dataclass(frozen=True, eq=False)
class ReleaseTable:
    """With which probability each outcome is published as which.

    Attributes:
        counts: What outcomes count, as the query names it.
        seen: What may be there, (seen, counts).
        published: What may be published, (published, counts).
        table: The probability of each published outcome, a row for each seen one; rows add up to 1.
            (seen, published), or (teams, seen, published) where there is one table a team.
        epsilon: The leakage that was asked for.
        delta: And the probability with which it may be exceeded.
        leakage: What a snapshot gives away through it, at most; of the teams that it was made for.
            Of a table with a memory, a snapshot of the first value.
        made_for: The network, teams, query and moments that it was made for; empty where that is
            not known.
        hold: The last value is published again as long as the truth is off it by fewer robots than
            this (L1); 0: always drawn anew.
        file: The name of the file that it is kept in; empty where there is none.
        teams: The teams that have a table each; empty where one table is for all.
    """

    counts: tuple[str, ...]
    seen: Ints
    published: Ints
    table: Floats
    epsilon: float
    delta: float
    leakage: float
    made_for: Mapping[str, Any] = field(default_factory=dict)
    hold: int = 0
    file: str = ""
    teams: tuple[FrozenMap[str, int], ...] = ()

    @cached_property
    def digest(self) -> str:
        """One word for all that it says: another table has another one."""
        made_for = {key: value for key, value in self.made_for.items() if key != "digest"}
        stated = [self.counts, self.epsilon, self.delta, self.leakage, made_for]
        stated += [self.hold] if self.hold else []
        stated += [[dict(team) for team in self.teams]] if self.teams else []
        found = hashlib.sha256(json.dumps(stated, sort_keys=True).encode())
        for numbers in (self.seen.astype("<i8"), self.published.astype("<i8"), self.table):
            found.update(np.ascontiguousarray(numbers).tobytes())
        return found.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReleaseTable) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def for_team(self, team: Mapping[str, int]) -> ReleaseTable:
        """The table that is drawn from where this is the team; the same for all but one a team.

        Args:
            team: How many robots there are of each type.
        """
        if not self.teams:
            return self
        wanted = FrozenMap(team)
        if wanted not in self.teams:
            counts = ",".join(f"{name}={count}" for name, count in team.items())
            raise InputError(
                f"the mechanism has no table for {counts[:80]}: it is for {len(self.teams):,} "
                f"teams, {self._first_and_last}; make one for a set that has this team (covey "
                "protect --teams)",
                key="release.mechanism",
            )
        return replace(self, table=self.table[self.teams.index(wanted)], teams=())

    @property
    def _first_and_last(self) -> str:
        ends = dict.fromkeys((self.teams[0], self.teams[-1]))
        return " to ".join(",".join(f"{n}={c}" for n, c in team.items()) for team in ends)

    def has(self, team: Mapping[str, int]) -> bool:
        """Whether it can publish for this team.

        Args:
            team: How many robots there are of each type.
        """
        return not self.teams or FrozenMap(team) in self.teams

    def rows_of(self, outcomes: Ints) -> tuple[Ints, int]:
        """The row by which each outcome is published, and how many have none of their own.

        Args:
            outcomes: What is there, (outcomes, counts).
        """
        own = len(self.seen)
        _, group = distinct_rows(np.concatenate([self.seen, outcomes]))
        first = np.full(len(group), -1, dtype=np.int64)
        first[group[:own][::-1]] = np.arange(own)[::-1]
        rows = first[group[own:]]
        unknown = np.flatnonzero(rows < 0)
        step = max(_BLOCK // (own * len(self.counts)), 1)
        for begin in range(0, len(unknown), step):
            part = unknown[begin : begin + step]
            away = np.abs(outcomes[part][:, None, :] - self.seen[None, :, :]).sum(axis=2)
            rows[part] = away.argmin(axis=1)
        return rows, len(unknown)

    @cached_property
    def entries(self) -> tuple[Ints, Ints, Floats]:
        """Its entries above 0, row by row: where each row begins, their columns, ln of the share.

        The last number of the first is how many there are.
        """
        place, column = np.nonzero(self.table)
        begin = np.searchsorted(place, np.arange(len(self.seen) + 1))
        totals = self.table.sum(axis=1)
        return begin, column, np.log(self.table[place, column] / totals[place])

    @property
    def constant(self) -> dict[str, int] | None:
        """What is published whatever is there; None where what is there makes a difference."""
        used = np.flatnonzero(self.table.reshape(-1, len(self.published)).any(axis=0))
        if len(used) > 1 or len(self.seen) == 1:
            return None
        return dict(zip(self.counts, self.published[used[0]].tolist(), strict=True))

    @property
    def every(self) -> float | None:
        """The time from one publication to the next, where it was made for a stream."""
        return self._time("every")

    @property
    def until(self) -> float | None:
        """How long it is published, where it was made for a stream: the promise ends there."""
        return self._time("until")

    @property
    def unit(self) -> str | None:
        """What its times are counted in, where the scenario that it was made for says it."""
        return check_unit(self.made_for.get("unit"))

    @property
    def snapshots(self) -> int | None:
        """How many publications it was judged for, where it was made for a stream."""
        every, until = self.every, self.until
        return int(until / every * (1 + 1e-12)) if every and until else None

    def _time(self, name: str) -> float | None:
        found = self.made_for.get(name)
        return float(found) if isinstance(found, int | float) else None

    def held(self, outcomes: Ints, published: Ints) -> NDArray[np.bool_]:
        """Whether each outcome is published as the last value was: (outcomes, published).

        Args:
            outcomes: What is there, (outcomes, counts).
            published: What was published last, (published, counts).
        """
        away = np.abs(outcomes[:, None, :] - published[None, :, :]).sum(axis=2)
        return np.asarray(away < self.hold)

    def chances(
        self, outcomes: Ints, shown: Mapping[str, int], last: Mapping[str, int] | None = None
    ) -> Floats:
        """For each outcome, how probable it is that what is published has these counts.

        Args:
            outcomes: What is there, (outcomes, counts).
            shown: What is published; counts that are left out may be anything.
            last: What was published before, for a table that holds its values.
        """
        columns = [self.counts.index(name) for name in shown]
        wanted = np.array(list(shown.values()), dtype=np.int64)
        match = (self.published[:, columns] == wanted).all(axis=1)
        by_row: Floats = self.table[:, match].sum(axis=1) / self.table.sum(axis=1)
        fresh: Floats = by_row[self.rows_of(outcomes)[0]]
        if last is None or not self.hold:
            return fresh
        kept = self.held(outcomes, np.array([[last[name] for name in self.counts]]))[:, 0]
        return np.where(kept, float(all(last[name] == shown[name] for name in shown)), fresh)

    def drawn(self, outcomes: Ints, random: np.random.Generator) -> Ints:
        """What is published of each outcome, for simulations: (outcomes, counts).

        Args:
            outcomes: What is there, (outcomes, counts).
            random: Where the draws come from; for what is really published, `Publisher` draws.
        """
        rows, _ = self.rows_of(outcomes)
        upto = np.cumsum(self.table, axis=1)
        upto /= upto[:, -1:]
        chosen = np.empty(len(rows), dtype=np.int64)
        for row in np.unique(rows).tolist():
            here = rows == row
            chosen[here] = np.searchsorted(upto[row], random.random(int(here.sum())), side="right")
        return self.published[chosen]

    def check_counts(self, names: Sequence[str]) -> None:
        """`InputError` where it is for other counts than these.

        Args:
            names: What is seen.
        """
        if self.counts != tuple(names):
            raise InputError(
                f"the mechanism publishes {', '.join(self.counts[:8])}, and what is seen here is "
                f"{', '.join(list(names)[:8])}: make one for this query (covey protect)",
                key="release.mechanism",
            )

    def unlike(self, here: Mapping[str, Any]) -> list[str]:
        """In what it was made for another scenario; empty where it was made for this one.

        Args:
            here: The fingerprint of the scenario to compare with.
        """
        found = []
        for name, what in _PARTS.items():
            if name not in self.made_for or name not in here:
                continue
            try:
                alike = self._alike(name, self.made_for[name], here[name])
            except (TypeError, KeyError, IndexError):  # it says nothing of the kind
                alike = False
            if not alike:
                found.append(what)
        return found

    def _alike(self, name: str, made: Any, now: Any) -> bool:
        """Whether a part of what it was made for is that of a scenario."""
        if name == "rates" and isinstance(spans := self.made_for.get("within"), Mapping):
            return _within(spans, made, now)
        if name == "teams":
            return _has(made, now[0])
        return bool(now[0] in made if name == "at" else now == made)


def _has(made: object, team: Mapping[str, int]) -> bool:
    """Whether a team is of those that a table was made for: a list of them, or ranges."""
    if not isinstance(made, Mapping):
        return isinstance(made, list) and dict(team) in made
    spans = {name: made.get(name) for name in team}
    return set(made) == set(team) and all(
        isinstance(span, list) and len(span) == 2 and span[0] <= team[name] <= span[1]
        for name, span in spans.items()
    )


def _within(spans: Mapping[str, Any], made: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether all rates are those that a table was made for, or in the box that it was made for."""
    return set(made) == set(now) and all(
        spans[name][0] <= rate <= spans[name][1] if name in spans else rate == made[name]
        for name, rate in now.items()
    )


_PARTS = {
    "network": "reactions",
    "rates": "rates",
    "teams": "team",
    "resources": "resources",
    "initial": "initial places",
    "observe": "query",
    "protect": "protected types",
    "at": "moment",
    "unit": "unit of time",
}
