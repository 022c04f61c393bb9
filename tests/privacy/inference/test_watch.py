"""Beliefs after every line of a feed: Bayes' rule on joint distributions, and what is impossible."""

from __future__ import annotations

import math

import numpy as np
import pytest

import covey
from covey import InputError, Network, Query, Team, TooLargeError, UnsupportedError
from covey.dynamics.limits import Limits
from covey.model.scenario import Scenario
from covey.privacy.prior import TEAM, name_of
from covey.privacy.stream.joint_distributions import joint_distributions
from tests.privacy.small_teams import flipping, shared_resource


def bayes(scenario: Scenario, times: list[float], lines: list[dict[str, int]]) -> dict[str, float]:
    """The posterior from the joint distributions of all snapshots, all teams alike before."""
    distributions = joint_distributions(scenario, times)
    seen = {f"{name}@{i + 1}": n for i, line in enumerate(lines) for name, n in line.items()}
    every = {TEAM: distributions.team} | {
        name_of(n): distribution for n, distribution in distributions.neighbours
    }
    chances = {name: distribution.probability(**seen) for name, distribution in every.items()}
    return {name: p / sum(chances.values()) for name, p in chances.items()}


@pytest.mark.parametrize("at", [2.0, "steady"])
def test_beliefs_are_those_of_the_joint_distribution_after_every_line(at: float | str) -> None:
    scenario = shared_resource().with_({"adversary.at": at})
    lines = [{"free": 3 - busy, "busy": busy} for busy in (1, 2, 1)]
    times = [0.0 if at == "steady" else 0.5, 0.7, 2.0]
    watch = covey.watch(scenario)
    for n in range(1, 4):
        found = watch.see(times[n - 1], lines[n - 1])
        assert found.posterior == pytest.approx(bayes(scenario, times[:n], lines[:n]), rel=1e-8)
        assert found.snapshots == n
        for belief in found.beliefs:
            assert belief.interval[0] <= belief.posterior <= belief.interval[1]


def test_one_line_is_one_snapshot() -> None:
    scenario, seen = shared_resource(), {"free": 2, "busy": 1}
    one, other = covey.watch(scenario).see(7.0, seen), covey.infer(scenario, seen)
    assert one.posterior == pytest.approx(other.posterior, rel=1e-9)
    assert one.robots["A"] == pytest.approx(other.robots["A"], rel=1e-9)


def test_snapshots_that_tell_nothing_each_tell_all_together() -> None:
    watch = covey.watch(flipping())
    found = watch.see(0.0, {"on": 1, "off": 0})
    assert found.posterior == pytest.approx({"team": 0.5, "A->B": 0.5}, rel=1e-9)
    rng, state = np.random.default_rng(1), 1
    for k in range(1, 400):  # a path of the team itself, which flips at rate 1
        if rng.random() < -math.expm1(-0.2) / 2:
            state = 1 - state
        found = watch.see(k / 10, {"on": state, "off": 1 - state})
    assert found.posterior["team"] > 0.999


def test_a_prior_is_heeded_and_what_it_rules_out_stays_out() -> None:
    found = covey.watch(shared_resource(), prior={"team": 3, "A->B": 1}).see(1.0, {"free": 2})
    assert found.posterior["B->A"] == 0.0
    assert sum(found.posterior.values()) == pytest.approx(1.0)


def test_a_line_that_only_some_teams_can_show_rules_the_others_out() -> None:
    # Without a B nobody can work together: one robot turned A cannot be where two work.
    network = Network("{A} + {B} <-> {A,B} @ 1, 1")
    query = Query(free="{A} + {B}", busy="{A,B}")
    watch = covey.watch(Scenario(network, Team({"A": 2, "B": 1}), query))
    assert watch.see(0.0, {"free": 3, "busy": 0}).posterior["B->A"] > 0
    for time in (1.0, 2.0):  # for good
        found = watch.see(time, {"busy": 2 - int(time)})
        assert found.possible
        assert found.posterior["B->A"] == 0
    (belief,) = [b for b in found.beliefs if b.name == "B->A"]
    assert belief.interval == (0.0, 0.0)


def test_a_line_that_no_team_can_show_is_told_and_left_out() -> None:
    scenario = shared_resource()
    with_it, without = covey.watch(scenario), covey.watch(scenario)
    before = [watch.see(0.0, {"free": 2, "busy": 1}) for watch in (with_it, without)]
    wrong = with_it.see(0.5, {"free": 9, "busy": 9})
    assert not wrong.possible
    assert wrong.posterior == before[0].posterior
    assert wrong.snapshots == 1
    assert "impossible" in str(wrong)
    after = [watch.see(1.0, {"free": 3, "busy": 0}) for watch in (with_it, without)]
    assert after[0].posterior == pytest.approx(after[1].posterior, rel=1e-8)
    assert after[0].possible


def test_lines_that_are_wrong_change_nothing() -> None:
    watch = covey.watch(shared_resource())
    watch.see(1.0, {"free": 2, "busy": 1})
    for time, counts, words in (
        (0.5, {"free": 2}, "increasing order"),
        (2.0, {"fre": 2}, "not seen here"),
        (2.0, {"free": -1}, "negative"),
        (math.nan, {"free": 1}, "finite"),
        (2.0, {}, "nothing was observed"),
    ):
        with pytest.raises(InputError, match=words):
            watch.see(time, counts)
    once = covey.watch(shared_resource())
    once.see(1.0, {"free": 2, "busy": 1})
    assert watch.see(2.0, {"free": 1}).posterior == once.see(2.0, {"free": 1}).posterior


def test_a_chain_that_is_too_large_is_refused_before_it_is_made() -> None:
    with pytest.raises(TooLargeError):
        covey.watch(covey.load("examples/task-network.toml"), limits=Limits(max_states=100))


def test_infinitely_many_states_are_refused_before_any_is_made() -> None:
    with pytest.raises(UnsupportedError, match="infinitely many states"):
        covey.watch(covey.load("examples/ride-sharing.toml"))


def test_the_sentence_tells_of_all_snapshots() -> None:
    watch = covey.watch(shared_resource())
    watch.see(0.0, {"free": 2, "busy": 1})
    said = str(watch.see(1.0, {"free": 2, "busy": 1}))
    assert said.startswith("After 2 snapshots, the last of {free: 2, busy: 1} at time 1")
