"""Derivatives of what is given away, against differences in sixty digits."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

import covey
from covey.dynamics.sensitivity.distribution_derivatives import Sensitivities
from covey.dynamics.solver import Solver
from covey.errors import UnsupportedError
from covey.model.observation.adversary import Moment
from covey.privacy.snapshot.output_distributions import distributions_by
from covey.privacy.snapshot.sensitivities import (
    epsilon_sensitivities,
    leakage_sensitivities,
    team_sensitivities,
    total_variation_sensitivities,
)
from tests.dynamics.sensitivity.test_chain_derivatives import distribution
from tests.dynamics.sensitivity.test_distribution_derivatives import observed

BALANCED = "{A} + {R} <-> {A,R} @ take, drop\n{B} + {R} <-> {B,R} @ 1, drop"
ONE_WAY = "{A} <-> w{A} @ take, drop\n{B} <-> w{B} @ take, 1.7\n{A} + w{B} -> {A} + {B} @ 0.6"
STEP = mp.mpf("1e-25")
RateLaw = dict[tuple[int, ...], mp.mpf]


def scenario(text: str, rates: tuple[float, ...], at: Moment) -> covey.Scenario:
    network = covey.Network(text, rates=dict(zip(("take", "drop"), rates, strict=True)))
    balanced = text == BALANCED
    query = covey.Query(busy="{A,R} + {B,R}" if balanced else "w{A} + w{B}")
    team = covey.Team({"A": 2, "B": 1}, resources={"R": 2} if balanced else {})
    return covey.Scenario(network, team, query, covey.Adversary(at=at))


def distributions_at(found: covey.Scenario, knob: str, step: mp.mpf) -> list[RateLaw]:
    """Of the team and its neighbours, as they are listed."""
    solver = Solver(found.network)
    teams = [found.team, *(n.team for n in found.team.neighbours(found.protected))]
    chains = [solver.chain(found.start_of(team)) for team in teams]
    at = found.adversary.at
    return [observed(chain, found.query, distribution(chain, at, knob, step)) for chain in chains]


def leak(distributions: list[RateLaw], nu: float) -> mp.mpf:
    team, *others = distributions
    return max(
        abs(mp.log((team[y] + nu) / (other[y] + nu)))
        for other in others
        for y in team
        if y in other
    )


def apart(distributions: list[RateLaw]) -> mp.mpf:
    team, *others = distributions
    return max(
        mp.fsum(abs(team.get(y, 0) - other.get(y, 0)) for y in team | other) / 2 for other in others
    )


def epsilon(distributions: list[RateLaw], delta: float) -> mp.mpf:
    """The least ε with Σ (p − e^ε q)₊ ≤ δ, by which outcomes count."""
    team, *others = distributions
    found = [mp.mpf(0)]
    for p, q in [pair for other in others for pair in ((team, other), (other, team))]:
        order = sorted(p.keys() & q.keys(), key=lambda y: q[y] / p[y])
        only = mp.fsum(p[y] for y in p.keys() - q.keys())
        for k in range(1, len(order) + 1):
            counted = order[:k]
            above = only + mp.fsum(p[y] for y in counted) - delta
            if above <= 0:
                continue
            e = mp.log(above / mp.fsum(q[y] for y in counted))
            here = only + mp.fsum(max(p[y] - mp.exp(e) * q[y], mp.mpf(0)) for y in order)
            if abs(here - delta) < mp.mpf("1e-50"):
                found.append(e)
    return max(found)


@settings(max_examples=12, deadline=None)
@given(
    text=st.sampled_from([BALANCED, ONE_WAY]),
    rates=st.tuples(st.floats(0.1, 10), st.floats(0.1, 10)),
    at=st.one_of(st.just("steady"), st.floats(0.2, 3)),
)
def test_against_differences(text: str, rates: tuple[float, ...], at: Moment) -> None:
    found = scenario(text, rates, at)
    solver = Solver(found.network)
    (distributions,) = distributions_by(solver, found)
    pairs = team_sensitivities(distributions, Sensitivities(solver, ("take", "drop")))
    delta = covey.profile(found).total_variation / 3
    ours = {
        "leakage": leakage_sensitivities(pairs),
        "smoothed": leakage_sensitivities(pairs, 1e-3),
        "total variation": total_variation_sensitivities(pairs),
        "epsilon": epsilon_sensitivities(pairs, delta),
    }
    with mp.workdps(60):
        for k, knob in enumerate(("take", "drop")):
            now, then = (
                distributions_at(found, knob, mp.mpf(0)),
                distributions_at(found, knob, STEP),
            )
            exact = {
                "leakage": leak(then, 0.0) - leak(now, 0.0),
                "smoothed": leak(then, 1e-3) - leak(now, 1e-3),
                "total variation": apart(then) - apart(now),
                "epsilon": epsilon(then, delta) - epsilon(now, delta),
            }
            for name, change in exact.items():
                assert ours[name][k] == pytest.approx(float(change / STEP), abs=1e-7), name


def test_epsilon_at_no_delta_is_the_leakage() -> None:
    found = scenario(BALANCED, (3.0, 0.7), "steady")
    solver = Solver(found.network)
    (distributions,) = distributions_by(solver, found)
    pairs = team_sensitivities(distributions, Sensitivities(solver, ("take",)))
    assert epsilon_sensitivities(pairs, 0.0) == pytest.approx(leakage_sensitivities(pairs))
    assert epsilon_sensitivities(pairs, 0.9) == pytest.approx(np.zeros(1))  # ε is 0 there


def test_types_that_are_alike_are_at_a_kink() -> None:
    """Whichever way the rate of one type goes, more is given away."""
    network = covey.Network("{A} <-> w{A} @ a, 1\n{B} <-> w{B} @ b, 1", rates={"a": 1.0, "b": 1.0})
    query = covey.Query(waiting="w{A} + w{B}")
    alike = covey.Scenario(network, covey.Team({"A": 2, "B": 2}), query)
    solver = Solver(network)
    (distributions,) = distributions_by(solver, alike)
    pairs = team_sensitivities(distributions, Sensitivities(solver, ("a", "b")))
    for sensitivities in (leakage_sensitivities(pairs), total_variation_sensitivities(pairs)):
        assert sensitivities[0] > 0.05
        assert sensitivities == pytest.approx(np.full(2, sensitivities[0]))


def test_what_is_infinite_stays_so() -> None:
    with pytest.warns(covey.DirectBreachWarning):
        found = covey.Scenario(
            covey.Network("{A} <-> w{A} @ a, 1\n{B} <-> w{B} @ 1, 1", rates={"a": 2.0}),
            covey.Team({"A": 1, "B": 1}),
            covey.Query(waiting="w{A}"),
        )
    solver = Solver(found.network)
    (distributions,) = distributions_by(solver, found)
    pairs = team_sensitivities(distributions, Sensitivities(solver, ("a",)))
    assert math.isinf(covey.leakage(found).value)
    assert leakage_sensitivities(pairs) == pytest.approx(np.zeros(1))
    assert total_variation_sensitivities(pairs)[0] > 0


def test_what_a_mechanism_publishes_has_none() -> None:
    found = scenario(BALANCED, (3.0, 0.7), "steady")
    table = covey.protect(found, epsilon=0.2, teams="this").release
    published = replace(found, release=covey.Release(mechanism=table))
    solver = Solver(published.network)
    (distributions,) = distributions_by(solver, published)
    with pytest.raises(UnsupportedError, match="what is seen of the robots"):
        team_sensitivities(distributions, Sensitivities(solver, ("take",)))
