"""The audit: its limits against scipy's, its confidence by experiment, its honesty."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from covey import Network, Query, Scenario, Team
from covey.errors import InputError, UnsupportedError
from covey.privacy.inference.audit import audit, difference_bound, log_ratio_bound
from covey.privacy.inference.distinguishing_events import Event, best_event
from covey.privacy.snapshot.leakage import leakage
from covey.privacy.snapshot.profile import profile
from tests.privacy.small_teams import behind_a_barrier, finishing, flipping, shared_resource


@pytest.mark.parametrize(("hits", "others"), [(5, 0), (0, 5), (10, 10), (7, 3), (0, 10), (10, 0)])
def test_the_limits_are_those_of_clopper_and_pearson(hits: int, others: int) -> None:
    n, alpha = 10, 0.025
    # binomtest's two-sided interval at 95 % has both of its limits at 2.5 %.
    low = stats.binomtest(hits, n).proportion_ci(0.95).low
    high = stats.binomtest(others, n).proportion_ci(0.95).high
    with np.errstate(divide="ignore"):
        expected = np.log(low) - np.log(high)
    found = log_ratio_bound(np.array([hits]), np.array([others]), n, alpha)
    assert found[0] == pytest.approx(expected, rel=1e-9)


def test_it_finds_leakage_and_stays_below_it() -> None:
    scenario = finishing(2, 2)
    found = audit(scenario, 1.0, samples=4_000, seed=1)
    exact = leakage(scenario, 1.0)
    assert 0.2 < found.lower <= exact.value == pytest.approx(1)
    assert found.samples == 4_000
    assert found.worst.hits[0] != found.worst.hits[1]
    for pair, true in zip(found.pairs, exact.pairs, strict=True):
        assert pair.neighbour == true.neighbour
        assert pair.lower <= true.value


@pytest.mark.slow
def test_equal_types_are_not_accused() -> None:
    # Every accusation would be wrong here; at most one in twenty is allowed, none is usual.
    scenario = flipping(2, 2, slow=1.0, fast=1.0)
    wrong = sum(audit(scenario, 1.0, samples=200, seed=seed).lower > 0 for seed in range(40))
    assert wrong <= 4


@pytest.mark.slow
def test_the_bounds_hold_as_often_as_they_say() -> None:
    # One A or one B, each done or not: the exact ratios are known.
    scenario = finishing(1, 0)
    exact = leakage(scenario, 1.0)
    most = exact.profile.total_variation
    audits = [audit(scenario, 1.0, samples=100, confidence=0.6, seed=seed) for seed in range(60)]
    assert sum(found.lower > exact.value for found in audits) <= 60 * 0.4
    assert sum(found.total_variation > most for found in audits) <= 60 * 0.4


def test_a_team_too_large_for_anything_exact() -> None:
    network = Network("{A} <-> x{A} @ 1, 1\n{B} <-> x{B} @ 1, 50")
    query = Query(home="{A} + {B}", out="x{A} + x{B}")
    scenario = Scenario(network, Team({"A": 1, "B": 40}), query)
    found = audit(scenario, 2.0, samples=2_000, seed=3)
    assert found.lower > 0.1
    assert "These are lower bounds." in str(found)


def test_it_is_the_same_for_the_same_seed() -> None:
    one, same, other = (audit(finishing(), 1.0, samples=300, seed=s) for s in (7, 7, 8))
    assert one == same
    assert one.pairs != other.pairs


def test_it_prints_as_a_sentence() -> None:
    text = str(audit(finishing(1, 0), 1.0, samples=4_000, seed=0))
    assert text.startswith(
        "With confidence 0.95, from 4,000 samples of each team, seed 0, at time 1, an observer can "
        "tell this team from one with one A turned B at least 5"
    )
    assert "one snapshot leaks at least 0." in text
    assert "for this team as for a team with one A turned B. These are lower bounds." in text
    nothing = audit(flipping(1, 1, fast=1.0), 1.0, samples=50)
    assert str(nothing) == (
        "The audit proves no leakage at time 1 (50 samples of each team, seed 0). This is a lower "
        "bound: it does not say that there is none."
    )


def test_the_best_event_where_nothing_comes_twice() -> None:
    rng = np.random.default_rng(0)
    high = rng.integers(0, 10**6, (400, 3))
    low = rng.integers(0, 10**6, (400, 3))
    high[:, 2] += 300_000
    event = best_event(("a", "b", "c"), high, low, lambda k, n: np.log((k + 1) / (n + 8)))
    assert event.weights is not None
    assert event.weights[2] == pytest.approx(1, abs=0.01)
    assert event.hits(high) > 4 * event.hits(low)


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (Event(("a", "b"), np.array([0.0, 1.0]), 3.0), "b ≥ 3"),
        (Event(("a", "b"), np.array([-1.0, 0.0]), -3.0), "a ≤ 3"),
        (Event(("a", "b"), np.array([1.0, -0.5]), 3.0), "1 a − 0.5 b ≥ 3"),
        (Event(("a", "b"), listed=frozenset({(1, 2)})), "{a: 1, b: 2}"),
        (Event(("a", "b"), listed=frozenset({(1, 2), (2, 1)})), "one of 2 observations"),
    ],
)
def test_events_say_what_they_are(event: Event, text: str) -> None:
    assert str(event) == text


def test_it_bounds_the_total_variation_too() -> None:
    scenario = finishing(2, 2)
    found, exact = audit(scenario, 1.0, samples=4_000, seed=1), profile(scenario, 1.0)
    assert 0.05 < found.total_variation <= exact.total_variation
    assert found.bayes_success == (1 + found.total_variation) / 2
    for pair, true in zip(found.pairs, exact.pairs, strict=True):
        assert pair.total_variation <= true.total_variation


@pytest.mark.parametrize(("hits", "others"), [(5, 0), (0, 5), (10, 10), (7, 3), (0, 10), (10, 0)])
def test_the_difference_has_the_same_limits(hits: int, others: int) -> None:
    low = stats.binomtest(hits, 10).proportion_ci(0.95).low
    high = stats.binomtest(others, 10).proportion_ci(0.95).high
    found = difference_bound(np.array([hits]), np.array([others]), 10, 0.025)
    assert found[0] == pytest.approx(low - high, rel=1e-9)


def test_at_steady_state_a_time_is_chosen_and_checked() -> None:
    found = audit(shared_resource(), samples=2_000, seed=2)
    exact = leakage(shared_resource())
    assert found.steady
    late = leakage(shared_resource(), found.at)
    assert late.value == pytest.approx(exact.value, rel=1e-3)
    assert 0 < found.lower <= exact.value
    assert "it stands for steady state" in str(found)
    assert not audit(shared_resource(), 1.0, samples=50).steady


def test_a_time_that_is_too_short_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("covey.privacy.inference.audit._FOLDS", 0.3)
    found = audit(flipping(8, 8, slow=1.0, fast=1.5), "steady", samples=4_000, seed=1)
    assert found.at >= 0.3  # of a relaxation time of 0.5, and doubled at least once
    monkeypatch.setattr("covey.privacy.inference.audit._FOLDS", 0.001)
    with pytest.raises(UnsupportedError, match="has not settled"):
        audit(flipping(8, 8, slow=1.0, fast=1.5), "steady", samples=40_000, seed=1)


def test_what_is_refused() -> None:
    leaving = Scenario(
        Network("0 -> {A} @ 1\n{A} -> 0 @ 1\n{B} -> 0 @ 2"),
        Team({"A": 1, "B": 1}),
        Query(n="{A} + {B}"),
    )
    with pytest.raises(UnsupportedError, match="have left by the steady state"):
        audit(leaving)
    with pytest.raises(InputError, match="the confidence is 1.0: a number between 0 and 1"):
        audit(shared_resource(), 1.0, confidence=1.0)
    with pytest.raises(InputError, match="samples is 1: a whole number of at least 2"):
        audit(shared_resource(), 1.0, samples=1)
    with pytest.raises(InputError, match="the time is -1"):
        audit(shared_resource(), -1.0)


def test_a_time_that_stands_for_steady_state_is_said_to_be_one() -> None:
    found = audit(behind_a_barrier(), samples=1_000)
    assert found.steady
    assert found.bayes_success > 0.9  # at steady state it is a half
    said = f"at time {found.at:g} (it stands for steady state; that the team has settled by then"
    assert f"{said} is not proved)" in str(found)
    assert "not proved" not in str(audit(behind_a_barrier(), found.at, samples=1_000))
