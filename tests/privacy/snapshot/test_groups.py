"""Groups of robots: the teams at a distance, counted and listed, and what they leak."""

from __future__ import annotations

import itertools
import math

import pytest

from covey import Network, Query, Scenario, Team, profile
from covey.errors import InputError, TooLargeError
from covey.privacy.snapshot.groups import count_teams, group_leakage, regroupings
from covey.privacy.snapshot.leakage import leakage
from tests.privacy.small_teams import finishing, shared_resource, turned


def test_one_robot_is_the_leakage() -> None:
    group, one = group_leakage(shared_resource(), 1), leakage(shared_resource())
    assert group.value == one.value
    assert group.interval == one.interval
    assert group.observation == one.observation
    assert group.alternative.team == turned(one.neighbour).team


def test_robots_that_work_by_themselves() -> None:
    # All still working at t: e^-(a + 2b)t, so each A that turns B takes another t.
    found = group_leakage(finishing(3, 1), 3, at=0.5)
    ratio = [max(0.5 * k, _largest_done(3, 1, k)) for k in (1, 2, 3)]
    assert list(found.by_robots) == [1, 2, 3]
    assert list(found.by_robots.values()) == pytest.approx(ratio, rel=1e-9)
    assert found.value == max(found.by_robots.values())


def _largest_done(a: int, b: int, robots: int) -> float:
    """Brute force over the number of robots that are done at t = 0.5."""
    p, q = math.exp(-0.5), math.exp(-1.0)

    def distribution(n: int, m: int, working: int) -> float:
        return sum(
            math.comb(n, i) * p**i * (1 - p) ** (n - i)
            * math.comb(m, working - i) * q ** (working - i) * (1 - q) ** (m - working + i)
            for i in range(max(0, working - m), min(n, working) + 1)
        )  # fmt: skip

    moves = [k for k in (-robots, robots) if -b <= k <= a]
    return max(
        abs(math.log(distribution(a, b, y) / distribution(a - k, b + k, y)))
        for k in moves
        for y in range(a + b + 1)
    )


def test_k_times_the_leakage_is_no_bound() -> None:
    one, two = (group_leakage(shared_resource(), k).value for k in (1, 2))
    assert two > 2 * one


@pytest.mark.parametrize("counts", [(2, 1), (0, 3), (2, 2, 1), (1, 0, 2, 1)])
def test_teams_are_counted_as_they_are_listed(counts: tuple[int, ...]) -> None:
    names = tuple("ABCD"[: len(counts)])
    team = Team(dict(zip(names, counts, strict=True)))
    for robots in range(1, sum(counts) + 1):
        listed = [tuple(r.team.types.values()) for r in regroupings(team, names, robots)]
        everywhere = itertools.product(range(sum(counts) + 1), repeat=len(counts))
        expected = {
            other
            for other in everywhere
            if sum(other) == sum(counts)
            and 1 <= sum(max(0, a - b) for a, b in zip(counts, other, strict=True)) <= robots
        }
        assert len(listed) == len(set(listed)) == count_teams(team, names, robots)
        assert set(listed) == expected


def test_only_protected_types_change() -> None:
    network = Network("{A} <-> x{A} @ 1, 1\n{B} <-> x{B} @ 2, 1\n{C} <-> x{C} @ 3, 1")
    query = Query(home="{A} + {B} + {C}")
    scenario = Scenario(network, Team({"A": 1, "B": 1, "C": 1}), query)
    scenario = scenario.with_({"adversary.protect": ["A", "B"]})
    found = group_leakage(scenario, 2)
    assert {pair.alternative.team.types["C"] for pair in found.pairs} == {1}
    assert len(found.pairs) == 2


def test_infinite_leakage_is_said() -> None:
    network = Network("{A} <-> x{A} @ 1, 1\n{B} -> x{B} @ 1")
    query = Query(home="{A} + {B}")
    scenario = Scenario(network, Team({"A": 1, "B": 1}), query)
    found = group_leakage(scenario, 1)
    assert math.isinf(found.value)
    assert "so it proves the types of one robot (leakage ∞)" in str(found)


def test_it_prints_as_a_sentence() -> None:
    assert str(group_leakage(shared_resource(), 2)) == (
        "One snapshot at steady state: an observer tells this team from one with 2 A turned 2 B "
        "at most 60.3% of the time (50% is guessing). Worst case: {free: 3, busy: 0} shifts the odds on the types of up to 2 robots by a factor 3.46 (leakage "
        "1.24), against this team with 2 A turned 2 B; its probability is 0.0769 there."
    )


def test_the_best_guess_is_that_of_one_robot_and_more() -> None:
    one, two = (group_leakage(shared_resource(), robots) for robots in (1, 2))
    assert one.bayes_success == pytest.approx(profile(shared_resource()).bayes_success)
    assert two.bayes_success > one.bayes_success
    assert group_leakage(shared_resource(), 2, seen=0.5).bayes_success < two.bayes_success


def test_too_many_teams_are_counted_and_refused() -> None:
    with pytest.raises(
        TooLargeError, match="101 teams differ from this one in at most 100 robots, and at most 50"
    ):
        group_leakage(shared_resource(100, 1), 100, max_teams=50)


@pytest.mark.parametrize("robots", [0, -1, 4, 1.5, True])
def test_how_many_robots(robots: int) -> None:
    with pytest.raises(InputError, match="a whole number from 1 to 3 is expected"):
        group_leakage(shared_resource(), robots)
