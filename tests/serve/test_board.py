"""What the board shows of what was published."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from datetime import datetime

import pytest

from covey.serve.feed_clock import FeedClock
from covey.serve.outside.board import Board, Publication
from covey.serve.outside.ticker import Ticker
from tests.serve.test_connections import HELLO, run


@pytest.mark.parametrize("every", [0.05, 1.0, 90.5, 3600.0])
def test_stations_are_as_gbfs_3_0_has_them(every: float) -> None:
    """The rules of its published schema for station_status.json (MobilityData, v3.0)."""
    board = Board(HELLO | {"stations": {"31": "b", "7": "a"}}, FeedClock(1e9, every, 1.0, 2.0))
    assert board.station_status is None
    board.publish(board.publication(7, [3, 0]), 1, "")
    found = json.loads(board.station_status or b"")
    assert set(found) == {"last_updated", "ttl", "version", "data"}
    assert found["version"] == "3.0"
    assert type(found["ttl"]) is int
    assert 0 <= found["ttl"] <= max(every, 1)  # seconds until there is something new
    assert set(found["data"]) == {"stations"}
    times = [found["last_updated"]]
    for station, (name, many) in zip(found["data"]["stations"], [("31", 0), ("7", 3)], strict=True):
        assert (station["station_id"], station["num_vehicles_available"]) == (name, many)
        assert type(station["num_vehicles_available"]) is int
        assert all(station[k] is True for k in ("is_installed", "is_renting", "is_returning"))
        times.append(station["last_reported"])
        assert len(station) == 6  # all that is required, and nothing else
    for time in times:  # RFC 3339
        assert "T" in time
        assert datetime.fromisoformat(time).utcoffset() is not None


def test_a_feed_that_is_late_lets_others_have_their_turn() -> None:
    """Or it would never hear that it is to end."""
    clock = FeedClock(1e9, 1e-9, 1.0, 1.0)  # the next moment is over by the time one is published
    published: list[int] = []

    async def work() -> None:
        ended = asyncio.Event()

        def confirm(moment: int, _: Publication | None) -> None:
            published.append(moment)
            assert len(published) < 3 or ended.is_set()

        ticker = Ticker(clock, Board(HELLO, clock), confirm)
        ticker.take({"first": 0})
        running = asyncio.create_task(ticker.run())
        await asyncio.sleep(0)
        ended.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running

    run(work())
    assert published
