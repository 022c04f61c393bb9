"""Logs that were polled: they are recognised, and rates are in their intervals all the same."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from covey import Network, Scenario, Team, event_log
from covey.errors import InputError, TooLargeError
from covey.study.fit.fit import Fit, fit
from covey.study.fit.logs.cadence import Cadence
from covey.study.fit.logs.log import Log, Run
from covey.study.fit.logs.reading import Reading
from tests.study.fit.logs.test_robot_file import warehouse
from tests.study.robot_log import Row, robot_rows
from tests.study.test_fit import about, covered

pytestmark = pytest.mark.filterwarnings("ignore::covey.errors.DirectBreachWarning")

FLIP = {"up": 0.5, "down": 0.8}
MEET = {"meet": 0.2, "part": 0.7}


def flips(robots: int = 4) -> Scenario:
    """Robots that go their own ways."""
    return Scenario(Network("{A} <-> on{A} @ up, down", FLIP), Team({"A": robots}))


def meetings() -> Scenario:
    """Robots that need each other."""
    return Scenario(Network("{A} + {B} <-> {A,B} @ meet, part", MEET), Team({"A": 3, "B": 2}))


def poll(
    scenario: Scenario,
    seed: int,
    *,
    until: float = 100.0,
    step: float = 1.0,
    phases: bool = False,
    jitter: float = 0.0,
    changes: bool = False,
) -> list[Row]:
    """What somebody sees who looks every step, at all robots at once or each in its own phase."""
    rng = np.random.default_rng(seed)
    paths: dict[str, list[Row]] = {}
    for row in robot_rows(scenario, until, seed):
        paths.setdefault(row.robot, []).append(row)
    late = jitter * rng.standard_normal(int(until / step) + 1)
    seen = []
    for path in paths.values():
        phase, last = (rng.uniform(0, step) if phases else 0.0), ""
        for k in range(int((until - phase) / step) + 1):
            time = max(float(phase + k * step + late[k]), 0.0)
            now = next(row for row in reversed(path) if row.time <= time).after
            if not changes or now != last or k == 0:
                seen.append(Row(time, path[0].robot, path[0].type, last, now))
            last = now
    return sorted(seen, key=lambda row: row.time)


def fit_to(tmp_path: Path, scenario: Scenario, rows: list[Row], **how: object) -> Fit:
    lines = [f'{float(row.time)!r},{row.robot},{row.type},"{row.after}"' for row in rows]
    (tmp_path / "log.csv").write_text("\n".join(["time,robot,type,state", *lines]) + "\n")
    return fit(scenario, tmp_path / "log.csv", reading=Reading(**how))  # type: ignore[arg-type]


WAYS = {
    "each robot's heartbeat": (flips, FLIP, {"phases": True}),
    "changes on a grid": (flips, FLIP, {"changes": True}),
    "a team's meetings": (meetings, MEET, {}),
}


def coverage(tmp_path: Path, way: str, seeds: int) -> tuple[list[int], list[int]]:
    """How often the truth is in the intervals, and would be if changes were events."""
    team, rates, how = WAYS[way]
    logs = [poll(team(), seed, **how) for seed in range(seeds)]
    fits = [fit_to(tmp_path, team(), rows) for rows in logs]
    assert all(found.sampled for found in fits)
    events = [fit_to(tmp_path, team(), rows, polled=False) for rows in logs]
    assert not any(found.sampled for found in events)
    return covered(fits, rates.values()), covered(events, rates.values())


@pytest.mark.parametrize("way", WAYS)
def test_the_truth_is_in_the_intervals_of_a_polled_log(way: str, tmp_path: Path) -> None:
    """It was outside: 0.0136 to 0.0179 for 0.02."""
    held, as_events = coverage(tmp_path, way, 12)
    assert min(held) >= about(0.95, 12)[0]
    assert max(as_events) <= 4


@pytest.mark.study
@pytest.mark.parametrize("way", WAYS)
def test_intervals_of_polled_logs_cover_the_truth_as_often_as_they_say(
    way: str, tmp_path: Path
) -> None:
    held, as_events = coverage(tmp_path, way, 300)
    low, _ = about(0.95, 300)
    assert min(held) >= low
    assert max(as_events) <= 150


def test_one_robot_that_is_polled_is_the_closed_form(tmp_path: Path) -> None:
    """P(Δ) = 1 − e^{−(a+b)Δ} apart from where it ends: both rates follow from two frequencies."""
    network = Network("{A} <-> on{A} @ up, down", FLIP)
    scenario = Scenario(network, Team({"A": 1}))
    word = "0001111000011000111110000000110011100001"
    states = ["on{A}" if c == "1" else "{A}" for c in word]
    rows = [Row(60.0 * k, "a", "A", "", state) for k, state in enumerate(states)]
    pairs = list(itertools.pairwise(word))
    up, down = (pairs.count((a, b)) / word[:-1].count(a) for a, b in ("01", "10"))
    both = -math.log(1 - up - down) / 60
    found = fit_to(tmp_path, scenario, rows)
    assert found.rates["up"].value == pytest.approx(both * up / (up + down), rel=1e-4)
    assert found.rates["down"].value == pytest.approx(both * down / (up + down), rel=1e-4)
    assert (found.runs, found.observations, found.duration) == (1, 39, 39 * 60)
    assert found.notes == (
        "The log seems to be polled: rows come every 60, and changes only then. It is read as "
        "snapshots of each robot: what may have happened in between is summed over. If every "
        "change was logged when it happened, say so (--not-polled).",
    )
    as_events = fit_to(tmp_path, scenario, rows, polled=False)
    assert as_events.rates["up"].events == pairs.count(("0", "1"))
    assert as_events.rates["up"].value < 0.7 * found.rates["up"].value


def test_a_poll_that_logs_changes_only_says_the_same(tmp_path: Path) -> None:
    for team in (meetings, flips):
        whole = poll(team(), 3)
        changes = [*poll(team(), 3, changes=True)]
        end = max(whole, key=lambda row: row.time)
        changes.append(Row(end.time, end.robot, end.type, end.after, end.after))
        one, other = (fit_to(tmp_path, team(), rows) for rows in (whole, changes))
        assert other.observations == one.observations
        for name, rate in one.rates.items():
            assert other.rates[name].value == pytest.approx(rate.value, rel=1e-6)
            assert other.rates[name].interval == pytest.approx(rate.interval, rel=1e-4)
        assert "all times are multiples of 1, and changes only then" in other.notes[-1]


def test_a_team_that_is_polled_is_a_series_of_snapshots(tmp_path: Path) -> None:
    scenario = meetings()
    found = fit_to(tmp_path, scenario, poll(scenario, 1))
    path = event_log(scenario.network, scenario.start, 100, seed=1)
    times = np.arange(101.0)
    states = np.vstack([path.start, path.states()])[
        np.searchsorted(path.times, times, side="right")
    ].astype(np.int64)
    run = Run(times, states, np.full(101, -1), np.zeros(101, dtype=np.int64))
    same = fit(scenario, Log((run,), sampled=True))
    for name, rate in same.rates.items():
        assert found.rates[name].value == pytest.approx(rate.value, rel=1e-5)
        assert found.rates[name].interval == pytest.approx(rate.interval, rel=1e-4)
    assert "snapshots of the whole team" in found.notes[-1]


def cadence(rows: list[Row]) -> Cadence:
    return Cadence.of((row.time, row.robot, row.after) for row in rows)


def beating(rows: list[Row], step: float, until: float) -> list[Row]:
    """Changes when they happen, and the same again after each step in which nothing does."""
    paths: dict[str, list[Row]] = {}
    for row in rows:
        paths.setdefault(row.robot, []).append(row)
    found = []
    for path in paths.values():
        for row, after in zip(path, [*[r.time for r in path[1:]], until], strict=True):
            times = row.time + step * np.arange(math.ceil((after - row.time) / step) or 1)
            found += [Row(t, row.robot, row.type, row.after, row.after) for t in times.tolist()]
    return sorted(found, key=lambda row: row.time)


@pytest.mark.parametrize("seed", range(5))
def test_polling_is_told_from_events_and_from_heartbeats_beside_them(seed: int) -> None:
    events = list(robot_rows(warehouse(), 100, seed))
    assert not cadence(events).polled
    assert not cadence(events).suspect
    for step in (0.2, 1.0):  # shorter than what robots do, and about as long
        beats = cadence(beating(events, step, 100))
        assert (beats.regular, beats.polled) == (True, False)
        assert beats.step == pytest.approx(step)
    seconds = [Row(round(60 * r.time), r.robot, r.type, r.before, r.after) for r in events]
    assert not cadence(seconds).polled  # times to the second, where a minute is usual
    for how in ({}, {"phases": True}, {"jitter": 0.02}, {"changes": True}):
        found = cadence(poll(warehouse(), seed, **how))
        assert found.polled, how
        assert found.step == pytest.approx(1, rel=0.02)


def test_jitter_changes_little(tmp_path: Path) -> None:
    one, other = (
        fit_to(tmp_path, flips(), poll(flips(), 2, phases=True, jitter=j)) for j in (0, 0.01)
    )
    assert other.sampled
    for name, rate in one.rates.items():
        assert other.rates[name].value == pytest.approx(rate.value, rel=0.1)


def large() -> Scenario:
    network = Network("{A} + {B} <-> {A,B} @ meet, part\n{A} <-> off{A} @ 1, 1", MEET)
    return Scenario(network, Team({"A": 25, "B": 20}))


def test_a_chain_that_is_too_large_is_said_to_give_rates_too_low(tmp_path: Path) -> None:
    rows = poll(large(), 1, until=20, step=0.5)
    found = fit_to(tmp_path, large(), rows)
    assert not found.sampled
    said = " ".join(found.notes)
    assert "The log seems to be polled: rows come every 0.5" in said
    assert "the chain has more than 250 states" in said
    assert "changes are counted as events, and the rates are too low" in said
    with pytest.raises(TooLargeError, match="more than 250 states"):
        fit_to(tmp_path, large(), rows, polled=True)
    assert "polled" not in " ".join(fit_to(tmp_path, large(), rows, polled=False).notes)


def test_robots_that_meet_and_report_each_in_its_own_phase(tmp_path: Path) -> None:
    found = fit_to(tmp_path, meetings(), poll(meetings(), 1, phases=True))
    assert not found.sampled
    said = " ".join(found.notes)
    assert "never are all robots heard of at one time" in said
    assert "the rates are too low" in said


def test_few_changes_on_a_grid_are_a_suspicion_and_the_user_decides(tmp_path: Path) -> None:
    rows = poll(flips(2), 1, until=15, changes=True)
    found = fit_to(tmp_path, flips(2), rows)
    assert not found.sampled
    assert (
        "All changes are at multiples of 1. If the log was polled, rates are too low"
        in " ".join(found.notes)
    )
    sure = fit_to(tmp_path, flips(2), rows, polled=True)
    assert sure.sampled
    assert sure.notes[-1].startswith("The log is said to be polled. It is read as snapshots")
    with pytest.raises(InputError, match="its times are on no grid"):
        fit_to(tmp_path, flips(2), list(robot_rows(flips(2), 15, 1)), polled=True)
