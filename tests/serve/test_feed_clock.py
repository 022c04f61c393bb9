"""Moments, and when each is published."""

from hypothesis import given
from hypothesis import strategies as some

from covey.serve.feed_clock import FeedClock, iso, whole_start

CLOCK = FeedClock(1000.0, 2.0, 60.0, 10.0)  # every two minutes


def test_a_value_is_made_before_it_is_published_and_after_its_moment() -> None:
    assert (CLOCK.moment(3), CLOCK.cut(3), CLOCK.due(3)) == (1360.0, 1369.5, 1370.0)
    assert CLOCK.model(1360.0) == 6.0


def test_what_is_over_is_left_out() -> None:
    assert CLOCK.next_due(0.0) == CLOCK.next_ready(0.0) == 0
    assert CLOCK.next_due(1370.0) == 4  # it is published at that very time by somebody else
    assert CLOCK.next_ready(1369.7) == 3  # a little late is in time
    assert CLOCK.next_ready(1369.8) == 4


@given(some.floats(0, 1e10), some.floats(0.05, 1e5), some.floats(0.1, 100))
def test_the_next_moment_is_the_first_that_is_not_over(
    now: float, every: float, delay: float
) -> None:
    clock = FeedClock(1e9, every, 1.0, delay)
    k = clock.next_due(now)
    slack = 1e-5 * every + 1e-5
    assert clock.due(k) > now - slack
    assert k == 0 or clock.due(k - 1) <= now + slack


def test_a_feed_begins_at_a_full_step() -> None:
    assert whole_start(1763460001.0, 60) % 60 == 0
    assert whole_start(1763460060.0, 60) == 1763460060.0


def test_times_are_shown_as_they_are_read() -> None:
    assert iso(1763460060.0) == "2025-11-18T10:01:00Z"
    assert iso(1763460060.1) == "2025-11-18T10:01:00.100Z"
