"""How robots report: when something changes, as a heartbeat, or because somebody polls them.

The first rows of a log tell, by the times g between two rows of the same robot.

Heartbeats: rows that repeat a state come regularly, 9 of 10 after a multiple (within a tenth) of
their median, the step Δ. If changes came when they happened, their times g would be anything up to
Δ; where 9 of 10 of them are multiples of Δ, too, somebody looks every Δ: the log is polled.

A grid: rows come when something changes, but all times of 50 or more changes are multiples of one
Δ that is not short for the robots (2% of what is usual between two changes). Then, too, what is
known is the state at every multiple of Δ, whether the log was polled or its times were rounded.

Of what happens within Δ only the outcome is seen. A count of changes is too small, and so is the
rate: of two states left at rates a and b by about (a + b)Δ/2 of it. `polling` has the likelihood.

Silence. A robot that beats is lost after 5 Δ without a row. One that reports changes is lost after
20 times what is usual in its state (once five such times are known): exponential times are longer
than that twice in a billion, so that leaving such silences out changes no rate that can be seen.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from covey.model.frozen import FrozenMap
from covey.study.fit.logs.robots.robot_states import OUT

LOOKED_AT = 20_000  # rows
_REGULAR = 0.9  # of the rows
_WITHIN = 0.1  # of a step
_FEWEST_REPEATS, _LEAST_REPEATS = 10, 0.1  # that make a heartbeat, and of all rows
_FEWEST_CHANGES, _SUSPECT = 50, 10  # on a grid
_SHORT = 0.02  # of the usual time between changes: a step that matters little
_BEATS_LOST, _USUAL_LOST, _FEWEST_GAPS = 5, 20, 5


@dataclass(frozen=True)
class Cadence:
    """What the times of a log say about how it came about.

    Attributes:
        step: Δ of heartbeats, of a poll or of a grid; 0 where there is none.
        repeats: Whether robots repeat what they do: then a row that is missing tells nothing.
        regular: Whether they do so every Δ.
        polled: Whether changes are seen every Δ only.
        suspect: Whether they may be: too few for a grid to be no chance.
        usual: The mean time between two rows of a robot in a state, by the word for it.
    """

    step: float = 0.0
    repeats: bool = False
    regular: bool = False
    polled: bool = False
    suspect: bool = False
    usual: Mapping[str, float] = field(default_factory=FrozenMap)

    @classmethod
    def of(cls, rows: Iterable[tuple[float, str, str]]) -> Cadence:
        """The cadence of rows.

        Args:
            rows: Time, robot and state of each, in the order of time.
        """
        last: dict[str, tuple[float, str]] = {}
        gaps: dict[str, list[float]] = {}
        repeats, changes, times = list[float](), list[float](), set[float]()
        for time, robot, state in rows:
            before = last.get(robot)
            last[robot] = time, state
            if before is None or OUT in (state, before[1]) or time <= before[0]:
                continue
            gap = time - before[0]
            gaps.setdefault(before[1], []).append(gap)
            if state == before[1]:
                repeats.append(gap)
            else:
                changes.append(gap)
                times.add(time)
        usual = FrozenMap(
            {state: statistics.fmean(g) for state, g in gaps.items() if len(g) >= _FEWEST_GAPS}
        )
        if len(repeats) >= max(_FEWEST_REPEATS, _LEAST_REPEATS * (len(repeats) + len(changes))):
            step = statistics.median(repeats)
            regular = _regular(repeats, step)
            return cls(step, True, regular, regular and _regular(changes, step), usual=usual)
        step = _grid(times)
        long = step > _SHORT * statistics.fmean(changes or [0.0])
        many = len(changes) >= _FEWEST_CHANGES
        suspect = long and not many and len(changes) >= _SUSPECT
        return cls(step, polled=long and many, suspect=suspect, usual=usual)

    def patience(self, state: str) -> float:
        """For how long a robot may be silent before it is lost.

        Args:
            state: The last that it said of itself.
        """
        if self.regular:
            return _BEATS_LOST * self.step
        return _USUAL_LOST * self.usual.get(state, math.inf)


def _regular(gaps: list[float], step: float) -> bool:
    """Whether times are multiples of a step, but for few."""
    near = sum(g > step / 2 and abs(g / step - round(g / step)) <= _WITHIN for g in gaps)
    return near >= _REGULAR * len(gaps)


def _grid(times: set[float]) -> float:
    """The largest step that all times are multiples of, seen from the first; 0 for none."""
    ordered = sorted(times)
    step = 0.0
    rounding = 1e-6 * min((b - a for a, b in itertools.pairwise(ordered)), default=0.0)
    for time in ordered[1:]:
        a, b = time - ordered[0], step
        while b > rounding:
            rest = math.fmod(a, b)
            a, b = b, 0.0 if b - rest <= rounding else rest
        step = a
        if step <= 1e3 * rounding:
            return 0.0
    return step
