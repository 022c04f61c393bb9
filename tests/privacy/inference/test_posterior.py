"""The adversary's posterior: the paper's example in fractions, priors, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest

from covey import Network, Query, Scenario, Team
from covey.dynamics.solve import distribution
from covey.errors import InputError
from covey.privacy.inference.posterior import infer
from tests.privacy.small_teams import arriving, finishing, shared_resource

SEEN = {"free": 2, "busy": 1}


def test_one_snapshot_at_the_first_example() -> None:
    found = infer(shared_resource(), SEEN)
    assert found.robots["A"] == pytest.approx({"A": 7 / 16, "B": 9 / 16}, rel=1e-12)
    # Against 3 A: P(2,1) is 18/73.
    assert found.robots["B"]["B"] == pytest.approx((14 / 45) / (14 / 45 + 18 / 73), rel=1e-12)
    joint = {"team": 14 / 45, "A->B": 10 / 25, "B->A": 18 / 73}
    total = sum(joint.values())
    expected = {name: p / total for name, p in joint.items()}
    assert found.posterior == pytest.approx(expected, rel=1e-12)
    for belief in found.beliefs:
        low, high = belief.interval
        assert low <= expected[belief.name] <= high
        assert high - low < 1e-11


def test_with_the_idle_robots_known() -> None:
    found = infer(shared_resource(), SEEN, knowing={"{A}": 1, "{B}": 1})
    assert found.robots["A"] == pytest.approx({"A": 5 / 8, "B": 3 / 8}, rel=1e-12)
    assert found.posterior == pytest.approx({"team": 5 / 8, "A->B": 3 / 8, "B->A": 0}, rel=1e-12)
    assert found.robots["B"] == {"B": 1, "A": 0}


def test_what_is_known_may_be_a_sum_or_a_name() -> None:
    scenario = shared_resource()
    plain = infer(scenario, SEEN).posterior
    assert infer(scenario, SEEN, knowing={"{B} + {A}": 2}).posterior == pytest.approx(plain)
    assert infer(scenario, {"free": 2}, knowing={"busy": 1}).posterior == pytest.approx(plain)
    assert infer(scenario, {}, knowing=SEEN).posterior == pytest.approx(plain)
    # One of the two resources is taken exactly where one robot is busy.
    assert infer(scenario, {}, knowing={"{R}": 1}).posterior == pytest.approx(plain)


def test_part_of_an_observation() -> None:
    full = infer(shared_resource(), SEEN)
    assert infer(shared_resource(), {"busy": 1}).posterior == pytest.approx(full.posterior)


def test_the_identity_query() -> None:
    network = Network("{A} <-> x{A} @ 1, 2\n{B} <-> x{B} @ 1, 1")
    with pytest.warns(UserWarning, match="direct breach"):
        scenario = Scenario(network, Team({"A": 1, "B": 1}))
    found = infer(scenario, {"{A}": 1, "{B}": 1, "x{A}": 0, "x{B}": 0})
    assert found.posterior == {"team": 1, "A->B": 0, "B->A": 0}


def test_a_prior_over_hypotheses() -> None:
    found = infer(shared_resource(), SEEN, prior={"team": 1, "A->B": 1})
    assert found.posterior == pytest.approx({"team": 7 / 16, "A->B": 9 / 16, "B->A": 0})
    assert found.robots["B"] == {"B": 1, "A": 0}
    weighed = infer(shared_resource(), SEEN, prior={"team": 6, "A->B": 2})
    assert weighed.posterior["team"] == pytest.approx(21 / 30)


def test_a_prior_over_types() -> None:
    found = infer(shared_resource(), SEEN, prior={"A": 3, "B": 1})
    assert found.robots_before["A"] == pytest.approx({"A": 3 / 4, "B": 1 / 4})
    assert found.robots_before["B"] == pytest.approx({"A": 3 / 4, "B": 1 / 4})
    assert found.robots["A"]["A"] == pytest.approx(3 * 7 / (3 * 7 + 9))


def test_a_posterior_is_its_prior_where_nothing_leaks() -> None:
    network = Network("{A} <-> x{A} @ 1, 2\n{B} <-> x{B} @ 1, 2")
    query = Query(home="{A} + {B}", out="x{A} + x{B}")
    scenario = Scenario(network, Team({"A": 2, "B": 3}), query)
    found = infer(scenario, {"home": 2, "out": 3}, at=0.5, prior={"A": 1, "B": 4})
    assert found.robots["A"] == pytest.approx({"A": 0.2, "B": 0.8}, rel=1e-10)


def test_tails_do_not_underflow() -> None:
    # All 60 robots still at work at t = 14.5: e^-899, far below the smallest number.
    found = infer(finishing(58, 2), {"working": 60}, at=14.5, prior={"team": 1, "B->A": 1})
    assert found.beliefs[0].log_likelihood == pytest.approx(-899.0, abs=1e-9)
    # One A instead of a B: e^14.5 times as likely.
    assert found.robots["B"]["B"] == pytest.approx(1 / (1 + math.exp(14.5)), rel=1e-9)


def test_beyond_all_accuracy_nothing_is_believed() -> None:
    with pytest.raises(InputError, match=r"\(or less probable than \de-\d+, which was not comp"):
        infer(finishing(58, 2), {"working": 60}, at=20.0)  # e^-1240


def test_a_projection_gives_an_interval() -> None:
    found = infer(arriving(), {"working": 1}, at=1.0)
    assert found.truncated_mass > 0
    for belief in found.beliefs:
        assert belief.interval[0] <= belief.posterior <= belief.interval[1]


def test_it_agrees_with_the_distribution() -> None:
    scenario = shared_resource()
    found = infer(scenario, SEEN, at=0.3)
    observed = distribution(scenario, 0.3)
    assert found.beliefs[0].log_likelihood == pytest.approx(observed.log_probability(**SEEN))
    assert (found.at, found.method) == (0.3, "transient")


def test_it_prints_as_a_sentence() -> None:
    found = infer(
        shared_resource(), SEEN, knowing={"{A}": 1, "{B}": 1}, prior={"team": 1, "A->B": 1}
    )
    assert str(found) == (
        "After {free: 2, busy: 1} at steady state and knowing {{A}: 1, {B}: 1}, all other robots "
        "being known, a robot of type A is taken for A with probability 0.625 (0.5 before), B with "
        "probability 0.375 (0.5 before); a robot of type B is taken for B with probability 1 "
        "(1 before), A with probability 0 (0 before)."
    )


@pytest.mark.parametrize(
    ("observed", "more", "message"),
    [
        ({"free": 5, "busy": 1}, {}, "{free: 5, busy: 1} is impossible at steady state, for this team and for every neighbour it is weighed against. Nearest to it are {free: 2, busy: 1}; {free: 3, busy: 0}"),
        ({"free": 2}, {"knowing": {"{A}": 7}}, "{free: 2} with {{A}: 7} is impossible"),
        ({"fre": 2}, {}, 'fre is not seen here. Did you mean "free"?'),
        ({"zzz": 2}, {}, "zzz is not seen here. What is seen: free, busy."),
        ({"free": 2}, {"knowing": {"{C}": 1}}, "{C} is in no reaction and not seen."),
        ({"free": 2}, {"knowing": {"{A": 1}}, "is not a species: write w{1,2}"),
        ({}, {}, "nothing was observed: give at least one count"),
        ({"free": -1}, {}, "observed.free is -1: it must not be negative"),
        ({"free": 1.5}, {}, "observed.free is 1.5: a whole number is expected"),
        ({"free": 2}, {"prior": {"A->C": 1}}, 'A->C, which is no hypothesis here. Did you mean "A->B"?'),
        ({"free": 2}, {"prior": {"B": 1}}, "the prior rules out A, of which this team has robots"),
        ({"free": 2}, {"prior": {"A": -1, "B": 1}}, "prior.A is -1: a finite number that is not negative"),
        ({"free": 2}, {"prior": {"team": 0}}, "the prior adds up to 0"),
    ],
)  # fmt: skip
def test_what_is_refused(
    observed: Mapping[str, Any], more: Mapping[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        infer(shared_resource(), observed, **more)
    assert message in str(caught.value)
    assert caught.value.exit_code == 2
