"""Publishing a stand-in from states alone, live, and over restarts."""

import itertools
import json
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.stats import chisquare

import covey
from covey import InputError, Network, Query, Scenario, Team
from covey.dynamics.solver import Solver
from covey.model.io.stand_in_file import Reference
from covey.remedy.stand_in.pairs import Side
from covey.remedy.stand_in.publishing.pair_file import saved_feed
from covey.remedy.stand_in.publishing.stand_in_feed import StandInFeed

NETWORK = Network("{A} + {B} <-> {A,B} @ 2, 1\n{A} <-> w{A} @ 0.5, 3\n{B} <-> w{B} @ 2, 1")
QUERY = Query(pairs="{A,B}")
TICKS = (0.4, 1.0)


def _scenario(a: int, b: int) -> Scenario:
    return Scenario(NETWORK, Team({"A": a, "B": b}), QUERY, unit="second").with_(
        {"adversary.at": 1.0}
    )


REFERENCE = Reference(_scenario(2, 2), "optimal", "l1", 0.0)
REAL = _scenario(3, 1)


def _counts(state: np.ndarray) -> dict[str, int]:
    return dict(zip(map(str, NETWORK.species), map(int, state), strict=True))


def _joint() -> dict[tuple[int, int], float]:
    """How likely the reference shows each pair of counts at both ticks."""
    side = Side.of(Solver(NETWORK), REFERENCE.scenario)
    k = np.zeros((len(side), len(side)))
    states, reactions = np.nonzero(side.rates)
    np.add.at(k, (states, side.into[states, reactions]), side.rates[states, reactions])
    k -= np.diag(k.sum(axis=1))
    first = side.chain.start @ expm(k * TICKS[0])
    both = first[:, None] * expm(k * (TICKS[1] - TICKS[0]))
    found: Counter[tuple[int, int]] = Counter()
    for i, j in np.ndindex(*both.shape):
        found[int(side.seen[i, 0]), int(side.seen[j, 0])] += both[i, j]
    return dict(found)


@pytest.mark.parametrize("late", [False, True], ids=["states first", "as they come"])
def test_states_alone_keep_the_distribution_of_the_reference(late: bool) -> None:
    """Both counts of a path at two ticks. Told as they come, some are told after a tick is due."""
    first = covey.CoupledPublisher(REFERENCE, _counts(REAL.start), polled=True)
    times, paths = (0.1, 0.5, 0.6, 1.0), 3_000
    seen: Counter[tuple[int, int]] = Counter()
    for path in range(paths):
        log = covey.event_log(NETWORK, REAL.start, 1.0, seed=3, trajectory=path)
        publisher = first.again(_counts(REAL.start), np.random.default_rng([path, late]).bytes)
        told = [(t, _counts(_at(log, t))) for t in times]
        shown = []
        for tick in TICKS:
            while told and (told[0][0] < tick or not (late or publisher.told_until >= tick)):
                publisher.state(*told.pop(0))
            shown.append(publisher.published(tick)["pairs"])
        seen[shown[0], shown[1]] += 1
        assert not publisher.notes
    chances = _joint()
    usual = [pair for pair, p in chances.items() if p * paths >= 5]
    observed = [seen[pair] for pair in usual]
    expected = [chances[pair] * paths for pair in usual]
    rest = paths - sum(observed), max(paths - sum(expected), 1e-6)
    assert chisquare([*observed, rest[0]], [*expected, rest[1]], sum_check=False).pvalue > 1e-4


def _at(log: covey.EventLog, time: float) -> np.ndarray:
    done = [int(r) for t, r in zip(log.times, log.reactions, strict=True) if t <= time]
    return np.asarray(REAL.start + NETWORK.changes[done].sum(axis=0))


def _feed(path: Path | None = None, **more: object) -> tuple[StandInFeed, list[str]]:
    said: list[str] = []
    return StandInFeed(REFERENCE, 1.0, said.append, file=path, **more), said  # type: ignore[arg-type]


_ignored: list[str] = []


def _line(**told: object) -> str:
    return json.dumps(told) + "\n"


START = _line(time=0, state=_counts(REAL.start))


def test_states_as_csv_need_no_word() -> None:
    rows = [",".join(map(str, [time, *REAL.start])) for time in (0, 2, 5)]
    feed, said = _feed()
    header = ",".join(["time", *(f'"{species}"' for species in NETWORK.species)])
    published = list(feed.recorded([header, *rows]))
    assert [time for time, _ in published] == [0, 1, 2, 3, 4, 5]
    assert said == []


def test_states_that_do_not_follow_are_said_without_telling() -> None:
    feed, said = _feed(polled=True)
    other = _counts(_scenario(2, 1).start)  # a robot has gone
    lines = [START, _line(time=2, state=other), _line(time=3, state=other)]
    lines += [_line(time=2.5, state=other), _line(time=4, reaction="1")]
    assert [time for time, _ in feed.recorded(lines)] == [0, 1, 2, 3]
    assert ["does not follow" in said[0], "before the last one" in said[2]] == [True, True]
    assert "whole states are expected" in said[-1]
    assert not any("A" in note or "B" in note for note in said)


def test_a_row_that_tells_what_an_event_led_to_is_checked() -> None:
    header = ",".join(["time", "reaction", *(f'"{species}"' for species in NETWORK.species)])
    right = REAL.start + NETWORK.changes[0]
    wrong = right + NETWORK.changes[2]
    rows = [[0, "", *REAL.start], [0.5, 1, *right], [0.9, 2, *wrong], [1.5, "", *wrong]]
    feed, said = _feed()
    published = list(feed.recorded([header, *(",".join(map(str, row)) for row in rows)]))
    assert [time for time, _ in published] == [0, 1]
    assert len(said) == 1
    assert said[0].startswith("-:4: the state is not the one that the events led to")
    assert feed._publisher is not None
    assert feed._publisher.known  # as that row told it


def test_a_restart_goes_on_where_it_was(tmp_path: Path) -> None:
    file = tmp_path / "pair.json"
    feed, said = _feed(file)
    assert len(list(feed.recorded([START, _line(time=2.5, reaction="1")]))) == 3
    assert file.stat().st_mode & 0o777 == 0o600
    saved = saved_feed(REFERENCE, file)
    assert saved is not None
    assert (saved.complete, saved.ticks, saved.pair.time) == (True, 3, 2.5)
    again, _ = _feed(file)  # every event is told: it goes on with one
    first = next(iterator := again.recorded([_line(time=3.5, reaction="2"), _line(time=9)]))
    assert first[0] == 3
    assert again._publisher is not None
    assert again._publisher.known
    assert [time for time, _ in iterator] == [4, 5, 6, 7, 8]
    interrupted = saved_feed(REFERENCE, file)
    assert interrupted is not None
    assert interrupted.complete
    file.write_text(file.read_text().replace('"complete": true', '"complete": false'))
    with pytest.raises(InputError, match="begins with an event"):  # some may be missing
        list(_feed(file)[0].recorded([_line(time=9.5, reaction="1")]))
    known, _ = _feed(file)
    state = _line(time=11, state=_counts(REAL.start))
    assert [time for time, _ in known.recorded([state])] == [9, 10, 11]
    assert said == []
    with pytest.raises(InputError, match="go on as it began"):
        StandInFeed(REFERENCE, 2.0, said.append, file=file)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"covey_pair": 1', '"covey_pair": 7'), "no file that covey publish wrote"),
        (('"stand_in": "', '"stand_in": "x'), "another stand-in"),
        (('"time": 0.0', '"time": "0"'), "cut off or altered"),
        (('"stand_in": [', '"stand_in": [-1, '), "cut off or altered"),
    ],
)
def test_a_state_file_that_is_wrong(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    file = tmp_path / "pair.json"
    list(_feed(file)[0].recorded([START]))
    text = file.read_text()
    assert change[0] in text
    file.write_text(text.replace(*change))
    with pytest.raises(InputError, match=message):
        _feed(file)


def test_live_lines_come_by_the_clock_and_not_by_events(tmp_path: Path) -> None:
    """Nothing is told between the first state and the end: lines come nevertheless."""
    file, enough = tmp_path / "pair.json", threading.Event()

    def lines() -> Iterator[str]:
        yield START
        assert enough.wait(60)
        yield _line(reaction="1")

    feed = StandInFeed(REFERENCE, 0.02, _ignored.append, file=file)
    published = []
    for line in feed.live(lines()):
        published.append(line)
        if len(published) == 3:
            enough.set()
    times = [time for time, _ in published]
    assert times == pytest.approx([0.02 * k for k in range(len(times))])
    assert len(times) >= 4
    saved = saved_feed(REFERENCE, file)
    assert saved is not None
    assert saved.origin is not None
    again = next(iter(StandInFeed(REFERENCE, 0.02, _ignored.append, file=file).live([START])))
    assert again[0] > times[-1]


def test_live_needs_a_unit_of_time() -> None:
    timeless = Reference(Scenario(NETWORK, Team({"A": 2, "B": 2}), QUERY), "optimal", "l1", 0.0)
    with pytest.raises(InputError, match="needs a unit of time"):
        next(StandInFeed(timeless, 1.0, _ignored.append).live([START]))


def test_dates_are_read_in_the_scenario_s_unit() -> None:
    state = _counts(REAL.start)
    lines = [_line(time="2026-05-18T08:00:00Z", state=state)]
    lines.append(_line(time="2026-05-18T08:00:02Z", reaction="1"))
    feed, said = _feed()
    assert [time for time, _ in feed.recorded(lines)] == [0, 1, 2]
    assert said == []


def test_what_is_lost_is_said_until_a_whole_state_is_told() -> None:
    publisher = covey.CoupledPublisher(REFERENCE, _counts(REAL.start))
    publisher.lose(0.5, "a robot is silent")
    assert not publisher.known
    assert publisher.now == 0.5
    assert publisher.notes == [
        "a robot is silent: the stand-in goes on alone until a whole state is told"
    ]
    publisher.event(0.7, 0)
    assert not publisher.known
    publisher.state(0.9, _counts(REAL.start))
    assert publisher.known
    with pytest.raises(InputError, match="whole states"):
        covey.CoupledPublisher(REFERENCE, _counts(REAL.start), polled=True).lose(1.0, "late")


def test_changes_come_when_the_reference_changes() -> None:
    """When the first change is published, of many paths of the real team, against exact chances."""
    first = covey.CoupledPublisher(REFERENCE, _counts(REAL.start), follow=True)
    paths, ends = 2_000, np.array([0.05, 0.1, 0.2, 0.35, 0.6, 1.0])
    seen = np.zeros(len(ends) + 1)
    for path in range(paths):
        log = covey.event_log(NETWORK, REAL.start, 1.0, seed=5, trajectory=path)
        publisher = first.again(_counts(REAL.start), np.random.default_rng([path, 7]).bytes)
        for time, reaction in zip(log.times.tolist(), log.reactions.tolist(), strict=True):
            publisher.event(time, int(reaction))
        publisher.published(1.0)
        begin, *changes = publisher.changes
        assert begin == (0.0, {"pairs": 0})
        assert [time for time, _ in changes] == sorted(time for time, _ in changes)
        seen[np.searchsorted(ends, changes[0][0]) if changes else -1] += 1
    side = Side.of(Solver(NETWORK), REFERENCE.scenario)
    k = np.zeros((len(side), len(side)))
    states, reactions = np.nonzero(side.rates)
    np.add.at(k, (states, side.into[states, reactions]), side.rates[states, reactions])
    k -= np.diag(k.sum(axis=1))
    same = side.seen[:, 0] == 0
    still = [side.chain.start[same] @ expm(k[np.ix_(same, same)] * t) for t in (0.0, *ends)]
    chances = -np.diff([*(one.sum() for one in still), 0.0])
    assert chisquare(seen, paths * chances).pvalue > 1e-4


def test_a_line_for_each_change_and_none_for_events() -> None:
    lines = [START, _line(time=2.5, reaction="1"), _line(time=4)]
    feed = StandInFeed(REFERENCE, None, _ignored.append, on_change=True)
    published = list(feed.recorded(lines))
    assert published[0] == (0.0, {"pairs": 0})
    for (before, one), (after, other) in itertools.pairwise(published):
        assert before < after <= 4
        assert one != other
    clocked, _ = _feed(on_change=True)
    rows = list(clocked.recorded([START, *(_line(time=t) for t in range(200))]))
    assert {time % 1 for time, _ in rows} == {0.0}
    assert all(one != other for (_, one), (_, other) in itertools.pairwise(rows))
    assert 2 < len(rows) < 200


def test_changes_at_their_own_times_are_for_logs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="add --every"):
        StandInFeed(REFERENCE, None, _ignored.append, on_change=True, file=tmp_path / "pair.json")
    with pytest.raises(InputError, match="add --every"):
        next(StandInFeed(REFERENCE, None, _ignored.append, on_change=True).live([START]))
    with pytest.raises(InputError, match="or on_change"):
        StandInFeed(REFERENCE, None, _ignored.append)
