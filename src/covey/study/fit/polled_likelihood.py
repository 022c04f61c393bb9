"""Snapshots in a log that was polled, and their likelihood instead of that of events.

Who looks every Δ sees the state at those times, and nothing of what happens in between:

    ln L(κ) = Σ n(x, y, g) ln P_κ(g)[x, y],

with n(x, y, g) pairs of successive snapshots x, y that are g apart (`snapshot_chain`). Two chains
are right. Where every reaction moves one robot, whatever the others do, robots are independent, and
x is where one of them is: a few states, however large the team and whenever each of them reports.
Otherwise x is the state of the team, at times at which everybody is heard of.

Pairs are counted while rows are read. A missing row tells nothing where robots repeat what they do:
then g is what it was, to a twentieth of Δ. Where only changes are logged it says that the poll saw
the same again: g is always Δ.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

import numpy as np

from covey.errors import InputError
from covey.model.network import Network
from covey.model.team import Team
from covey.study.fit.logs.cadence import Cadence
from covey.study.fit.logs.log import Log, Run, State

_PARTS = 20  # of a step, that times between snapshots are told apart by


def moves_alone(network: Network, team: Team) -> bool:
    """Whether every robot goes its own way: each reaction takes one robot and leaves one.

    Args:
        network: Its reactions are asked.
        team: Its types are the robots.
    """
    return all(
        reaction.rate_law is None
        and all(
            [(len(species.members), n) for species, n in side] == [(1, 1)]
            for side in (reaction.reactants, reaction.products)
        )
        and all(species.members[0] in team.types for species, _ in reaction.reactants)
        for reaction in network.reactions
    )


@dataclass(frozen=True)
class _Snapshot:
    time: float
    state: State
    line: int


@dataclass
class _Pairs:
    count: int = 0
    time: float = 0.0
    line: int = 0


@dataclass
class Snapshots:
    """What was seen every Δ, of each robot or of the team.

    Args:
        cadence: Says what Δ is, and what a missing row means.
        alone: Whether they are of robots, one by one.
        forced: Whether the user says that the log is polled.
    """

    cadence: Cadence
    alone: bool
    forced: bool = False
    _last: dict[Hashable, tuple[_Snapshot | None, _Snapshot]] = field(default_factory=dict)
    _pairs: dict[tuple[State, State, int], _Pairs] = field(default_factory=dict)

    def see(self, whose: Hashable, time: float, state: State, line: int) -> None:
        """One more snapshot; of several at one time the last counts.

        Args:
            whose: A robot, or the team.
            time: When.
            state: What is seen.
            line: Where it stands.
        """
        new = _Snapshot(time, state, line)
        before, last = self._last.get(whose, (None, None))
        if last is not None and last.time < time:
            self._count(before, last)
            before = last
        self._last[whose] = before, new

    def forget(self, whose: Hashable) -> None:
        """What is seen next does not follow what was seen last.

        Args:
            whose: A robot, or the team.
        """
        if whose in self._last:
            self._count(*self._last.pop(whose))

    def finish(self, end: float) -> None:
        """The end of the log.

        Args:
            end: Up to when it was watched.
        """
        for whose, (_, last) in list(self._last.items()):
            self.forget(whose)
            if not self.cadence.repeats and end - last.time >= self.cadence.step:
                end_of_it = _Snapshot(end, last.state, last.line)
                self._count(last, end_of_it)

    def log(self, duration: float, notes: Iterable[str], file: str | None) -> Log:
        """All pairs, as runs of two snapshots.

        Args:
            duration: For how long the team was watched.
            notes: What was odd.
            file: Where they were read from.
        """
        if not self._pairs:
            raise InputError(
                "never are all robots heard of at one time, which a reaction of several robots "
                "needs: say how far apart the rows of one poll are (--together)"
            )
        gaps: dict[int, _Pairs] = {}
        for (_, _, parts), pairs in self._pairs.items():
            of = gaps.setdefault(parts, _Pairs())
            of.count, of.time = of.count + pairs.count, of.time + pairs.time
        runs = tuple(
            Run(
                np.array([0.0, gaps[parts].time / gaps[parts].count]),
                np.array([before, after], dtype=np.int64),
                np.full(2, -1),
                np.full(2, pairs.line),
                pairs.count,
            )
            for (before, after, parts), pairs in self._pairs.items()
        )
        return Log(runs, sampled=True, notes=(*notes, self._note()), file=file, polled=duration)

    def too_low(self, why: str) -> str:
        """That events were counted though the log is polled, and what follows.

        Args:
            why: Why the likelihood of snapshots is not known.
        """
        return (
            f"{self._why()} Its snapshots cannot be fitted: {why}. So changes are counted as "
            "events, and the rates are too low: what happens and is undone between two polls is "
            "not seen, the more the faster robots are. The intervals do not allow for that."
        )

    def _note(self) -> str:
        whose = "each robot" if self.alone else "the whole team"
        return (
            f"{self._why()} It is read as snapshots of {whose}: what may have happened in between "
            "is summed over. If every change was logged when it happened, say so (--not-polled)."
        )

    def _why(self) -> str:
        if self.forced:
            return "The log is said to be polled."
        when = "rows come every" if self.cadence.repeats else "all times are multiples of"
        return f"The log seems to be polled: {when} {self.cadence.step:.6g}, and changes only then."

    def _count(self, before: _Snapshot | None, after: _Snapshot) -> None:
        if before is None:
            return
        gap, step = after.time - before.time, self.cadence.step
        if self.cadence.repeats:
            parts = max(round(_PARTS * gap / step), 1)
            self._add(before.state, after.state, parts, 1, gap, after.line)
            return
        polls = max(round(gap / step), 1)
        if polls > 1:
            same = polls - 1
            self._add(before.state, before.state, _PARTS, same, same * step, after.line)
        self._add(before.state, after.state, _PARTS, 1, step, after.line)

    def _add(
        self, before: State, after: State, parts: int, count: int, time: float, line: int
    ) -> None:
        pairs = self._pairs.setdefault((before, after, parts), _Pairs(line=line))
        pairs.count, pairs.time = pairs.count + count, pairs.time + time
