"""What lies below a solver's accuracy is lost, and never given as a probability."""

from __future__ import annotations

import itertools
import math

import mpmath as mp
import numpy as np
import pytest

from covey import (
    DirectBreachWarning,
    Distribution,
    InputError,
    Limits,
    Network,
    Query,
    Scenario,
    Team,
    distribution,
    infer,
    leakage,
    thin,
)
from covey.dynamics.solver import Solver

# Whoever meets first parts for good: that the last two are still free is less likely than 1e-400.
MEETING = Scenario(
    Network("w{B} + w{A} <-> e{A,B} @ 1.704, 7.542\nw{B} + w{B} -> e{B,B} @ 0.6685"),
    Team({"A": 1, "B": 4}),
    Query(free="w{A} + w{B}"),
    initial={"A": "w{A}", "B": "w{B}"},
)
AT = 205.415


def exact_logs(scenario: Scenario, at: float) -> dict[tuple[int, ...], float]:
    """Ln p of every state by uniformisation in 50 digits, whose exponents have no end."""
    chain = Solver(scenario.network).chain(scenario.start)
    rates = chain.generator.dense_rates()  # from row to column
    exits = rates.sum(axis=1)
    with mp.workdps(50):
        q = mp.mpf(float(exits.max())) * 2
        moves = [
            [(int(j), mp.mpf(float(rates[j, i])) / q) for j in np.flatnonzero(rates[:, i])]
            for i in range(len(rates))
        ]
        stay = [1 - mp.mpf(float(e)) / q for e in exits]
        vector = [mp.mpf(float(p)) for p in chain.start]
        weight, sums = mp.exp(-q * mp.mpf(at)), [mp.mpf(0)] * len(rates)
        for k in range(1, int(q * at * 2) + 200):
            sums = [s + weight * v for s, v in zip(sums, vector, strict=True)]
            vector = [
                stay[i] * v + mp.fsum(r * vector[j] for j, r in moves[i])
                for i, v in enumerate(vector)
            ]
            weight *= q * mp.mpf(at) / k
        states = map(tuple, chain.lattice.states.tolist())
        return {state: float(mp.log(p)) for state, p in zip(states, sums, strict=True)}


def test_no_floor_is_a_probability() -> None:
    seen = distribution(MEETING, AT, states=True)
    true = exact_logs(MEETING, AT)
    assert min(true.values()) < -1150  # far below what doubles can tell
    for state, log in zip(map(tuple, seen.outcomes.tolist()), seen.log_probabilities, strict=True):
        assert abs(log - true[state]) <= seen.log_error
    missing = set(true) - set(map(tuple, seen.outcomes.tolist()))
    assert missing
    assert all(true[state] < np.log(seen.truncated_mass) for state in missing)


# Three robots of each of two types move on for good, a fast and a slow one; nobody turns another.
ONE_WAY = Network("""
    {1} -> w{1} @ 76298.9
    {2} -> rest{2} @ 1.604e-05
    {R} <-> w{R} @ 0.00235718, 7096.84
""")
COUNTED = {"free": "{1} + {2}", "r": "{R}", "rest": "rest{2}", "w": "w{1}", "wr": "w{R}"}
# Who begins at A or B leaves at once, for somewhere that does not tell the two apart.
LEAVING = Network("{A} -> w{A} @ 1e6\n{B} -> w{B} @ 1e6")


@pytest.fixture(scope="module")
def one_way() -> Scenario:
    with pytest.warns(DirectBreachWarning):
        return Scenario(ONE_WAY, Team({"1": 3, "2": 3, "R": 1}), Query(COUNTED))


def support(distribution: Distribution) -> set[tuple[int, ...]]:
    assert distribution.support_known
    rows = [tuple(row) for row in distribution.support[0].tolist()]
    assert len(set(rows)) == len(rows)
    return set(rows)


def test_whatever_can_be_reached_is_possible_however_improbable(one_way: Scenario) -> None:
    seen = distribution(one_way, 8.82)
    reached = {
        (6 - gone - resting, 1 - away, resting, gone, away)
        for gone, resting, away in itertools.product(range(4), range(4), range(2))
    }
    assert seen.lost is not None
    assert 0 < len(seen.lost) < len(reached)
    assert support(seen) == reached
    assert support(seen.observe(Query(free="free", rest="rest"))) == {
        (free, rest) for free, _, rest, _, _ in reached
    }
    assert support(thin(seen, {"r": 0.5})) == {
        (free, r, *others) for free, top, *others in reached for r in range(top + 1)
    }


def test_at_the_start_and_in_the_end_less_is_possible(one_way: Scenario) -> None:
    assert support(distribution(one_way, 0.0)) == {(6, 1, 0, 0, 0)}
    ends = {(0, 1, 3, 3, 0), (0, 0, 3, 3, 1)}  # the others move on for good
    assert support(distribution(one_way, "steady", limits=Limits("stationary"))) == ends


def test_what_the_other_team_never_shows_settles_it(one_way: Scenario) -> None:
    found = leakage(one_way, 8.82)
    assert found.truncated_mass > 0
    assert found.interval == (math.inf, math.inf) == (found.value, found.value)
    assert "so it proves a robot's type (leakage ∞)" in str(found)
    assert " of snapshots rule one possibility out. " in str(found)
    assert "left out" not in str(found)
    assert found.profile.epsilon_interval(1e-6) == (math.inf, math.inf)
    low, high = found.profile.delta_interval(math.inf)
    assert 0.99 < low <= high == found.profile.distinguishing_mass
    assert found.profile.renyi_interval(1.0)[0] == math.inf


def test_an_outcome_that_is_lost_settles_it_as_well() -> None:
    """Only that A is still there tells A from B, after a million mean times to leave."""
    seen = Query(a="{A}", others="{B} + w{A} + w{B}")
    with pytest.warns(DirectBreachWarning):
        scenario = Scenario(LEAVING, Team({"A": 1, "B": 0}), seen)
    found = leakage(scenario, 1.0)
    assert found.interval == (math.inf, math.inf)
    assert found.observation == {"a": 1, "others": 0}
    assert found.worst.speaks_for == "team"
    assert 0 < found.probability[0] < 1e-280
    assert found.probability[1] == 0
    assert found.profile.epsilon_interval(0.0) == (math.inf, math.inf)
    assert found.profile.delta_interval(math.inf)[0] == 0  # no number is as small as that
    smoothed = leakage(scenario, 1.0, smoothing=1e-9)
    assert smoothed.interval[1] < 1e-7


def test_what_is_lost_for_one_team_and_likely_for_the_other_is_finite() -> None:
    network = Network("{A} -> w{A} @ 1e6\n{B} <-> w{B} @ 1, 1")
    scenario = Scenario(network, Team({"A": 1, "B": 0}), Query(away="w{A} + w{B}"))
    found = leakage(scenario, 1.0)
    true = 1e6 + math.log(0.5 * (1 + math.exp(-2)))  # -ln e^-1e6, and B is free as often as that
    assert 600 < found.value == found.interval[0] < true <= found.interval[1]
    assert found.observation == {"away": 0}
    assert found.worst.speaks_for == "neighbour"
    assert "or more" in str(found)


def test_what_nobody_shows_is_known_to_be_impossible() -> None:
    """Beside it stands no note that it might have been left out."""
    scenario = Scenario(LEAVING, Team({"A": 1, "B": 1}), Query(away="w{A} + w{B}"))
    assert distribution(scenario, 1.0).truncated_mass > 0
    with pytest.raises(InputError, match=r"impossible at time 1.* against\. Nearest"):
        infer(scenario, {"away": 3}, at=1.0)
