"""Noisy observers: binomials on paper, tables, and what they let through."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from covey.dynamics.distribution import Distribution
from covey.errors import InputError
from covey.privacy.snapshot.channel import seen_through, thin, through
from covey.privacy.snapshot.leakage import leakage_of
from covey.privacy.snapshot.output_distributions import TeamDistributions, team_distributions
from covey.privacy.snapshot.profile import profile_of
from tests.privacy.small_teams import finishing, shared_resource


@pytest.fixture(scope="module")
def distributions() -> TeamDistributions:
    return team_distributions(shared_resource())[0]


def surely(*counts: int) -> Distribution:
    names = tuple(f"y{i}" for i in range(len(counts)))
    return Distribution(names, np.array([counts]), np.zeros(1), 0.0)


def binomial(k: int, n: int, r: float) -> float:
    return math.comb(n, k) * r**k * (1 - r) ** (n - k)


def test_a_count_is_thinned_to_a_binomial() -> None:
    seen = thin(surely(5, 3), 0.3)
    assert len(seen) == 24
    for (a, b), p in zip(seen.outcomes.tolist(), seen.probabilities, strict=True):
        assert p == pytest.approx(binomial(a, 5, 0.3) * binomial(b, 3, 0.3), rel=1e-13)


def test_each_count_may_have_its_own_chance() -> None:
    seen = thin(surely(2, 3), {"y0": 0.25})
    assert seen.outcomes.tolist() == [[0, 3], [1, 3], [2, 3]]
    assert seen.probabilities == pytest.approx([9 / 16, 6 / 16, 1 / 16], rel=1e-14)


def test_a_large_count_stays_within_its_error() -> None:
    n, r = 500, 0.1
    seen = thin(surely(n), r)
    exact = [
        math.log(math.comb(n, k)) + k * math.log(r) + (n - k) * math.log1p(-r) for k in range(n + 1)
    ]
    wrong = np.abs(seen.log_probabilities - np.array(exact))
    assert (wrong <= seen.log_error + 4e-16 * np.abs(exact)).all()
    assert seen.log_error < 1e-11


def test_perfect_and_blind_observers(distributions: TeamDistributions) -> None:
    assert leakage_of(seen_through(distributions, 1.0)) == leakage_of(distributions)
    blind = seen_through(distributions, 0.0)
    assert blind.team.outcomes.tolist() == [[0, 0]]
    assert leakage_of(blind).value == pytest.approx(0, abs=1e-14)


def test_thinning_helps_profiles_first(distributions: TeamDistributions) -> None:
    clear, dim = profile_of(distributions), profile_of(seen_through(distributions, 0.5))
    assert dim.total_variation < clear.total_variation
    # Three free is still seen sometimes, and shows as much as ever.
    assert dim.epsilon(0) == pytest.approx(clear.epsilon(0), rel=1e-12)


def test_seeing_less_of_what_has_infinite_leakage() -> None:
    # Distinct counts of robots tell the teams apart; what is seen of them does not settle it.
    one = Distribution(("y",), np.array([[3]]), np.zeros(1), 0.0)
    two = Distribution(("y",), np.array([[2]]), np.zeros(1), 0.0)
    distributions = TeamDistributions(shared_resource(), "steady", one, ((_neighbour(), two),))
    dim = seen_through(distributions, 0.5)
    assert leakage_of(dim).value == math.inf  # three can only be seen of three
    assert profile_of(distributions).total_variation == 1
    assert profile_of(dim).total_variation == pytest.approx(1 / 8 + 3 / 8 - 1 / 4)


def _neighbour() -> Any:
    return shared_resource().team.neighbours()[0]


def test_a_table(distributions: TeamDistributions) -> None:
    crowd = {(3, 0): {(0,): 1.0}, (2, 1): {(0,): 0.5, (1,): 0.5}, (1, 2): {(1,): 1.0}}
    report = through(distributions.team, crowd, ("crowded",))
    assert report.names == ("crowded",)
    assert report.probabilities == pytest.approx([8 / 45, 37 / 45], rel=1e-12)
    noisy = seen_through(
        distributions, lambda distribution: through(distribution, crowd, ("crowded",))
    )
    assert leakage_of(noisy).value == pytest.approx(math.log((6 / 25) / (8 / 45)), rel=1e-12)


def test_a_table_over_the_same_names(distributions: TeamDistributions) -> None:
    same = {y: {y: 1.0} for y in [(3, 0), (2, 1), (1, 2)]}
    found = leakage_of(seen_through(distributions, same))
    assert found.value == leakage_of(distributions).value
    assert found.observation == leakage_of(distributions).observation


def test_lost_mass_stays() -> None:
    distribution = team_distributions(finishing(), [0.5])[0].team
    partial = Distribution(
        distribution.names,
        distribution.outcomes,
        distribution.log_probabilities,
        1e-14,
        truncated_mass=1e-6,
    )
    assert thin(partial, 0.3).truncated_mass == 1e-6
    assert thin(partial, 0.3).log_error > 1e-14


def test_neighbours_that_share_a_distribution_go_on_sharing_it() -> None:
    distribution = surely(2)
    distributions = TeamDistributions(
        shared_resource(), "steady", distribution, ((_neighbour(), distribution),)
    )
    noisy = seen_through(distributions, 0.5)
    assert noisy.neighbours[0][1] is noisy.team


@pytest.mark.parametrize(
    ("channel", "message"),
    [
        (1.5, "the probability of seeing a robot of free is 1.5: a number from 0 to 1"),
        ({"fre": 0.5}, "'fre' is not seen here. Did you mean \"free\"?"),
        ({"zzz": 0.5}, "'zzz' is not seen here. What is seen: free, busy."),
        ({(3, 0): {(3, 0): 1.0}}, r"the channel has no row for \(1, 2\)"),
        ({(1, 2): {(1, 2): 0.5}}, r"row for \(1, 2\) adds up to 0.5: 1 is expected"),
        ({(1, 2): {(1,): 1.0}}, "2 counts are expected, of free, busy"),
        ({(1, 2): {(1, 2): -0.5, (3, 0): 1.5}}, "with probability -0.5"),
    ],
)
def test_what_is_refused(distributions: TeamDistributions, channel: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        seen_through(distributions, channel)
