"""What is published now, and lately: the bytes of every answer, made before they are asked for.

All of it is a function of what was published. So neither the size of an answer nor the time that it
takes depends on anything else.
"""

from __future__ import annotations

import asyncio
import json
from bisect import bisect_left, bisect_right
from collections import deque
from dataclasses import dataclass
from itertools import islice
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest

from covey.serve.feed_clock import FeedClock, iso

_PIECE = 100  # publications that one reader has on their way


@dataclass(frozen=True)
class Publication:
    """What was published of a moment.

    Attributes:
        moment: Its number.
        time: When the moment was, in seconds since 1970.
        counts: What was published.
        line: All of it as JSON.
    """

    moment: int
    time: float
    counts: list[int]
    line: bytes

    @property
    def event(self) -> bytes:
        """As a server-sent event."""
        return b"id: %d\ndata: %s\n\n" % (self.moment, self.line)


class _Public:
    """What everybody may count: all of it follows from what was published, and from the clock."""

    def __init__(self, names: list[str], most: int | None) -> None:
        self._all, self._names = CollectorRegistry(), names
        self._published = Gauge(
            "covey_published", "What is published", ["count"], registry=self._all
        )
        self._moment = Gauge(
            "covey_moment_timestamp_seconds", "The moment that it is of", registry=self._all
        )
        self.publications = Counter(
            "covey_publications", "Published since the start", registry=self._all
        )
        self._spent = Gauge("covey_spent", "Publications spent, over restarts", registry=self._all)
        if most is not None:
            Gauge("covey_most", "Publications that may be spent", registry=self._all).set(most)

    def text(self, last: Publication | None, spent: int) -> bytes:
        """As Prometheus reads it."""
        self._spent.set(spent)
        if last is not None:
            self._moment.set(last.time)
            for name, count in zip(self._names, last.counts, strict=True):
                self._published.labels(name).set(count)
        return generate_latest(self._all)


class Board:
    """Shows what is published.

    Args:
        hello: What the inside says at first: names, title, stations, how much is kept.
        clock: The moments.
    """

    def __init__(self, hello: dict[str, Any], clock: FeedClock) -> None:
        self.names: list[str] = hello["names"]
        self.title: str = hello["title"]
        self._stations: dict[str, str] = hello["stations"]
        self._clock = clock
        self.recent: deque[Publication] = deque(maxlen=hello["history"])
        self.next = asyncio.Event()  # set when something is published, and then another one
        self.ended = False
        self.metrics = self._private = b""
        self.spent = int(hello["spent"])
        self._public = _Public(self.names, hello["most"])
        self._all = CollectorRegistry()
        self.dropped = Counter(
            "covey_dropped", "Connections that were ended", ["why"], registry=self._all
        )
        self.repeated = Counter(
            "covey_repeated", "Values that were not ready in time", registry=self._all
        )
        self.lag = Gauge(
            "covey_lag_seconds", "How much too late the last one was published", registry=self._all
        )
        self.connections = Gauge("covey_connections", "Open connections", registry=self._all)
        for moment, counts in hello["recent"]:
            self.recent.append(self.publication(moment, counts))
        self._render()

    @property
    def last(self) -> Publication | None:
        """What was published last."""
        return self.recent[-1] if self.recent else None

    def publication(self, moment: int, counts: list[int]) -> Publication:
        """What will be published of a moment.

        Args:
            moment: Which.
            counts: What.
        """
        time = self._clock.moment(moment)
        named = dict(zip(self.names, counts, strict=True))
        line = json.dumps({"moment": moment, "time": iso(time), "published": named})
        return Publication(moment, time, counts, line.encode())

    def publish(self, one: Publication | None, spent: int, private: str) -> None:
        """Shows it; whoever waits is woken.

        Args:
            one: What is published; None where there is nothing yet.
            spent: How many publications were spent.
            private: What the owner alone may see.
        """
        self.spent, self._private = spent, private.encode()
        if one is not None:
            self.recent.append(one)
            self._public.publications.inc()
            self._wake()
        self._render()

    def end(self) -> None:
        """Nothing more is published: streams end."""
        self.ended = True
        self._wake()

    def _wake(self) -> None:
        waiting, self.next = self.next, asyncio.Event()
        waiting.set()

    @property
    def now(self) -> bytes | None:
        """`/now`."""
        return None if self.last is None else self.last.line + b"\n"

    def after(self, moment: int) -> list[Publication]:
        """What was published after a moment, a piece of it: the next ones.

        Args:
            moment: The last one that is known already; -1 where none is.
        """
        begin = bisect_right(self.recent, moment, key=lambda one: one.moment)
        return list(islice(self.recent, begin, begin + _PIECE))

    def before(self, time: float) -> int:
        """The last moment before a time, of those that are kept; -1 where there is none.

        Args:
            time: Seconds since 1970.
        """
        begin = bisect_left(self.recent, time, key=lambda one: one.time)
        return self.recent[begin - 1].moment if begin else -1

    @property
    def private_metrics(self) -> bytes:
        """For the owner: all that is counted."""
        return self.metrics + self._private + generate_latest(self._all)

    def _render(self) -> None:
        self.metrics = self._public.text(self.last, self.spent)
        self.station_status = self._station_status()

    def _station_status(self) -> bytes | None:
        """`/station_status.json` of GBFS 3.0."""
        if not self._stations or self.last is None:
            return None
        counts = dict(zip(self.names, self.last.counts, strict=True))
        when = iso(self.last.time)
        common = {"is_installed": True, "is_renting": True, "is_returning": True}
        stations = [
            {"station_id": station, "num_vehicles_available": counts[name], **common,
             "last_reported": when}
            for station, name in self._stations.items()
        ]  # fmt: skip
        ttl = max(int(self._clock.every * self._clock.unit), 1)
        document = {
            "last_updated": when, "ttl": ttl, "version": "3.0", "data": {"stations": stations}
        }  # fmt: skip
        return json.dumps(document).encode() + b"\n"
