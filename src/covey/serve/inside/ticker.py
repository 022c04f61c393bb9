"""Moment after moment: hear all that was before it, publish, write it down, hand it over.

The value for the moment k is made when the clock says so (`FeedClock.cut`), a while before it is
published: how long that takes depends on the team, and nobody sees it. A value that is not ready in
time is never published: the outside has published the last one again by then.
"""

from __future__ import annotations

import asyncio
import time as wall
from collections.abc import Callable
from typing import Any

from covey.serve.feed_clock import FeedClock
from covey.serve.inside.counters import Counters
from covey.serve.inside.ledger import Ledger
from covey.serve.inside.team import LiveTeam

_NAP = 1.0  # seconds, after which the clock is looked at again: somebody may have set it


class Ticker:
    """Makes the values of a feed.

    Args:
        clock: The moments.
        team: What was heard.
        ledger: What was published.
        counters: How early values were ready is noted here.
        ahead: How much later than a moment states are told, in the unit of the model.
        by_moments: Whether a moment counts as spent that nothing was published of, as it does for
            a table that was judged for so long a time.
        say: Called with what is worth knowing; nothing of the team.
    """

    def __init__(
        self,
        clock: FeedClock,
        team: LiveTeam,
        ledger: Ledger,
        counters: Counters,
        *,
        ahead: float,
        by_moments: bool,
        say: Callable[[str], None],
    ) -> None:
        self._clock, self._team, self._ledger, self._counters = clock, team, ledger, counters
        self._ahead, self._by_moments, self._say = ahead, by_moments, say
        self._over = False

    @property
    def first(self) -> int:
        """The next moment of which a value can be made."""
        return max(self._ledger.moments, self._clock.next_ready(wall.time()))

    async def run(
        self, k: int, hand_over: Callable[[dict[str, Any]], None], end: Callable[[], float | None]
    ) -> int:
        """Goes on until the end, if there is one; gives the last moment.

        Args:
            k: The first moment.
            hand_over: Called with each value.
            end: Gives the time after which nothing more is heard, once that is known.
        """
        while True:
            while (left := self._clock.cut(k) - wall.time()) > 0:
                await asyncio.sleep(min(left, _NAP))
            hand_over(self.step(k))
            over = end()
            if over is not None and k * self._clock.every >= over:
                return k
            await asyncio.sleep(0)
            k = max(k + 1, self._clock.next_ready(wall.time()))

    def step(self, k: int) -> dict[str, Any]:
        """The value of a moment, written down.

        Args:
            k: Which moment.
        """
        ledger, time = self._ledger, k * self._clock.every
        self._team.advance(time, self._ahead)
        publisher = self._team.publisher
        if ledger.is_spent:
            counts = None  # the last one again
            if not self._over:
                self._over = True
                self._say(f"all {ledger.most:,} publications are spent: the last value is repeated")
        else:
            found = publisher.published(time)
            counts = None if found is None else list(found.values())
            self._spend(k, counts)
        ledger.enter(k, publisher.saved())
        self._counters.ready.set(self._clock.due(k) - wall.time())
        return {
            "moment": k, "counts": counts, "spent": ledger.spent,
            "private": self._counters.text(),
        }  # fmt: skip

    def _spend(self, k: int, counts: list[int] | None) -> None:
        ledger = self._ledger
        if counts is None:
            return
        passed = k + 1 - ledger.moments if self._by_moments and ledger.spent else 1
        most = ledger.spent + passed if ledger.most is None else ledger.most
        ledger.spent = min(ledger.spent + passed, most)
