"""Publishes by the clock: at each due time the value that is ready, or else the last one again."""

from __future__ import annotations

import asyncio
import time as wall
from collections.abc import Callable
from typing import Any

from covey.serve.feed_clock import FeedClock
from covey.serve.outside.board import Board, Publication

_NAP = 1.0  # seconds, after which the clock is looked at again: somebody may have set it


class Ticker:
    """Waits for due times.

    Args:
        clock: The moments.
        board: Shows what is published.
        confirm: Called with each moment and what was published of it.
    """

    def __init__(
        self, clock: FeedClock, board: Board, confirm: Callable[[int, Publication | None], None]
    ) -> None:
        self._clock, self._board, self._confirm = clock, board, confirm
        self._ready: dict[int, tuple[Publication | None, dict[str, Any]]] = {}
        self._next, self._begun = 0, asyncio.Event()

    def take(self, frame: dict[str, Any]) -> None:
        """A value from the inside, or the first moment; what is too late is not looked at.

        Args:
            frame: The moment, its counts (None for the last ones again), and what goes with them.
        """
        if "first" in frame:
            self._next = frame["first"]
            self._begun.set()
            return
        k, counts = frame["moment"], frame["counts"]
        if k >= self._next:
            one = None if counts is None else self._board.publication(k, counts)
            self._ready[k] = one, frame

    async def run(self) -> None:
        """Publishes for ever, from the first moment on."""
        await self._begun.wait()
        private, spent = "", self._board.spent
        while True:
            due = self._clock.due(self._next)
            await asyncio.sleep(0)  # others have their turn, however late it is
            while (left := due - wall.time()) > 0:
                await asyncio.sleep(min(left, _NAP))
            one, frame = self._ready.pop(self._next, (None, None))
            if frame is None:
                self._board.repeated.inc()
            else:
                private, spent = frame["private"], frame["spent"]
            if one is None and self._board.last is not None:
                one = self._board.publication(self._next, self._board.last.counts)
            self._board.publish(one, spent, private)
            self._confirm(self._next, one)
            self._board.lag.set(wall.time() - due)
            self._next = max(self._next + 1, self._clock.next_due(wall.time()))
            for old in [k for k in self._ready if k < self._next]:
                del self._ready[old]
