"""What can be asked over HTTP.

Everybody may ask what was published. Whoever has the token may post what the fleet does, and is
told what is counted inside: how many messages came, and were refused, moves with the real team.
"""

from __future__ import annotations

import html
import math
from importlib.resources import files
from secrets import compare_digest

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from covey.errors import InputError
from covey.serve.outside.board import Board
from covey.serve.outside.posting import Posts
from covey.serve.outside.streaming import events, history, last_event
from covey.serve.wall_times import epoch_seconds
from covey.web.orderly import Orderly, TooLongError
from covey.web.streamed import Streamed

_JSON = "application/json"
_KINDS = {"feed.css": "text/css", "feed.js": "text/javascript", "covey.svg": "image/svg+xml"}
_NOTHING = "nothing was published yet: it is not known what is there"


class Routes:
    """The application.

    Args:
        board: What is published.
        posts: Where posts go.
        token: Who may post; None: nobody.
    """

    def __init__(self, board: Board, posts: Posts, token: str | None) -> None:
        self._board, self._posts, self._token = board, posts, token
        static = files("covey.serve").joinpath("static")
        page = static.joinpath("index.html").read_text(encoding="utf-8")
        self._page = page.replace("{title}", html.escape(board.title)).encode()
        self._static = {name: static.joinpath(name).read_bytes() for name in _KINDS}
        get = {
            "/": self._index, "/now": self._now, "/history": self._history,
            "/stream": self._stream, "/station_status.json": self._stations,
            "/metrics": self._metrics, "/healthz": self._health, "/static/{name}": self._file,
        }  # fmt: skip
        routes = [Route(path, endpoint) for path, endpoint in get.items()]
        routes += [Route(p, self._post, methods=["POST"]) for p in ("/events", "/states")]
        app = Starlette(routes=routes)
        app.router.redirect_slashes = False
        self.app: ASGIApp = Orderly(app)

    async def _index(self, _: Request) -> Response:
        return Response(self._page, media_type="text/html")

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._static:
            return PlainTextResponse("There is no such file.\n", 404)
        return Response(self._static[name], media_type=_KINDS[name])

    async def _now(self, _: Request) -> Response:
        return _bytes(self._board.now)

    async def _history(self, request: Request) -> Response:
        since = request.query_params.get("since")
        try:
            begin = -math.inf if since is None else epoch_seconds(since)
        except InputError:
            message = "since is a date such as 2026-05-18T13:12:00Z, or seconds since 1970"
            return JSONResponse({"error": message}, 400)
        return Streamed(history(self._board, begin), _JSON)

    async def _stream(self, request: Request) -> Response:
        return Streamed(events(self._board, last_event(request)), "text/event-stream")

    async def _stations(self, _: Request) -> Response:
        return _bytes(self._board.station_status)

    async def _health(self, _: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def _metrics(self, request: Request) -> Response:
        found = self._board.metrics
        if "authorization" in request.headers:
            if (refused := self._refusal(request)) is not None:
                return refused
            found = self._board.private_metrics
        return Response(found, media_type=CONTENT_TYPE_LATEST)

    async def _post(self, request: Request) -> Response:
        if (refused := self._refusal(request)) is not None:
            return refused
        try:
            answer = await self._posts.take(request)
        except TooLongError as error:
            return JSONResponse({"error": str(error)}, 413, headers={"connection": "close"})
        except TimeoutError:
            return JSONResponse({"error": "too slow"}, 408, headers={"connection": "close"})
        return JSONResponse(answer, 202 if not answer["refused"] else 400)

    def _refusal(self, request: Request) -> Response | None:
        """Why this is for others; None where it is not."""
        given = request.headers.get("authorization", "")
        wanted = b"" if self._token is None else f"Bearer {self._token}".encode()
        right = compare_digest(given.encode("utf-8", "replace"), wanted)
        if self._token is not None and right:
            return None
        message = "Authorization: Bearer TOKEN is expected, with the token of --token-file"
        headers = {"www-authenticate": "Bearer", "connection": "close"}
        return JSONResponse({"error": message}, 401, headers=headers)


def _bytes(body: bytes | None) -> Response:
    if body is None:
        return JSONResponse({"error": _NOTHING}, 503, headers={"retry-after": "1"})
    return Response(body, media_type=_JSON)
