"""What the fleet posts is passed on to the inside, which alone reads it; nothing stays here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any

from starlette.requests import Request

from covey.web.orderly import body_of

MOST_BYTES = 1_000_000  # of a body
SECONDS = 30.0  # for a body to come
AT_ONCE = 16  # posts on their way


class Posts:
    """Posts on their way.

    Args:
        pass_on: Called with a frame for the inside.
    """

    def __init__(self, pass_on: Callable[[dict[str, Any]], None]) -> None:
        self._pass_on = pass_on
        self._numbers = count()
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def take(self, request: Request) -> dict[str, Any]:
        """What the inside says of a post: how many lines were taken and refused.

        Args:
            request: Its body is lines of JSON.
        """
        async with self._turn:
            body = await body_of(request, MOST_BYTES, SECONDS)
            number = next(self._numbers)
            answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
            self._waiting[number] = answer
            try:
                self._pass_on({"post": number, "body": body.decode("utf-8", "replace")})
                return await answer
            finally:
                del self._waiting[number]

    def answer(self, frame: dict[str, Any]) -> None:
        """The inside has answered.

        Args:
            frame: With the number of the post.
        """
        waiting = self._waiting.get(frame.pop("answer"))
        if waiting is not None and not waiting.done():
            waiting.set_result(frame)
