"""Who may ask: a browser on this machine that was opened by the address which covey printed.

The server listens on this machine alone, but a browser runs the scripts of strangers, and they can
send requests to it. So every request is looked at before anything else is done:

- `Host` is one of the names of this server. A name of a stranger's that has come to stand for
  127.0.0.1 (rebinding) is not.
- `Origin`, which a browser sends with every POST and no script can change, is this server. So is
  `Sec-Fetch-Site`, where a browser sends it. A form of another site's has its own.
- What is asked of the server carries the token of the printed address in a header. The page has it
  from the address, behind # where no server sees it, and the tab keeps it. No cookie opens
  anything: those are for all ports of a machine, and go to whatever listens there.

Only the page itself and its files are for everybody: they are the same for all who have covey.
What is sent back may be shown and run by this page alone, and loads nothing from anywhere else.
A request that fails in a way that nobody foresaw is a line on standard error.
"""

from __future__ import annotations

import asyncio
import sys
from secrets import compare_digest

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from covey.web.page_policy import HEADERS

MAX_BODY = 16_000_000  # bytes: a scenario file has at most 8 MB, and its mechanism comes along

HEADER = "x-covey-token"
_BODY_SECONDS = 60.0  # for all of it to come
_NO_TOKEN = "This answers only whoever opens the address that covey app printed."


class TooLongError(Exception):
    """The body of a request has more bytes than are read, or takes longer to come."""


class Guard:
    """Lets requests through that are this user's own, and says to browsers what a page may do."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app, self._token = app, token.encode()
        usual = "" if port == 80 else f":{port}"  # browsers leave the usual port out
        self._hosts = tuple(f"{name}{usual}" for name in ("127.0.0.1", "localhost"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers what is refused, and passes on everything else."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        begun = False

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
                begun = True
            await send(message)

        try:
            refusal = self._refusal(scope)
            await (self._app if refusal is None else refusal)(scope, receive, guarded)
        except ClientDisconnect:
            return  # nobody is there to be answered
        except Exception as error:
            said = f"{type(error).__name__}: {error}".splitlines()[0]
            print(f"covey: {scope['path']!r:.60} failed: {said!r:.200}", file=sys.stderr)
            if not begun:
                await PlainTextResponse("This is a bug of covey's.", 500)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host not in self._hosts:
            return PlainTextResponse("This server has another name.", 421)
        if not _own(headers, host, scope):
            return PlainTextResponse("This was sent by another site.", 403)
        if scope["path"].startswith("/api/") and not self._is_token(headers.get(HEADER, "")):
            return PlainTextResponse(_NO_TOKEN, 403)
        return None

    def _is_token(self, given: str) -> bool:
        return compare_digest(given.encode("utf-8", "replace"), self._token)


def _own(headers: Headers, host: str, scope: Scope) -> bool:
    """Whether no other site has sent this; everybody may follow a link to the page itself."""
    origin, site = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
    if scope["method"] == "GET" and scope["path"] == "/":
        return origin is None or origin == f"http://{host}"
    if scope["method"] not in ("GET", "HEAD") and origin is None:
        return False
    return origin in (None, f"http://{host}") and site in ("same-origin", "none")


async def body_of(request: Request) -> bytes:
    """What was sent, which may say of itself that it is short; `TooLongError` where it is not."""
    body = bytearray()
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > MAX_BODY:
                    raise TooLongError
    except TimeoutError:
        raise TooLongError from None
    return bytes(body)
