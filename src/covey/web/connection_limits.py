"""Connections to a server: how many there may be, and how long each may keep it waiting.

Whoever connects and says nothing, or a byte now and then, holds a descriptor, of which a process
has a few hundred. So there are limits, the same for the app and for a live feed:

slow request   whose head is not there after some seconds is closed; so is one that was answered
               and goes on sending
too many       where there are as many as there may be, a new one takes the place of the one that
               has waited longest without a request; where all are being answered, it is closed
slow reader    who lets what waits for it lie for too long is dropped, where a server has such a
               limit, and what waited with it

    uvicorn.Config(app, http=limited_http(Limits(most_connections())))
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
_FOR_OTHER_THINGS = 128  # descriptors: files, and two pipes for each worker
_FEWEST, _MOST = 16, 1_000
_WAITING = 16_384  # bytes that wait for a reader with a limit, besides what the system holds


@dataclass(frozen=True)
class Limits:
    """What the connections to one server may take.

    Attributes:
        most: So many at a time.
        head_seconds: So long the head of a request may take.
        read_seconds: So long a reader may take for what waits; None: as long as it likes.
        dropped: Told why one was ended: "too many", "slow request" or "slow reader".
        counted: Told how many there are.
    """

    most: int
    head_seconds: float = HEAD_SECONDS
    read_seconds: float | None = None
    dropped: Callable[[str], object] = lambda why: None
    counted: Callable[[int], object] = lambda number: None


def most_connections(wanted: int = _MOST, each: int = 2) -> int:
    """How many connections this process has room for, which asks the system for more if need be.

    Args:
        wanted: So many are enough.
        each: How many descriptors one may take: its own, and that of a file that is sent.
    """
    try:
        import resource  # noqa: PLC0415  (Windows has none)
    except ImportError:
        return wanted
    needed = each * wanted + _FOR_OTHER_THINGS
    files, allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files != resource.RLIM_INFINITY and files < needed:
        more = needed if allowed == resource.RLIM_INFINITY else min(needed, allowed)
        with suppress(OSError, ValueError):  # a system may allow less than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (more, allowed))
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return wanted
    return min(max((files - _FOR_OTHER_THINGS) // each, _FEWEST), wanted)


class _Limited(H11Protocol):
    """A connection that is closed where it keeps the server waiting; a server has its own class."""

    limits: Limits
    everybody: set[_Limited]
    waiting: dict[_Limited, asyncio.TimerHandle]  # without a request, the longest first
    _slow: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.everybody) >= self.limits.most and not self._make_room():
            self._drop("too many")
            return
        self.everybody.add(self)
        self.limits.counted(len(self.everybody))
        if self.limits.read_seconds is not None:
            transport.set_write_buffer_limits(high=_WAITING)
        self._wait()

    def data_received(self, data: bytes) -> None:
        if self in self.everybody and self not in self.waiting and self._idle():
            self._wait()
        super().data_received(data)
        if not self._idle():
            self._stop_waiting()

    def _should_upgrade(self) -> bool:
        return False  # nothing here speaks anything else, which nobody needs to be told

    def pause_writing(self) -> None:
        super().pause_writing()
        if self.limits.read_seconds is not None:
            self._slow = self._later(self.limits.read_seconds, "slow reader")

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._slow is not None:
            self._slow.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def _idle(self) -> bool:
        """Whether no request of it is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _later(self, seconds: float, why: str) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, self._drop, why)

    def _wait(self) -> None:
        self.waiting[self] = self._later(self.limits.head_seconds, "slow request")

    def _stop_waiting(self) -> None:
        if (timer := self.waiting.pop(self, None)) is not None:
            timer.cancel()

    def _forget(self) -> None:
        self._stop_waiting()
        if self._slow is not None:
            self._slow.cancel()
        if self in self.everybody:
            self.everybody.remove(self)
            self.limits.counted(len(self.everybody))

    def _drop(self, why: str) -> None:
        self.limits.dropped(why)
        self._forget()
        self.transport.abort()

    def _make_room(self) -> bool:
        oldest = next(iter(self.waiting), None) or next(
            filter(_Limited._idle, self.everybody), None
        )
        if oldest is not None:
            oldest._drop("too many")
        return oldest is not None


def limited_http(limits: Limits) -> type[H11Protocol]:
    """What uvicorn is to speak HTTP by, for one server whose connections have these limits."""
    return type("Limited", (_Limited,), {"limits": limits, "everybody": set(), "waiting": {}})
