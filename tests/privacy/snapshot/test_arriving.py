"""Fleets that robots come to and go from: the one that arrives is protected."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.sparse import csr_array
from scipy.sparse.linalg import expm_multiply
from scipy.stats import poisson

import covey
from covey import InputError, Limits, Network, Query, Scenario, Team, UnsupportedError
from covey.dynamics.solver import Solver
from covey.model.structure.arrivals import sources
from covey.model.team import age_of
from covey.privacy.snapshot.arriving import check_start
from covey.privacy.snapshot.divergences import aligned, hockey_stick
from covey.privacy.snapshot.leakage import leakage_of
from covey.privacy.snapshot.output_distributions import team_distributions
from covey.privacy.snapshot.profile import profile_of

RIDES = "examples/ride-sharing.toml"


def coming_and_going(a: float, b: float, arrive: float = 2.0, **team: int) -> Scenario:
    """Two types that only arrive and leave; their sum is seen."""
    network = Network("0 <-> {A} @ come, a\n0 <-> {B} @ come, b", {"come": arrive, "a": a, "b": b})
    return Scenario(network, Team({"A": 0, "B": 0} | team), Query(there="{A} + {B}"))


@pytest.mark.parametrize(("a", "b"), [(1.0, 3.0), (0.2, 0.25), (5.0, 0.1)])
def test_one_that_stays_longer_is_told_as_derived_by_hand(a: float, b: float) -> None:
    # The fleet is Poisson with mean m; the robot is there with probability e^-as or e^-bs. So
    # P - P' = (e^-as - e^-bs) (π(y-1) - π(y)), and ½ Σ |π(y-1) - π(y)| is the largest π(y).
    mean = 2.0 / a + 2.0 / b
    worst = math.log(a / b) / (a - b)
    peak = float(poisson.pmf(math.floor(mean), mean))
    exact = abs(math.exp(-a * worst) - math.exp(-b * worst)) * peak
    found = covey.profile(coming_and_going(a, b))
    low, high = found.total_variation_interval
    assert low <= exact <= high <= low + 1.01e-3 * min(1.0, 2 * peak)
    assert found.total_variation == pytest.approx(exact, rel=1e-3)
    assert found.protected == "arriving"
    assert found.age == pytest.approx(worst, rel=0.2)


def test_what_is_given_away_does_not_depend_on_who_was_there_at_the_start() -> None:
    empty, full = (covey.leakage(coming_and_going(1, 3, **n)) for n in ({}, {"A": 50, "B": 7}))
    assert full.value == pytest.approx(empty.value, rel=1e-9)
    assert set(full.exposed) == {"A", "B"}


def test_ride_sharing_at_rest_is_no_green_light() -> None:
    found = covey.leakage(covey.load(RIDES), at="steady")
    assert found.value > 0.4
    assert found.protected == "arriving"
    assert found.age is not None
    assert found.interval[1] == math.inf
    assert {p.neighbour.key for p in found.pairs} == {
        ("sedan", "van"),
        ("van", "sedan"),
    }


def test_a_time_is_about_the_robots_of_the_start_and_says_who_is_left() -> None:
    (distributions,) = team_distributions(covey.load(RIDES))
    assert distributions.age is None
    assert leakage_of(distributions).protected == "team"
    # Two states and an exit: the same by the exponential of a 2 × 2 matrix.
    for name, hail, drop in (("sedan", 2.0, 3.0), ("van", 1.2, 2.0)):
        moves = np.array([[-hail - 0.2, hail], [drop, -drop]])
        assert distributions.still_there[name] == pytest.approx(expm(moves)[0].sum(), rel=1e-10)
    assert "still there" in distributions.about


CAP = 9


def brute_force(age: float, type_: str) -> dict[tuple[int, int], float]:
    """A truncated chain of A that work or not and of B, by dense linear algebra."""
    states = list(product(range(CAP + 2), range(CAP + 1), range(CAP + 2)))  # {A}, w{A}, {B}
    place = {state: i for i, state in enumerate(states)}
    generator = np.zeros((len(states), len(states)))
    for (a, w, b), i in place.items():
        for rate, to in (
            (0.2, (a + 1, w, b)),
            (0.5 * a, (a - 1, w, b)),
            (1.5 * a, (a - 1, w + 1, b)),
            (2.0 * w, (a + 1, w - 1, b)),
            (0.3, (a, w, b + 1)),
            (1.0 * b, (a, w, b - 1)),
        ):
            if rate and to in place:
                generator[i, place[to]] += rate
                generator[i, i] -= rate
    # At rest: the product of Poisson distributions of mean 0.4, 0.3 and 0.3.
    distribution = np.zeros(len(states))
    for a, w, b in states:
        joined = (a + 1, w, b) if type_ == "A" else (a, w, b + 1)
        if joined in place:
            rest = poisson.pmf(a, 0.4) * poisson.pmf(w, 0.3) * poisson.pmf(b, 0.3)
            distribution[place[joined]] = rest
    moved = expm_multiply(csr_array(generator.T) * age, distribution) if age else distribution
    seen: dict[tuple[int, int], float] = {}
    for (a, w, b), p in zip(states, moved, strict=True):
        seen[a + b, w] = seen.get((a + b, w), 0.0) + p
    return seen


def test_distributions_of_an_arriving_robot_equal_those_of_a_truncated_chain() -> None:
    network = Network("0 <-> {A} @ 0.2, 0.5\n{A} <-> w{A} @ 1.5, 2\n0 <-> {B} @ 0.3, 1")
    query = Query(free="{A} + {B}", busy="w{A}")
    with pytest.warns(covey.DirectBreachWarning):
        scenario = Scenario(network, Team({"A": 1, "B": 1}), query)
    (distributions,) = team_distributions(scenario)
    for part in distributions.every[::17]:
        ((neighbour, _),) = part.neighbours
        age = age_of(neighbour)
        assert age is not None
        exact = brute_force(age, neighbour.about)
        for (free, busy), p in exact.items():
            if p > 1e-4:
                assert part.team.probability(free=free, busy=busy) == pytest.approx(p, rel=1e-5)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.floats(0.05, 5.0), min_size=6, max_size=6),
    st.floats(0.0, 30.0),
    st.sampled_from([0.0, 0.1, 0.5]),
)
def test_no_age_tells_more_than_the_profile_grants(
    rates: list[float], age: float, epsilon: float
) -> None:
    names = ("comeA", "leaveA", "comeB", "leaveB", "go", "back")
    network = Network(
        "0 <-> {A} @ comeA, leaveA\n0 -> {B} @ comeB\n0 -> w{B} @ go\nw{B} -> 0 @ leaveB\n"
        "{A} <-> w{A} @ go, back\n{B} <-> w{B} @ back, go",
        dict(zip(names, rates, strict=True)),
    )
    scenario = Scenario(
        network, Team({"A": 1, "B": 2}), Query(free="{A} + {B}", busy="w{A} + w{B}")
    )
    found = profile_of(team_distributions(scenario)[0])
    form = Solver(network).linear
    assert not isinstance(form, UnsupportedError)
    one, other = (
        form.prepare(
            scenario.start, "steady", scenario.query, guest=form.robot.after(places, [age])[0]
        ).distribution()
        for places in (sources(network, "A"), sources(network, "B"))
    )
    _, p, q = aligned(one, other)
    told = max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon))
    assert told <= found.delta_interval(epsilon)[1]
    delta = 0.05
    enough = found.epsilon_interval(delta)[1]
    if enough < math.inf:
        assert hockey_stick(p, q, enough) <= delta


def test_types_that_stay_are_compared_as_in_a_closed_fleet() -> None:
    network = Network(
        "0 <-> {A} @ 1, 1\n0 <-> {B} @ 1, 2\n{C} <-> w{C} @ 1, 2\n{A} <-> w{A} @ 1, 1"
    )
    team = Team({"A": 1, "B": 1, "C": 2})
    query = Query(free="{A} + {B} + {C}", busy="w{A} + w{C}")
    found = covey.leakage(Scenario(network, team, query))
    kinds = {p.neighbour.key: age_of(p.neighbour) for p in found.pairs}
    assert {pair for pair, age in kinds.items() if age is not None} == {("A", "B"), ("B", "A")}
    assert {pair for pair, age in kinds.items() if age is None} == {
        ("A", "C"), ("B", "C"), ("C", "A"), ("C", "B"),
    }  # fmt: skip


def test_where_one_type_arrives_and_the_others_have_left_nobody_can_be_confused() -> None:
    network = Network("0 <-> {A} @ 1, 1\n{B} -> 0 @ 2")
    scenario = Scenario(network, Team({"A": 1, "B": 1}), Query(there="{A} + {B}"))
    with pytest.raises(UnsupportedError, match="nobody to confuse"):
        covey.leakage(scenario)
    assert covey.leakage(scenario, at=0.5).value > 0


def test_where_nobody_arrives_the_question_is_as_before() -> None:
    network = Network("{A} -> 0 @ 1\n{B} -> 0 @ 2")
    scenario = Scenario(network, Team({"A": 1, "B": 1}), Query(there="{A} + {B}"))
    found = covey.leakage(scenario)
    assert (found.value, found.protected) == (0.0, "team")


def test_robots_that_need_each_other_are_refused_with_the_reason() -> None:
    network = Network("0 <-> {A} @ 1, 1\n0 <-> {B} @ 1, 1\n{A} + {B} <-> {A,B} @ 1, 1")
    scenario = Scenario(network, Team({"A": 1, "B": 1}), Query(free="{A} + {B}"))
    with pytest.raises(UnsupportedError, match="those of the start have left"):
        covey.leakage(scenario)
    (distributions,) = team_distributions(
        scenario, [1.0]
    )  # a time is answered, about the robots of the start
    assert leakage_of(distributions).protected == "team"
    assert distributions.about == "Robots leave: this is about those of the start."


def test_no_other_question_gives_a_green_light() -> None:
    scenario = covey.load(RIDES).with_({"adversary.at": "steady"})
    with pytest.raises(UnsupportedError, match="those of the start have left"):
        covey.infer(scenario, {"idle": 1})
    with pytest.raises(UnsupportedError, match="those of the start have left"):
        covey.group_leakage(scenario, 2)
    with pytest.raises(UnsupportedError, match="those of the start have left"):
        covey.joint_distributions(scenario, [0.0, 1.0])
    with pytest.raises(UnsupportedError, match="those of the start have left"):
        covey.stream(scenario, 1.0, 5.0)
    followed = covey.trace(scenario, [0.0, 1.0, 2.0])
    assert followed.limit is None
    assert "have left" in followed.why_no_limit
    check_start(scenario, 1.0, "anything")


def test_a_sweep_over_teams_asks_of_the_arriving_robot_as_well() -> None:
    scenario = covey.load(RIDES).with_({"adversary.at": "steady"})
    found = covey.sweep(scenario, {"types.sedan": [1, 4]}, measure="tv", workers=1)
    alone = covey.profile(scenario).total_variation
    assert found.values.tolist() == pytest.approx([alone, alone], rel=1e-9)


def test_a_noisy_observer_learns_less_of_an_arriving_robot() -> None:
    (distributions,) = team_distributions(coming_and_going(1.0, 3.0))
    noisy = profile_of(covey.seen_through(distributions, 0.5))
    assert 0 < noisy.total_variation < profile_of(distributions).total_variation
    assert noisy.protected == "arriving"


def test_a_method_that_does_not_follow_a_robot_is_refused() -> None:
    scenario = coming_and_going(1.0, 3.0)
    with pytest.raises(UnsupportedError, match="does not follow a robot"):
        covey.leakage(scenario, limits=Limits(method="product-form"))
    assert covey.leakage(scenario, limits=Limits(method="linear")).protected == "arriving"


def test_one_type_alone_is_an_input_error() -> None:
    network = Network("0 <-> {A} @ 1, 1\n{A} <-> w{A} @ 1, 1")
    with pytest.warns(covey.DirectBreachWarning):
        scenario = Scenario(network, Team({"A": 1}), Query(there="{A}"))
    with pytest.raises(InputError, match="at least two"):
        covey.leakage(scenario)


def test_rates_that_lie_far_apart_take_no_longer() -> None:
    network = Network(
        "0 <-> {A} @ 1, 1\n0 <-> {B} @ 1, 1\n{A} <-> w{A} @ 1e6, 1e6\n{B} <-> w{B} @ 1e6, 3e6"
    )
    query = Query(free="{A} + {B}", busy="w{A} + w{B}")
    found = covey.profile(Scenario(network, Team({"A": 0, "B": 0}), query))
    # At once the robot is free and busy by halves, or by 3 : 1, and stays so until it leaves.
    (distributions,) = team_distributions(found.distributions.scenario)
    free, busy = distributions.team.mean["free"], distributions.team.mean["busy"]
    assert 0.0 < found.total_variation < 0.25
    assert free > 1.0
    assert busy > 1.0
    assert found.age is not None
    assert found.age < 0.1


def test_rates_that_lie_too_far_apart_are_refused() -> None:
    network = Network(
        "0 <-> {A} @ 1e-9, 1e-9\n0 <-> {B} @ 1, 1\n{A} <-> w{A} @ 1e6, 1e6\n{B} <-> w{B} @ 1, 3"
    )
    query = Query(free="{A} + {B}", busy="w{A} + w{B}")
    with pytest.raises(UnsupportedError, match="too far apart"):
        covey.profile(Scenario(network, Team({"A": 0, "B": 0}), query))
