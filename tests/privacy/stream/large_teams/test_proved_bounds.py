"""Bounds of streams of large teams: against exact figures of small ones."""

from __future__ import annotations

import numpy as np
import pytest

import covey
from covey import Network, Query, Scenario, Team
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.model.hypothesis import OtherValues
from covey.model.observation.adversary import Moment
from covey.privacy.hypotheses import hypotheses_of
from covey.privacy.stream.large_teams.lumped_teams import lumped_teams
from covey.privacy.stream.stream import stream
from tests.privacy.small_teams import behind_a_barrier, finishing, flipping, shared_resource

FEW = Limits(max_states=5)


def _with_a_law() -> Scenario:
    """Two types that share a room; how fast they leave depends on how many are inside."""
    lines = "\n".join(
        f"{{{t}}} -> in{{{t}}} @ [{k} * {{{t}}} * (in{{A}} + in{{B}} < 3)]\n"
        f"in{{{t}}} -> {{{t}}} @ [in{{{t}}} * (1 + in{{A}} + in{{B}})]"
        for t, k in (("A", 1.0), ("B", 3.0))
    )
    query = Query(inside="in{A} + in{B}", outside="{A} + {B}")
    return Scenario(Network(lines), Team({"A": 3, "B": 2}), query)


def _in_pairs() -> Scenario:
    """Robots that meet in pairs of any types, and go their ways at rates of their own."""
    lines = "2 {A} <-> p{A,A} @ 0.5, 1\n{A} + {B} <-> p{A,B} @ 0.8, 2\n2 {B} <-> p{B,B} @ 0.5, 1"
    query = Query(alone="{A} + {B}", pairs="p{A,A} + p{A,B} + p{B,B}")
    return Scenario(Network(lines), Team({"A": 3, "B": 2}), query)


CASES = [
    (shared_resource(6, 4).with_({"resources.R": 5}), "steady"),
    (shared_resource(6, 4).with_({"resources.R": 5}), 0.5),
    (finishing(5, 3), 0.2),
    (flipping(3, 2), "steady"),
    (_with_a_law(), 0.7),
    (_in_pairs(), 0.7),
    (covey.load("examples/warehouse.toml"), "steady"),
]
_NAMES = ["steady", "at a time", "finishing", "flipping", "a law", "in pairs", "warehouse"]


@pytest.mark.parametrize(("scenario", "at"), CASES, ids=_NAMES)
def test_they_hold_what_an_exact_filter_finds(scenario: Scenario, at: Moment) -> None:
    exact = stream(scenario, 0.4, 8.0, at=at, snapshots=[2, 5, 20], accuracy=0.05)
    rough = stream(
        scenario, 0.4, 8.0, at=at, snapshots=[2, 5, 20], limits=FEW, paths=1_500, confidence=0.999
    )
    assert rough.method == "normal"
    for known, said in zip(exact.pairs, rough.pairs, strict=True):
        for one, other in zip(known.rows, said.rows, strict=True):
            assert other.total_variation.lower <= one.total_variation.upper
            assert other.total_variation.upper >= one.total_variation.lower
        assert said.rows[0].total_variation.upper < 1


@pytest.mark.parametrize(("scenario", "at"), CASES, ids=_NAMES)
def test_what_all_that_happens_says_for_a_team_is_nought_on_average(
    scenario: Scenario, at: Moment
) -> None:
    for number, supposed in enumerate(hypotheses_of(scenario)):
        teams = lumped_teams(Solver(scenario.network), scenario, supposed, at)
        assert teams is not None
        halves = [
            teams.shown(of, 2_000, np.array([0.0, 3.0]), np.array([1, 2]), 9 + number)[1]
            for of in (False, True)
        ]
        mean = (halves[0] + halves[1]).mean(axis=0)
        spread = np.sqrt((halves[0].var(axis=0) + halves[1].var(axis=0)) / 2_000)
        assert (np.abs(mean) <= 4.5 * spread + 1e-9).all()
        assert np.abs(halves[0]).max() > 0  # and it says something


def test_whoever_sees_all_that_happens_tells_no_more_than_the_bound() -> None:
    """One type alone, looked at so often that hardly a change is missed: both bounds are near."""
    scenario = flipping(2, 0, 1.0, 3.0)
    exact = stream(scenario, 0.02, 2.0, snapshots=[100], accuracy=0.02)
    rough = stream(scenario, 0.02, 2.0, snapshots=[100], limits=FEW, paths=4_000)
    true, found = exact.rows[-1].total_variation, rough.rows[-1].total_variation
    assert true.lower <= found.upper <= true.upper + 0.06


def test_what_is_shown_of_the_neighbour_is_what_it_shows() -> None:
    """Also where the robot is with another, as none of the other type could be."""
    scenario = covey.load("examples/warehouse.toml")
    for supposed in hypotheses_of(scenario):
        teams = lumped_teams(Solver(scenario.network), scenario, supposed, "steady")
        assert teams is not None
        shown, _ = teams.shown(True, 100, np.array([0.0, 5.0]), np.array([2]), 4)
        driving, picking, charging = np.moveaxis(shown, 2, 0)
        assert (driving + 2 * picking + charging == 10).all()


def test_other_rates_are_bounded_too() -> None:
    scenario, other = flipping(3, 2), OtherValues({"types.A": 4, "types.B": 1})
    assert lumped_teams(Solver(scenario.network), scenario, other, "steady") is None
    named = covey.load("examples/warehouse.toml")
    faster = [{"rates.meet": 2 * named.network.rates["meet"]}]
    exact = stream(named, 1.0, 30.0, against=faster, accuracy=0.05)
    rough = stream(named, 1.0, 30.0, against=faster, limits=FEW, paths=1_500, confidence=0.999)
    true, found = exact.rows[-1].total_variation, rough.rows[-1].total_variation
    assert found.lower <= true.upper
    assert true.lower <= found.upper


def test_where_a_robot_is_seen_to_be_another_there_is_no_bound_from_above() -> None:
    scenario = flipping(3, 2).with_parts(query=Query(on="on{A}", off="off{A} + off{B}"))
    supposed = hypotheses_of(scenario)[0]
    assert lumped_teams(Solver(scenario.network), scenario, supposed, "steady") is None
    hidden = behind_a_barrier()  # one begins somewhere else
    assert lumped_teams(Solver(hidden.network), hidden, hypotheses_of(hidden)[0], 1.0) is None
    found = stream(hidden, 1, 4, at=1.0, limits=FEW, paths=50)
    assert found.rows[-1].bayes_success.upper == 1
    assert "at least" in str(found)


@pytest.mark.study
def test_how_often_they_hold() -> None:
    """With 80 % confidence asked for, of 200 runs at most 60 may miss: five standard deviations."""
    scenario = shared_resource(4, 3)
    true = stream(scenario, 0.5, 5.0, snapshots=[10], accuracy=0.005, confidence=0.9999)
    missed = 0
    for seed in range(200):
        found = stream(
            scenario, 0.5, 5.0, snapshots=[10], limits=FEW, paths=200, confidence=0.8, seed=seed
        )
        missed += any(
            one.rows[-1].total_variation.lower > known.rows[-1].total_variation.upper
            or one.rows[-1].total_variation.upper < known.rows[-1].total_variation.lower
            for one, known in zip(found.pairs, true.pairs, strict=True)
        )
    assert missed <= 60
