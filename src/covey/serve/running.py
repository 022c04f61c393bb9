"""Starts both processes of a feed, and ends both.

This process is the inside. It binds the socket, starts the outside with it, tells it all that it
needs through a pipe (the token too: neither arguments nor the environment show it), and hears the
fleet.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from typing import Any

from covey.errors import CoveyError, InputError
from covey.serve.broker import Broker, brokers, secret
from covey.serve.feed_clock import FeedClock
from covey.serve.frames import LONGEST, read_frame, write_frame
from covey.serve.inside.counters import StopError
from covey.serve.inside.feed import Feed, feed_of
from covey.serve.inside.lines import hear_standard_input, replay
from covey.serve.inside.vda5050 import hear_broker
from covey.serve.settings import Settings
from covey.serve.socket_address import listening_on

Say = Callable[[str], None]
_END = 5.0  # seconds that the outside may take to end
_SECRETS = ("COVEY_TOKEN", "COVEY_MQTT_PASSWORD", "COVEY_MQTT_USER")


def serve(settings: Settings, say: Say) -> None:
    """Hears and publishes until it is ended.

    Args:
        settings: What, where and how.
        say: Called with what is worth knowing; nothing of the team.
    """
    token = secret("COVEY_TOKEN", settings.token_file, "token")
    heard = brokers(settings.mqtt, settings)
    told = brokers((settings.publish_mqtt,) if settings.publish_mqtt else (), settings)
    with ExitStack() as stack:
        listening = stack.enter_context(listening_on(settings.listen))
        feed = stack.enter_context(feed_of(settings, say))
        running = _Running(settings, feed, heard, told, token, say)
        try:
            asyncio.run(running.run(listening))
        except* (StopError, CoveyError) as group:
            first: BaseException = group
            while isinstance(first, BaseExceptionGroup):
                first = first.exceptions[0]
            if isinstance(first, StopError):
                first = InputError(f"ended, as --stop-on-error asks: {first}")
            raise first from None


class _EndedError(Exception):
    """All is done, or somebody has ended it."""


@dataclass
class _Running:
    """A feed, while it runs."""

    settings: Settings
    feed: Feed
    heard: list[Broker]
    told: list[Broker]
    token: str | None
    say: Say
    _end: float | None = None  # of what is heard, in the unit of the model
    _published: int = -1
    _ready: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, listening: socket.socket) -> None:
        """Until the end."""
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        outside = await self._start(listening)
        to, of = outside.stdin, outside.stdout
        assert to is not None
        assert of is not None
        try:
            async with asyncio.TaskGroup() as tasks:
                for work in (self._wait_for(stop), self._hear_outside(to, of), *self._sources()):
                    tasks.create_task(work)
                tasks.create_task(self._publish(to, listening))
        except* _EndedError:
            self.say("ended")
        finally:
            to.close()
            try:
                async with asyncio.timeout(_END):
                    await outside.wait()
            except TimeoutError:  # it hangs
                outside.kill()
                await outside.wait()

    async def _start(self, listening: socket.socket) -> asyncio.subprocess.Process:
        environment = {k: v for k, v in os.environ.items() if k not in _SECRETS}
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "covey.serve.outside", stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, pass_fds=(listening.fileno(),), env=environment,
            limit=LONGEST,
        )  # fmt: skip

    def _hello(self, listening: socket.socket) -> dict[str, Any]:
        settings, feed = self.settings, self.feed
        return {
            "clock": asdict(feed.clock), "names": feed.mechanism.names,
            "title": settings.title, "stations": feed.stations, "history": settings.history,
            "recent": list(feed.ledger.recent), "spent": feed.ledger.spent,
            "most": feed.ledger.most, "token": self.token, "clients": settings.clients,
            "socket": listening.fileno(),
            "publish_mqtt": self.told[0].document() if self.told else None,
        }  # fmt: skip

    async def _wait_for(self, stop: asyncio.Event) -> None:
        await stop.wait()
        raise _EndedError

    async def _publish(self, to: asyncio.StreamWriter, listening: socket.socket) -> None:
        ticker = self.feed.ticker
        write_frame(to, self._hello(listening))
        await self._ready.wait()
        first = ticker.first
        write_frame(to, {"first": first})
        last = await ticker.run(first, lambda frame: write_frame(to, frame), lambda: self._end)
        while self._published < last:
            await asyncio.sleep(0.02)
        self.say("all was heard that there is")
        raise _EndedError

    async def _hear_outside(self, to: asyncio.StreamWriter, of: asyncio.StreamReader) -> None:
        while (frame := await read_frame(of)) is not None:
            if "post" in frame:
                write_frame(to, {"answer": frame["post"], **self.feed.hearing.post(frame["body"])})
            elif "published" in frame:
                self._published = frame["published"]
                if frame["counts"] is not None:
                    self.feed.ledger.confirm(self._published, frame["counts"])
            else:
                self._ready.set()
                host, port = frame["ready"][:2]
                self.say(f"publishes at http://{f'[{host}]' if ':' in host else host}:{port}/")
        raise InputError(
            "the process that publishes has ended; if it could say why, that is above. Started "
            "again, covey goes on with the next moment"
        )

    def _sources(self) -> list[Coroutine[Any, Any, None]]:
        hearing = self.feed.hearing
        found = [hear_broker(one, hearing, self.say) for one in self.heard]
        if self.settings.stdin:
            found.append(self._hear_stdin())
        if self.settings.replay is not None:
            found.append(self._replay(self.settings.replay))
        return found

    async def _hear_stdin(self) -> None:
        hearing = self.feed.hearing
        await hear_standard_input(hearing.taker("stdin"), hearing.refuse)
        self._end = self.feed.now()

    async def _replay(self, path: str) -> None:
        hearing = self.feed.hearing
        clock: FeedClock = self.feed.clock
        self._end = await replay(path, clock, hearing.taker("replay"), hearing.refuse)
