"""Whatever is asked, and however that ends, the answer is an orderly one.

- Every answer says what a browser may do with it.
- A request that gives its length twice, as a number and in pieces, is refused: what stands in front
  of the server may take the other one for it, and the rest for a request of somebody else's [1].
- A client that leaves in the middle is nothing to speak of.
- A request that fails in a way that nobody foresaw is a line on standard error.

[1] R. Fielding, M. Nottingham, J. Reschke (eds.), HTTP/1.1, RFC 9112, 2022, section 6.1.
"""

from __future__ import annotations

import asyncio
import sys

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from covey.web.page_policy import HEADERS


class TooLongError(Exception):
    """The body of a request has more bytes than are read."""


class Orderly:
    """An application around which all of that is done.

    Args:
        app: The application.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers, or passes the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def headed(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
                begun = True
            await send(message)

        try:
            app = _TWO_LENGTHS if _has_two_lengths(Headers(scope=scope)) else self._app
            await app(scope, receive, headed)
        except ClientDisconnect:
            return  # nobody is there to be answered
        except Exception as error:
            said = f"{type(error).__name__}: {error}".splitlines()[0]
            print(f"covey: {scope['path']!r:.60} failed: {said!r:.200}", file=sys.stderr)
            if not begun:
                await PlainTextResponse("This is a bug of covey's.", 500)(scope, receive, headed)


def _has_two_lengths(headers: Headers) -> bool:
    return "transfer-encoding" in headers and "content-length" in headers


_TWO_LENGTHS = PlainTextResponse(
    "This has two lengths: leave out Content-Length or Transfer-Encoding.\n", 400,
    headers={"connection": "close"},
)  # fmt: skip


async def body_of(request: Request, most: int, seconds: float) -> bytes:
    """What was sent; `TooLongError` where it is too much, `TimeoutError` where it is too slow.

    Args:
        request: It may say of itself that it is short: that is not believed.
        most: So many bytes are read.
        seconds: So long it may take to come.
    """
    body = bytearray()
    async with asyncio.timeout(seconds):
        async for part in request.stream():
            body += part
            if len(body) > most:
                raise TooLongError(f"a body of at most {most:,} bytes is expected")
    return bytes(body)
