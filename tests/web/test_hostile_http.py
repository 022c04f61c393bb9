"""Requests that no browser sends, to the app and to a live feed: an orderly answer, or none.

No traceback, no file that is not a page's, and whoever asks properly is answered afterwards.
"""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from covey.app.guard import HEADER
from covey.app.opened import Opened
from tests.app.asking import PATIENCE, TOKEN, served
from tests.serve.test_connections import Served

OWN = f"Authorization: Bearer {TOKEN}\r\n{HEADER}: {TOKEN}\r\nContent-Type: application/json\r\n"


@contextmanager
def feed() -> Iterator[int]:
    """The port of a feed's public half, in a thread of its own."""
    ports: list[int] = []
    begun, over = threading.Event(), threading.Event()

    async def work() -> None:
        async with Served(10, token=TOKEN) as public:
            public.publish(range(3))
            ports.append(public.port)
            begun.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=asyncio.run, args=(work(),))
    thread.start()
    try:
        assert begun.wait(PATIENCE)
        yield ports[0]
    finally:
        over.set()
        thread.join()


@contextmanager
def app() -> Iterator[int]:
    with served(Opened(None, "no scenario")) as port:
        yield port


KINDS = pytest.mark.parametrize(
    ("kind", "get", "post"),
    [(app, "/api/start", "/api/save"), (feed, "/now", "/events")], ids=["app", "feed"],
)  # fmt: skip
Kind = Callable[[], AbstractContextManager[int]]


def talk(port: int, text: str, *, leaves: bool = False) -> list[int]:
    """The statuses of all answers, until the server closes."""
    got = b""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as one:
        try:
            one.sendall(text.encode("latin-1"))
            while not leaves and (part := one.recv(65536)):
                got += part
        except (BrokenPipeError, ConnectionResetError):
            pass  # the server had seen enough
    assert b"root:" not in got
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d+)", got) if status != b"100"]


def head(port: int, line: str, *more: str, host: str = "") -> str:
    said = host or f"Host: 127.0.0.1:{port}"
    origin = f"Origin: http://127.0.0.1:{port}"
    return "\r\n".join([line, said, origin, OWN + "Connection: close", *more, "", ""])


@KINDS
def test_targets_and_methods(kind: Kind, get: str, post: str) -> None:
    targets = [
        "http://evil.example/", f"http://evil.example{get}", "*", "//", f"//evil.example{get}",
        "/..%2f..%2f..%2fetc/passwd", "/static/..%2f..%2fserver.py", "/static/%2e%2e/guard.py",
        "/static//etc/passwd", "/static/../../../../etc/passwd", "/static/", "/%00", "/%ff%fe",
        "/" + "a" * 30_000, "javascript:alert(1)", f"/.{get}", get.upper(), f"{get}/", "?", "",
        "/a b", "/\x80",
    ]  # fmt: skip
    methods = ["PUT", "DELETE", "TRACE", "CONNECT", "PATCH", "PRI", "get", "G\0T", "A" * 5000]
    with kind() as port:
        assert talk(port, head(port, f"GET {get} HTTP/1.1")) == [200]
        for target in targets:
            found = talk(port, head(port, f"GET {target} HTTP/1.1"))
            assert found in ([400], [404]), (target, found)
        for method in methods:
            found = talk(port, head(port, f"{method} {get} HTTP/1.1"))
            assert found in ([400], [405]), (method, found)
        for version in ("FTP/1.1", "", "HTTP/2"):
            assert talk(port, head(port, f"GET {get} {version}")) == [400]
        assert talk(port, head(port, f"GET {get} HTTP/1.1")) == [200]


@KINDS
def test_heads_and_bodies_that_lie(
    kind: Kind, get: str, post: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nobody who stands between may take the end of one request for the begin of another."""
    smuggled = "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
    bodies = [
        ("Content-Length: 3", "Content-Length: 4", "abcd"),
        ("Content-Length: 4", "Transfer-Encoding: chunked", smuggled),
        ("Transfer-Encoding: chunked", "Content-Length: 60", smuggled),
        *((f"Content-Length: {n}", "", "abc") for n in ("-1", "+3", "0x3", "1e3", "9" * 30, "3, 4", "")),
        *((f"Transfer-Encoding: {how}", "", "1\r\na\r\n0\r\n\r\n")
          for how in ("xchunked", "identity", "gzip, chunked", "chunked\v", "chunked, chunked")),
        *(("Transfer-Encoding: chunked", "", piece)
          for piece in ("zz\r\n", "-1\r\n", "1\r\nab\r\n", "5\r\nabc\r\n0\r\n\r\n")),
    ]  # fmt: skip
    heads = [
        "X: a\0b", "no colon", "X : y", "X: " + "y" * 300_000, "Host: evil.example",
    ]  # fmt: skip
    with kind() as port:
        for *more, body in bodies:
            found = talk(port, head(port, f"POST {post} HTTP/1.1", *filter(None, more)) + body)
            assert found == [400], (more, body, found)
        for wrong in heads:
            found = talk(port, head(port, f"GET {get} HTTP/1.1", wrong))
            assert found in ([400], []), (wrong, found)
        for garbage in ("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "\r\n" * 100_000):
            assert talk(port, garbage) in ([400], [])
        for half in ("Content-Length: 1000", "Transfer-Encoding: chunked"):
            for line in (f"POST {post} HTTP/1.1", f"GET {get} HTTP/1.1"):
                talk(port, head(port, line, half) + "5\r\nab", leaves=True)
        assert talk(port, head(port, f"GET {get} HTTP/1.1")) == [200]
    assert "Traceback" not in capfd.readouterr().err


@KINDS
def test_one_connection_after_another(
    kind: Kind, get: str, post: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Pipelines are answered in their order; nothing else is spoken, and nobody told to install."""
    with kind() as port:
        one = head(port, f"GET {get} HTTP/1.1").replace("Connection: close\r\n", "")
        assert talk(port, one * 200 + head(port, "GET /no HTTP/1.1")) == [200] * 200 + [404]
        upgrade = head(port, f"GET {get} HTTP/1.1", "Upgrade: websocket", "Connection: Upgrade")
        assert talk(port, upgrade) == [200]
    assert caplog.text == ""


def test_a_redirection_would_lead_where_the_asker_says() -> None:
    """There is none: `Host` is whatever was sent."""
    with feed() as port:
        for host in ("Host: evil.example", "Host: [", "Host: @", "Host: "):
            assert talk(port, head(port, "GET /now/ HTTP/1.1", host=host)) == [404]


def test_two_origins_are_nobodys() -> None:
    with app() as port:
        line = "GET /api/start HTTP/1.1"
        assert talk(port, head(port, line, "Origin: http://evil.example")) == [403]
        assert talk(port, head(port, line, host=f"Host: 127.0.0.1:{port}.")) == [421]
