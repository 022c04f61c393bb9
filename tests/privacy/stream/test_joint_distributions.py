"""Several snapshots of one trajectory: against distributions on paper and a dense exponential."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.linalg import expm

from covey.dynamics.ctmc.transitions import build
from covey.dynamics.limits import Limits
from covey.dynamics.state_space.enumeration import explore
from covey.errors import InputError, TooLargeError
from covey.model.scenario import Scenario
from covey.privacy.snapshot.leakage import leakage, leakage_of
from covey.privacy.snapshot.output_distributions import team_distributions
from covey.privacy.snapshot.profile import profile_of
from covey.privacy.stream.joint_distributions import first_snapshots, joint_distributions
from tests.privacy.small_teams import finishing, flipping, shared_resource


def test_flipping_robots_leak_only_together() -> None:
    distributions = joint_distributions(flipping(), [0.0, 0.1])
    found = leakage_of(distributions)
    switch = [-math.expm1(-2 * rate * 0.1) / 2 for rate in (1, 10)]
    assert found.value == pytest.approx(math.log(switch[1] / switch[0]), rel=1e-11)
    assert f"{found.value:.2f}" == "1.56"
    assert leakage_of(first_snapshots(distributions, 1, 2)).value == pytest.approx(0, abs=1e-12)
    assert found.interval[0] <= found.value <= found.interval[1]
    assert found.interval[1] - found.interval[0] < 1e-8
    assert found.observation in (
        {"on@1": 0, "off@1": 1, "on@2": 1, "off@2": 0},
        {"on@1": 1, "off@1": 0, "on@2": 0, "off@2": 1},
    )


def test_the_distribution_of_flipping_robots() -> None:
    distribution = joint_distributions(flipping(), [0.0, 0.1, 0.3]).team
    assert distribution.names == ("on@1", "off@1", "on@2", "off@2", "on@3", "off@3")
    assert len(distribution) == 8
    change = [-math.expm1(-2 * step) / 2 for step in (0.1, 0.2)]
    for outcome, p in zip(distribution.outcomes.tolist(), distribution.probabilities, strict=True):
        on = outcome[::2]
        factors = [c if a != b else 1 - c for c, a, b in zip(change, on, on[1:], strict=False)]
        assert p == pytest.approx(math.prod(factors) / 2, rel=1e-12)


def _brute_force(scenario: Scenario, times: list[float]) -> dict[tuple[int, ...], float]:
    """Sums over all paths of states, by dense exponentials."""
    lattice = explore(scenario.network, scenario.start, max_states=100)
    moves = build(scenario.network, lattice).csr().toarray()
    seen = (lattice.states.astype(int) @ scenario.query.matrix(scenario.network).T).tolist()
    steps = [expm(moves * step) for step in np.diff([0.0, *times])]
    distribution: dict[tuple[int, ...], float] = {}
    for path in itertools.product(range(len(lattice)), repeat=len(times)):
        p, here = 1.0, lattice.start
        for step, there in zip(steps, path, strict=True):
            p, here = p * step[there, here], there
        key = tuple(itertools.chain.from_iterable(seen[i] for i in path))
        distribution[key] = distribution.get(key, 0.0) + p
    return distribution


@pytest.mark.parametrize("times", [[0.4], [0.2, 0.5], [0.1, 0.1, 0.7], [0.0, 0.3, 0.4]])
def test_against_a_sum_over_paths(times: list[float]) -> None:
    scenario = shared_resource()
    distribution = joint_distributions(scenario, times, stationary=False).team
    expected = {y: p for y, p in _brute_force(scenario, times).items() if p > 0}
    found = dict(
        zip(map(tuple, distribution.outcomes.tolist()), distribution.probabilities, strict=True)
    )
    assert found == pytest.approx(expected, rel=1e-9)
    assert distribution.probabilities.sum() == pytest.approx(1, rel=1e-12)


def test_more_sequences_than_states() -> None:
    # 2 observations and 2 states: from the third snapshot on, states are moved and not sequences.
    times = [0.1, 0.2, 0.3, 0.4, 0.5]
    distribution = joint_distributions(flipping(), times, stationary=False).team
    expected = _brute_force(flipping(), times)
    found = dict(
        zip(map(tuple, distribution.outcomes.tolist()), distribution.probabilities, strict=True)
    )
    assert found == pytest.approx(expected, rel=1e-10)


def test_one_snapshot_is_the_leakage() -> None:
    one = leakage_of(joint_distributions(shared_resource(), [0.0]))
    assert one.value == pytest.approx(leakage(shared_resource()).value)
    one = leakage_of(joint_distributions(shared_resource(), [0.7], stationary=False))
    assert one.value == pytest.approx(leakage(shared_resource(), 0.7).value, rel=1e-9)


def test_the_first_snapshots_are_those_of_the_solver() -> None:
    distributions = joint_distributions(shared_resource(), [0.3, 0.9], stationary=False)
    first = leakage_of(first_snapshots(distributions, 1, 2))
    assert first.value == pytest.approx(leakage(shared_resource(), 0.3).value, rel=1e-9)


def test_what_has_finished_stays_so_exactly() -> None:
    # Two done, then one: impossible for either team, and not merely improbable.
    found = joint_distributions(finishing(), [0.5, 1.0], stationary=False)
    assert found.team.truncated_mass == 0
    assert (found.team.outcomes[:, 1] <= found.team.outcomes[:, 3]).all()
    # Nobody done at 1: each A that is a B instead takes e^-1.
    assert leakage_of(found).value == pytest.approx(1, rel=1e-9)


def test_a_far_tail_keeps_its_accuracy() -> None:
    # All still working at 100 and at 200: e^-400 each for the A's, e^-400 for the B.
    distribution = joint_distributions(finishing(1, 1), [30.0, 60.0], stationary=False).team
    both = distribution.outcomes[:, 2] == 2
    assert distribution.log_probabilities[both] == pytest.approx([-180.0], abs=1e-8)


def test_the_profile_of_snapshots_together() -> None:
    together = profile_of(joint_distributions(shared_resource(), [0.0, 0.2]))
    alone = profile_of(team_distributions(shared_resource())[0])
    assert together.delta(0.1) > alone.delta(0.1)


def test_the_adversary_decides_from_when_on() -> None:
    at = flipping().with_({"adversary.at": 2.0})
    found = joint_distributions(at, [0.1])
    assert found.at == 0.1
    assert found.team.probability(**{"on@1": 1}) == pytest.approx((1 + math.exp(-0.2)) / 2)


def test_too_many_sequences_are_counted_and_refused() -> None:
    with pytest.raises(
        TooLargeError,
        match="4 snapshots of 3 observations each make up to 81 sequences, and at most 80 are allowed",
    ):
        joint_distributions(shared_resource(), [1, 2, 3, 4], max_sequences=80)
    with pytest.raises(TooLargeError, match="has 5 states"):
        joint_distributions(shared_resource(), [1, 2], limits=Limits(max_states=2))


def test_times_are_in_order() -> None:
    with pytest.raises(InputError, match="times are expected in increasing order"):
        joint_distributions(shared_resource(), [2, 1])
    with pytest.raises(InputError, match="there are no times"):
        joint_distributions(shared_resource(), [])
