"""A server on a free port, and a browser's half of the talk with it: whatever bytes a test wants."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn

from covey.app.guard import HEADER
from covey.app.opened import Opened
from covey.app.running import Server
from covey.app.server import application
from covey.app.worker_pool import WorkerPool
from covey.web.connection_limits import Limits, limited_http, most_connections

TOKEN = "the-token-of-this-test"
PATIENCE = 60  # seconds: so many that only a hang takes longer


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8")

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Browser:
    port: int
    token: str = ""

    @property
    def here(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str, **headers: str) -> Reply:
        return self.send("GET", path, None, headers)

    def open(self) -> Browser:
        """Opens the address that was printed: the page takes the token from it."""
        self.token = TOKEN
        return self

    def post(self, path: str, body: Any, **headers: str) -> Reply:
        """As the page does it: JSON, from the page's own origin."""
        own = {"origin": self.here, "content-type": "application/json"}
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.send("POST", path, sent, own | headers)

    def send(
        self,
        method: str,
        path: str,
        body: bytes | Iterable[bytes] | None,
        headers: Mapping[str, str],
    ) -> Reply:
        connection = self.connected(method, path, body, headers)
        try:
            found = connection.getresponse()
            named = {name.lower(): value for name, value in found.getheaders()}
            return Reply(found.status, named, found.read())
        finally:
            connection.close()

    def connected(
        self,
        method: str,
        path: str,
        body: bytes | Iterable[bytes] | None,
        headers: Mapping[str, str],
    ) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        own = {HEADER: self.token} if self.token else {}
        named = {"host": f"127.0.0.1:{self.port}"} | own | dict(headers)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in named.items():
            connection.putheader(name, value.encode("utf-8"))
        if isinstance(body, bytes):
            connection.putheader("content-length", str(len(body)))
        elif body is not None:
            connection.putheader("transfer-encoding", "chunked")
        connection.endheaders(body, encode_chunked=not isinstance(body, bytes))
        return connection

    @contextmanager
    def asking(self, question: str, **options: Any) -> Iterator[Iterator[dict[str, Any]]]:
        """The lines of an answer as they come; whoever leaves has gone."""
        body = json.dumps({"question": question, "tab": "test", **options}).encode()
        headers = {"origin": self.here, "content-type": "application/json"}
        connection = self.connected("POST", "/api/ask", body, headers)
        try:
            with connection.getresponse() as found:
                assert found.status == 200, found.read()
                yield (json.loads(line) for line in found)
        finally:
            connection.close()

    def ask(self, question: str, **options: Any) -> list[dict[str, Any]]:
        with self.asking(question, **options) as lines:
            return list(lines)

    def parts(self, question: str, **options: Any) -> dict[str, Any]:
        """The parts of an answer that has no error."""
        lines = self.ask(question, **options)
        assert not [line for line in lines if "error" in line], lines
        assert "done" in lines[-1]
        return {line["part"]: line["value"] for line in lines if "part" in line}


@contextmanager
def served(opened: Opened, pool: WorkerPool | None = None) -> Iterator[int]:
    """The port of a server; without a pool it answers all but questions."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1]
        workers = pool or WorkerPool()
        config = uvicorn.Config(
            application(opened, workers, TOKEN, port),
            log_level="error",
            http=limited_http(Limits(most_connections())),
            lifespan="off" if pool is None else "on",
        )
        server = Server(config, workers)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield port
        finally:
            server.should_exit = True
            thread.join()
