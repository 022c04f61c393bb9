"""Finite state projection: on both sides of the exact distribution, in every state."""

from __future__ import annotations

import math
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.projection.finite_state_projection import Projection, project, project_many
from covey.dynamics.solver import Solver
from covey.errors import InputError, TooLargeError
from covey.model.network import Network
from covey.paper.scenarios import task_network

IMMIGRATION_DEATH = "0 -> X @ 4\nX -> 0 @ 0.5"


def poisson(mean: Any, n: int) -> Any:
    return mp.exp(-mean) * mean**n / mp.factorial(n)


def assert_bounds(found: Projection, exact: Any) -> None:
    """`exact` gives the probability of a state, in high precision."""
    lost = mp.mpf(found.truncated_mass)
    assert (found.probabilities >= 0).all()
    for state, p in zip(found.states.tolist(), found.probabilities, strict=True):
        assert mp.mpf(float(p)) <= exact(state) <= mp.mpf(float(p)) + lost, state


@pytest.mark.parametrize("at", [1e-6, 0.3, 3.0, 60.0])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-9, 1e-11])
def test_immigration_and_death_is_poisson(at: float, tolerance: float) -> None:
    with mp.workdps(40):
        mean = 8 * (1 - mp.exp(-mp.mpf(at) / 2))
        found = project(Network(IMMIGRATION_DEATH), [0], at, tolerance=tolerance)
        assert found.truncated_mass <= tolerance
        assert_bounds(found, lambda state: poisson(mean, state[0]))


def test_the_mean_of_immigration_and_death() -> None:
    found = project(Network(IMMIGRATION_DEATH), [0], 3)
    mean = float(found.probabilities @ found.states[:, 0])
    assert mean == pytest.approx(8 * (1 - math.exp(-1.5)), abs=1e-7)


def test_independent_flips_are_binomial() -> None:
    network, n, at = Network("{A} <-> b{A} @ 3, 1"), 40, 0.7
    with mp.workdps(40):
        stay = mp.mpf(1) / 4 + mp.mpf(3) / 4 * mp.exp(-4 * mp.mpf(at))  # still at {A}
        found = project(network, [n, 0], at)
        assert (found.states.sum(axis=1) == n).all()
        assert_bounds(
            found, lambda s: mp.binomial(n, s[0]) * stay ** s[0] * (1 - stay) ** (n - s[0])
        )


def test_pure_birth_is_geometric() -> None:
    with mp.workdps(40):
        q = mp.exp(-mp.mpf(2))
        found = project(Network("X -> 2 X @ 1"), [1], 2.0)
        assert_bounds(found, lambda s: q * (1 - q) ** (s[0] - 1))


@pytest.mark.parametrize(("kinetics", "pairs"), [("falling", 6.0), ("power", 9.0)])
def test_one_dimerisation_in_both_kinetics(kinetics: str, pairs: float) -> None:
    # 3 X: one event, and then a single X is left, which cannot react under either.
    network = Network(f"kinetics = {kinetics}\n2 X -> Y @ 0.25")
    with mp.workdps(40):
        left = mp.exp(-mp.mpf(pairs) / 4)
        found = project(network, [3, 0], 1.0)
        assert found.states.tolist() == [[1, 1], [3, 0]]
        assert_bounds(found, lambda s: left if s[0] == 3 else 1 - left)


def test_bounds_hold_where_the_set_is_pruned_and_moves() -> None:
    # Nothing dies: the mass travels, and what it left behind is dropped.
    found = project(Network("0 -> X @ 50"), [0], 20.0, tolerance=1e-8)
    with mp.workdps(40):
        assert_bounds(found, lambda s: poisson(mp.mpf(1000), s[0]))
    assert found.states[0, 0] > 500
    assert found.truncated_mass <= 1e-8


def test_several_times_in_one_pass() -> None:
    network, times = Network(IMMIGRATION_DEATH), [0.0, 0.1, 0.1, 2.0]
    found = project_many(network, [5], times)
    assert [f.at for f in found] == times
    assert found[0].states.tolist() == [[5]]
    assert found[0].probabilities.tolist() == [1.0]
    assert found[0].truncated_mass == 0.0
    assert found[1].probabilities.tolist() == found[2].probabilities.tolist()
    assert np.all(np.diff([f.truncated_mass for f in found]) >= 0)
    with mp.workdps(40):
        for f in found:
            decay = mp.exp(-mp.mpf(f.at) / 2)
            mean = 8 * (1 - decay)
            assert_bounds(
                f,
                lambda s, decay=decay, mean=mean: mp.fsum(
                    mp.binomial(5, k) * decay**k * (1 - decay) ** (5 - k) * poisson(mean, s[0] - k)
                    for k in range(min(5, s[0]) + 1)
                ),
            )


def test_an_absorbing_start_stays() -> None:
    found = project(Network("X -> 0 @ 1"), [0], 1e12)
    assert found.states.tolist() == [[0]]
    assert found.truncated_mass == 0.0


def test_a_heavy_tail_is_refused_with_the_bound_reached() -> None:
    # The true mass beyond 200 is (1 - e^-6)^200 = 0.609.
    with pytest.raises(
        TooLargeError, match=r"with 200 states the mass lost by time 6 is 6\.09e-01"
    ):
        project(Network("X -> 2 X @ 1"), [1], 6.0, max_states=200)


@pytest.mark.parametrize("at", [0.5, 1e12])
def test_an_explosive_network_is_refused(at: float) -> None:
    with pytest.raises(TooLargeError, match="tolerance"):
        project(Network("2 X -> 3 X @ 1"), [3], at, max_states=2000)


def test_a_time_beyond_rounding_is_refused_at_once() -> None:
    with pytest.raises(TooLargeError, match="rounding alone"):
        project(Network(IMMIGRATION_DEATH), [0], 1e12)


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", iter(range(1000)).__next__)
    told: list[tuple[float, float, str]] = []
    project(Network(IMMIGRATION_DEATH), [0], 30.0, progress=lambda *said: told.append(said))
    assert told
    assert told[-1][:2] == (30.0, 30.0)
    assert "states" in told[-1][2]


@pytest.mark.parametrize("at", [-1.0, math.nan, math.inf, "soon", True])
def test_absurd_times(at: Any) -> None:
    with pytest.raises(InputError, match="time is"):
        project(Network(IMMIGRATION_DEATH), [0], at)


@pytest.mark.parametrize(
    "wrong", [{"tolerance": 0}, {"tolerance": math.nan}, {"tolerance": 1}, {"max_states": 0}]
)
def test_absurd_limits(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="expected"):
        project(Network(IMMIGRATION_DEATH), [0], 1.0, **wrong)


@pytest.mark.parametrize("start", [[1, 2], [-1], [0.5], ["a"], [math.nan], [2**60]])
def test_absurd_starts(start: Any) -> None:
    with pytest.raises(InputError, match="the start"):
        project(Network(IMMIGRATION_DEATH), start, 1.0)


@settings(max_examples=25, deadline=None)
@given(
    rates=st.lists(st.floats(0.05, 5.0), min_size=5, max_size=5),
    start=st.tuples(st.integers(0, 4), st.integers(0, 4)),
    at=st.floats(0.01, 1.5),
    kinetics=st.sampled_from(["falling", "power"]),
)
def test_a_looser_projection_is_contained_in_a_tighter_one(
    rates: list[float], start: tuple[int, int], at: float, kinetics: str
) -> None:
    a, b, c, d, e = rates
    network = Network(
        f"kinetics = {kinetics}\n0 -> A @ {a}\nA <-> B @ {b}, {c}\n2 A -> B @ {d}\nB -> 0 @ {e}"
    )
    loose = project(network, start, at, tolerance=1e-4)
    tight = project(network, start, at, tolerance=1e-10)
    known = {tuple(s): p for s, p in zip(tight.states.tolist(), tight.probabilities, strict=True)}
    for state, p in zip(loose.states.tolist(), loose.probabilities, strict=True):
        best = known.get(tuple(state), 0.0)
        assert p <= best + tight.truncated_mass
        assert best <= p + loose.truncated_mass


def test_a_fleet_that_leaves_all_its_states_at_once_is_refused() -> None:
    with pytest.raises(TooLargeError, match="the mass lost"):
        project(Network("{A} -> b{A} @ 1"), [4000, 0], 1.0, max_states=2)


def exact_distribution(network: Network, start: Any, at: float) -> dict[tuple[int, ...], float]:
    """Every state, by uniformisation on the whole chain, with a relative error below 1e-9."""
    chain = Solver(network).chain(np.asarray(start))
    logs = transient(chain.generator, chain.start, [at]).log_probabilities[0]
    return dict(zip(map(tuple, chain.lattice.states.tolist()), np.exp(logs).tolist(), strict=True))


def assert_holds(found: Projection, exact: dict[tuple[int, ...], float]) -> None:
    """In every state, and of the mass as a whole."""
    known = dict(zip(map(tuple, found.states.tolist()), found.probabilities.tolist(), strict=True))
    assert found.truncated_mass >= 1 - math.fsum(known.values())
    for state, p in exact.items():
        least = known.get(state, 0.0)
        assert least <= p * (1 + 1e-9), state
        assert p * (1 - 1e-9) <= least + found.truncated_mass, state


@pytest.mark.parametrize(
    ("n", "at", "tolerance"),
    [(4, 0.01, 1e-9), (4, 10.0, 1e-3), (6, 1.0, 1e-6), (6, 10.0, 1e-9), (8, 10.0, 1e-5)],
)
def test_against_the_whole_chain_of_unequal_robots(n: int, at: float, tolerance: float) -> None:
    scenario = task_network((n, n, n), (0.2, 0.5, 0.8), (0.8, 0.5, 0.2))
    found = project(scenario.network, scenario.start, at, tolerance=tolerance)
    assert found.truncated_mass <= tolerance
    assert_holds(found, exact_distribution(scenario.network, scenario.start, at))


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    rates=st.lists(st.floats(1e-3, 1e3), min_size=6, max_size=6),
    start=st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 3)),
    at=st.floats(1e-3, 20.0),
    tolerance=st.sampled_from([1e-2, 1e-6]),
)
def test_bounds_hold_for_random_networks(
    rates: list[float], start: tuple[int, int, int], at: float, tolerance: float
) -> None:
    a, b, c, d, e, f = rates
    network = Network(f"A + B <-> C @ {a}, {b}\nA <-> D @ {c}, {d}\n2 D -> 2 B @ {e}\nB -> A @ {f}")
    state = [*start, 0]
    assert_holds(
        project(network, state, at, tolerance=tolerance), exact_distribution(network, state, at)
    )


def test_a_large_fleet_of_independent_robots() -> None:
    # The window moves from one end to the middle, and is a small part of the way.
    network, n, at = Network("{A} <-> b{A} @ 3, 1"), 3000, 0.2
    with mp.workdps(40):
        stay = mp.mpf(1) / 4 + mp.mpf(3) / 4 * mp.exp(-4 * mp.mpf(at))
        found = project(network, [n, 0], at)
        assert found.truncated_mass <= 1e-9
        assert len(found) < 1000
        assert_bounds(
            found, lambda s: mp.binomial(n, s[0]) * stay ** s[0] * (1 - stay) ** (n - s[0])
        )


def test_a_stiff_window_comes_to_rest_long_before_its_time() -> None:
    # Its 600,000 jumps cost 8e-10 by rounding, so that 1e-9 would be too near.
    found = project(Network("0 -> X @ 1e4\nX -> 0 @ 1e3"), [0], 10.0, tolerance=1e-8)
    assert found.products < 20_000  # of some 600,000
    with mp.workdps(40):
        assert_bounds(found, lambda s: poisson(mp.mpf(10), s[0]))


def test_ten_million_robots_in_no_time_need_few_states() -> None:
    network = Network("A <-> C @ 1, 1\n2 C -> A + C @ 1")
    found = project(network, [10**7, 0], 1e-9)
    assert len(found) < 20
    with mp.workdps(40):
        gone = 1 - mp.exp(-mp.mpf("1e-9"))  # robots hardly come back, and no two meet
        for state, p in zip(found.states.tolist(), found.probabilities.tolist(), strict=True):
            k = state[1]
            assert p == pytest.approx(
                float(mp.binomial(10**7, k) * gone**k * (1 - gone) ** (10**7 - k)), abs=1e-8
            )


@pytest.mark.parametrize(
    ("reactions", "start", "at"),
    [
        ("A <-> B @ 1e6, 1e6\nB -> C @ 1e-3\nC -> A @ 1e-3", [20, 0, 0], 10.0),
        ("A <-> B @ 1e6, 1e6\n0 -> A @ 1\nA -> 0 @ 0.1", [20, 0], 1e6),
        ("A + B <-> C @ 1e-6, 1\nC -> D @ 1\nD -> A + B @ 2", [10**8, 10**8, 0, 0], 1.0),
        ("2 X -> 3 X @ 1", [3], 1e300),
    ],
)
def test_what_rounding_or_time_forbids_is_refused_before_it_is_begun(
    reactions: str, start: list[int], at: float
) -> None:
    with pytest.raises(TooLargeError, match="Ask for") as refused:
        project(Network(reactions), start, at)
    assert refused.value.states
