"""The server of the feed: `connection_limits`, and whoever reads too slowly is dropped as well.

A reader who is dropped keeps nobody waiting, and comes back where it was (`streaming`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from covey.serve.outside.board import Board
from covey.web.connection_limits import HEAD_SECONDS, Limits, limited_http

SLOW_SECONDS = 10.0  # for a reader to take what waits for it


class Server(uvicorn.Server):
    """Ends when it is told, and not by a signal: the inside ends it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Takes none."""
        yield


def server(
    app: Any,
    board: Board,
    most: int,
    *,
    head_seconds: float = HEAD_SECONDS,
    read_seconds: float = SLOW_SECONDS,
) -> Server:
    """A server of an application.

    Args:
        app: The application.
        board: Counts connections, and what is dropped.
        most: How many connections there may be.
        head_seconds: So long the head of a request may take.
        read_seconds: So long a reader may take for what waits for it.
    """
    limits = Limits(
        most, head_seconds, read_seconds,
        dropped=lambda why: board.dropped.labels(why).inc(), counted=board.connections.set,
    )  # fmt: skip
    config = uvicorn.Config(
        app, http=limited_http(limits), ws="none", lifespan="off", log_config=None,
        access_log=False, server_header=False, date_header=False, timeout_keep_alive=30,
        timeout_graceful_shutdown=1, backlog=min(most, 1024),
    )  # fmt: skip
    return Server(config)
