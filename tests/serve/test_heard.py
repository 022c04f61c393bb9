"""What messages and lines say, and when that was."""

from typing import Any

import pytest

import covey
from covey.serve.feed_clock import FeedClock
from covey.serve.inside.heard import Event, Gap, Heard, Reader, RefusedError, Robot, Seen, State
from covey.serve.inside.inbox import Inbox
from covey.serve.inside.lines import Lines
from covey.serve.inside.times import Times
from tests.serve.test_examples import HERE

CLOCK = FeedClock(1763460000.0, 1.0, 60.0, 2.0)
ARRIVED = 1763460090.0  # 1.5 minutes after the moment 0
SCENARIO = covey.load(HERE / "warehouse.toml")
VDA = {
    "headerId": 1, "timestamp": "2025-11-18T10:01:00Z", "version": "3.0.0",
    "manufacturer": "acme", "serialNumber": "c1", "driving": False, "orderId": "",
    "operatingMode": "AUTOMATIC", "powerSupply": {"charging": True},
}  # fmt: skip


def reader(*names: str, **more: Any) -> Reader:
    return Reader(SCENARIO.network, SCENARIO.log, names, Times(CLOCK, **more))


@pytest.mark.parametrize(
    ("found", "time", "heard"),
    [
        (VDA, 1.0, Robot("acme/c1", "charge", "")),
        ({"payload": VDA}, 1.0, Robot("acme/c1", "charge", "")),
        ({"time": 1.25, "robot": "r", "state": "pick"}, 1.25, Robot("r", "pick", "")),
        ({"time": 1763460060, "reaction": "3"}, 1.0, Event(2)),
        ({"time": 1763460060000, "reaction": "{carrier}+{picker}->pick{carrier,picker}"}, 1.0, Event(0)),
        ({"reaction": "dance"}, 1.5, Event(-1)),
        ({"time": 99, "reaction": "1"}, 1.5, Event(0)),  # nobody tells the future
        ({"time": "2025-11-18T10:00:30", "state": {"{carrier}": 4}}, 0.5, State({"{carrier}": 4})),
        ({"time": 1, "a": "4", "b": 2}, 1.0, Seen(("4", 2))),
    ],
)  # fmt: skip
def test_what_is_understood(found: dict[str, Any], time: float, heard: Heard) -> None:
    assert reader("a", "b").read(found, ARRIVED) == (time, [heard])


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ({"time": 1}, "neither a robot, an event nor a whole state"),
        ({"time": "soon", "reaction": "1"}, "no time that can be read"),
        ({"time": "nan", "reaction": "1"}, "no time that can be read"),
        ({"time": 1, "state": {"{carrier}": "x"}}, "a count that is no whole number"),
        ({"time": 1, "state": {"{carrier}": 2.5}}, "a count that is no whole number"),
        ({"time": 1, "state": {"{carrier}": True}}, "a count that is no whole number"),
        ({"time": 1, "state": {"{carrier}": 10**400}}, "a count that is no whole number"),
        ({"time": 1, "state": {"{carrier}": -1}}, "a state with an unknown species"),
        ({"time": 1, "state": {"{nobody}": 1}}, "a state with an unknown species"),
        ({"serialNumber": "c1", "factsheet": 1}, "another topic"),
        ({"serialNumber": "c1", "driving": True}, "not understood"),
        ({"a": 1}, "neither"),
    ],
)
def test_what_is_refused_says_why_and_nothing_else(found: dict[str, Any], reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        reader().read(found, ARRIVED)


def test_arrival_may_be_all_that_counts() -> None:
    assert reader(by_arrival=True).read(VDA, ARRIVED)[0] == 1.5


def test_a_log_is_counted_from_its_first_line() -> None:
    replayed = reader(unit="minute")
    assert replayed.read(VDA, ARRIVED)[0] == 0.0
    later = VDA | {"timestamp": "2025-11-18T10:03:30Z", "headerId": 2}
    assert replayed.read(later, ARRIVED)[0] == 2.5


def test_lines_are_objects_or_cells() -> None:
    assert Lines().read('{"a": 1}') == {"a": 1}
    cells = Lines()
    assert cells.read("\ufefftime,{A},robot") is None
    assert cells.read('1,"2",x') == {"time": "1", "{A}": "2", "robot": "x"}
    assert cells.read("  ") is None
    with pytest.raises(RefusedError, match="too few or too many cells"):
        cells.read("1,2")
    for bad in ("{", "[1]", "{" * 100_000):
        lines = Lines()
        lines.read('{"a": 1}')
        with pytest.raises(RefusedError):
            lines.read(bad)


def test_an_inbox_gives_things_in_the_order_of_time() -> None:
    inbox = Inbox()
    for time, reaction in ((3.0, 3), (1.0, 1), (2.0, 2), (1.0, 4)):
        assert inbox.put(time, Event(reaction))
    assert list(inbox.until(2.0)) == [(1.0, Event(1)), (1.0, Event(4)), (2.0, Event(2))]
    assert len(inbox) == 1


def test_a_full_inbox_knows_what_it_missed() -> None:
    inbox = Inbox(most=2)
    assert [inbox.put(t, Event(0)) for t in (1.0, 2.0, 3.0, 4.0)] == [True, True, False, False]
    heard = list(inbox.until(5.0))
    assert [one for one in heard if isinstance(one[1], Gap)] == [
        (3.0, Gap("too much came at once")),
        (4.0, Gap("too much came at once")),
    ]
