"""A live feed under load: a thousand clients, a thousand messages a second, and what can be timed.

The real command, with a real broker (mosquitto). A process of its own says a thousand state
messages a second; this one listens with a thousand connections and notes when each value arrives.
Then two feeds of one stand-in run side by side, one for a team that does hundreds of things a
second and one for a team that stands still: could an observer tell them apart by when values
arrive?
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from datetime import datetime
from pathlib import Path

import numpy as np
import psutil

import covey
from benchmarks.timing import markdown

AGAINST = "no other program; a live feed under load"
CLIENTS, MESSAGES = 1000, 1000
SECONDS = float(os.environ.get("COVEY_BENCH_SECONDS", "60"))
BLOCKS, BLOCK = int(os.environ.get("COVEY_BENCH_BLOCKS", "15")), 4.0  # 2,000 values of each
DELAY = 2.0
EXAMPLE = Path(__file__).parents[1] / "examples" / "serve"
FLOOD = """
import json, sys, time
from datetime import UTC, datetime
import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
client = mqtt.Client(CallbackAPIVersion.VERSION2)
client.connect("127.0.0.1", int(sys.argv[1]))
client.loop_start()
robots = [f"c{i}" for i in range(6)] + [f"p{i}" for i in range(4)]
begin, sent = time.time(), 0
while True:
    while sent < (time.time() - begin) * float(sys.argv[2]):
        name = robots[sent % 10]
        when = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        client.publish(f"uagv/v2/acme/{name}/state", json.dumps({
            "headerId": sent, "timestamp": when, "version": "2.1.0", "manufacturer": "acme",
            "serialNumber": name, "orderId": "", "nodeStates": [], "edgeStates": [],
            "actionStates": [], "driving": sent // 10 % 2 == 0, "operatingMode": "AUTOMATIC",
            "errors": [], "batteryState": {"batteryCharge": 80, "charging": False}}), qos=0)
        sent += 1
    time.sleep(0.002)
"""


def run() -> str:
    program = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin")
    if program is None:
        return "mosquitto is not installed: nothing was measured."
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = covey.stand_in(covey.load(EXAMPLE / "warehouse.toml"), {"carrier": 5, "picker": 5})
        made.save(folder / "s.json")
        broker = subprocess.Popen(
            [program, "-p", "18860"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            text = under_load(folder)
        finally:
            broker.terminate()
            broker.wait()
        return f"{text}\n\n{told_apart(folder)}"


class Feed:
    """`covey serve`, while it runs."""

    def __init__(self, folder: Path, port: int, *arguments: str, stdin: bool = False) -> None:
        (folder / "token").write_text("t")
        self.port = port
        command = [sys.executable, "-m", "covey", "serve", "s.json", "--listen"]
        self.process = subprocess.Popen(
            [*command, f"127.0.0.1:{port}", "--token-file", "token", *arguments],
            cwd=folder, stderr=subprocess.DEVNULL,
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
        )  # fmt: skip
        while self.process.poll() is None:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/now", timeout=5).close()
                return
            except OSError:
                time.sleep(0.2)
        raise RuntimeError("covey serve ended")

    def metric(self, name: str) -> float:
        """The sum of a metric over its labels."""
        asked = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/metrics", headers={"Authorization": "Bearer t"}
        )
        with urllib.request.urlopen(asked, timeout=30) as answer:
            found = re.findall(rf"^{name}(?:{{.*}})? (\S+)$", answer.read().decode(), re.M)
        return sum(map(float, found))

    def processes(self) -> list[psutil.Process]:
        """The inside and the outside."""
        inside = psutil.Process(self.process.pid)
        return [inside, *inside.children()]

    def stop(self) -> None:
        """Ends it."""
        self.process.terminate()
        self.process.wait()


def under_load(folder: Path) -> str:
    feed = Feed(
        folder, 18861, "--scenario", str(EXAMPLE / "warehouse.toml"), "--every", "1", "--mqtt",
        "mqtt://127.0.0.1:18860/uagv/v2/+/+/state",
    )  # fmt: skip
    flood = subprocess.Popen([sys.executable, "-c", FLOOD, "18860", str(MESSAGES)])
    try:
        before: list[float] = []
        counted = time.time(), feed.metric("covey_messages_total")
        late = asyncio.run(listen(feed, before))
        heard = (feed.metric("covey_messages_total") - counted[1]) / (time.time() - counted[0])
        both = feed.processes()
        after = [one.memory_info().rss / 1e6 for one in both]
        busy = [sum(one.cpu_times()[:2]) for one in both]
        alive = time.time() - both[0].create_time()
        repeated = feed.metric("covey_repeated_total")
    finally:
        flood.terminate()
        flood.wait()
        feed.stop()
    values = sorted(late)
    rows = [
        ["clients on `/stream`", f"{CLIENTS:,}"],
        ["messages a second, offered and heard", f"{MESSAGES:,} and {heard:,.0f}"],
        ["seconds", f"{SECONDS:,.0f}"],
        ["values that arrived", f"{len(values):,}"],
        ["too late by, median", f"{1e3 * statistics.median(values):.0f} ms"],
        ["99 of 100 by at most", f"{1e3 * values[int(0.99 * len(values))]:.0f} ms"],
        ["values not ready in time", f"{repeated:.0f}"],
    ]
    for i, name in enumerate(("inside", "outside")):
        rows.append([f"memory {name}, after a quarter and at the end",
                     f"{before[i]:.0f} and {after[i]:.0f} MB"])  # fmt: skip
        rows.append([f"processor {name}", f"{100 * busy[i] / alive:.0f}% of a core"])
    return markdown(["a feed under load", ""], rows)


async def listen(feed: Feed, memory: list[float]) -> list[float]:
    """How late each value was, for every client."""
    late: list[float] = []
    until = time.time() + SECONDS
    clients = [asyncio.create_task(client(feed.port, late, until)) for _ in range(CLIENTS)]
    await asyncio.sleep(SECONDS / 4)
    memory += [one.memory_info().rss / 1e6 for one in feed.processes()]
    await asyncio.gather(*clients)
    return late


async def client(port: int, late: list[float], until: float) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
    seen = 0
    while time.time() < until:
        line = await reader.readline()
        arrived = time.time()
        if not line:
            raise RuntimeError("a client was dropped")
        if line.startswith(b"data: "):
            due = datetime.fromisoformat(json.loads(line[6:])["time"]).timestamp() + DELAY
            seen += 1
            if seen > 1:  # the first is what was published before it came
                late.append(arrived - due)
    writer.close()


def told_apart(folder: Path) -> str:
    """Two feeds, one stand-in: what the times of arrival tell of who is busy.

    Which of the two teams moves is drawn anew for every block. Were it without effect, the
    difference of both feeds' medians would not depend on that draw: a test by permutations, which
    supposes nothing of how the machine's other work comes and goes.
    """
    options = ("--every", "0.02", "--delay", "1", "--together", "0", "--stdin", "--history", "50")
    feeds = [Feed(folder, 18862 + i, *options, "--state", f"{i}.json", stdin=True) for i in (0, 1)]
    state = json.dumps({"state": {"{carrier}": 6, "{picker}": 4, "{dock}": 3}}) + "\n"
    draws = random.Random(1)
    moving: list[int] = []  # which team, block by block
    late: list[list[list[float]]] = [[], []]  # of either feed, block by block

    async def move() -> None:
        for _ in range(BLOCKS):
            moving.append(draws.randrange(2))
            for found in late:
                found.append([])
            until = time.time() + BLOCK
            while time.time() < until:
                tell(feeds[moving[-1]], '{"reaction": "1"}\n{"reaction": "2"}\n' * 3)
                await asyncio.sleep(0.02)

    async def both() -> None:
        listening = [asyncio.create_task(arrivals(f.port, late[i])) for i, f in enumerate(feeds)]
        await move()
        for one in listening:
            one.cancel()
        await asyncio.gather(*listening, return_exceptions=True)

    try:
        for feed in feeds:
            tell(feed, state)
        asyncio.run(both())
        repeated = sum(feed.metric("covey_repeated_total") for feed in feeds)
    finally:
        for feed in feeds:
            feed.stop()
    return _compared(moving, late, repeated)


def _compared(moving: list[int], late: list[list[list[float]]], repeated: float) -> str:
    # what was told in a block is published about a second later
    settled = [[block[len(block) // 3 :] for block in found] for found in late]
    sides: tuple[list[float], list[float]] = [], []
    for i, found in enumerate(settled):
        for which, block in zip(moving, found, strict=True):
            sides[which != i].extend(block)
    differences = np.array([
        statistics.median(a) - statistics.median(b) for a, b in zip(*settled, strict=True)
    ])  # fmt: skip
    signs = 1 - 2 * np.array(moving)
    measured = abs((signs * differences).mean())
    lots = np.random.default_rng(1).choice([-1, 1], size=(20_000, len(signs)))
    p = float((np.abs((lots * differences).mean(axis=1)) >= measured).mean())
    rows = [
        [name, f"{len(side):,}", f"{1e3 * statistics.median(side):.2f} ms",
         f"{1e3 * sorted(side)[int(0.99 * len(side))]:.1f} ms"]
        for name, side in zip(("300 events a second", "none"), sides, strict=True)
    ]  # fmt: skip
    table = markdown(["the team does", "values", "late by, median", "99 of 100"], rows)
    return (
        f"{table}\n\nWhich team moved was drawn for each of {BLOCKS} blocks of {BLOCK:g} seconds. "
        f"The busy one's values came {1e3 * measured:.3f} ms earlier or later in the median; by "
        f"permutations p = {p:.2f}. {repeated:.0f} values were not ready in time."
    )


def tell(feed: Feed, text: str) -> None:
    assert feed.process.stdin is not None
    feed.process.stdin.write(text.encode())
    feed.process.stdin.flush()


async def arrivals(port: int, late: list[list[float]]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
    try:
        while line := await reader.readline():
            if line.startswith(b"data: ") and late:
                found = json.loads(line[6:])
                due = datetime.fromisoformat(found["time"]).timestamp() + 1
                late[-1].append(time.time() - due)
    finally:
        writer.close()
