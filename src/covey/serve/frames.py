"""What the two processes say to each other: objects of JSON, a line each, through a pipe."""

from __future__ import annotations

import asyncio
import json
from typing import Any

LONGEST = 16_000_000  # bytes of a line: a body that was posted, with every byte escaped


async def read_frame(stream: asyncio.StreamReader) -> dict[str, Any] | None:
    """The next one; None where the other process has ended.

    Args:
        stream: The pipe's end.
    """
    try:
        line = await stream.readline()
    except (ValueError, ConnectionError):
        return None
    if not line.endswith(b"\n"):
        return None
    found: dict[str, Any] = json.loads(line)
    return found


def write_frame(stream: asyncio.StreamWriter, frame: dict[str, Any]) -> None:
    """Sends one; it is gone where the other process has ended, which the reader notices.

    Args:
        stream: The pipe's end.
        frame: What is said.
    """
    if not stream.is_closing():
        stream.write(json.dumps(frame).encode() + b"\n")
