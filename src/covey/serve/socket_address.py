"""The socket that HTTP is answered on: this machine alone, unless another address is named."""

from __future__ import annotations

import errno
import socket

from covey.errors import InputError, shown
from covey.numbers import whole_of

_SEND_BUFFER = 65_536  # bytes that the system holds for one client


def is_host(name: str) -> bool:
    """Whether a name can be looked up at all: its parts are neither empty nor too long."""
    try:
        return bool(name.encode("idna"))
    except UnicodeError:
        return False


def listening_on(address: str) -> socket.socket:
    """A listening socket.

    Args:
        address: HOST:PORT; [::1]:8700 for version 6, port 0 for any that is free.
    """
    host, colon, digits = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    port = whole_of(digits)
    if not colon or not is_host(host) or port is None or not 0 <= port <= 65535:
        raise InputError(f"listen is {shown(address)}: HOST:PORT is expected, as 127.0.0.1:8700")
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # Named as TCP, so that asyncio sends small lines at once rather than wait for more of them.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        raise InputError(f"listen is {shown(address)}: {error.strerror}") from None
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        listening.bind(where)
        listening.listen(1024)
    except OSError as error:
        listening.close()
        why = "another program has it" if error.errno == errno.EADDRINUSE else error.strerror
        raise InputError(f"{address} cannot be had ({why}): choose another with --listen") from None
    return listening
