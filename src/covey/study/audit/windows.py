"""Runs side by side: one length, one clock, so that how they were logged does not tell them apart.

All are taken from their first row on, for as long as the shortest of the runs that a classifier
learns from, and looked at every `every`: the longer of what is usual in both logs. Between two rows
the counts are as in the first of them. What is made of a run so depends on that run alone, given
what was learnt from: whatever is proved of it holds for the run itself, which tells no less.

A long run is cut into blocks, and every other block is left out: those that stay are as far apart
as they are long.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from covey.errors import InputError, shown
from covey.numbers import Floats
from covey.study.audit.count_log import CountLog, CountRun

_MOST_POINTS = 2_000
_SLACK = 1e-9  # of a step: times that were rounded


@dataclass(frozen=True)
class Window:
    """For how long runs are looked at, and how often.

    Attributes:
        length: From the first row on.
        every: The time between two looks.
    """

    length: float
    every: float

    @classmethod
    def of(cls, *logs: Sequence[CountRun]) -> Window:
        """The one that runs have in common."""
        length = min(run.duration for runs in logs for run in runs)
        every = max(_usual_gap(runs) for runs in logs)
        if not every > 0 or length < every:
            return cls(0.0, 0.0)
        return cls(length, max(every, length / (_MOST_POINTS - 1)))

    @property
    def points(self) -> int:
        """How many looks there are."""
        return 1 + (math.floor(self.length / self.every * (1 + _SLACK)) if self.every else 0)

    def seen(self, runs: Sequence[CountRun]) -> Floats:
        """What is seen of each run at every look: (runs, points, counts)."""
        looks = np.arange(self.points) * self.every + _SLACK * self.every
        rows = [
            run.counts[np.searchsorted(run.times - run.times[0], looks, side="right") - 1]
            for run in runs
        ]
        return np.array(rows)


def _usual_gap(runs: Sequence[CountRun]) -> float:
    gaps = np.concatenate([np.diff(run.times) for run in runs])
    gaps = gaps[gaps > 0]
    return float(np.median(gaps)) if len(gaps) else 0.0


def cut(log: CountLog, block: float) -> CountLog:
    """Every run in blocks of one length, as far from each other as they are long."""
    if not isinstance(block, int | float) or not 0 < block < math.inf:
        raise InputError(f"the block is {shown(block)}: a length of time above 0 is expected")
    pieces: list[CountRun] = []
    for run in log.runs:
        whole = math.floor(run.duration / block * (1 + _SLACK))
        pieces.extend(_block(run, block, k) for k in range(0, whole, 2))
    return CountLog(log.name, log.names, tuple(pieces), log.notes)


def _block(run: CountRun, block: float, number: int) -> CountRun:
    begin = run.times[0] + number * block
    first = int(np.searchsorted(run.times, begin, side="right")) - 1
    last = int(np.searchsorted(run.times, begin + block, side="right"))
    times = np.append(np.maximum(run.times[first:last], begin), begin + block)
    counts = run.counts[np.append(np.arange(first, last), last - 1)]
    return CountRun(f"{run.name} from {begin:g} on", times, counts)
