"""What can be asked of the app over HTTP: the page and its files, questions, and to save.

Nothing is computed here: a question goes to the pool, and the lines of its answer come back as
they are known. Files are read and written by threads of their own.
"""

from __future__ import annotations

import json
import mimetypes
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from covey import __version__
from covey.app.draft_key import draft_key
from covey.app.examples import examples, first_example
from covey.app.guard import Guard
from covey.app.opened import ChangedError, Opened
from covey.app.worker_pool import WorkerPool
from covey.errors import CoveyError, InputError
from covey.files.json_reader import read_json
from covey.web.orderly import Orderly, TooLongError, body_of
from covey.web.streamed import Streamed

MAX_BODY = 16_000_000  # bytes: a scenario file has at most 8 MB, and its mechanism comes along
_BODY_SECONDS = 60.0  # for all of it to come
# The look of the report's page, and the scripts that draw its charts, are the app's too.
_OF_THE_REPORT = ("page.css", "chart.js", "scale.js", "exploring.js")


def application(opened: Opened, pool: WorkerPool, token: str, port: int) -> ASGIApp:
    """The app on a file, for whoever has the token."""
    return Orderly(Guard(Routes(opened, pool).app, token, port))


class Routes:
    """What there is to ask for, and what all of it shares."""

    def __init__(self, opened: Opened, pool: WorkerPool) -> None:
        self._opened, self._desk = opened, pool
        self._beside = None if opened.beside is None else str(opened.beside)
        self._files = _static_files()
        routes = [
            Route("/", self._page),
            Route("/static/palette.css", _palette),
            Route("/static/{name:path}", self._static),
            Route("/api/start", self._start),
            Route("/api/ask", self._ask, methods=["POST"]),
            Route("/api/save", self._save, methods=["POST"]),
        ]
        self.app = Starlette(routes=routes, lifespan=self._lifespan)
        self.app.router.redirect_slashes = False

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        await self._desk.start()
        yield
        await self._desk.stop()

    async def _page(self, _: Request) -> Response:
        return FileResponse(self._files["index.html"])

    async def _static(self, request: Request) -> Response:
        """Only what is in the list: a name is never put together to a path."""
        found = self._files.get(request.path_params["name"])
        if found is None:
            return PlainTextResponse("There is no such file.", 404)
        kind, _ = mimetypes.guess_type(found.name)
        if found.suffix == ".js":
            kind = "text/javascript"  # whatever this machine's registry says
        return FileResponse(found, media_type=kind)

    def _start(self, _: Request) -> Response:
        """Everything that the page needs to begin; drafts also where the file cannot be read."""
        path, wrong = self._opened.path, None
        try:
            text, stamp = self._opened.read()
        except CoveyError as error:
            text, stamp = first_example(), None
            wrong = f"{path.name if path else 'the example'}: {error.message}"
        return JSONResponse(
            {
                "version": __version__,
                "file": None if path is None else path.name,
                "place": self._opened.place,
                "seal": draft_key(self._opened.place),
                "text": text,
                "writable": self._opened.writable,
                "stamp": stamp,
                "wrong": wrong,
                "examples": examples(),
            }
        )

    async def _ask(self, request: Request) -> Response:
        try:
            question = await _json(request)
        except (TooLongError, InputError) as error:
            return _unreadable(error)
        question["beside"] = self._beside
        lines = self._desk.answer(str(question.pop("tab", "")), question)
        return Streamed(lines, "application/x-ndjson")

    async def _save(self, request: Request) -> Response:
        try:
            body = await _json(request)
        except (TooLongError, InputError) as error:
            return _unreadable(error)
        if not isinstance(body.get("text"), str):
            return JSONResponse({"message": "text: that of a scenario file is expected"}, 400)
        question = {"question": "check", "text": body["text"], "beside": self._beside}
        # Under a name of its own: a save must not be called off by the next one.
        async for line in self._desk.answer(f"save {secrets.token_hex(8)}", question):
            answer = json.loads(line)
            if "error" in answer:
                return JSONResponse(answer["error"], 400)
        try:
            stamp = await run_in_threadpool(self._opened.save, body["text"], body.get("stamp"))
        except ChangedError as error:
            return _refused(error, 409)
        except CoveyError as error:
            return _refused(error, 400)
        return JSONResponse({"stamp": stamp})


def _palette(_: Request) -> Response:
    """The colours, light and dark, as variables."""
    from covey.report.page.themed import THEMES  # noqa: PLC0415  (loads matplotlib)

    return Response(THEMES, media_type="text/css")


async def _json(request: Request) -> dict[str, Any]:
    """The object that was sent; `InputError` where it is none."""
    try:
        body = await body_of(request, MAX_BODY, _BODY_SECONDS)
    except TimeoutError:
        raise TooLongError("this takes too long to come") from None
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise InputError("application/json is expected")
    found = await run_in_threadpool(read_json, body)
    if not isinstance(found, dict):
        raise InputError("an object is expected")
    return found


def _unreadable(error: Exception) -> Response:
    if isinstance(error, TooLongError):
        return PlainTextResponse("This is too long.", 413)
    return JSONResponse({"message": f"not a question: {error}"}, 400)


def _refused(error: CoveyError, status: int) -> Response:
    return JSONResponse({"message": error.message, "line": error.line, "key": error.key}, status)


def _static_files() -> Mapping[str, Path]:
    """Every file that a browser may have, by its name."""
    found: dict[str, Path] = {}
    for folder, names in (("covey.app", None), ("covey.report.page", _OF_THE_REPORT)):
        with as_file(files(folder)) as path:
            if names is None:
                inside = (p for p in (path / "static").rglob("*") if p.is_file())
                found |= {p.relative_to(path / "static").as_posix(): p for p in inside}
            else:
                found |= {name: path / name for name in names}
    return found
