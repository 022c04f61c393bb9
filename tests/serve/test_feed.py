"""A feed without its clock: moment after moment, for stand-ins and tables, over restarts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import covey
from covey.errors import InputError
from covey.model.io.mechanism_file import save_mechanism
from covey.serve.inside.counters import StopError
from covey.serve.inside.feed import feed_of
from covey.serve.inside.heard import Event, Gap, Seen, State
from covey.serve.settings import Settings

FLEET = """
[types]
A = 2
B = 1
[resources]
R = 2
[network]
reactions = \"\"\"
{A} + {R} <-> {A,R}  @ 3, 1
{B} + {R} <-> {B,R}  @ 1, 1
\"\"\"
[observe]
free = "{A} + {B}"
busy = "{A,R} + {B,R}"
[time]
unit = "second"
"""
START = State({"{A}": 2, "{B}": 1, "{R}": 2})


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    file = tmp_path / "fleet.toml"
    file.write_text(FLEET)
    return file


@pytest.fixture
def stand_in(tmp_path: Path, fleet: Path) -> str:
    covey.stand_in(covey.load(fleet), {"A": 1, "B": 2}).save(tmp_path / "s.json")
    return str(tmp_path / "s.json")


def silent(_: str) -> None:
    """Nobody listens."""


def settings(mechanism: str, **more: Any) -> Settings:
    return Settings(mechanism=mechanism, **{"every": 1.0, "together": 0.0} | more)


def test_a_stand_in_goes_alone_until_the_team_is_known(stand_in: str, fleet: Path) -> None:
    with feed_of(settings(stand_in, scenario=str(fleet)), silent) as feed:
        team, counters = feed.ticker._team, feed.hearing.counters
        assert feed.ticker.step(0)["counts"] is not None
        assert counters.known._value.get() == 0
        team.hear(0.5, START)
        team.hear(0.75, Event(0))
        feed.ticker.step(1)
        assert counters.known._value.get() == 1
        team.hear(1.5, Gap("something was missed"))
        feed.ticker.step(2)
        assert counters.known._value.get() == 0


def test_what_comes_too_late_is_counted_and_ends_the_coupling(stand_in: str) -> None:
    with feed_of(settings(stand_in), silent) as feed:
        team = feed.ticker._team
        team.hear(0.5, START)
        feed.ticker.step(1)
        team.hear(0.7, Event(0))
        private = feed.ticker.step(2)["private"]
    assert 'covey_refused_total{reason="late"} 1.0' in private
    assert "covey_team_known 0.0" in private


def test_a_restart_goes_on_and_draws_for_no_moment_twice(stand_in: str, tmp_path: Path) -> None:
    with feed_of(settings(stand_in), silent) as feed:
        feed.ticker.step(7)
        origin = feed.clock.origin
        file = tmp_path / "s.state.json"
        assert file.stat().st_mode & 0o777 == 0o600
        assert json.loads(file.read_text())["moments"] == 8  # written before it is published
        with pytest.raises(InputError, match="another covey is at work on this"):
            feed_of(settings(stand_in), silent).__enter__()
    with feed_of(settings(stand_in), silent) as feed:
        assert feed.clock.origin == origin
        assert feed.ticker.first >= 8
        assert feed.ticker.step(9)["spent"] == 2
    with (
        pytest.raises(InputError, match="published every 1: go on as it began"),
        feed_of(settings(stand_in, every=2.0), silent),
    ):
        pass


@pytest.mark.parametrize(
    "cut",
    [
        lambda text: text[: len(text) // 2],
        lambda _: "{}",
        lambda text: re.sub(r'"origin": [^,]+', f'"origin": {10**400}', text),
        lambda text: re.sub(r'"time": [^,}]+', f'"time": {10**400}', text),
        lambda text: re.sub(r'"recent": ', '"recent": [[1]], "other": ', text),
    ],
)
def test_a_ledger_that_was_altered_is_refused(
    stand_in: str, tmp_path: Path, cut: Callable[[str], str]
) -> None:
    file = tmp_path / "s.state.json"
    with feed_of(settings(stand_in), silent) as feed:
        feed.ticker.step(0)
    file.write_text(cut(file.read_text()))
    with pytest.raises(InputError, match="remove it to begin anew"):
        feed_of(settings(stand_in), silent).__enter__()


def test_when_all_is_spent_the_last_value_is_repeated_and_that_is_said_once(stand_in: str) -> None:
    said: list[str] = []
    with feed_of(settings(stand_in, snapshots=3), said.append) as feed:
        frames = [feed.ticker.step(k) for k in range(6)]
    assert [frame["counts"] is None for frame in frames] == [False] * 3 + [True] * 3
    assert [frame["spent"] for frame in frames] == [1, 2, 3, 3, 3, 3]
    assert said == ["all 3 publications are spent: the last value is repeated"]
    with feed_of(settings(stand_in, snapshots=3), said.append) as feed:
        assert feed.ticker.step(7)["counts"] is None  # over restarts


def test_polled_states_are_enough(stand_in: str, fleet: Path) -> None:
    with feed_of(settings(stand_in, scenario=str(fleet), polled=True), silent) as feed:
        team = feed.ticker._team
        for k in range(5):
            team.hear(k + 0.5, START)
            assert feed.ticker.step(k)["counts"] is not None
        assert "covey_team_known 1.0" in feed.hearing.counters.text()


def test_a_flood_of_garbage_takes_no_memory(stand_in: str, fleet: Path) -> None:
    with feed_of(settings(stand_in, scenario=str(fleet)), silent) as feed:
        for _ in range(3):
            feed.hearing.post("x\n" * 4_000)
        assert len(feed.ticker._team._inbox) == 1
        assert feed.hearing.post("x\n" * 6_000) == {"taken": 0, "refused": 6_001}
        feed.hearing.post('{"reaction": "1"}\nx')
        assert len(feed.ticker._team._inbox) == 3
        private = feed.ticker.step(0)["private"]
    assert 'covey_refused_total{reason="not JSON"} 12001.0' in private


def test_an_error_ends_it_where_that_is_asked(stand_in: str) -> None:
    with feed_of(settings(stand_in, stop_on_error=True), silent) as feed:
        feed.hearing.gap("the connection to the broker is new")
        with pytest.raises(StopError, match="neither a robot"):
            feed.hearing.post('{"what": 1}')


@pytest.fixture
def table(tmp_path: Path, fleet: Path) -> str:
    """For one snapshot, and it publishes the truth."""
    made = covey.protect(covey.load(fleet), epsilon=50, teams="this")
    made.save(tmp_path / "t.json")
    return str(tmp_path / "t.json")


def test_a_table_for_one_snapshot_is_no_feed(table: str) -> None:
    with pytest.raises(InputError, match="is for one snapshot, and a feed has many"):
        feed_of(settings(table), silent).__enter__()


def test_missions_are_published_as_they_are_counted(table: str, fleet: Path) -> None:
    asked = settings(table, each_is_a_mission=True, scenario=str(fleet), snapshots=3)
    with feed_of(asked, silent) as feed:
        team = feed.ticker._team
        assert feed.ticker.step(0)["counts"] is None  # nothing is known yet
        team.hear(0.5, Seen((3, "0")))
        first = feed.ticker.step(1)
        team.hear(1.5, START)
        team.hear(1.6, Event(0))
        second = feed.ticker.step(2)
        team.hear(2.5, Gap("something was missed"))
        third = feed.ticker.step(3)
        assert (first["counts"], second["counts"], third["counts"]) == ([3, 0], [2, 1], [2, 1])
        assert [one["spent"] for one in (first, second, third)] == [1, 2, 3]
        assert feed.ticker.step(4)["counts"] is None


def test_a_table_for_a_stream_knows_its_moments(tmp_path: Path, fleet: Path) -> None:
    made = covey.protect(covey.load(fleet), epsilon=50, teams="this").release
    judged = {**made.made_for, "every": 2.0, "until": 8.0}
    save_mechanism(replace(made, made_for=judged), tmp_path / "t.json")
    asked = Settings(mechanism=str(tmp_path / "t.json"), together=0.0)
    with feed_of(asked, silent) as feed:
        team = feed.ticker._team
        assert feed.clock.every == 2.0
        team.hear(-0.5, Seen((3, 0)))
        frames = [feed.ticker.step(k) for k in (0, 1, 3, 4, 5)]
    assert [frame["spent"] for frame in frames] == [1, 2, 4, 4, 4]  # one was missed
    assert [frame["counts"] for frame in frames] == [[3, 0]] * 3 + [None] * 2
    with pytest.raises(InputError, match="was judged for every 2: leave it out"):
        feed_of(settings(str(tmp_path / "t.json"), every=1.0), silent).__enter__()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"every": None}, "every is missing"),
        ({"team": "A=2"}, "team is for tables"),
        ({"each_is_a_mission": True}, "each_is_a_mission is for tables"),
        ({"mqtt": ("mqtt://h/t",)}, "messages of robots need the team's own scenario"),
        ({"station": ("1=fre",)}, "ID=COUNT is expected"),
    ],
)
def test_settings_that_do_not_go_with_a_stand_in(
    stand_in: str, more: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        feed_of(settings(stand_in, **more), silent).__enter__()
