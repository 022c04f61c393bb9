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
`web.orderly` does the rest.
"""

from __future__ import annotations

from secrets import compare_digest

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

HEADER = "x-covey-token"
_NO_TOKEN = "This answers only whoever opens the address that covey app printed."


class Guard:
    """Lets requests through that are this user's own."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app, self._token = app, token.encode()
        usual = "" if port == 80 else f":{port}"  # browsers leave the usual port out
        self._hosts = tuple(f"{name}{usual}" for name in ("127.0.0.1", "localhost"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers what is refused, and passes on everything else."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        await (self._app if refusal is None else refusal)(scope, receive, send)

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
    origins, site = headers.getlist("origin"), headers.get("sec-fetch-site", "same-origin")
    own = all(origin == f"http://{host}" for origin in origins)
    if scope["method"] == "GET" and scope["path"] == "/":
        return own
    if scope["method"] not in ("GET", "HEAD") and not origins:
        return False
    return own and site in ("same-origin", "none")
