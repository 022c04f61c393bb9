"""What robots say, live: what a stand-in's publisher is told of it, and what comes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.stats import chi2

import covey
from covey import InputError, Network, Query, Scenario, Team
from covey.model.io.stand_in_file import Reference
from covey.study.fit.logs.robots.live_fleet import LiveFleet
from covey.study.fit.logs.robots.robot_states import OUT
from tests.remedy.stand_in.plain_chain import PlainChain
from tests.study.fit.logs.plain_robots import Said, say

LINES = (
    ("{A} + {B} -> {A,B}", 2.0), ("{A,B} -> {A} + {B}", 1.0), ("{A} -> w{A}", 0.5),
    ("w{A} -> {A}", 3.0), ("{B} -> w{B}", 2.0), ("w{B} -> {B}", 1.0),
)  # fmt: skip
DOCKED = (*LINES, ("{A} + {R} -> {A,R}", 1.0), ("{A,R} -> {A} + {R}", 2.0))
TICKS = (0.4, 1.0)
LEVEL = 1e-4

pytestmark = pytest.mark.filterwarnings("ignore::covey.errors.DirectBreachWarning")


def _scenario(lines: tuple[tuple[str, float], ...], **types: int) -> Scenario:
    network = Network("\n".join(f"{text} @ {rate}" for text, rate in lines))
    docks = {"R": 1} if lines == DOCKED else {}
    query = Query(free="{A} + {B}")
    return Scenario(network, Team(types, docks), query).with_({"adversary.at": 1.0})


SMALL = _scenario(LINES, A=2, B=1)


class Heard:
    """A publisher that writes down what it is told."""

    def __init__(self) -> None:
        self.known, self.now = True, 0.0
        self.told: list[tuple[str, float, object]] = []

    def event(self, time: float, reaction: int) -> None:
        self._note("event", time, reaction)

    def state(self, time: float, counts: Mapping[str, int]) -> None:
        self.known = True
        self._note("state", time, {name: n for name, n in counts.items() if n})

    def lose(self, time: float, why: str) -> None:
        self.known = False
        self._note("lose", time, None)

    def _note(self, what: str, time: float, value: object) -> None:
        assert time >= self.now
        self.now = time
        self.told.append((what, time, value))


def _small(
    together: float = 0.0, lost_after: float | None = None, scenario: Scenario = SMALL
) -> tuple[LiveFleet, Heard]:
    heard = Heard()
    return LiveFleet(scenario, {}, heard, together=together, lost_after=lost_after), heard


def _begin(fleet: LiveFleet) -> None:
    for robot, state in (("a1", "{A}"), ("a2", "{A}"), ("b", "{B}")):
        fleet.row(0.0, robot, state)
    fleet.advance(0.0)


def test_nothing_but_lost_until_everybody_is_heard_of() -> None:
    fleet, heard = _small()
    fleet.row(0.0, "a1", "{A}")
    fleet.row(0.5, "a2", "{A}")
    fleet.advance(1.0)
    assert heard.told == [("lose", 0.0, None)]
    assert not fleet.known
    fleet.row(1.5, "b", "{B}")
    fleet.advance(2.0)
    assert heard.told[1:] == [("state", 1.5, {"{A}": 2, "{B}": 1})]
    assert fleet.known


def test_rows_of_one_reaction_are_one_event_whatever_the_order_they_come_in() -> None:
    fleet, heard = _small()
    _begin(fleet)
    for time, robot, state in (
        (2.0, "a2", "w{A}"), (1.0, "b", "{A,B}"), (3.0, "b", "{B}"), (1.0, "a1", "{A,B}"),
        (3.0, "a1", "{A}"), (2.0, "a2", "w{A}"),
    ):  # fmt: skip
        fleet.row(time, robot, state)
    fleet.advance(2.5)
    assert heard.told[2:] == [("event", 1.0, 0), ("event", 2.0, 2)]
    fleet.advance(3.0)
    assert heard.told[4:] == [("event", 3.0, 1)]
    assert fleet.refused == {"a duplicate": 1}


def test_what_is_told_lags_by_what_may_be_together() -> None:
    """Rows 0.2 apart are one meeting; a robot that sets out in between keeps its own time."""
    fleet, heard = _small(together=0.25)
    _begin(fleet)
    fleet.advance(0.3)
    for time, robot, state in ((1.0, "a1", "{A,B}"), (1.1, "a2", "w{A}"), (1.2, "b", "{A,B}")):
        fleet.row(time, robot, state)
    fleet.advance(1.3)
    assert heard.told[2:] == []
    assert fleet.told_until == pytest.approx(1.05)
    fleet.advance(1.4)
    assert heard.told[2:] == [("event", 1.1, 2)]
    fleet.advance(2.0)
    assert heard.told[3:] == [("event", 1.2, 0)]


def test_what_no_reaction_explains_is_counted_and_the_state_told_anew() -> None:
    fleet, heard = _small()
    _begin(fleet)
    fleet.row(1.0, "a1", "{A,B}")  # alone
    fleet.advance(1.5)
    assert heard.told[2:] == [("lose", 1.0, None)]
    fleet.row(2.0, "b", "{A,B}")
    fleet.advance(2.5)
    assert heard.told[3:] == [("state", 2.0, {"{A}": 1, "{A,B}": 1})]
    assert fleet.refused == {"no reaction explains it": 1}


def test_a_late_change_is_no_event_but_its_robot_is_known_from_then_on() -> None:
    fleet, heard = _small()
    _begin(fleet)
    fleet.advance(2.0)
    fleet.row(1.0, "a1", "w{A}")
    fleet.advance(3.0)
    assert heard.told[2:] == [("lose", 2.0, None), ("state", 2.0, {"{A}": 1, "w{A}": 1, "{B}": 1})]
    fleet.row(2.5, "a1", "w{A}")  # late, and nothing new
    fleet.advance(4.0)
    fleet.row(0.5, "a1", "{A}")  # older than what is known of it
    fleet.advance(5.0)
    assert len(heard.told) == 4
    assert fleet.refused == {"late": 3}


def test_a_robot_that_is_out_or_falls_silent_has_left_until_it_is_heard_again() -> None:
    fleet, heard = _small(lost_after=2.0)
    _begin(fleet)
    for time in (1.0, 2.0, 3.0):
        fleet.row(time, "a1", "{A}")
        fleet.row(time, "b", "{B}" if time < 3 else OUT)
    fleet.advance(4.0)
    assert heard.told[2:] == [
        ("lose", 2.0, None), ("state", 2.0, {"{A}": 1, "{B}": 1}),
        ("lose", 3.0, None), ("state", 3.0, {"{A}": 1}),
    ]  # fmt: skip
    fleet.row(4.5, "a2", "w{A}")
    fleet.advance(4.6)
    assert heard.told[6:] == [("lose", 4.5, None), ("state", 4.5, {"{A}": 1, "w{A}": 1})]
    assert fleet.refused == {
        "a robot that fell silent": 1, "a robot that does not work by itself": 1
    }  # fmt: skip


def test_one_that_is_never_heard_of_is_waited_for_as_long_as_one_that_falls_silent() -> None:
    fleet, heard = _small(lost_after=2.0)
    for time in (0.0, 1.0, 2.0, 3.0):
        fleet.row(time, "a1", "{A}")
        fleet.row(time, "b", "{B}")
    fleet.advance(1.0)
    assert [what for what, _, _ in heard.told] == ["lose"]
    fleet.advance(3.0)
    assert heard.told[1:] == [("state", 3.0, {"{A}": 1, "{B}": 1})]


def test_after_a_gap_nothing_is_known_until_everybody_is_heard_of_again() -> None:
    fleet, heard = _small(lost_after=5.0)
    _begin(fleet)
    fleet.row(0.5, "a1", "w{A}")
    fleet.forget(1.0)
    fleet.row(1.5, "a1", "{A}")
    fleet.row(1.5, "b", "w{B}")
    fleet.advance(2.0)
    assert heard.told[2:] == [("event", 0.5, 2), ("lose", 1.0, None)]
    fleet.row(2.5, "a2", "{A}")
    fleet.advance(3.0)
    assert heard.told[4:] == [("state", 2.5, {"{A}": 2, "w{B}": 1})]
    fleet.forget(2.0)  # before what was advanced to
    fleet.row(4.0, "a1", "{A}")
    fleet.row(8.0, "a1", "{A}")
    fleet.advance(9.0)  # one is there, and the others were waited for
    assert heard.told[5:] == [("lose", 3.0, None), ("state", 9.0, {"{A}": 1})]
    assert fleet.refused == {"messages may be missing": 2}


def test_rows_that_cannot_be_used_are_counted_and_tell_nothing() -> None:
    fleet, heard = _small()
    _begin(fleet)
    fleet.row(1.0, "a3", "{A}")  # one too many
    fleet.row(1.0, "c", "nothing like it", "truck")
    fleet.row(float("nan"), "a1", "{A}")
    fleet.row(1.1, "a1", "dancing")
    fleet.row(1.2, "a3", "w{A}")
    fleet.advance(2.0)
    assert heard.told[2:] == [("lose", 1.1, None)]
    assert fleet.refused == {
        "a row that cannot be used": 1, "a time that cannot be read": 1,
        "a robot of no type of the team": 1, "a state that the network does not know": 1,
    }  # fmt: skip
    assert not any("A" in why or "B" in why for why in fleet.refused)


def test_long_names_and_states_take_no_memory() -> None:
    fleet, heard = _small()
    _begin(fleet)
    fleet.row(1.0, "a" * 1000, "{A}")
    fleet.row(1.0, "a1", "x" * 1_000_000)
    fleet.advance(1.0)
    assert heard.told[2:] == [("lose", 1.0, None)]
    assert fleet.refused == {
        "a row that cannot be used": 1, "a state that the network does not know": 1
    }  # fmt: skip


def test_too_much_ahead_of_the_clock_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("covey.study.fit.logs.robots.live_fleet.MOST_WAITING", 4)
    monkeypatch.setattr("covey.study.fit.logs.robots.live_fleet.MOST_ROBOTS", 3)
    fleet, heard = _small()
    _begin(fleet)
    fleet.row(1.0, "a4", "{A}")
    for k in range(5):
        fleet.row(2.0 + k, "a1", "w{A}")
    fleet.advance(10.0)
    assert heard.told[2:] == [("lose", 0.0, None)]
    assert fleet.refused == {
        "too many robots": 1, "too many rows ahead of the clock": 5, "messages may be missing": 1
    }  # fmt: skip


def test_a_robot_whose_type_is_not_known_yet_is_heard_later() -> None:
    fleet, heard = _small()
    for robot in ("a1", "a2"):
        fleet.row(0.0, robot, "{A}")
    fleet.row(0.0, "b", "")  # {A} or {B}?
    fleet.row(1.0, "b", "w{B}")
    fleet.advance(2.0)
    assert heard.told[1:] == [("state", 1.0, {"{A}": 2, "w{B}": 1})]
    assert fleet.refused == {"a row that cannot be used": 1}


class Follows(Heard):
    """Takes only what follows: events that can happen where the team is, if that is known."""

    def __init__(self) -> None:
        super().__init__()
        self.at: dict[str, int] = {}

    def event(self, time: float, reaction: int) -> None:
        assert self.known
        left, right = (half.split(" + ") for half in LINES[reaction][0].split(" -> "))
        for name in left:
            assert self.at.get(name, 0) > 0
            self.at[name] -= 1
        for name in right:
            self.at[name] = self.at.get(name, 0) + 1
        super().event(time, reaction)

    def state(self, time: float, counts: Mapping[str, int]) -> None:
        self.at = dict(counts)
        super().state(time, counts)


_ROBOTS = st.sampled_from(["a1", "a2", "b", "a3", "?", ""])
_STATES = st.sampled_from(["{A}", "w{A}", "{A,B}", "{B}", "w{B}", "w", "", "0", "nonsense", OUT])
_TIMES = st.one_of(st.integers(0, 40).map(lambda k: k / 4), st.just(float("inf")))
_SAID = st.tuples(_TIMES, _ROBOTS, _STATES)
_ADVANCED = st.tuples(st.floats(0, 2), st.sampled_from(["", "a1"]), st.booleans())


@given(
    st.lists(st.one_of(_SAID, _ADVANCED), max_size=60),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([None, 1.5]),
)
@settings(max_examples=300, deadline=None)
def test_whatever_robots_say_what_is_told_follows(
    said: list[tuple[float, str, str | bool]], together: float, lost_after: float | None
) -> None:
    heard, now = Follows(), 0.0
    fleet = LiveFleet(SMALL, {"a1": "A"}, heard, together=together, lost_after=lost_after)
    _begin(fleet)
    for time, robot, state in said:
        if isinstance(state, str):
            fleet.row(time, robot, state)
            continue
        if state:
            fleet.forget(now + time, robot)
        now += time
        fleet.advance(now)
        assert heard.now <= max(fleet.told_until, 0.0)
    assert not any("A" in why or "B" in why for why in fleet.refused)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("{A} + w{A} -> {A} + w{A} @ 1\n{A} -> w{A} @ 1", "may move no robot"),
        ("{A} -> w{A} @ 1\n{A} -> w{A} + parcel @ 1\nw{A} -> {A} @ 1", "move robots alike"),
    ],
)
def test_a_network_whose_events_robots_do_not_tell_is_refused(lines: str, message: str) -> None:
    scenario = Scenario(Network(lines), Team({"A": 2}))
    with pytest.raises(InputError, match=message):
        LiveFleet(scenario, {}, Heard())


def test_of_reactions_that_do_the_same_each_is_as_likely_as_it_is_fast() -> None:
    network = Network("{A} -> w{A} @ 1\n{A} -> w{A} @ 3\nw{A} -> {A} @ 1")
    heard = Heard()
    draws = np.random.default_rng(3)
    one = Scenario(network, Team({"A": 1}))
    fleet = LiveFleet(one, {}, heard, random=draws.random)
    for k in range(4000):
        fleet.row(k, "a", "w{A}" if k % 2 else "{A}")
        fleet.advance(k)
    told = Counter(value for what, _, value in heard.told if what == "event")
    assert told[2] == 1999
    assert abs(told[1] - 1500) < 80
    assert told[0] + told[1] == 2000


Spoil = Callable[[list[Said], Random], list[Said]]


def _published(
    lines: tuple[tuple[str, float], ...], spoil: Spoil, together: float = 0.0, paths: int = 600
) -> float:
    """The p-value of two counts of each path against those of the reference."""
    reference = _scenario(lines, A=2, B=2)
    real = _scenario(lines, A=3, B=1)
    public = Reference(reference, "optimal", "l1", 0.0)
    start = dict(zip(map(str, real.network.species), real.start.tolist(), strict=True))
    first = covey.CoupledPublisher(public, start)
    docks = {"R": 1} if lines == DOCKED else {}
    seen: Counter[tuple[int, int]] = Counter()
    for path in range(paths):
        random = Random(path)
        publisher = first.again(start, np.random.default_rng([7, path]).bytes)
        fleet = LiveFleet(real, {}, publisher, together=together, random=random.random)
        until = TICKS[1] + together
        rows = spoil(list(say(lines, {"A": 3, "B": 1}, docks, random, until)), random)
        for row in rows:
            fleet.row(row.time, row.robot, row.state, row.type)
        shown = []
        for tick in TICKS:
            fleet.advance(tick + together)
            shown.append(publisher.published(tick)["free"])
        seen[shown[0], shown[1]] += 1
    return _p_value(seen, _joint(lines), paths)


def _joint(lines: tuple[tuple[str, float], ...]) -> dict[tuple[int, int], float]:
    """What the reference shows at both ticks, from the exponential of its own generator."""
    begin = {"{A}": 2, "{B}": 2} | ({"{R}": 1} if lines == DOCKED else {})
    chain = PlainChain(tuple((text, Fraction(rate)) for text, rate in lines), begin)
    place = {state: i for i, state in enumerate(chain.states)}
    k = np.zeros((len(place), len(place)))
    for state, i in place.items():
        for _, rate, after in chain.moves(state):
            k[i, place[after]] += float(rate)
            k[i, i] -= float(rate)
    free = [chain.species.index(name) for name in ("{A}", "{B}")]
    shown = [sum(state[i] for i in free) for state in chain.states]
    at = expm(k * TICKS[0])[place[chain.origin]]
    both = at[:, None] * expm(k * (TICKS[1] - TICKS[0]))
    found: Counter[tuple[int, int]] = Counter()
    for i, j in np.ndindex(*both.shape):
        found[shown[i], shown[j]] += both[i, j]
    return dict(found)


def _p_value(
    seen: Counter[tuple[int, int]], chances: dict[tuple[int, int], float], n: int
) -> float:
    usual = [pair for pair, p in chances.items() if p * n >= 5]
    observed = [seen[pair] for pair in usual]
    expected = [chances[pair] * n for pair in usual]
    observed, expected = [*observed, n - sum(observed)], [*expected, max(n - sum(expected), 1e-9)]
    total = sum((a - b) ** 2 / b for a, b in zip(observed, expected, strict=True))
    return float(chi2.sf(total, len(expected) - 1))


def _as_they_are(rows: list[Said], random: Random) -> list[Said]:
    return rows


def _shuffled(rows: list[Said], random: Random) -> list[Said]:
    """Twice, and in any order."""
    rows = [*rows, *(row for row in rows if random.random() < 0.3)]
    random.shuffle(rows)
    return rows


def _one_leaves(rows: list[Said], random: Random) -> list[Said]:
    """A robot does not work by itself for a while, and what it does then is not said."""
    out, back = sorted(random.uniform(0, TICKS[1]) for _ in range(2))
    told = [row for row in rows if row.robot != "A-0" or not out <= row.time < back]
    was = [row.state for row in rows if row.robot == "A-0" and row.time < back][-1]
    return [*told, Said(out, "A-0", "A", OUT), Said(back, "A-0", "A", was)]


def _events_kept(rows: list[Said], random: Random) -> list[Said]:
    """The A never say that they come back from work: what is waited for in vain."""
    return [row for row in rows if row.time == 0 or row.state != "{A}"]


@pytest.mark.parametrize(
    ("lines", "spoil", "together"),
    [
        (DOCKED, _as_they_are, 0.0),
        (DOCKED, _as_they_are, 0.1),
        (DOCKED, _shuffled, 0.0),
        (LINES, _one_leaves, 0.0),
    ],
    ids=["as they are", "several in one moment", "twice and shuffled", "one leaves"],
)
def test_what_is_published_has_the_distribution_of_the_reference(
    lines: tuple[tuple[str, float], ...], spoil: Spoil, together: float
) -> None:
    """Also where a moment holds events that have nothing to do with each other."""
    assert _published(lines, spoil, together) > LEVEL


def test_events_that_are_never_told_are_found_out() -> None:
    """The same test, where the condition is broken: it can fail."""
    assert _published(LINES, _events_kept) < LEVEL
