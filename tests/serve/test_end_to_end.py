"""From robots that speak VDA 5050, through a broker, to what is published.

What is published has the stand-in's distribution whether it is coupled or not; that it is coupled
shows in how near it stays to the truth, which the robots write down.
"""

from __future__ import annotations

import csv
import json
import math
import re
import socket
import subprocess
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from scipy.stats import chisquare

import covey
from covey.serve.feed_clock import FeedClock
from tests.cli.command import covey as run
from tests.serve.mosquitto import Mosquitto
from tests.serve.running_feed import TOKEN, RunningFeed

pytestmark = pytest.mark.slow  # robots move for a while

HERE = Path(__file__).parents[2] / "examples" / "serve"
SPEED = 20  # times as fast as the example, whose minutes last a second
REFERENCE = {"carrier": 5, "picker": 5}
EVERY, DELAY = 0.1, 0.5
APART = 5  # publications: after so many the stand-in has forgotten where it was


@pytest.fixture
def robots(tmp_path: Path, broker: Mosquitto) -> Iterator[Path]:
    """Where the robots write down the truth."""
    truth = tmp_path / "truth.csv"
    arguments = ["--port", broker.port, "--speed", 60 * SPEED, "--seed", 7, "--garbage"]
    command = [sys.executable, HERE / "robots.py", *arguments]
    with truth.open("wb") as stream:
        process = subprocess.Popen(list(map(str, command)), stdout=stream)
    yield truth
    process.kill()
    process.wait()


def test_a_day_of_a_feed(tmp_path: Path, broker: Mosquitto, robots: Path) -> None:
    reference = ",".join(f"{name}={count}" for name, count in REFERENCE.items())
    fleet = tmp_path / "fleet.toml"
    fleet.write_text(_faster((HERE / "warehouse.toml").read_text()))
    made = run("protect", fleet, "--stand-in", reference, "-o", tmp_path / "s.json", "--json")
    expected_loss = made.json["loss"]
    feed = RunningFeed(
        tmp_path, "s.json", "--scenario", fleet, "--every", EVERY, "--delay", DELAY,
        "--together", 0.005, "--mqtt", f"mqtt://127.0.0.1:{broker.port}/uagv/v2/+/+/state",
        "--publish-mqtt", f"mqtt://127.0.0.1:{broker.port}/covey/now", "--history", 100_000,
    )  # fmt: skip
    with _reader_that_does_not_read(feed):
        feed.wait_for(lambda: len(feed.history()) >= 60)
        _flood(broker)
        feed.wait_for(lambda: len(feed.history()) >= 120)
        before = feed.history()
        feed.kill()  # in the middle
    feed.start()
    feed.wait_for(lambda: len(feed.history()) >= len(before) + 150)
    assert json.loads(_retained(broker))["moment"] >= before[-1]["moment"]
    assert feed.metric('covey_refused_total{reason="not JSON"}') > 0
    found = feed.history()
    said = feed.stop()
    assert feed.process.returncode == 0, said

    moments = [one["moment"] for one in found]
    assert moments == sorted(set(moments))
    kept = {one["moment"]: one for one in found}
    same = [kept[one["moment"]] == one for one in before if one["moment"] in kept]
    assert all(same)
    clock = FeedClock(0.0, EVERY, 1.0, DELAY)
    ahead = math.ceil((clock.due(0) - clock.cut(0)) / EVERY)  # values that are made and not shown
    assert len(same) >= len(before) - ahead - 1  # one at most where they are further apart
    _has_the_reference_s_distribution(found, fleet)
    assert _loss(found, robots) < 0.4 * _loss_of_strangers(found, robots) + 0.6 * expected_loss
    assert not any(word in said for word in ("acme", TOKEN))


def _faster(text: str) -> str:
    """The scenario with every rate so many times as high."""
    rates = re.compile(r"^(\w+ = )(0\.\d+)$", re.M)
    return rates.sub(lambda rate: f"{rate[1]}{float(rate[2]) * SPEED:g}", text)


def _has_the_reference_s_distribution(found: list[dict[str, Any]], fleet: Path) -> None:
    scenario = covey.load(fleet).with_(team=covey.Team(REFERENCE, {"dock": 3}))
    distribution = covey.distribution(scenario)
    names = list(distribution.names)
    expected = {
        tuple(int(n) for n in outcome): float(p)
        for outcome, p in zip(distribution.outcomes, distribution.probabilities, strict=True)
    }
    seen = Counter(tuple(one["published"][name] for name in names) for one in found[::APART])
    assert set(seen) <= set(expected)
    total = seen.total()
    rare = [outcome for outcome, p in expected.items() if p * total < 5]
    often = [outcome for outcome in expected if outcome not in rare]
    observed = [seen[o] for o in often] + [sum(seen[o] for o in rare)]
    hoped = [expected[o] * total for o in often] + [sum(expected[o] for o in rare) * total]
    assert chisquare(observed, hoped).pvalue > 1e-6, (observed, hoped)


def _truth(robots: Path) -> tuple[list[float], list[list[int]]]:
    with robots.open() as stream:
        rows = [row for row in csv.reader(stream) if len(row) == 4]
    return [float(row[0]) for row in rows], [[int(n) for n in row[1:]] for row in rows]


def _loss(found: list[dict[str, Any]], robots: Path, shift: float = 0.0) -> float:
    """How many robots what is published is off the truth, on average."""
    times, counts = _truth(robots)
    off: list[int] = []
    for one in found:
        when = datetime.fromisoformat(one["time"]).timestamp() + shift
        place = bisect_right(times, when) - 1
        if place >= 0 and when < times[-1]:
            published = list(one["published"].values())
            off.append(sum(abs(a - b) for a, b in zip(counts[place], published, strict=True)))
    return sum(off) / len(off)


def _loss_of_strangers(found: list[dict[str, Any]], robots: Path) -> float:
    """The same against the truth of other times, with which nothing is coupled."""
    return sum(_loss(found, robots, shift) for shift in (-4.0, -3.0, -2.0)) / 3


def _retained(broker: Mosquitto) -> bytes:
    found: list[bytes] = []
    client = mqtt.Client(CallbackAPIVersion.VERSION2)
    client.on_message = lambda *message: found.append(message[-1].payload)
    client.connect("127.0.0.1", broker.port)
    client.subscribe("covey/now", 1)
    while not found:
        client.loop(0.1)
    client.disconnect()
    return found[0]


def _flood(broker: Mosquitto) -> None:
    """Thousands of messages at once, of robots that nobody knows."""
    client = mqtt.Client(CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    message = {"serialNumber": "x", "manufacturer": "z", "driving": True, "version": "2.0.0"}
    for i in range(3000):
        text = json.dumps(message | {"headerId": i, "timestamp": "2026-05-18T13:12:00Z"})
        last = client.publish("uagv/v2/z/x/state", text, qos=0)
    last.wait_for_publish(60)
    client.loop_stop()
    client.disconnect()


def _reader_that_does_not_read(feed: RunningFeed) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", feed.port))
    client.sendall(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
    return client
