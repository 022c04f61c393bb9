"""Connections: how many there may be, how long they may take, and how much may wait for them.

too many           the newest is closed at once
a slow request     its first bytes and its header have so many seconds
a slow reader      once a few kilobytes wait for it, it has so many seconds to take them; then it
                   is dropped, and what waited for it with it
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from covey.serve.outside.board import Board

HEADER_SECONDS = 10.0
SLOW_SECONDS = 10.0
WAITING = 16_384  # bytes for one client, besides what the system holds
HEADER_BYTES = 16_384


def protocol(board: Board, most: int) -> type[H11Protocol]:
    """HTTP/1.1 with these limits.

    Args:
        board: Counts what is dropped.
        most: How many connections there may be.
    """

    class Connection(H11Protocol):
        _deadline: asyncio.TimerHandle | None = None
        _slow: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            board.connections.set(len(self.connections))
            if len(self.connections) > most:
                self._drop("too many")
                return
            transport.set_write_buffer_limits(high=WAITING)
            self._wait_for_header()

        def connection_lost(self, exc: Exception | None) -> None:
            for timer in (self._deadline, self._slow):
                if timer is not None:
                    timer.cancel()
            super().connection_lost(exc)
            board.connections.set(len(self.connections))

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is h11.IDLE:
                self._wait_for_header()
            elif self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

        def pause_writing(self) -> None:
            super().pause_writing()
            self._slow = self.loop.call_later(SLOW_SECONDS, self._drop, "slow reader")

        def resume_writing(self) -> None:
            super().resume_writing()
            if self._slow is not None:
                self._slow.cancel()
                self._slow = None

        def _wait_for_header(self) -> None:
            if self._deadline is None:
                self._deadline = self.loop.call_later(HEADER_SECONDS, self._drop, "slow request")

        def _drop(self, why: str) -> None:
            board.dropped.labels(why).inc()
            self.transport.abort()

    return Connection


class Server(uvicorn.Server):
    """Ends when it is told, and not by a signal: the inside ends it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Takes none."""
        yield


def server(app: Any, board: Board, most: int) -> Server:
    """A server of an application.

    Args:
        app: The application.
        board: Counts what is dropped.
        most: How many connections there may be.
    """
    config = uvicorn.Config(
        app, http=protocol(board, most), ws="none", lifespan="off", log_config=None,
        access_log=False, server_header=False, date_header=False, timeout_keep_alive=30,
        timeout_graceful_shutdown=1, h11_max_incomplete_event_size=HEADER_BYTES,
        backlog=min(most, 1024),
    )  # fmt: skip
    return Server(config)
