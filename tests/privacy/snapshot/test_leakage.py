import math

import numpy as np
import pytest

from covey import (
    DirectBreachWarning,
    InputError,
    Limits,
    Network,
    Query,
    Scenario,
    Team,
    distribution,
    load,
)
from covey.dynamics.distribution import Distribution
from covey.dynamics.solver import Solver
from covey.privacy.cases import case_of
from covey.privacy.distribution_cache import DistributionCache
from covey.privacy.snapshot.comparison import compare_distributions
from covey.privacy.snapshot.leakage import leakage
from covey.privacy.snapshot.output_distributions import team_distributions
from tests.conftest import EXAMPLES

BY_NAME = {path.stem: path for path in EXAMPLES}
SHARED, TASK, THREE, RIDE = (
    load(BY_NAME[name])
    for name in ("shared-resource", "task-network", "three-types", "ride-sharing")
)


def test_the_motivating_example() -> None:
    found = leakage(SHARED)
    assert found.value == pytest.approx(math.log(1.8), rel=1e-12)
    assert found.interval[0] <= math.log(1.8) <= found.interval[1]
    assert found.interval[1] - found.interval[0] < 1e-10
    assert found.neighbour.key == ("A", "B")
    assert found.observation == {"free": 3, "busy": 0}
    assert found.probability == pytest.approx((1 / 45, 1 / 25))
    assert found.worst.speaks_for == "neighbour"
    assert found.exposed == pytest.approx({"A": math.log(1.8), "B": math.log(73 / 45)})
    assert str(found) == (
        "Low, for one snapshot: someone who takes it tells one A from a B at most 56% of the time "
        "(50% is guessing). Compared: this team, and the same with one A turned B. Both are equally "
        "likely beforehand, and everything else is known. One snapshot at steady state: right at "
        "most 55.4% of the time. (ε, δ): ε = 0.588 at δ = 1e-6: no event is more than 1.8 times as "
        "likely for one possibility as for the other, plus δ. Worst case: {free: 3, busy: 0} shifts "
        "the odds on a robot's type by a factor 1.8 (leakage 0.588), against this team with one A "
        "turned B; its probability is 0.04 there."
    )


def test_the_task_network() -> None:
    found = leakage(TASK)
    assert found.value == pytest.approx(0.24667246, abs=5e-9)
    assert found.observation == {"exploring": 12, "waiting": 0, "in_twos": 0}


@pytest.mark.parametrize(("nu", "value"), [(1e-10, 13.254008), (1e-6, 4.061047), (0.0, math.inf)])
def test_three_types_smoothed(nu: float, value: float) -> None:
    assert leakage(THREE, smoothing=nu).value == pytest.approx(value, abs=5e-7)


def test_infinite_leakage_names_what_is_impossible() -> None:
    found = leakage(THREE)
    assert found.interval == (math.inf, math.inf)
    team, neighbour = found.probability
    assert (team > 0) != (neighbour > 0)
    assert "so it proves a robot's type (leakage ∞)" in str(found)


def test_a_projection_gives_a_lower_bound() -> None:
    found = leakage(RIDE, limits=Limits("projection"))
    assert found.method == "projection"
    assert 0 < found.interval[0] == found.value
    assert found.interval[1] == math.inf
    assert "or more" in str(found)
    smoothed = leakage(RIDE, smoothing=1e-6)
    assert math.isfinite(smoothed.interval[1])
    assert smoothed.interval[0] <= smoothed.value <= smoothed.interval[1]


def test_lost_mass_widens_the_interval_as_it_should() -> None:
    """With p in [0.5, 0.6] and [0.3, 0.4], p' in [0.2, 0.4] and [0.6, 0.8]: worked out by hand."""

    def distribution(p: list[float], lost: float) -> Distribution:
        return Distribution(("y",), np.array([[0], [1]]), np.log(p), 0.0, lost)

    found = compare_distributions(
        distribution([0.5, 0.3], 0.1), distribution([0.2, 0.6], 0.2), smoothing=0.0
    )
    assert found.value == pytest.approx(math.log(0.6 / 0.4))  # at y = 1, whatever was lost
    assert found.observation == {"y": 1}
    assert found.interval[0] == pytest.approx(math.log(0.6 / 0.4))
    assert found.interval[1] == math.inf


def test_symmetric_teams_are_solved_once() -> None:
    book = DistributionCache(Solver(TASK.network), TASK.query, [10.0])
    distributions = [book(case_of(TASK, neighbour))[0] for neighbour in TASK.team.neighbours()]
    assert len({id(distribution) for distribution in distributions}) == 1


def test_a_query_that_tells_types_apart_is_not_folded() -> None:
    seen = TASK.with_({"observe.waiting": "w{1} + w{2}"})
    (distributions,) = team_distributions(seen)
    assert len({id(distribution) for _, distribution in distributions.neighbours}) == 3


def test_leakage_needs_two_types() -> None:
    with pytest.raises(
        InputError, match=r"there are no types in \[types\]: leakage needs at least"
    ):
        leakage(Scenario(Network("a -> b @ 1")))
    with pytest.warns(DirectBreachWarning):
        lonely = Scenario(Network("{A} <-> w{A} @ 1, 1"), Team({"A": 1}), Query(y="{A} + w{A}"))
    with pytest.raises(InputError, match=r"there is one type in \[types\]"):
        leakage(lonely)


def test_a_team_without_robots() -> None:
    with pytest.raises(InputError, match="there are no robots of the protected types"):
        leakage(SHARED.with_({"types.A": 0, "types.B": 0}))


def test_of_what_settles_a_type_the_most_probable_is_shown() -> None:
    """Pairs need one of each: whoever sees three pairs rules a team with two of a type out."""
    network = Network("{A} + {B} <-> {A,B} @ 1, 1")
    scenario = Scenario(network, Team({"A": 3, "B": 3}), Query(pairs="{A,B}"))
    found = leakage(scenario)
    seen = distribution(scenario)
    assert math.isinf(found.value)
    assert found.observation == {"pairs": 3}  # which the team itself shows
    assert found.probability[0] == pytest.approx(seen.probability(pairs=3))
    assert found.probability[1] == 0
    with pytest.warns(DirectBreachWarning):
        every = Scenario(network, Team({"A": 3, "B": 3}), Query(alone="{A}", pairs="{A,B}"))
    settling = leakage(every)
    assert settling.probability[0] == pytest.approx(distribution(every).probabilities.max())
