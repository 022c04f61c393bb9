"""Starts the server on a port of this machine, and opens the browser on it."""

from __future__ import annotations

import errno
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn

from covey.app.opened import Opened
from covey.app.server import application
from covey.app.worker_pool import WorkerPool
from covey.errors import InputError
from covey.web.connection_limits import Limits, limited_http, most_connections

HERE = "127.0.0.1"
PORT = 8733  # the same every time: a browser keeps drafts by the address, sealed


def serve(opened: Opened, port: int | None, say: Callable[[str], None], *, browse: bool) -> None:
    """Answers until Ctrl-C; `say` is told the address."""
    with _listening(port) as listening:
        number = listening.getsockname()[1]
        token = secrets.token_urlsafe(32)
        address = f"http://{HERE}:{number}/#token={token}"
        pool = WorkerPool()
        config = uvicorn.Config(
            application(opened, pool, token, number),
            log_level="warning",
            access_log=False,  # it would keep the token
            server_header=False,
            timeout_graceful_shutdown=1,
            http=limited_http(Limits(most_connections())),
        )
        say(address)
        try:
            with _door(address) as door:
                if browse:
                    threading.Thread(target=webbrowser.open, args=(door,), daemon=True).start()
                Server(config, pool).run(sockets=[listening])
        except KeyboardInterrupt:  # the way to end it
            return


@contextmanager
def _door(address: str) -> Iterator[str]:
    """A file that leads to the address, and that only this user may read.

    Everybody on this machine sees what programs are started with: the browser is handed the name of
    the file, and not the token.
    """
    with TemporaryDirectory(prefix="covey-") as folder:
        file = Path(folder) / "covey.html"
        file.touch(mode=0o600)
        file.write_text(
            '<!doctype html><meta charset="utf-8"><title>covey</title>'
            f'<meta http-equiv="refresh" content="0; url={address}">'
        )
        yield file.as_uri()


class Server(uvicorn.Server):
    """Ends what its workers are at before it waits for the answers to be sent."""

    def __init__(self, config: uvicorn.Config, pool: WorkerPool) -> None:
        super().__init__(config)
        self._desk = pool

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends every worker, then every connection."""
        await self._desk.stop()
        await super().shutdown(sockets)


def _listening(port: int | None) -> socket.socket:
    """A socket on this machine alone: on the port asked for, else the usual one or any other."""
    # Named as TCP, so that asyncio sends small lines at once rather than wait for more of them.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HERE, PORT if port is None else port))
        except OSError:
            if port is not None:
                raise
            listening.bind((HERE, 0))
        listening.listen(64)
    except OSError as error:
        listening.close()
        why = "another program has it" if error.errno == errno.EADDRINUSE else error.strerror
        raise InputError(
            f"port {port} cannot be had ({why}): choose another with --port, or leave it out"
        ) from None
    except OverflowError:
        listening.close()
        raise InputError(f"--port is {port}: a number from 0 to 65535 is expected") from None
    return listening
