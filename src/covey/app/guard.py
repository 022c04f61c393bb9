"""Who may ask: a browser on this machine that was opened by the address which covey printed.

The server listens on this machine alone, but a browser runs the scripts of strangers, and they can
send requests to it. So every request is looked at before anything else is done:

- `Host` is one of the names of this server. A name of a stranger's that has come to stand for
  127.0.0.1 (rebinding) is not.
- `Origin`, which a browser sends with every POST and no script can change, is this server. So is
  `Sec-Fetch-Site`, where a browser sends it. A form of another site's has its own.
- The cookie holds the token of the printed address. `SameSite=Strict` keeps it from requests that
  another site makes; `HttpOnly` keeps it from scripts.

What is sent back may be shown and run by this page alone, and loads nothing from anywhere else.
"""

from __future__ import annotations

from secrets import compare_digest
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request, cookie_parser
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from covey.page_policy import HEADERS

MAX_BODY = 16_000_000  # bytes: a scenario file has at most 8 MB, and its mechanism comes along

_NO_TOKEN = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>covey</title>
<h1>Not from here</h1>
<p>This page answers only whoever opens the address that <code>covey app</code> printed, with the
token in it. Go to the terminal in which it runs, and open that address.</p>
</html>
"""


class TooLongError(Exception):
    """The body of a request has more bytes than are read."""


class Guard:
    """Lets requests through that are this user's own, and says to browsers what a page may do."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app, self._token = app, token.encode()
        usual = "" if port == 80 else f":{port}"  # browsers leave the usual port out
        self._hosts = tuple(f"{name}{usual}" for name in ("127.0.0.1", "localhost"))
        # Cookies are for all ports of a machine: two servers must not take each other's away.
        self._cookie = f"covey-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers what is refused, and passes on everything else."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        refusal = self._refusal(scope)
        await (self._app if refusal is None else refusal)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host not in self._hosts:
            return PlainTextResponse("This server has another name.", 421)
        if not _own(headers, host, scope):
            return PlainTextResponse("This was sent by another site.", 403)
        if scope["path"] == "/" and (given := _token(scope)) is not None:
            if not self._is_token(given):
                return HTMLResponse(_NO_TOKEN, 403)
            return self._welcome()
        if not self._is_token(self._carried(headers)):
            return HTMLResponse(_NO_TOKEN, 403)
        return None

    def _is_token(self, given: str) -> bool:
        return compare_digest(given.encode("utf-8", "replace"), self._token)

    def _carried(self, headers: Headers) -> str:
        # Programs on other ports share the jar: an odd cookie of theirs must not hide this one.
        return cookie_parser(headers.get("cookie", "")).get(self._cookie, "")

    def _welcome(self) -> Response:
        """To the page, without the token in the address, where it would be seen and kept."""
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._cookie, self._token.decode(), httponly=True, samesite="strict")
        return answer


def _own(headers: Headers, host: str, scope: Scope) -> bool:
    """Whether no other site has sent this; everybody may follow a link to the page itself."""
    origin, site = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
    if scope["method"] == "GET" and scope["path"] == "/":
        return origin is None or origin == f"http://{host}"
    if scope["method"] not in ("GET", "HEAD") and origin is None:
        return False
    return origin in (None, f"http://{host}") and site in ("same-origin", "none")


def _token(scope: Scope) -> str | None:
    """The token in the address, if there is one."""
    query: str = scope["query_string"].decode("latin-1")
    return next(iter(parse_qs(query, keep_blank_values=True).get("token", ())), None)


async def body_of(request: Request) -> bytes:
    """What was sent, which may say of itself that it is short; `TooLongError` where it is not."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise TooLongError
    return bytes(body)
