"""A worker as the pool has it: a process that answers one question at a time and can be stopped."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any

from covey.app.answering import MEMORY
from covey.dynamics.threads import core_count
from covey.executors import worker_command

_LONGEST_LINE = 1 << 27  # bytes: a report is one line
HEARS = 1.5  # seconds for a worker to hear that a question was called off

Key = tuple[str, str]  # the tab, and the question


class WorkerEndedError(Exception):
    """A worker is gone in the middle of an answer."""


class Worker:
    """A process that answers one question at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._number = 0
        self.answering = False
        self.last: Key | None = None

    @classmethod
    async def start(cls, memory: int) -> Worker:
        """A new one; it takes questions at once, and is ready for the first in a second or two."""
        command, environment = worker_command("covey.app.answering", core_count())
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=environment | {MEMORY: str(memory)},
            limit=_LONGEST_LINE,
            start_new_session=True,  # Ctrl-C is for the server alone
        )
        return cls(process)

    @property
    def alive(self) -> bool:
        """Whether the process has not ended, as far as is known."""
        return self._process.returncode is None

    async def ask(self, question: Mapping[str, Any]) -> AsyncIterator[bytes]:
        """The lines of the answer, as they come."""
        self._number += 1
        self.answering = True
        # Whoever asks may not call off what others will ask: that word is the pool's own.
        asked = {name: value for name, value in question.items() if name != "stop"}
        await self._tell(asked | {"number": self._number})
        async for line in self._lines():
            yield line

    async def _lines(self) -> AsyncIterator[bytes]:
        assert self._process.stdout is not None
        while self.answering:
            try:
                line = await self._process.stdout.readline()
            except ValueError:  # longer than any line may be
                line = b""
            if not line:
                raise WorkerEndedError
            self.answering = not line.startswith(b'{"done"')
            yield line

    async def stop(self) -> bool:
        """Calls off the question; whether the worker has heard it in time."""
        with suppress(TimeoutError, WorkerEndedError):
            async with asyncio.timeout(HEARS):
                await self._tell({"stop": self._number})
                async for _ in self._lines():
                    pass
        return not self.answering

    async def end(self) -> None:
        """Ends the process, whatever it is at."""
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.communicate()

    async def _tell(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode("ascii") + b"\n")
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise WorkerEndedError from None
