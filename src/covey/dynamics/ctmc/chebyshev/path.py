"""From one time to later ones by Chebyshev steps, each as long as it can be certified and pays.

A step is as long as the distribution needs to change by some powers of e. Where terms grow, as they
do where robots run in circles, only short ones pay. Where they do not, as in stiff chains, whose
fast reactions only ever end what slow ones begin, each step may be twice as long as the one before:
qt jumps take some √(qt) products.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from covey.dynamics.ctmc.chebyshev.stepper import CHANGE, SHORTEST, ChebyshevStepper
from covey.numbers import UNIT, Floats

if TYPE_CHECKING:
    from covey.dynamics.ctmc.uniformized_chain import UniformizedChain
    from covey.dynamics.validation import Progress

_SEGMENTS = (1 / 16, 3 / 16, 3 / 8, 5 / 8, 1.0)  # where segments of a step end
_BEGINNINGS = tuple(2.0**-k for k in range(7, 1, -1))  # of the last time: 1/128 to 1/4
_LONGEST = 300.0  # about the expected jumps of the first step: in a longer one terms may grow
_TAME = 12.0  # products over √x of a step whose terms do not: the next may be twice as long
_SHARE = 2.0  # of the error that is left, by a step, times its share of the time that is left;
_LEAST = 1 / 64  # and at least that
_WORTH = 1.4  # products for each of them: plain steps are 1.85, and take half to all of the time
_MOST_ENDS = 4  # times asked for in one step
_TOLERANCES = 3.0  # of what is asked for, that long steps may add to the error of ln p,
_ROUNDINGS = 10.0  # and of what the rounding of plain steps would add
_PROMISING = 1.0  # near rest: by how many powers of e the distribution may still change
_RECENT = 9  # distributions, of those at the ends of segments, that its rest is fitted by


@dataclass
class TimeSpent:
    """The time spent in each state on the way, (states,), and the error of its logarithms."""

    total: Floats
    error: float = 0.0

    def add(self, time: Floats, error: float) -> None:
        """What a step adds, and the error that there is after it."""
        self.total += time
        self.error = error


class _Pace:
    """How long steps may be, in expected jumps: as those before have shown."""

    def __init__(self) -> None:
        self.longest = _LONGEST
        self.ceiling, self.until = math.inf, 0.0  # what was too long, and until when that counts

    def failed(self, x: float, now: float) -> bool:
        """Whether shorter ones may pay, after one of that length was for nothing."""
        self.longest = min(self.longest, x) / 2
        self.ceiling, self.until = x / 2, 2 * now
        return self.longest >= SHORTEST

    def paid(self, x: float, now: float, products: int, *, whole: bool) -> bool:
        """Whether one paid that came so far, with so many products, perhaps not to its end."""
        if self.longest < _LONGEST and products > _WORTH * x:
            return False
        if not whole:
            self.longest = max(x, min(self.longest, _LONGEST))
        elif products < _TAME * math.sqrt(x):
            most = self.ceiling if now < self.until else math.inf
            self.longest = max(self.longest, min(2 * x, most))
        return True


def allowance(tolerance: float, roundings: int, jumps: float) -> float:
    """What long steps may add to the error of ln p, where so many plain ones would be made."""
    return _TOLERANCES * tolerance + _ROUNDINGS * roundings * UNIT * jumps


def milestones(rate: float, end: float) -> list[float]:
    """When long steps may begin: before, the distribution changes too fast for them."""
    return [end * part for part in _BEGINNINGS if rate * end * part >= SHORTEST]


def propagate_to(
    times: Sequence[float],
    stepper: ChebyshevStepper,
    p: Floats,
    begin: float,
    allowed: float,
    chain: UniformizedChain | None = None,
    progress: Progress | None = None,
    spent: TimeSpent | None = None,
) -> tuple[list[Floats], list[float]] | None:
    """Those at later times by Chebyshev steps, and their errors; None where that does not pay.

    A step is cut short to the segments of it that are certified; where none is, it and all later
    ones are half as long, as long as that pays. Near rest the uniformised chain, if there is one,
    extrapolates the distributions at the ends of the last segments. `spent`, if it is given, grows
    by the time until the last of the times.
    """
    found: list[Floats] = []
    errors: list[float] = []
    now, error, recent, pace = begin, 0.0, [p], _Pace()
    while len(found) < len(times):
        if progress is not None:
            progress(now, times[-1], "long steps")
        fall, rise = stepper.drift(p)
        ahead = [time - now for time in times[len(found) :]]
        left = [max(fall, rise) * time for time in ahead]
        if error + left[-1] <= allowed:  # at rest: no logarithm moves faster, now or later
            if spent is not None:
                spent.add(ahead[-1] * p, error + left[-1])
            return [*found, *[p] * len(left)], [*errors, *(error + off for off in left)]
        if chain is not None and left[-1] < _PROMISING and len(recent) > len(_SEGMENTS):
            fitted = chain.extrapolate_in_time(recent, ahead, stepper.roundings, allowed - error)
            if fitted is not None:
                return [*found, *fitted[0]], [*errors, *(error + off for off in fitted[1])]
        steps = max(round(stepper.rate * ahead[-1] / pace.longest), 1)
        length = min(CHANGE / (rise + 2 * fall), ahead[-1] / steps)  # no short one at last
        ends = _ends(now, length, times[len(found) :])
        share = min(max(_SHARE * (ends[-1] - now) / ahead[-1], _LEAST), 1.0)
        before = stepper.products
        lengths, most = [end - now for end in ends], share * (allowed - error)
        step = stepper.step(p, lengths, most, spent=spent is not None)
        if not step.times:
            if not pace.failed(stepper.rate * length, now):
                return None
            continue
        products, whole = stepper.products - before, len(step.times) == len(ends)
        if not pace.paid(stepper.rate * step.times[-1], now, products, whole=whole):
            return None
        for end, there, off in zip(ends, step.distributions, step.errors, strict=False):
            if end in times[len(found) :]:
                found.append(there)
                errors.append(error + off)
        reached = len(step.times) - 1
        if spent is not None and step.spent is not None:
            spent.add(step.spent, error + step.errors[reached])
        now, p, error = ends[reached], step.distributions[reached], error + step.errors[reached]
        recent = [*recent, *step.distributions][-_RECENT:]
    return found, errors


def _ends(now: float, length: float, times: Sequence[float]) -> list[float]:
    """Where the segments of a step end: at parts of its length, and at times that are asked for.

    With many of those the step is cut short: every end costs memory and time.
    """
    inside = [time for time in times if time <= now + length]
    last = inside[_MOST_ENDS - 1] if len(inside) > _MOST_ENDS else now + length
    parts = [now + part * (last - now) for part in _SEGMENTS[:-1]]
    return sorted({*parts, *inside[:_MOST_ENDS], last})
