"""Logs that are kept whole: paths of a few thousand rows, and all that is seen by snapshots."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.numbers import Ints

State = tuple[int, ...]  # how many of every species


@dataclass(frozen=True)
class Run:
    """One path as logged: from `times[k]` on the team is in `states[k]`, where `events[k]` led.

    Attributes:
        times: When each row was, (rows,).
        states: The state from then on, (rows, species).
        events: What happened, as an index into the log's `choices`; −1 where none is known,
            (rows,).
        lines: Where each row stands in the file; 0 if nowhere, (rows,).
        weight: How often it went so.
    """

    times: NDArray[np.float64]  # (rows,)
    states: NDArray[np.int64]  # (rows, species)
    events: NDArray[np.int64]  # (rows,)
    lines: NDArray[np.int64]  # (rows,)
    weight: int = 1


@dataclass(frozen=True)
class Log:
    """Runs of one network.

    Attributes:
        runs: A path each.
        choices: The reactions that an event can have been, by their numbers.
        sampled: Whether rows are snapshots, not events.
        inferred: Whether some reactions are known by their change only.
        seen: What the columns of the states of snapshots count: a row of zeros and ones over the
            species for each column; None where every species is counted by itself.
        notes: What was odd.
        file: Where it was read from.
        polled: For how long a team was watched that was polled, where runs are pairs of snapshots.
    """

    runs: tuple[Run, ...]
    choices: tuple[tuple[int, ...], ...] = ()
    sampled: bool = False
    inferred: bool = False
    seen: Ints | None = None
    notes: tuple[str, ...] = ()
    file: str | None = None
    polled: float | None = None

    @property
    def count(self) -> int:
        """How many runs there are; a team that is polled has one, which its pairs are of."""
        return len(self.runs) if self.polled is None else 1

    @property
    def observations(self) -> int:
        """How many pairs of successive rows there are."""
        return sum(run.weight * (len(run.times) - 1) for run in self.runs)

    @property
    def duration(self) -> float:
        """For how long was watched, all runs together."""
        if self.polled is not None:
            return self.polled
        return math.fsum(run.times[-1] - run.times[0] for run in self.runs)
