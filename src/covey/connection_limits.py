"""Connections to a server on this machine: how many there may be, and how long a head may take.

Whoever connects and says nothing, or a byte now and then, holds a descriptor, of which a process
has a few hundred. So a connection whose request is not there after some seconds is closed; and
where there are as many as there may be, a new one takes the place of the one that has waited
longest without a request. Those that are being answered stay.

    uvicorn.Config(app, http=limited_http())
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
_FOR_OTHER_THINGS = 128  # descriptors: files, and two pipes for each worker
_FEWEST, _MOST = 16, 1_000


def most_connections() -> int:
    """How many connections this process has room for."""
    try:
        import resource  # noqa: PLC0415  (Windows has none)
    except ImportError:
        return _MOST
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return _MOST
    return min(max((files - _FOR_OTHER_THINGS) // 2, _FEWEST), _MOST)


def limited_http(most: int | None = None, head_seconds: float = HEAD_SECONDS) -> type[H11Protocol]:
    """What uvicorn is to speak HTTP by, for one server.

    Args:
        most: So many connections at a time; by default as many as the process has room for.
        head_seconds: So long the head of a request may take.
    """
    room = most_connections() if most is None else most
    everybody: set[Limited] = set()
    waiting: dict[Limited, asyncio.TimerHandle] = {}  # without a request, the longest first

    class Limited(H11Protocol):
        """A connection that is closed where its request does not come."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(everybody) >= room and not make_room():
                transport.abort()
                return
            everybody.add(self)
            wait(self)

        def data_received(self, data: bytes) -> None:
            if self in everybody and self not in waiting and at_rest(self):
                wait(self)
            super().data_received(data)
            if not at_rest(self):
                stop_waiting(self)

        def connection_lost(self, exc: Exception | None) -> None:
            everybody.discard(self)
            stop_waiting(self)
            super().connection_lost(exc)

    def at_rest(one: Limited) -> bool:
        """Whether no request of it is being answered."""
        return one.cycle is None or one.cycle.response_complete

    def wait(one: Limited) -> None:
        waiting[one] = asyncio.get_running_loop().call_later(head_seconds, drop, one)

    def stop_waiting(one: Limited) -> None:
        if (timer := waiting.pop(one, None)) is not None:
            timer.cancel()

    def drop(one: Limited) -> None:
        stop_waiting(one)
        everybody.discard(one)
        one.transport.abort()

    def make_room() -> bool:
        oldest = next(iter(waiting), None) or next(filter(at_rest, everybody), None)
        if oldest is not None:
            drop(oldest)
        return oldest is not None

    return Limited
