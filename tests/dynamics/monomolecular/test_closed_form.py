"""Linear networks: sums of independent robots against chains, and against fifty digits."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mpmath import MPContext

import covey
from covey import Limits, Network, Query, Scenario, Solver, Team
from covey.dynamics.distribution import Distribution
from covey.dynamics.monomolecular import closed_form
from covey.dynamics.monomolecular.closed_form import LinearForm
from covey.dynamics.solve import solve
from covey.errors import CoveyError, NoStationaryDistributionError, TooLargeError, UnsupportedError
from covey.model.observation.adversary import Moment

RIDES = covey.load(Path(__file__).parent.parent.parent.parent / "examples" / "ride-sharing.toml")
exact = MPContext()
exact.dps = 50

rates = st.floats(0.05, 20, allow_subnormal=False)


@st.composite
def linear_scenarios(draw: st.DrawFn, *, open_too: bool) -> tuple[Network, list[int], Query]:
    """A linear network of up to four species, a start, and one to three disjoint sums."""
    names = ["a", "b", "c", "d"][: draw(st.integers(2, 4))]
    sides = [*names, "0"]
    lines = draw(
        st.lists(
            st.tuples(st.sampled_from(sides if open_too else names), st.sampled_from(sides), rates),
            min_size=1,
            max_size=6,
        ).filter(lambda found: any(one != two for one, two, _ in found))
    )
    network = Network("\n".join(f"{a} -> {b} @ {k}" for a, b, k in lines if a != b))
    start = [draw(st.integers(0, 3)) for _ in network.species]
    places = [draw(st.integers(0, 3)) for _ in network.species]
    sums = {
        f"y{place}": " + ".join(str(s) for s, p in zip(network.species, places, strict=True)
                                if p == place)
        for place in sorted({*places} - {0})
    }  # fmt: skip
    return network, start, Query(sums)


def _by(method: str, network: Network, start: list[int], at: Moment, query: Query) -> Distribution:
    (distribution,) = solve(network, start, [at], query=query, limits=Limits(method))  # type: ignore[arg-type]
    return distribution


def _logs(distribution: Distribution) -> dict[tuple[int, ...], float]:
    rows = map(tuple, distribution.outcomes.tolist())
    return dict(zip(rows, distribution.log_probabilities.tolist(), strict=True))


@given(linear_scenarios(open_too=False), st.sampled_from([0.0, 0.03, 0.8, 40.0]))
@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow])
def test_the_chain_says_the_same_at_a_time(
    case: tuple[Network, list[int], Query], at: float
) -> None:
    one, other = _by("linear", *case[:2], at, case[2]), _by("transient", *case[:2], at, case[2])
    assert one.truncated_mass <= 1e-280
    found, expected = _logs(one), _logs(other)
    if one.truncated_mass == 0 == other.truncated_mass:
        assert found.keys() == expected.keys()
    assert list(found) == sorted(found)
    for outcome in found.keys() & expected.keys():
        off = abs(found[outcome] - expected[outcome])
        assert off <= one.log_error + other.log_error


@given(linear_scenarios(open_too=False))
@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow])
def test_the_chain_says_the_same_in_the_end(case: tuple[Network, list[int], Query]) -> None:
    one = _by("linear", *case[:2], "steady", case[2])
    other = _by("stationary", *case[:2], "steady", case[2])
    found, expected = _logs(one), _logs(other)
    assert found.keys() == expected.keys()
    spare = 0.0
    for outcome, log in found.items():
        assert abs(log - expected[outcome]) <= one.log_error + other.log_error + spare


@given(linear_scenarios(open_too=True), st.sampled_from([0.0, 0.1, 1.0]))
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_a_projection_says_the_same_where_robots_arrive(
    case: tuple[Network, list[int], Query], at: float
) -> None:
    one, other = _by("linear", *case[:2], at, case[2]), _by("projection", *case[:2], at, case[2])
    found, expected = _logs(one), _logs(other)
    for distribution, other_logs in ((one, expected), (other, found)):
        for outcome, log in _logs(distribution).items():  # p ≤ p_true ≤ p' + lost'
            most = (
                math.exp(other_logs.get(outcome, -math.inf))
                + one.truncated_mass
                + other.truncated_mass
            )
            assert math.exp(log) <= most * (1 + 2 * (one.log_error + other.log_error))


@given(
    linear_scenarios(open_too=True),
    st.sampled_from([0.0, 0.4, "steady"]),
    st.integers(1, 40),
    st.sampled_from([None, "linear"]),
)
@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_promised_is_done(
    case: tuple[Network, list[int], Query], at: Moment, most: int, method: str | None
) -> None:
    network, start, query = case
    solver = Solver(network, Limits(method, most))  # type: ignore[arg-type]
    plan = solver.plan(start, at, query)
    assert plan.method != "linear" or plan.certain
    try:
        (distribution,) = solver.distributions(start, [at], query)
    except CoveyError as error:
        assert not plan.certain or plan.why == error.message
        return
    if plan.certain:
        assert distribution.method == plan.method
        assert distribution.method != "linear" or distribution.why == plan.why


def _check(distribution: Distribution, true: dict[tuple[int, ...], Any]) -> None:
    for outcome, log in _logs(distribution).items():
        assert abs(log - exact.log(true[outcome])) <= distribution.log_error


def _poisson(mean: Any, most: int) -> dict[tuple[int, ...], Any]:
    return {(n,): exact.exp(-mean) * mean**n / exact.factorial(n) for n in range(most)}


@pytest.mark.parametrize("at", [1e-9, 3.0, 1000.0, "steady"])
def test_arrivals_and_departures_are_poisson(at: Moment) -> None:
    distribution = _by("linear", Network("0 -> X @ 4\nX -> 0 @ 0.5"), [0], at, Query())
    left = 0 if at == "steady" else exact.exp(-exact.mpf(at) / 2)
    true = _poisson(8 * (1 - left), 200)
    _check(distribution, true)
    assert distribution.truncated_mass == 1e-12
    seen = set(_logs(distribution))
    assert (
        sum(p for outcome, p in true.items() if outcome not in seen) <= distribution.truncated_mass
    )


@pytest.mark.parametrize("at", [0.001, 0.3, "steady"])
def test_tails_survive(at: Moment) -> None:
    """Of 400 robots that turn on at 2 and off at 3 all may be on: 1e-1080 at time 0.001."""
    network = Network("off{A} <-> on{A} @ 2, 3")
    distribution = _by("linear", network, [400, 0], at, Query(on="on{A}"))
    on = exact.mpf(2) / 5 * (1 - (0 if at == "steady" else exact.exp(-5 * exact.mpf(at))))
    _check(
        distribution,
        {(k,): exact.binomial(400, k) * on**k * (1 - on) ** (400 - k) for k in range(401)},
    )
    assert len(distribution) == 401
    assert distribution.truncated_mass == 0
    assert distribution.log_error < 1e-9


def test_two_kinds_and_arrivals_at_once() -> None:
    """Two types and a Poisson number, added up by hand: tails below 1e-200."""
    network = Network("{A} -> w{A} @ 1e-12\n{B} -> w{B} @ 0.5\n0 -> c @ 1e-8")
    start = [20, 7, 0, 0, 0]
    distribution = _by("linear", network, start, 1.0, Query(y="w{A} + w{B} + c"))
    a, b = (-exact.expm1(-exact.mpf(rate)) for rate in (1e-12, 0.5))
    arrived = _poisson(exact.mpf(1e-8), 10)

    def binomial(n: int, p: Any, k: int) -> Any:
        return exact.binomial(n, k) * p**k * (1 - p) ** (n - k)

    highest = int(distribution.outcomes.max()) - 27
    for (y,), log in _logs(distribution).items():
        true = sum(
            binomial(20, a, i) * binomial(7, b, j) * arrived[y - i - j,]
            for i in range(21)
            for j in range(8)
            if 0 <= y - i - j <= highest  # arrivals have a window, robots have none
        )
        assert abs(log - exact.log(true)) <= distribution.log_error
    assert distribution.log_probabilities.min() < -460


def test_a_start_that_cannot_move_and_species_that_nothing_reaches() -> None:
    network = Network("a -> b @ 1\nc -> d @ 2\nd -> 0 @ 1")
    query = Query(left="a", right="b", other="c + d")
    (distribution,) = solve(network, [0, 3, 0, 0], [2.0], query=query, limits=Limits("linear"))
    assert _logs(distribution) == {(0, 3, 0): 0.0}
    distribution = _by("linear", network, [0, 0, 0, 0], 2.0, Query())
    assert _logs(distribution) == {(0, 0, 0, 0): 0.0}
    distribution = _by("linear", network, [2, 0, 1, 0], 0.0, Query())
    assert _logs(distribution) == {(2, 0, 1, 0): 0.0}


def test_where_robots_end_is_proved() -> None:
    network = Network("a -> b @ 1\na -> c @ 3\nc <-> d @ 1, 2\na -> 0 @ 4")
    distribution = _by("linear", network, [5, 0, 0, 0], "steady", Query(b="b", d="d"))
    b, d = exact.mpf(1) / 8, exact.mpf(3) / 8 / 3
    true: dict[tuple[int, ...], Any] = {
        (i, j): exact.factorial(5) / exact.factorial(i) / exact.factorial(j)
        / exact.factorial(5 - i - j) * b**i * d**j * (1 - b - d) ** (5 - i - j)
        for i in range(6) for j in range(6 - i)
    }  # fmt: skip
    _check(distribution, true)


def test_only_what_is_seen_has_to_settle() -> None:
    network = Network("0 -> a @ 3\na -> b @ 2\nb -> c @ 1\nc -> b @ 1")
    distribution = _by("linear", network, [1, 0, 0], "steady", Query(a="a"))
    _check(distribution, _poisson(exact.mpf(3) / 2, 100))
    with pytest.raises(NoStationaryDistributionError, match="robots arrive that stay at b"):
        solve(network, [1, 0, 0], ["steady"], query=Query(y="a + b"), limits=Limits("linear"))
    with pytest.raises(NoStationaryDistributionError, match="no steady state"):
        solve(Network("0 -> X @ 4"), [0], ["steady"])


def test_robots_that_need_each_other_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="a \\+ b -> c has more than one robot on a side"):
        solve(Network("a + b -> c @ 1"), [1, 1, 0], [1.0], limits=Limits("linear"))
    with pytest.raises(UnsupportedError, match="more than one robot"):
        LinearForm(Network("a -> 2 a @ 1"))


@pytest.mark.parametrize("sums", [1, 2])
@pytest.mark.parametrize("arrive", [0.0, 30.0])
@pytest.mark.parametrize("leave", [0.0, 0.4])
def test_windows_hold_all_but_what_they_say(
    sums: int, arrive: float, leave: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "{A} <-> w{A} @ 0.5, 1\n{B} <-> w{B} @ 1.5, 1\nw{A} -> x{A} @ 0.3"
    text += f"\n0 -> {{A}} @ {arrive}" * (arrive > 0) + f"\nw{{B}} -> 0 @ {leave}" * (leave > 0)
    network = Network(text)
    query = Query({"idle": "{A} + {B}", "busy": "w{A} + w{B}"} if sums == 2 else {"busy": "w{A}"})
    start = np.array([60 if str(s) == "{A}" else 45 if str(s) == "{B}" else 0
                      for s in network.species])  # fmt: skip
    true = LinearForm(network).prepare(start, 0.7, query).distribution()
    monkeypatch.setattr(closed_form, "_MOST_WORK", 0.0)
    prepared = LinearForm(network).prepare(start, 0.7, query)
    distribution = prepared.distribution()
    assert not prepared.whole
    assert distribution.truncated_mass == 1e-12
    assert len(distribution) < len(true)
    found, expected = _logs(distribution), _logs(true)
    off = distribution.log_error + true.log_error
    assert found.keys() <= expected.keys()
    for outcome, log in expected.items():
        p, q = math.exp(found.get(outcome, -math.inf)), math.exp(log)
        assert p * (1 - off) <= q + true.truncated_mass
        assert q <= p * (1 + 2 * off) + distribution.truncated_mass
    missing = sum(math.exp(log) for outcome, log in expected.items() if outcome not in found)
    assert missing <= distribution.truncated_mass


def test_very_many_robots_against_fifty_digits() -> None:
    network = Network("off{A} <-> on{A} @ 2, 3")
    (distribution,) = solve(network, [10**7, 0], [0.3], query=Query(on="on{A}"))
    assert distribution.method == "linear"
    assert distribution.truncated_mass == 1e-12
    on = exact.mpf(2) / 5 * -exact.expm1(-5 * exact.mpf(0.3))
    first, last = int(distribution.outcomes.min()), int(distribution.outcomes.max())
    for k in (first, (first + last) // 2, last):
        true = exact.binomial(10**7, k) * on**k * (1 - on) ** (10**7 - k)
        log = distribution.log_probability(on=k)
        assert log <= exact.log(true) + distribution.log_error
        assert true <= math.exp(log + distribution.log_error) + distribution.truncated_mass


def test_what_was_asked_before_changes_nothing() -> None:
    scenario = RIDES.with_({"types.sedan": 70, "types.van": 37})
    teams = [scenario.team, *(n.team for n in scenario.team.neighbours())]
    solver = Solver(scenario.network)
    for first, second in pairwise([*teams, *teams]):
        solver.distributions(scenario.start_of(first), [1.0], scenario.query)
        (distribution,) = solver.distributions(scenario.start_of(second), [1.0], scenario.query)
        (fresh,) = Solver(scenario.network).distributions(
            scenario.start_of(second), [1.0], scenario.query
        )
        assert distribution.log_probabilities.tobytes() == fresh.log_probabilities.tobytes()


@pytest.mark.parametrize("vehicles", [200, 20_000])
@pytest.mark.parametrize("grown", ["types", "rates"])
def test_a_large_fleet(vehicles: int, grown: str) -> None:
    changes: dict[str, float] = {"types.sedan": vehicles * 6 // 10, "types.van": vehicles * 4 // 10}
    if grown == "rates":
        changes = {"rates.sedan_starts": vehicles * 0.3, "rates.van_starts": vehicles * 0.1}
    found = covey.leakage(RIDES.with_(changes))
    assert found.method == "linear"
    assert found.truncated_mass == 1e-12
    assert 0 < found.value < 0.3
    assert found.interval[0] == found.value


def test_fifty_types_with_rates_of_their_own() -> None:
    names = [f"t{i}" for i in range(50)]
    lines = [f"{{{n}}} <-> w{{{n}}} @ {1 + i / 100}, {2 - i / 77}" for i, n in enumerate(names)]
    seen = Query(busy=" + ".join(f"w{{{n}}}" for n in names))
    scenario = Scenario(Network("\n".join(lines)), Team(dict.fromkeys(names, 2)), seen)
    solver = Solver(scenario.network)
    moments: list[Moment] = [1.0, "steady"]
    for at, distribution in zip(
        moments, solver.distributions(scenario.start, moments, seen), strict=True
    ):
        assert (distribution.method, len(distribution), distribution.truncated_mass) == (
            "linear",
            101,
            0.0,
        )
        all_busy = exact.mpf(0)
        for i in range(50):
            up, down = exact.mpf(1 + i / 100), exact.mpf(2 - i / 77)
            share = up / (up + down)
            share *= 1 if at == "steady" else -exact.expm1(-(up + down) * exact.mpf(1))
            all_busy += 2 * exact.log(share)
        assert abs(distribution.log_probability(busy=100) - all_busy) <= distribution.log_error


def test_too_many_outcomes_are_refused_or_left_to_other_methods() -> None:
    scenario = RIDES.with_({"types.sedan": 10**6, "types.van": 10**6})
    solver = Solver(scenario.network, Limits("linear"))
    plan = solver.plan(scenario.start, 1.0, scenario.query)
    assert isinstance(plan.refusal, TooLargeError)
    assert "outcomes or more to compute" in plan.why
    assert "Observe fewer sums" in plan.why
    with pytest.raises(TooLargeError, match="outcomes or more"):
        solver.distributions(scenario.start, [1.0], scenario.query)
    assert Solver(scenario.network).plan(scenario.start, 1.0, scenario.query).method == "projection"
    one = Query(idle="{sedan} + {van}")
    assert solver.plan(scenario.start, 1.0, one).method == "linear"


def test_small_chains_stay_chains() -> None:
    network = Network("off{A} <-> on{A} @ 2, 3")
    solver = Solver(network)
    assert solver.plan([6, 0], 1.0).method == "transient"
    assert solver.plan([6, 0], "steady").method == "product-form"
    assert solver.plan([6_000, 0], 1.0).method == "linear"
    assert Solver(network, Limits("linear")).plan([6, 0], 1.0).method == "linear"
    with pytest.raises(UnsupportedError, match="answers only at a time"):
        solve(network, [6, 0], ["steady"], limits=Limits("transient"))
