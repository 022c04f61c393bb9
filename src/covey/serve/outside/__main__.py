"""The process that faces the public; `covey serve` starts it, and it ends with it."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys

from covey.serve.broker import Broker
from covey.serve.feed_clock import FeedClock
from covey.serve.frames import LONGEST, read_frame, write_frame
from covey.serve.outside.board import Board, Publication
from covey.serve.outside.connections import server
from covey.serve.outside.mqtt import publish_to
from covey.serve.outside.posting import Posts
from covey.serve.outside.routes import Routes
from covey.serve.outside.ticker import Ticker
from covey.web.connection_limits import most_connections


async def _main() -> None:
    reader, writer = await _pipes()
    hello = await read_frame(reader)
    if hello is None:
        return
    clock = FeedClock(**hello["clock"])
    board = Board(hello, clock)
    posts = Posts(lambda frame: write_frame(writer, frame))

    def confirm(moment: int, one: Publication | None) -> None:
        write_frame(writer, {"published": moment, "counts": None if one is None else one.counts})

    ticker = Ticker(clock, board, confirm)
    routes = Routes(board, posts, hello["token"])
    serving = server(routes.app, board, _room(hello["clients"]))
    listening = socket.socket(fileno=hello["socket"])
    tasks = [asyncio.create_task(serving.serve(sockets=[listening]))]
    if hello["publish_mqtt"] is not None:
        tasks.append(asyncio.create_task(publish_to(Broker.read(hello["publish_mqtt"]), board)))
    write_frame(writer, {"ready": listening.getsockname()})
    hearing = asyncio.create_task(_hear(reader, ticker, posts))
    tasks.append(asyncio.create_task(ticker.run()))
    done, _ = await asyncio.wait([*tasks, hearing], return_when=asyncio.FIRST_COMPLETED)
    board.end()
    serving.should_exit = True
    for task in tasks[1:]:
        task.cancel()
    await asyncio.wait(tasks, timeout=3)
    for task in done:
        task.result()


def _room(clients: int) -> int:
    """So many connections, or as many as this process may have; fewer are told."""
    most = most_connections(clients, each=1)
    if most < clients:
        print(
            f"covey: at most {most:,} connections at once, and not the {clients:,} of --clients: "
            "this process may open no more files (ulimit -n)",
            file=sys.stderr,
        )
    return most


async def _hear(reader: asyncio.StreamReader, ticker: Ticker, posts: Posts) -> None:
    while (frame := await read_frame(reader)) is not None:
        if "answer" in frame:
            posts.answer(frame)
        else:
            ticker.take(frame)


async def _pipes() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LONGEST)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    transport, protocol = await loop.connect_write_pipe(
        asyncio.streams.FlowControlMixin, sys.stdout
    )
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the inside ends it
    asyncio.run(_main())
