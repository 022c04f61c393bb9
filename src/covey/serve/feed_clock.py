"""The moments of a feed: which there are, and when each is published.

The value for the moment k, at k × every after the first, is published a delay later, by the wall's
clock. Both processes know all of it beforehand, and nothing that the team does moves it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime

AHEAD = 0.25  # of the delay: by how much a value has to be ready before it is published
_MOST_AHEAD = 0.5  # seconds


@dataclass(frozen=True)
class FeedClock:
    """When is what.

    Attributes:
        origin: The moment 0, in seconds since 1970.
        every: From one moment to the next, in the unit of the model.
        unit: Seconds of the wall's clock in one unit of the model.
        delay: Seconds from a moment to its publication.
    """

    origin: float
    every: float
    unit: float
    delay: float

    def moment(self, k: int) -> float:
        """When the moment k is, in seconds since 1970."""
        return self.origin + k * self.every * self.unit

    def due(self, k: int) -> float:
        """When its value is published."""
        return self.moment(k) + self.delay

    def cut(self, k: int) -> float:
        """When the inside stops waiting for messages about it."""
        return self.due(k) - min(AHEAD * self.delay, _MOST_AHEAD)

    def model(self, wall: float) -> float:
        """A time of the wall's clock in the unit of the model, counted from the moment 0."""
        return (wall - self.origin) / self.unit

    def next_ready(self, now: float) -> int:
        """The first moment whose value can still be made ready in time, if it is made at once."""
        return self._first(now - (self.cut(0) + self.due(0)) / 2)

    def next_due(self, now: float) -> int:
        """The first moment whose value is still to be published."""
        return self._first(now - self.due(0))

    def _first(self, passed: float) -> int:
        return max(math.floor(passed / (self.every * self.unit)) + 1, 0)


def whole_start(now: float, step: float) -> float:
    """The next time that is a whole number of steps since 1970: moments at full minutes, not odd.

    Args:
        now: Seconds since 1970.
        step: Seconds from one moment to the next.
    """
    return math.ceil(now / step) * step


def iso(wall: float) -> str:
    """A time as people and programs read it.

    Args:
        wall: Seconds since 1970.
    """
    when = datetime.fromtimestamp(round(wall, 3), UTC)
    return when.isoformat(timespec="milliseconds" if wall % 1 else "seconds").replace("+00:00", "Z")
