"""What a feed publishes has the reference's distribution, whatever the team does and whatever is missed.

The team is moved by a simulator of its own; events come late, are garbage, are missed for a while, and
the process begins anew again and again. Seeded, so that it says the same every time.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

import covey
from covey.model.io.stand_in_file import open_stand_in
from covey.serve.feed_clock import FeedClock
from covey.serve.inside.counters import Counters
from covey.serve.inside.heard import Event, Gap, State
from covey.serve.inside.ledger import Ledger
from covey.serve.inside.stand_in import ServedStandIn
from covey.serve.inside.team import LiveTeam
from covey.serve.inside.ticker import Ticker
from tests.serve.test_feed import FLEET

MOMENTS, EVERY = 4000, 1.5
NAMES = ("{A}", "{B}", "{R}", "{A,R}", "{B,R}")
CHANGES = np.array([[-1, 0, -1, 1, 0], [1, 0, 1, -1, 0], [0, -1, -1, 0, 1], [0, 1, 1, 0, -1]])


def _rates(x: np.ndarray) -> np.ndarray:
    """Of the fleet's four reactions, by hand."""
    return np.array([3 * x[0] * x[2], x[3], x[1] * x[2], x[4]], dtype=float)


@pytest.mark.parametrize("seed", range(3))
def test_the_published_counts_are_those_of_the_reference(tmp_path: Path, seed: int) -> None:
    (tmp_path / "fleet.toml").write_text(FLEET)
    own = covey.load(tmp_path / "fleet.toml")
    reference = {"A": 1, "B": 2}
    covey.stand_in(own, reference).save(tmp_path / "s.json")
    found = _published(tmp_path / "s.json", own, seed)
    exact = covey.distribution(own.with_(team=covey.Team(reference, {"R": 2})))
    expected = {
        tuple(map(int, y)): float(p)
        for y, p in zip(exact.outcomes, exact.probabilities, strict=True)
    }
    seen = Counter(found)
    assert set(seen) <= set(expected)
    total = sum(seen.values())
    statistic = sum((seen[y] - p * total) ** 2 / (p * total) for y, p in expected.items())
    assert chi2.sf(statistic, len(expected) - 1) > 1e-4


def _published(file: Path, own: covey.Scenario, seed: int) -> list[tuple[int, ...]]:
    lots = np.random.default_rng(seed)
    random: Callable[[int], bytes] = lots.bytes
    public = open_stand_in(file)
    x, now = np.array([2, 1, 2, 0, 0]), 0.0
    clock, kept, found = FeedClock(0.0, EVERY, 1.0, 1.0), None, []
    for begin in range(0, MOMENTS, 500):  # a restart
        publisher = ServedStandIn(public, own, -EVERY, kept, random=random)
        counters = Counters()
        team = LiveTeam(
            publisher, own, {}, together=0.0, lost_after=None, robots=False, counters=counters
        )
        ledger = Ledger(None, "", 0.0, EVERY, None, recent=deque())
        ticker = Ticker(clock, team, ledger, counters, ahead=0.0, by_moments=False, say=print)
        known = 0
        for k in range(begin, begin + 500):
            if k % 25 == 3:
                state = State({name: int(x[i]) for i, name in enumerate(NAMES)})
                team.hear(now, state)
            while now < k * EVERY:
                rates = _rates(x)
                now += lots.exponential(1 / rates.sum())
                reaction = int(lots.choice(4, p=rates / rates.sum()))
                x = x + CHANGES[reaction]
                team.hear(now, Event(reaction))
            if k % 25 == 20:
                team.hear(now, Gap("something was missed"))
            found.append(tuple(ticker.step(k)["counts"]))
            known += publisher.known
        kept = ledger.kept
        assert "cannot happen" not in counters.text()
        assert 250 < known < 400  # 17 of 25 moments, from a state to the next gap
    return found
