"""When a value appears, and how large it is, does not depend on the team.

Two feeds of one stand-in run side by side: one hears a team that does hundreds of things a second,
the other one that stands still. How late their values arrive, as a client sees it, is compared, and how
long an answer takes.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ks_2samp

import covey
from covey.numbers import Floats
from tests.cli.command import PATIENCE
from tests.serve.running_feed import RunningFeed
from tests.serve.test_feed import FLEET
from tests.serve.test_serving import STATE

pytestmark = pytest.mark.slow  # two feeds run for a while

DELAY, MANY = 1.2, 300


def test_arrivals_of_two_teams_are_indistinguishable(tmp_path: Path) -> None:
    (tmp_path / "fleet.toml").write_text(FLEET)
    covey.stand_in(covey.load(tmp_path / "fleet.toml"), {"A": 1, "B": 2}).save(tmp_path / "s.json")
    lateness: list[list[float]] = [[], []]
    sizes: list[set[int]] = [set(), set()]
    feeds = [
        RunningFeed(
            tmp_path, "s.json", "--every", 0.05, "--delay", DELAY, "--together", 0, "--stdin",
            "--state", f"{name}.json", stdin=True,
        )
        for name in ("busy", "still")
    ]  # fmt: skip
    ended = threading.Event()
    work = [
        threading.Thread(target=_listen, args=(f, lateness[i], sizes[i]))
        for i, f in enumerate(feeds)
    ]
    work.append(threading.Thread(target=_move, args=(feeds[0], ended)))
    longer: list[float] = []
    work.append(threading.Thread(target=_ask, args=(feeds, longer, ended)))
    _tell(feeds[1], STATE % "null")
    for one in work:
        one.start()
    for one in work[:2]:
        one.join(PATIENCE)
    ended.set()
    for one in work[2:]:
        one.join(PATIENCE)
    assert feeds[0].metric('covey_messages_total{source="stdin"}') > 1000
    for feed in feeds:
        assert "ended" in feed.stop()  # while its standard input is still open
        assert feed.process.returncode == 0
    assert sizes[0] == sizes[1]
    # neighbours in time share what the machine is busy with: every other value is compared
    assert ks_2samp(lateness[0][::2], lateness[1][1::2]).pvalue > 1e-4
    assert len(longer) > 100
    assert _by_chance(np.array(longer)) > 1e-4


def _ask(feeds: list[RunningFeed], longer: list[float], ended: threading.Event) -> None:
    """By how much an answer of the first takes longer, in turns: each is asked first as often."""
    both = [http.client.HTTPConnection("127.0.0.1", f.port, timeout=PATIENCE) for f in feeds]
    took = [0.0, 0.0]
    while not ended.wait(0.01):
        for i in (0, 1) if len(longer) % 2 else (1, 0):
            begin = time.perf_counter()
            both[i].request("GET", "/now")
            both[i].getresponse().read()
            took[i] = time.perf_counter() - begin
        longer.append(took[0] - took[1])
    for one in both:
        one.close()


def _by_chance(longer: Floats) -> float:
    """How often the median would be so far from 0 if it did not matter who is asked.

    Then every difference could as well have the other sign: a permutation test within the pairs.
    """
    signs = np.random.default_rng(1).choice([-1.0, 1.0], size=(20_000, len(longer)))
    medians = np.abs(np.median(signs * longer, axis=1))
    return float((1 + (medians >= abs(np.median(longer))).sum()) / (1 + len(medians)))


def _tell(feed: RunningFeed, text: str) -> None:
    assert feed.process.stdin is not None
    feed.process.stdin.write(text)
    feed.process.stdin.flush()


def _move(feed: RunningFeed, ended: threading.Event) -> None:
    """A robot takes a resource and gives it back, hundreds of times a second."""
    _tell(feed, STATE % "null")
    while not ended.wait(0.01):
        _tell(feed, '{"reaction": "1"}\n{"reaction": "2"}\n' * 3)


def _listen(feed: RunningFeed, lateness: list[float], sizes: set[int]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", feed.port, timeout=PATIENCE)
    connection.request("GET", "/stream")
    answer = connection.getresponse()
    while len(lateness) < MANY:
        line = answer.readline()
        if line.startswith(b"data: "):
            found = json.loads(line[6:])
            due = datetime.fromisoformat(found["time"]).timestamp() + DELAY
            lateness.append(time.time() - due)
            sizes.add(len(json.dumps(found["published"])))
    connection.close()
