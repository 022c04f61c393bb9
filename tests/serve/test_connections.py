"""Connections that are slow, too many or too large are dropped, and keep nobody waiting."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from covey.serve.feed_clock import FeedClock
from covey.serve.outside.board import Board
from covey.serve.outside.connections import server
from covey.serve.outside.posting import Posts
from covey.serve.outside.routes import Routes
from covey.serve.outside.streaming import events, history
from tests.cli.command import PATIENCE

HELLO = {
    "names": ["a", "b"], "title": "", "stations": {}, "history": 100_000, "recent": [], "spent": 0,
    "most": None,
}  # fmt: skip
GET = b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n"


class Served:
    """A board that is served in this process."""

    def __init__(self, most: int, *, token: str | None = None, **seconds: float) -> None:
        self.board = Board(HELLO, FeedClock(1e9, 1.0, 1.0, 1.0))
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.listen()
        self.port: int = self._socket.getsockname()[1]
        self._opened: list[asyncio.StreamWriter] = []
        posts = Posts(lambda frame: posts.answer({"answer": frame["post"], "refused": 0}))
        self._server = server(Routes(self.board, posts, token).app, self.board, most, **seconds)

    async def __aenter__(self) -> Served:
        self._serving = asyncio.create_task(self._server.serve(sockets=[self._socket]))
        return self

    async def __aexit__(self, *_: object) -> None:
        for one in self._opened:
            one.transport.abort()
        self._server.should_exit = True
        await self._serving

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        opened = await asyncio.open_connection("127.0.0.1", self.port, limit=1024)
        self._opened.append(opened[1])
        return opened

    def publish(self, moments: range) -> None:
        for k in moments:
            self.board.publish(self.board.publication(k, [k, 1]), k, "")

    def dropped(self, why: str) -> float:
        return float(self.board.dropped.labels(why)._value.get())


def run(work: Coroutine[Any, Any, None]) -> None:
    """In a thread of its own: a browser's test may have a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, asyncio.wait_for(work, PATIENCE)).result()


def test_more_than_there_may_be() -> None:
    async def work() -> None:
        async with Served(2) as served:
            first, _ = await served.connect()
            second, writer = await served.connect()
            writer.write(GET % b"/stream")
            assert (await second.readline()).startswith(b"HTTP/1.1 200")
            third, asking = await served.connect()
            with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
                await first.readexactly(1)  # which has asked for nothing yet
            asking.write(GET % b"/stream")
            assert (await third.readline()).startswith(b"HTTP/1.1 200")
            fourth, _ = await served.connect()
            with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
                await fourth.readexactly(1)  # all are being answered
            assert served.dropped("too many") == 2
            assert served.board.connections._value.get() == 2

    run(work())


def test_a_request_that_never_ends() -> None:
    async def work() -> None:
        async with Served(10, head_seconds=0.2) as served:
            for begun in (b"", b"GET / HTTP/1.1\r\nHost: x\r\n"):
                reader, writer = await served.connect()
                writer.write(begun)
                with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
                    await reader.readexactly(1)
            assert served.dropped("slow request") == 2

    run(work())


def test_a_body_that_nobody_asked_for_holds_no_place() -> None:
    """The request is answered, and its sender goes on and on."""

    async def work() -> None:
        async with Served(10, head_seconds=0.2) as served:
            reader, writer = await served.connect()
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            while served.dropped("slow request") == 0:
                writer.write(b"x")
                await asyncio.sleep(0.01)

    run(work())


def test_a_header_without_end_is_refused() -> None:
    async def work() -> None:
        async with Served(10) as served:
            reader, writer = await served.connect()
            writer.write(b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000)
            assert (await reader.readline()).startswith(b"HTTP/1.1 4")

    run(work())


def test_a_client_that_does_not_read_is_dropped_and_holds_nobody_up() -> None:
    async def work() -> None:
        async with Served(10, read_seconds=0.2) as served:
            _, slow = await served.connect()
            sock = slow.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            slow.transport.pause_reading()  # type: ignore[attr-defined]
            slow.write(GET % b"/stream")
            reader, writer = await served.connect()
            writer.write(GET % b"/stream")
            k = 0
            while served.dropped("slow reader") == 0:
                served.publish(range(k, k + 200))
                k += 200
                wanted = f"id: {k - 1}\n".encode()
                while (line := await reader.readline()) != wanted:  # who reads has it all
                    assert line
            assert served.board.recent[-1].moment == k - 1

    run(work())


def test_a_long_history_is_sent_in_pieces() -> None:
    """Or everybody who asks for it and does not read it would hold all of it."""

    async def work() -> None:
        async with Served(10) as served:
            served.board.recent.extend(served.board.publication(k, [k, 1]) for k in range(1000))
            pieces = [piece async for piece in history(served.board, 1e9 + 5)]
            assert max(map(len, pieces)) < 20_000
            found = json.loads(b"".join(pieces))["history"]
            assert [one["moment"] for one in found] == list(range(5, 1000))
            coming = events(served.board, 7)
            begin = [await anext(coming) for _ in range(3)]
            assert max(map(len, begin)) < 20_000
            assert re.findall(rb"id: (\d+)", b"".join(begin)) == [b"%d" % k for k in range(8, 208)]
            anew = events(served.board, 10**9)  # who was here before the feed began anew
            assert b"id: 999\n" in [await anext(anew) for _ in range(2)][1]

    run(work())
