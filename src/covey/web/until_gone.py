"""Answers that go on for as long as somebody reads them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any


async def until_gone(
    sending: Coroutine[Any, Any, None], receive: Callable[[], Awaitable[Any]]
) -> None:
    """Sends until all is sent, or whoever asked has gone, which ends the work at once.

    Args:
        sending: Sends.
        receive: What the server says of the connection (ASGI).
    """
    tasks = [asyncio.ensure_future(sending), asyncio.ensure_future(_gone(receive))]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _gone(receive: Callable[[], Awaitable[Any]]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
