"""What the board shows of what was published."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from covey.serve.feed_clock import FeedClock
from covey.serve.outside.board import Board
from tests.serve.test_connections import HELLO


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
