"""The way of a distribution from its start to the times asked for, cut into segments of time.

A segment ends at a time that is asked for, and where the mean has moved by more than a few standard
deviations since it began, so that no truncation is much larger than the distribution.

Where there is no mean field (it may reach infinity, or defy the solver), nothing is known of where
the mass goes, and truncations grow by what leaves them alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.dynamics.ctmc.propensity import check_exits
from covey.dynamics.mean_field.rate_equations import jacobian
from covey.dynamics.projection.level_set import Filler, Shape
from covey.dynamics.projection.linear_noise import linear_noise
from covey.errors import UnsupportedError
from covey.model.network import Network
from covey.numbers import Floats, Ints

_POINTS = 60  # of the course, by the logarithm of time, and half as many evenly
_FASTEST = 1e-2  # events at the start before the first of them
_FAR = 6.0  # standard deviations, and counts, that the mean moves in a segment
_RELAXATIONS = 35.0  # e-foldings after which a distribution is at rest for all purposes
_SPECIES = 400  # beyond, covariances cost more than they save


@dataclass(frozen=True)
class TimeSegment:
    """From one time to another: the points of the course on it, and its share of what is lost."""

    begin: float
    end: float
    points: slice
    share: float


class Path:
    """Where the distribution will be, from the start to the last of `times`."""

    def __init__(self, network: Network, start: Ints, times: Floats) -> None:
        self.filler = Filler(network)
        self.settling = np.inf  # how long it takes to come to rest, as far as is known
        self._shape: Shape | None = None
        wanted = [float(time) for time in np.unique(times) if time > 0]
        until = wanted[-1] if wanted else 0.0
        events = self.busiest = _events(network, start.astype(float))
        check_exits(np.array(events))
        if until > 0 and len(start) <= _SPECIES:
            first = min(_FASTEST / events, until / 10) if events > 0 else until / 10
            grid = np.geomspace(first, until, _POINTS)
            even = np.linspace(0.0, until, _POINTS // 2)
            try:
                course = linear_noise(network, start, np.unique([*grid, *even, *wanted]))
            except UnsupportedError:
                pass
            else:
                self._shape = Shape.of(course, network.changes)
                self.settling = _settling(network, course.means[-1])
                self.busiest = max(self.busiest, *(_events(network, m) for m in course.means))
        self.segments = self._cut(wanted)

    def fill(self, known: Ints, segment: TimeSegment, level: float, room: int) -> Ints:
        """The known states, and those along a segment up to a level of improbability."""
        if self._shape is None:
            return known
        return self.filler.fill(known, self._shape, segment.points, level, room)

    @property
    def growth(self) -> float:
        """By which part a truncation grows at least, where its leaks say where."""
        return 1.0 if self._shape is None else 0.5  # the less is known the fewer beginnings

    def first_level(self, tail: float) -> float:
        """The level beyond which normal counts have a probability of `tail`."""
        from scipy.special import gammainccinv  # noqa: PLC0415  (takes a while)

        if self._shape is None:
            return 0.0
        return float(gammainccinv(len(self._shape.species) / 2, max(tail, 1e-300)))

    def _cut(self, wanted: list[float]) -> list[TimeSegment]:
        """The segments; all have like shares, the longest a little more."""
        cuts: list[tuple[float, int]] = []  # times, and points of the shape
        begin, since = 0.0, 0
        times = np.array(wanted) if self._shape is None else self._shape.times
        for i, now in enumerate(times.tolist()):
            if now > begin and (now in wanted or self._moved(since, i)):
                cuts.append((now, i))
                begin, since = now, i
        until = wanted[-1] if wanted else 0.0
        found = []
        begin, since = 0.0, 0
        for now, i in cuts:
            share = (1 / len(cuts) + (now - begin) / until) / 2
            found.append(TimeSegment(begin, now, slice(since, i + 1), share))
            begin, since = now, i
        return found

    def _moved(self, since: int, now: int) -> bool:
        if self._shape is None:
            return False
        spread = np.sqrt(self._shape.variances[now]) + 1
        way = np.abs(self._shape.means[now] - self._shape.means[since])
        return bool((way > _FAR * spread).any())


def _settling(network: Network, mean: Floats) -> float:
    """How long the slowest deviation from the mean takes to die out; inf where one does not."""
    rates = np.linalg.eigvals(jacobian(network, mean)).real
    fastest = float(np.abs(rates).max(initial=0.0))
    moving = rates[np.abs(rates) > 1e-9 * fastest]  # conserved quantities have none
    if not len(moving) or moving.max() >= 0:
        return np.inf
    return float(_RELAXATIONS / -moving.max())


def _events(network: Network, amounts: Floats) -> float:
    """How many reactions happen per unit of time."""
    with np.errstate(over="ignore"):
        return float(network.flows(amounts).sum())
