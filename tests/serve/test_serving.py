"""`covey serve` as a process: what it answers, to whom, and how it ends."""

from __future__ import annotations

import http.client
import json
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

import covey
from tests.cli.command import PATIENCE
from tests.serve.running_feed import TOKEN, RunningFeed
from tests.serve.test_feed import FLEET

pytestmark = pytest.mark.slow  # starts processes

QUICK = ("--every", "0.1", "--delay", "0.4", "--together", "0")
STATE = '{"time": %s, "state": {"{A}": 2, "{B}": 1, "{R}": 2}}\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("served")
    (found / "fleet.toml").write_text(FLEET)
    covey.stand_in(covey.load(found / "fleet.toml"), {"A": 1, "B": 2}).save(found / "s.json")
    return found


@pytest.fixture(scope="module")
def feed(folder: Path) -> Iterator[RunningFeed]:
    running = RunningFeed(
        folder, "s.json", *QUICK, "--state", "shared.json", "--station", "31=busy", "--station", "7=free"
    )  # fmt: skip
    running.wait_for(lambda: len(running.history()) >= 3)
    yield running
    running.stop()


def test_what_was_published_last(feed: RunningFeed) -> None:
    status, text = feed.ask("/now")
    now = json.loads(text)
    assert status == 200
    assert set(now) == {"moment", "time", "published"}
    assert sum(now["published"].values()) == 3  # robots of the reference
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", now["time"])


def test_what_was_published_since(feed: RunningFeed) -> None:
    history = feed.history()
    assert [one["moment"] for one in history] == sorted({one["moment"] for one in history})
    since = history[1]["time"]
    found = json.loads(feed.ask(f"/history?since={since}")[1])["history"]
    assert found[0] == history[1]
    assert json.loads(feed.ask("/history?since=9999999999")[1]) == {"history": []}
    assert feed.ask("/history?since=yesterday")[0] == 400


def test_a_stream_goes_on_from_where_its_client_was(feed: RunningFeed) -> None:
    first = feed.history()[0]["moment"]
    connection = http.client.HTTPConnection("127.0.0.1", feed.port, timeout=PATIENCE)
    connection.request("GET", "/stream", headers={"Last-Event-ID": str(first)})
    answer = connection.getresponse()
    assert answer.getheader("content-type", "").startswith("text/event-stream")
    moments: list[int] = []
    while len(moments) < 6:
        line = answer.readline().decode()
        if line.startswith("data: "):
            moments.append(json.loads(line[6:])["moment"])
    connection.close()
    assert moments == list(range(first + 1, first + 7))


def test_stations(feed: RunningFeed) -> None:
    found = json.loads(feed.ask("/station_status.json")[1])
    stations = found["data"]["stations"]
    assert found["version"] == "3.0"
    assert [one["station_id"] for one in stations] == ["31", "7"]
    assert sum(one["num_vehicles_available"] for one in stations) == 3


def test_what_everybody_may_know_of_the_metrics(feed: RunningFeed) -> None:
    public = feed.ask("/metrics")[1]
    names = set(re.findall(r"^covey_(\w+?)(?:_total|_created)?[ {]", public, re.M))
    assert names == {"published", "moment_timestamp_seconds", "publications", "spent"}
    private = feed.ask("/metrics", token=TOKEN)[1]
    assert "covey_team_known" in private
    assert "covey_published" in private
    for wrong in ("", "x", TOKEN + "x", "ü"):
        assert feed.ask("/metrics", token=wrong)[0] == 401


def test_posts_need_the_token_and_say_what_was_taken(feed: RunningFeed) -> None:
    body = STATE % "null" + '{"reaction": "1"}\n'
    assert feed.ask("/events", body=body)[0] == 401
    assert feed.ask("/events", body=body, token="x")[0] == 401
    status, text = feed.ask("/states", body=body, token=TOKEN)
    assert (status, json.loads(text)) == (202, {"taken": 2, "refused": 0})
    feed.wait_for(lambda: feed.metric("covey_team_known") == 1)
    status, text = feed.ask("/events", body='{"reaction": "1"}\n{garbage\n', token=TOKEN)
    assert (status, json.loads(text)) == (400, {"taken": 1, "refused": 1})
    feed.wait_for(lambda: feed.metric("covey_team_known") == 0)
    assert feed.metric('covey_refused_total{reason="not JSON"}') == 1


def test_a_body_that_is_too_long(feed: RunningFeed) -> None:
    assert feed.ask("/events", body="x" * 1_000_001, token=TOKEN)[0] == 413
    assert feed.ask("/now", body="x")[0] == 405


def test_the_page_may_load_nothing_from_elsewhere(feed: RunningFeed) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", feed.port, timeout=PATIENCE)
    for path in ("/", "/static/feed.js", "/now"):
        connection.request("GET", path)
        answer = connection.getresponse()
        assert answer.status == 200
        assert "default-src 'none'" in answer.getheader("content-security-policy", "")
        assert answer.getheader("server") is None
        answer.read()
    connection.close()
    assert feed.ask("/static/../settings.py")[0] == 404
    assert feed.ask("/healthz") == (200, "ok\n")


def test_no_list_of_processes_has_a_secret(feed: RunningFeed) -> None:
    process = Path("/proc") / str(feed.process.pid)
    children = (process / "task" / str(feed.process.pid) / "children").read_text().split()
    assert len(children) == 1
    for one in (process, Path("/proc") / children[0]):
        for name in ("cmdline", "environ"):
            assert TOKEN.encode() not in (one / name).read_bytes()


def test_two_cannot_have_one_ledger(feed: RunningFeed) -> None:
    command = ["serve", "s.json", *QUICK, "--state", "shared.json", "--listen", "127.0.0.1:0"]
    done = subprocess.run(
        [sys.executable, "-m", "covey", *command], cwd=feed.folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "another covey is at work on this" in done.stderr


def test_a_port_that_is_taken_is_said(feed: RunningFeed) -> None:
    command = ["serve", "s.json", *QUICK, "--listen", f"127.0.0.1:{feed.port}"]
    done = subprocess.run(
        [sys.executable, "-m", "covey", *command], cwd=feed.folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "another program has it" in done.stderr


def test_standard_input_is_heard_to_its_end(folder: Path) -> None:
    feed = RunningFeed(
        folder, "s.json", *QUICK, "--stdin", "--state", "stdin.json", "--trusting-log",
        "heard.jsonl", stdin=True,
    )  # fmt: skip
    assert feed.process.stdin is not None
    feed.process.stdin.write(STATE % "null" + '{"reaction": "2"}\n{"reaction": "1"}\n')
    feed.process.stdin.flush()
    feed.wait_for(lambda: feed.metric('covey_messages_total{source="stdin"}') == 3)
    said = feed.rest()
    assert feed.process.returncode == 0
    assert "all was heard that there is" in said
    log = folder / "heard.jsonl"
    assert [json.loads(line)["from"] for line in log.read_text().splitlines()] == ["stdin"] * 3
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_log_is_replayed_to_its_end(folder: Path) -> None:
    covey_ = [sys.executable, "-m", "covey"]
    subprocess.run(
        [*covey_, "simulate", "fleet.toml", "--until", "60", "--events", "-o", "log.csv", "-q"],
        cwd=folder, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    feed = RunningFeed(folder, "s.json", *QUICK, "--replay", "log.csv", "--speed", "20")
    feed.wait_for(lambda: feed.metric("covey_team_known") == 1)
    assert "all was heard that there is" in feed.rest()
    assert feed.process.returncode == 0
    assert not (folder / "s.state.json").exists()


def test_the_first_error_ends_it_where_that_is_asked(folder: Path) -> None:
    feed = RunningFeed(folder, "s.json", *QUICK, "--state", "stop.json", "--stop-on-error")
    feed.ask("/healthz")
    with suppress(http.client.HTTPException, OSError):  # it may end before it can answer
        feed.ask("/events", body="garbage", token=TOKEN)
    said = feed.rest()
    assert feed.process.returncode == 2
    assert "ended, as --stop-on-error asks" in said
    assert "garbage" not in said


def test_killed_at_any_moment_it_publishes_none_twice(folder: Path) -> None:
    options = ("--every", "1", "--delay", "0.4", "--together", "0", "--state", "killed.json")
    feed = RunningFeed(folder, "s.json", *options)
    seen: dict[int, object] = {}
    forgotten: set[int] = set()
    for pause in (1, 2, 3, 4):
        begin = len(seen)
        feed.wait_for(lambda: len(_noted(feed, seen)) >= begin + 2)  # noqa: B023
        for _ in range(40 * pause):  # some time within a step
            _noted(feed, seen)
        feed.kill()
        feed.start()
        lost = set(seen) - {one["moment"] for one in feed.history()} - forgotten
        assert len(lost) <= 1  # the one that nobody had written down yet
        forgotten |= lost
    psutil.Process(feed.process.pid).children()[0].suspend()  # what hangs is not waited for
    assert "ended" in feed.stop()
    assert feed.process.returncode == 0


def _noted(feed: RunningFeed, seen: dict[int, object]) -> dict[int, object]:
    """All that was ever published, which must not change."""
    for one in feed.history():
        assert seen.setdefault(one["moment"], one) == one
    return seen
