"""A feed against its reference: rejected at the level and no more often, and what is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

import covey
from covey import CountLog, CountRun, InputError, Scenario, TooLargeError
from covey.study.audit import feed_audit
from tests.privacy.small_teams import flipping, shared_resource


def feeds(
    scenario: Scenario, count: int, looks: int, seed: int, after: float = 0.0
) -> list[CountLog]:
    """Feeds of a team, each of one run with a look at 0, 1, 2, …"""
    times = np.arange(looks, dtype=float)
    states = covey.trajectories(
        scenario.network, scenario.start, times=times + after, samples=count, seed=seed
    )
    flat = scenario.query.shown(states.reshape(-1, states.shape[2]), scenario.network.index)
    seen = flat.reshape(count, looks, -1).astype(float)
    names = tuple(scenario.query.groups(scenario.network))
    return [CountLog("feed", names, (CountRun("run", times, one),)) for one in seen]


def chances(reference: Scenario, logs: list[CountLog], samples: int = 39) -> list[float]:
    return [
        covey.audit_feed(reference, log, samples=samples, confidence=0.9, seed=seed).p_value
        for seed, log in enumerate(logs)
    ]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_audit, "_PILOT", 60)


def test_a_feed_of_the_reference_is_rejected_at_the_level(quick: None) -> None:
    reference = flipping(2, 2).with_({"adversary.at": 3.0})
    found = chances(reference, feeds(reference, 100, 12, 7))
    assert 2 <= sum(p <= 0.1 for p in found) <= binom.ppf(0.999, 100, 0.1)


@pytest.mark.study
def test_the_level_in_500_feeds(quick: None) -> None:
    for at in (3.0, "steady"):
        reference = flipping(2, 2).with_({"adversary.at": at})
        logs = feeds(reference, 500, 12, 11, after=20.0 if at == "steady" else 0.0)
        found = chances(reference, logs)
        for level in (0.05, 0.1, 0.5):
            rejected = sum(p <= level for p in found)
            # From below it is wide: the better of two p-values counts twice.
            assert 0.3 * level * 500 <= rejected <= binom.ppf(0.9995, 500, level), (at, level)


def test_another_team_is_found_and_named() -> None:
    reference, real = flipping(3, 1, 0.2, 2.0), flipping(1, 3, 0.2, 2.0)
    found = covey.audit_feed(reference, feeds(real, 1, 300, 3, after=20.0)[0], samples=199)
    assert found.rejected
    assert found.p_value <= 0.02
    assert found.odd
    assert "is not that of its reference, 3 A, 1 B" in str(found)
    assert found.odd[0].what in str(found)
    assert len(found.to_pandas()) == len(found.features)
    assert found.plot().axes


def test_a_stand_in_passes_and_the_truth_does_not(tmp_path: Path) -> None:
    real = shared_resource(6, 2)
    covey.stand_in(real, {"A": 2, "B": 6}).save(tmp_path / "s.json")
    public = covey.open_stand_in(tmp_path / "s.json")
    publisher = covey.CoupledPublisher(
        public,
        {str(s): int(n) for s, n in zip(real.network.species, real.start, strict=True)},
        random=np.random.default_rng(1).bytes,
    )
    log = covey.event_log(real.network, real.start, 400.0, seed=2)
    events = list(zip(log.times.tolist(), log.reactions.tolist(), strict=True))
    rows = []
    for look in range(400):
        while events and events[0][0] <= look:
            publisher.event(*events.pop(0))
        rows.append(list(publisher.published(float(look)).values()))
    names = tuple(publisher.published(400.0))
    times = np.arange(400.0)
    feed = CountLog("feed", names, (CountRun("run", times, np.array(rows, dtype=float)),))
    assert not covey.audit_feed(public, feed, samples=199).rejected
    truth = feeds(real, 1, 400, 2, after=50.0)[0]
    assert covey.audit_feed(public, truth, samples=199).rejected


def test_some_counts_and_several_runs() -> None:
    reference = flipping(2, 2)
    logs = feeds(reference, 5, 20, 1, after=20.0)
    runs = tuple(
        CountRun(str(i), log.runs[0].times, log.runs[0].counts[:, :1]) for i, log in enumerate(logs)
    )
    found = covey.audit_feed(reference, CountLog("feed", ("on",), runs), samples=99)
    assert found.rows == 100
    assert not any("off" in one.what for one in found.features)


def test_what_is_refused() -> None:
    reference, log = flipping(2, 2), feeds(flipping(2, 2), 1, 5, 1)[0]
    with pytest.raises(InputError, match="the column 'oN' is nothing that the reference shows"):
        covey.audit_feed(reference, CountLog("feed", ("oN", "off"), log.runs))
    with pytest.raises(InputError, match="samples is 10: a whole number of at least 19"):
        covey.audit_feed(reference, log, samples=10)
    with pytest.raises(InputError, match="the confidence is 2"):
        covey.audit_feed(reference, log, confidence=2)
    with pytest.raises(TooLargeError, match="give fewer rows or fewer samples"):
        covey.audit_feed(reference, log, samples=10**9)


def test_a_stand_in_that_may_publish_the_truth_says_so(tmp_path: Path) -> None:
    covey.stand_in(shared_resource(2, 1), {"A": 1, "B": 2}, truth=0.2).save(tmp_path / "s.json")
    public = covey.open_stand_in(tmp_path / "s.json")
    found = covey.audit_feed(public, feeds(public.scenario, 1, 10, 1, after=20.0)[0], samples=19)
    assert "With probability 0.2 this stand-in publishes the truth" in found.notes[0]


TWO_WAYS = """
[types]
A = 4
B = 0
[network]
reactions = '''
{A} <-> w{A} @ [{A} * (3 * (w{A} >= 3) + 0.01)], [w{A} * (3 * (w{A} <= 1) + 0.01)]
{B} <-> w{B} @ 1, 1
'''
[observe]
idle = "{A} + {B}"
busy = "w{A} + w{B}"
"""


def test_a_reference_that_can_rest_in_two_ways_begins_in_either(quick: None) -> None:
    """The mean field settles where it starts; what is published begins in the steady state."""
    reference = covey.loads(TWO_WAYS)
    logs = feeds(reference, 6, 8, 1)
    logs += feeds(reference.with_({"initial.A": "w{A}"}), 6, 8, 2)
    assert sum(p <= 0.1 for p in chances(reference, logs)) <= binom.ppf(0.999, 12, 0.1)


def test_a_feed_with_a_row_for_each_change_is_refused() -> None:
    """Its times tell: those of the reference have no more changes at them than at others."""
    times = np.array([0.0, 0.3, 1.9, 2.0, 4.5])
    counts = np.array([[2, 2], [1, 3], [2, 2], [3, 1], [2, 2]], dtype=float)
    log = CountLog("feed", ("on", "off"), (CountRun("run", times, counts),))
    with pytest.raises(InputError, match="a row for each change"):
        covey.audit_feed(flipping(2, 2), log, samples=19)
    even = CountLog("feed", ("on", "off"), (CountRun("run", np.arange(5.0), counts),))
    assert covey.audit_feed(flipping(2, 2), even, samples=19).rows == 5
