"""A feed that nobody watches: its clock is set, its disk is full, its input goes away."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest

from covey.errors import InputError
from covey.serve.inside.feed import Feed, feed_of
from tests.cli.command import PATIENCE
from tests.serve.test_feed import fleet, settings, silent, stand_in

__all__ = ["fleet", "stand_in"]  # fixtures

DAY = 86_400.0


def _run(feed: Feed, k: int) -> None:
    """Runs it for as long as its loop takes to come round."""

    async def work() -> None:
        running = asyncio.ensure_future(feed.ticker.run(k, lambda _: None, lambda: None))
        await asyncio.sleep(0)
        running.cancel()

    asyncio.run(work())


def test_a_clock_that_was_set_back_is_told_of_and_nothing_is_drawn_twice(stand_in: str) -> None:
    said: list[str] = []
    with feed_of(settings(stand_in), said.append) as feed:
        ahead = feed.clock.next_due(time.time() + 3600)
        feed.ticker.step(ahead)  # as if it had been an hour later
        assert feed.ticker.first == ahead + 1
        _run(feed, feed.ticker.first)
        assert feed.ledger.moments == ahead + 1
        usual = feed.clock.next_ready(time.time()) + 1
        _run(feed, usual)
    (told,) = said
    assert "the clock was set back: nothing new is published before 20" in told
    assert "remove" in told
    assert "s.state.json, which forgets what was spent" in told


def test_a_clock_that_was_set_forward_is_followed_for_a_year(stand_in: str) -> None:
    said: list[str] = []
    with feed_of(settings(stand_in, every=60.0), said.append) as feed:
        feed.ticker.step(0)
        begin = feed.clock.origin
    for days, refused in ((2, False), (20_000, True)):
        with feed_of(settings(stand_in, every=60.0), said.append) as feed:
            feed.ledger.origin = begin - days * DAY
            object.__setattr__(feed.clock, "origin", begin - days * DAY)
            if refused:
                with pytest.raises(InputError, match="20,000 days lie between the last moment"):
                    _ = feed.ticker.first
            else:
                assert feed.ticker.first > 2000
    assert said == ["2 days passed without a publication: they are made up for first"]


def test_a_full_disk_ends_it_before_anything_is_published(stand_in: str, tmp_path: Path) -> None:
    """And the file is named: the ledger, or the log of what is heard."""
    (tmp_path / "heard.jsonl").symlink_to("/dev/full")
    with feed_of(settings(stand_in, trusting_log=str(tmp_path / "heard.jsonl")), silent) as feed:
        with pytest.raises(InputError, match="cannot be written: No space left") as refused:
            feed.hearing.post('{"reaction": "1"}')
        assert refused.value.file == str(tmp_path / "heard.jsonl")
        feed.ticker.step(0)
        ledger = tmp_path / "s.state.json"
        ledger.unlink()
        ledger.symlink_to("/dev/full")
        with pytest.raises(InputError, match="cannot be written: No space left"):
            feed.ticker.step(1)


@pytest.mark.parametrize("number", ["1" + "0" * 400, "1" + "0" * 17])
def test_moments_that_no_calendar_has_are_refused(
    stand_in: str, tmp_path: Path, number: str
) -> None:
    with feed_of(settings(stand_in), silent) as feed:
        feed.ticker.step(0)
    ledger = tmp_path / "s.state.json"
    ledger.write_text(ledger.read_text().replace('"moments": 1', f'"moments": {number}'))
    with pytest.raises(InputError, match="altered"):
        feed_of(settings(stand_in), silent).__enter__()


@pytest.mark.slow
def test_standard_input_that_is_closed_is_said_to_be(stand_in: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "covey", "serve", stand_in, "--every", "1", "--stdin"]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" 0<&-', "sh", *command, "--listen", "127.0.0.1:0"], cwd=tmp_path,
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "standard input is closed" in done.stderr
    assert "Traceback" not in done.stderr


def test_publications_that_no_machine_keeps_up_with_are_refused(stand_in: str) -> None:
    with pytest.raises(InputError, match="would lie 1e-06 seconds apart"):
        feed_of(settings(stand_in, every=1e-6), silent).__enter__()
