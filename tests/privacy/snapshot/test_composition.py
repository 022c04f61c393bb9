"""Missions that compose: against direct convolution, and from above in every case."""

from __future__ import annotations

import builtins
import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln

from covey import Network, Query, Team, load, profile
from covey.dynamics.limits import Limits
from covey.errors import InputError, UnsupportedError
from covey.model.scenario import Scenario
from covey.numbers import Floats
from covey.privacy.snapshot.composition import account, account_of
from tests.conftest import EXAMPLES
from tests.privacy.small_teams import finishing, flipping, shared_resource

WAREHOUSE = load(next(path for path in EXAMPLES if path.stem == "warehouse"))
RIDE = load(next(path for path in EXAMPLES if path.stem == "ride-sharing"))
EPSILONS = (0.0, 0.05, 0.3, 1.0, 2.5, math.inf)


def by_hand(log_p: Floats, log_q: Floats, missions: int, epsilon: float) -> float:
    """δ over all that k snapshots can show, order apart: a sum over multisets of outcomes."""
    total, outcomes = 0.0, range(len(log_p))
    for chosen in itertools.combinations_with_replacement(outcomes, missions):
        counts = np.bincount(chosen, minlength=len(log_p))
        used = counts > 0
        p, q = (float(counts[used] @ logs[used]) for logs in (log_p, log_q))
        ways = float(gammaln(missions + 1) - gammaln(counts + 1).sum())
        if p > -math.inf:
            other = (
                0.0 if q == -math.inf else math.exp(epsilon + q - p) if epsilon < 700 else math.inf
            )
            total += math.exp(ways + p) * max(0.0, 1 - other)
    return total


@pytest.mark.parametrize(
    ("scenario", "missions"),
    [
        (shared_resource(), 1),
        (shared_resource(), 2),
        (shared_resource(), 12),
        (flipping(2, 1).with_({"adversary.at": 0.3}), 20),
        (finishing(2, 1).with_({"adversary.at": 1.0}), 15),
        (WAREHOUSE, 2),
        (WAREHOUSE, 3),
    ],
)
def test_the_same_as_direct_convolution(scenario: Scenario, missions: int) -> None:
    found = account(scenario, missions)
    exact = profile(scenario)
    for epsilon in EPSILONS:
        true = max(
            by_hand(one, other, missions, epsilon)
            for pair in exact.pairs
            for one, other in (pair.log_probabilities, pair.log_probabilities[::-1])
        )
        assert true <= found.delta(epsilon) <= true * (1 + 1e-3) + 2e-5
        if 1e-7 < true < 1 and epsilon < 700:
            assert found.epsilon(true) >= epsilon - 1e-9
            assert found.epsilon(1.002 * true + 2e-5) <= epsilon


def test_one_mission_is_the_profile() -> None:
    exact = profile(shared_resource())
    found = account_of(exact, 1)
    assert found.bayes_success == pytest.approx(exact.bayes_success, abs=1e-8)
    assert found.epsilon(1e-6) == pytest.approx(exact.epsilon(1e-6), abs=1e-4)
    assert found.worst.neighbour == exact.worst.neighbour


def test_more_missions_tell_more_and_never_more_than_k_times_the_worst() -> None:
    exact = profile(shared_resource())
    accounts = [account_of(exact, k) for k in (1, 3, 10, 100, 3000)]
    rights = [found.bayes_success for found in accounts]
    assert rights == sorted(rights)
    for found in accounts:
        most = found.missions * (exact.epsilon_interval(0.0)[1] + found.step)
        assert found.epsilon(1e-4) <= most
    # √k: far below the k times that plain composition would give
    assert accounts[3].epsilon(1e-6) < 0.3 * 100 * exact.epsilon(0.0)


def test_many_missions_are_gaussian() -> None:
    """By the central limit theorem the sum of losses is normal: mean k·KL, variance k·Var."""
    exact = profile(shared_resource())
    found = account_of(exact, 3000)
    direct = []
    for pair in exact.pairs:
        for p, q in (pair.log_probabilities, pair.log_probabilities[::-1]):
            share, loss = np.exp(p), p - q
            mean = float(share @ loss)
            direct.append((mean, float(np.sqrt(share @ (loss - mean) ** 2))))
    low = max(3000 * mean + 4.0 * math.sqrt(3000) * sd for mean, sd in direct)
    high = max(3000 * mean + 6.0 * math.sqrt(3000) * sd for mean, sd in direct)
    assert low < found.epsilon(1e-6) < high


def test_what_was_left_out_counts() -> None:
    exact = profile(RIDE, limits=Limits("projection"))
    lost = exact.distributions.computed.truncated_mass
    found = account_of(exact, 50)
    assert lost > 0
    assert found.distinguishing_mass >= 1 - (1 - lost) ** 50
    assert found.distinguishing_mass <= 60 * lost + found.rounding
    assert found.delta(0.1) >= exact.delta(0.1)


@pytest.mark.filterwarnings("ignore::covey.errors.DirectBreachWarning")
@pytest.mark.parametrize("missions", [1, 2, 1000])
def test_distributions_that_share_no_outcome_are_told_apart_for_certain(missions: int) -> None:
    apart = Scenario(
        Network("{A} <-> w{A} @ 1, 1\n{B} <-> w{B} @ 1, 2"),
        Team({"A": 2, "B": 1}),
        Query(a="{A} + w{A}", b="{B} + w{B}"),
    )
    found = account(apart, missions)
    assert [found.delta(epsilon) for epsilon in EPSILONS] == [1.0] * len(EPSILONS)
    assert (found.epsilon(0.999), found.bayes_success, found.distinguishing_mass) == (
        math.inf,
        1.0,
        1.0,
    )
    assert "at most 100% of the time" in str(found)
    assert (
        "no finite ε at δ = 1e-6, because up to 100% of snapshots rule one possibility out"
        in str(found)
    )


def test_equal_types_stay_equal() -> None:
    found = account(flipping(2, 1, slow=1.0, fast=1.0), 1000, at=0.5)
    assert found.bayes_success < 0.5 + 1e-4
    assert found.epsilon(1e-6) < 1e-3


def test_it_prints_as_a_sentence() -> None:
    text = account(shared_resource(), 10).says((1.0,))
    assert text.startswith(
        "One snapshot at steady state of each of 10 independent missions: an observer "
        "tells this team from one with one A turned B at most 64.0% of the time (50% is guessing)."
    )
    assert "(ε, δ): ε = 3.6" in text
    assert text.endswith("at ε = 1.")


def test_a_noisy_observer_learns_less() -> None:
    assert (
        account(shared_resource(), 10, seen=0.5).bayes_success
        < account(shared_resource(), 10).bayes_success
    )


def test_robots_of_the_start_that_have_left_are_not_accounted_for() -> None:
    with pytest.raises(UnsupportedError, match="have left by the steady state"):
        account(RIDE, 3, at="steady")


@pytest.mark.parametrize("missions", [0, -1, 1.5, True, "3"])
def test_a_number_of_missions_is_expected(missions: Any) -> None:
    with pytest.raises(InputError, match="a whole number of at least 1 is expected"):
        account(shared_resource(), missions)


def test_very_many_missions_are_a_bound_or_refused() -> None:
    """Neither offers a number of a billion digits, nor a grid that grows with the missions."""
    exact = profile(shared_resource())
    million = account_of(exact, 1_000_000)
    assert million.delta(0.0) > 1 - 1e-3
    assert max(one.size for pair in million.pairs for one in pair.sums) < 2**20
    with pytest.raises(InputError, match="at most 10,000,000 are accounted for"):
        account_of(exact, 10**9)


def test_epsilon_and_delta_are_checked() -> None:
    found = account(shared_resource(), 2)
    with pytest.raises(InputError, match="epsilon is -1"):
        found.delta(-1)
    with pytest.raises(InputError, match="delta is 2"):
        found.epsilon(2)
    assert found.epsilon(0.0) == math.inf  # no δ is below the rounding


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = builtins.__import__

    def missing(name: str, *args: Any, **rest: Any) -> Any:
        if name.startswith("dp_accounting"):
            raise ImportError(name)
        return usual(name, *args, **rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(InputError, match=r'pip install "covey\[accounting\]"'):
        account(shared_resource(), 3)
