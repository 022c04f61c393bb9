"""Server-sent events: every publication to everybody who listens, from the one they name on.

Whoever reads too slowly is dropped by `connections`, and keeps nobody waiting: each has its own
place in what was published, and takes from there what it can.
"""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from covey.serve.outside.board import Board
from covey.web.until_gone import until_gone

_KEEP_ALIVE = 15.0  # seconds after which a comment shows that the connection stands


class Stream(Response):
    """The stream of one client.

    Args:
        board: What is published.
        after: The moment that the client had last; None: it begins with the last one.
    """

    media_type = "text/event-stream"

    def __init__(self, board: Board, after: int | None) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._board = board
        last = board.last
        self._sent = -1 if last is None else last.moment - 1
        if after is not None:
            self._sent = after

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends until the client has gone."""
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        await until_gone(self._send(send), receive)

    async def _send(self, send: Send) -> None:
        body = b": covey\n\n"
        while not self._board.ended:
            await send({"type": "http.response.body", "body": body, "more_body": True})
            coming = self._board.next
            body = self._unsent()
            if not body:
                try:
                    async with asyncio.timeout(_KEEP_ALIVE):
                        await coming.wait()
                except TimeoutError:
                    body = b":\n\n"
                else:
                    body = self._unsent()
        await send({"type": "http.response.body", "body": body, "more_body": False})

    def _unsent(self) -> bytes:
        found = []
        for one in reversed(self._board.recent):
            if one.moment <= self._sent:
                break
            found.append(one.event)
        if self._board.last is not None:
            self._sent = max(self._sent, self._board.last.moment)
        return b"".join(reversed(found))


def last_event(request: Request) -> int | None:
    """The moment that a client had last, as browsers say it when they come back."""
    said = request.headers.get("last-event-id", "")
    return int(said) if said.isascii() and said.isdecimal() and len(said) < 16 else None
