"""Neighbours that nothing seen tells from the team: exactly half of the time, however often."""

from __future__ import annotations

import pytest

from covey import Limits, Network, Query, Scenario, Team
from covey.dynamics.solver import Solver
from covey.model.observation.adversary import Moment
from covey.privacy.headline import later_sentence, spoken
from covey.privacy.hypotheses import hypotheses_of
from covey.privacy.stream.indistinguishable import told_by_nothing
from covey.privacy.stream.pace import over_time, usual_stream
from covey.privacy.stream.stream import stream
from tests.privacy.small_teams import behind_a_barrier, flipping, shared_resource


def _alike(scenario: Scenario, at: Moment = "steady") -> list[bool]:
    solver = Solver(scenario.network)
    return [told_by_nothing(solver, scenario, n, at) for n in hypotheses_of(scenario)]


def test_identical_types_are_told_half_of_the_time_exactly() -> None:
    scenario = flipping(3, 1, slow=1.0, fast=1.0)
    found = stream(scenario, 1, 100, epsilons=[0.1])
    assert [tuple(guess) for guess in found.bayes_success] == [(0.5, 0.5, 0.5)] * len(
        found.snapshots
    )
    assert (found.method, found.paths, found.exact) == ("exact", 0, 100)
    assert str(found).startswith(
        "Low: someone who takes 100 snapshots, one every time unit, cannot"
    )
    assert "50% of the time" in str(found)
    usual = usual_stream(Solver(scenario.network), scenario, quick=10_000)
    said = spoken(later_sentence(over_time(scenario, usual)))
    assert said.endswith(": right 50% of the time after 100 snapshots, too.")


def test_types_that_differ_a_little_are_not_alike() -> None:
    assert _alike(flipping(3, 1, slow=1.0, fast=1.0)) == [True, True]
    assert _alike(flipping(3, 1, slow=1.0, fast=1.0 + 1e-15)) == [False, False]
    assert _alike(shared_resource()) == [False, False]


def test_what_is_seen_may_tell_types_that_move_alike() -> None:
    one = flipping(2, 1, slow=1.0, fast=1.0)
    other = Scenario(
        one.network, one.team, Query(some="on{A} + off{B}"), initial={"A": "on{A}", "B": "on{B}"}
    )
    assert _alike(one) == [True, True]
    assert _alike(other) == [False, False]


def test_teams_that_a_swap_of_the_types_maps_onto_each_other() -> None:
    network = Network("{A} + {B} <-> {A,B} @ 1, 1")
    query = Query(free="{A} + {B}", met="{A,B}")
    one_more = Scenario(network, Team({"A": 2, "B": 1}), query)
    assert [str(n) for n in hypotheses_of(one_more)] == ["one A turned B", "one B turned A"]
    assert _alike(one_more) == [True, False]  # (1, 2) is (2, 1) by other names, (3, 0) is not
    found = stream(one_more, 1, 40, paths=100)
    assert found.pairs[0].rows[-1].bayes_success == (0.5, 0.5, 0.5)
    assert found.pairs[1].rows[-1].bayes_success.value == 1


def test_a_start_tells_types_that_move_alike_until_steady_state() -> None:
    scenario = behind_a_barrier()
    assert _alike(scenario, "steady") == [True, True]
    assert _alike(scenario, 3.0) == [False, False]
    found = stream(scenario, 1, 10, limits=Limits(max_states=100))
    assert found.bayes_success[-1] == (0.5, 0.5, 0.5)
    assert found.at == "steady"


def test_two_ends_that_are_never_left_remember_the_start() -> None:
    flips = "".join(
        f"{{{t}}} -> on{{{t}}} @ [{{{t}}} * (on{{A}} + on{{B}} >= 3)]\n"
        f"on{{{t}}} -> {{{t}}} @ [on{{{t}}} * (on{{A}} + on{{B}} <= 2)]\n"
        for t in "AB"
    )
    initial = {"A": "{A}", "B": "on{B}"}
    query = Query(busy="on{A} + on{B}")
    scenario = Scenario(Network(flips), Team({"A": 2, "B": 3}), query, initial=initial)
    turned_b, turned_a = _alike(scenario)
    assert turned_b  # both end with all on
    assert not turned_a
    assert stream(scenario, 1, 10).bayes_success[-1].value == pytest.approx(1)
