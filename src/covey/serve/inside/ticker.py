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

from covey.errors import InputError
from covey.serve.feed_clock import FeedClock, iso
from covey.serve.inside.counters import Counters
from covey.serve.inside.ledger import Ledger
from covey.serve.inside.team import LiveTeam

_NAP = 1.0  # seconds, after which the clock is looked at again: somebody may have set it
_SLACK = 5.0  # seconds by which a clock may be set back without a word
_DAY, _MOST_DAYS = 86_400, 400


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
        return self._not_over(self._ledger.moments)

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
            await self._wait_for(k)
            hand_over(self.step(k))
            over = end()
            if over is not None and k * self._clock.every >= over:
                return k
            await asyncio.sleep(0)
            k = self._not_over(k + 1)

    async def _wait_for(self, k: int) -> None:
        """Waits until a value is made; a clock that was set back is told of, once."""
        clock, said = self._clock, False
        usual = clock.every * clock.unit + clock.delay + _SLACK
        while (left := clock.cut(k) - wall.time()) > 0:
            if left > usual and not said:
                said = True
                self._say(
                    f"the clock was set back: nothing new is published before {iso(clock.due(k))}, "
                    f"as later moments were published already{self._anew}"
                )
            await asyncio.sleep(min(left, _NAP))

    def _not_over(self, k: int) -> int:
        """The first moment from k on whose value can still be made; refused after too long."""
        found = max(k, self._clock.next_ready(wall.time()))
        days = (found - k) * self._clock.every * self._clock.unit / _DAY
        if days > _MOST_DAYS:
            raise InputError(
                f"{days:,.0f} days lie between the last moment and now, and at most {_MOST_DAYS} "
                f"are made up for: set the clock if it is wrong{self._anew}"
            )
        if days > 1:
            self._say(f"{days:,.0f} days passed without a publication: they are made up for first")
        return found

    @property
    def _anew(self) -> str:
        """How to forget the moments, where they are kept."""
        path = self._ledger.path
        if path is None:
            return ""
        return f". To begin anew, end covey and remove {path}, which forgets what was spent"

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
