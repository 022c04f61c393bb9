"""What was published, piece by piece: the history, and server-sent events that go on with it.

Whoever reads too slowly is dropped by `connections`, and keeps nobody waiting: each has its own
place in what was published, and takes from there what it can.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import Request

from covey.serve.outside.board import Board

_KEEP_ALIVE = 15.0  # seconds after which a comment shows that the connection stands


async def history(board: Board, since: float) -> AsyncIterator[bytes]:
    """`/history`: all from a time on.

    Args:
        board: What is published.
        since: Seconds since 1970.
    """
    sent, between = board.before(since), b""
    yield b'{"history": ['
    while found := board.after(sent):
        yield between + b",\n".join(one.line for one in found)
        sent, between = found[-1].moment, b",\n"
    yield b"]}\n"


async def events(board: Board, after: int | None) -> AsyncIterator[bytes]:
    """`/stream`, for one client.

    Args:
        board: What is published.
        after: The moment that the client had last; None, or one that is still to come, which was of
            another feed: it begins with the last one.
    """
    last = -1 if board.last is None else board.last.moment
    sent = last - 1 if after is None or after > last else after
    yield b": covey\n\n"
    while not board.ended:
        coming = board.next
        if found := board.after(sent):
            sent = found[-1].moment
            yield b"".join(one.event for one in found)
            continue
        try:
            async with asyncio.timeout(_KEEP_ALIVE):
                await coming.wait()
        except TimeoutError:
            yield b":\n\n"


def last_event(request: Request) -> int | None:
    """The moment that a client had last, as browsers say it when they come back."""
    said = request.headers.get("last-event-id", "")
    return int(said) if said.isascii() and said.isdecimal() and len(said) < 16 else None
