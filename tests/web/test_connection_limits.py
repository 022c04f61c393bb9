"""Slow connections are closed or make room; what is being answered stays."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

import pytest
import uvicorn
from starlette.responses import PlainTextResponse

from covey.web.connection_limits import Limits, limited_http, most_connections

WAIT = 30  # seconds that only a hang takes


@contextmanager
def server(most: int, head_seconds: float) -> Iterator[int]:
    """The port of one that says yes."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(
            PlainTextResponse("yes"), http=limited_http(Limits(most, head_seconds)), log_level="error",
            lifespan="off", timeout_graceful_shutdown=1,
        )  # fmt: skip
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            while not running.started:
                time.sleep(0.01)
            yield listening.getsockname()[1]
        finally:
            running.should_exit = True
            thread.join()


def connected(port: int) -> socket.socket:
    found = socket.create_connection(("127.0.0.1", port), timeout=WAIT)
    found.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")  # and no end of the head
    return found


def answer(port: int) -> bytes:
    with closing(connected(port)) as one:
        one.sendall(b"Connection: close\r\n\r\n")
        parts = list(iter(lambda: one.recv(4096), b""))
    return b"".join(parts)


def is_closed(one: socket.socket) -> bool:
    try:
        return one.recv(1) == b""
    except ConnectionResetError:
        return True


def test_many_slow_connections_keep_nobody_out() -> None:
    with server(8, 60.0) as port, ExitStack() as stack:
        slow = [stack.enter_context(closing(connected(port))) for _ in range(250)]
        assert answer(port).endswith(b"yes")
        assert all(map(is_closed, slow[:200]))  # the longest first


def test_a_head_that_does_not_end_is_given_up() -> None:
    with server(8, 0.2) as port, closing(connected(port)) as slow:
        assert is_closed(slow)
        assert answer(port).endswith(b"yes")


def test_a_second_request_has_no_more_time_than_the_first() -> None:
    with server(8, 0.2) as port, closing(connected(port)) as one:
        one.sendall(b"\r\n")
        received = b""
        while not received.endswith(b"yes"):
            received += one.recv(4096)
        one.sendall(b"GET / HTTP/1.1\r\n")
        assert is_closed(one)


@pytest.mark.parametrize(("files", "most"), [(256, 64), (1024, 448), (64, 16), (10**6, 1000)])
def test_room_goes_by_the_descriptors(
    files: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
    assert most_connections() == most


def test_a_process_takes_the_descriptors_that_it_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    now = [1024, 4096]
    monkeypatch.setattr(resource, "getrlimit", lambda _: tuple(now))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: now.__setitem__(0, limits[0]))
    assert most_connections(2000, each=1) == 2000
    assert now == [2128, 4096]
    assert most_connections(10_000, each=1) == 4096 - 128
    assert now == [4096, 4096]
