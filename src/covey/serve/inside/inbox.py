"""What was heard, in the order of the times at which it happened, until its moment is published."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from itertools import count

from covey.serve.inside.heard import Gap, Heard

MOST = 200_000  # that wait; what comes after them is as if it had never come, and that is noted
_FULL = Gap("too much came at once")


class Inbox:
    """Waits.

    Args:
        most: How much may wait.
    """

    def __init__(self, most: int = MOST) -> None:
        self._waiting: list[tuple[float, int, Heard]] = []
        self._numbers, self._most = count(), most
        self._missed: float | None = None  # the latest time of which something was not taken

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, time: float, heard: Heard) -> bool:
        """Something happened; False where there is no room for it.

        Args:
            time: When, in the unit of the model.
            heard: What.
        """
        if len(self._waiting) >= self._most and not isinstance(heard, Gap):
            if self._missed is None:
                self.put(time, _FULL)
            self._missed = max(time, -math.inf if self._missed is None else self._missed)
            return False
        heapq.heappush(self._waiting, (time, next(self._numbers), heard))
        return True

    def until(self, time: float) -> Iterator[tuple[float, Heard]]:
        """All that happened up to a time, taken out.

        Args:
            time: In the unit of the model.
        """
        while self._waiting and self._waiting[0][0] <= time:
            when, _, heard = heapq.heappop(self._waiting)
            if self._missed is not None and len(self._waiting) < self._most:
                missed, self._missed = self._missed, None
                self.put(missed, _FULL)  # what came in between may be incomplete
            yield when, heard
