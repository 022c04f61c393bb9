"""Beliefs after every line of a feed: Bayes' rule on joint laws, and what is impossible."""

from __future__ import annotations

import math

import numpy as np
import pytest

import covey
from covey import InputError, TooLargeError
from covey.dynamics.limits import Limits
from covey.model.scenario import Scenario
from covey.privacy.hypotheses import TEAM, name_of
from covey.privacy.snapshots import snapshot_laws
from tests.privacy.small_teams import finishing, flipping, shared_resource


def bayes(scenario: Scenario, times: list[float], lines: list[dict[str, int]]) -> dict[str, float]:
    """The posterior from the joint laws of all glances, all teams alike before."""
    laws = snapshot_laws(scenario, times)
    seen = {f"{name}@{i + 1}": n for i, line in enumerate(lines) for name, n in line.items()}
    every = {TEAM: laws.team} | {name_of(n): law for n, law in laws.neighbours}
    chances = {name: law.probability(**seen) for name, law in every.items()}
    return {name: p / sum(chances.values()) for name, p in chances.items()}


@pytest.mark.parametrize("at", [2.0, "steady"])
def test_beliefs_are_those_of_the_joint_law_after_every_line(at: float | str) -> None:
    scenario = shared_resource().with_({"adversary.at": at})
    lines = [{"free": 3 - busy, "busy": busy} for busy in (1, 2, 1)]
    times = [0.0 if at == "steady" else 0.5, 0.7, 2.0]
    watch = covey.watch(scenario)
    for n in range(1, 4):
        found = watch.see(times[n - 1], lines[n - 1])
        assert found.posterior == pytest.approx(bayes(scenario, times[:n], lines[:n]), rel=1e-8)
        assert found.glances == n
        for belief in found.beliefs:
            assert belief.interval[0] <= belief.posterior <= belief.interval[1]


def test_one_line_is_one_glance() -> None:
    scenario, seen = shared_resource(), {"free": 2, "busy": 1}
    one, other = covey.watch(scenario).see(7.0, seen), covey.infer(scenario, seen)
    assert one.posterior == pytest.approx(other.posterior, rel=1e-9)
    assert one.robots["A"] == pytest.approx(other.robots["A"], rel=1e-9)


def test_what_is_settled_once_is_settled_for_good_though_no_glance_settles_it_alone() -> None:
    watch = covey.watch(flipping())
    first = watch.see(0.0, {"on": 1, "off": 0})
    assert first.posterior == pytest.approx({"team": 0.5, "slow->fast": 0.5}, rel=1e-9) or all(
        p == pytest.approx(1 / len(first.posterior)) for p in first.posterior.values()
    )
    rng, state, before = np.random.default_rng(1), 1, 0.0
    for k in range(1, 400):  # a path of the team itself, which flips at rate 1
        if rng.random() < -math.expm1(-0.2) / 2:
            state = 1 - state
        found = watch.see(k / 10, {"on": state, "off": 1 - state})
        before = found.posterior["team"]
    assert before > 0.999


def test_a_prior_is_heeded_and_what_it_rules_out_stays_out() -> None:
    found = covey.watch(shared_resource(), prior={"team": 3, "A->B": 1}).see(1.0, {"free": 2})
    assert found.posterior["B->A"] == 0.0
    assert sum(found.posterior.values()) == pytest.approx(1.0)


def test_a_line_that_only_some_teams_can_show_rules_the_others_out() -> None:
    scenario = finishing()
    names = list(scenario.query.groups(scenario.network))
    laws = snapshot_laws(scenario, [1.0])
    possible = {name_of(n): set(map(tuple, law.outcomes.tolist())) for n, law in laws.neighbours}
    ours = set(map(tuple, laws.team.outcomes.tolist()))
    settling = sorted(row for row in ours if any(row not in seen for seen in possible.values()))
    if not settling:
        pytest.skip("no line settles anything here")
    found = covey.watch(scenario, settled=False).see(
        1.0, dict(zip(names, settling[0], strict=True))
    )
    for name, seen in possible.items():
        assert (found.posterior[name] == 0) == (settling[0] not in seen)
    assert found.possible


def test_a_line_that_no_team_can_show_is_told_and_left_out() -> None:
    scenario = shared_resource()
    with_it, without = covey.watch(scenario), covey.watch(scenario)
    before = [watch.see(0.0, {"free": 2, "busy": 1}) for watch in (with_it, without)]
    wrong = with_it.see(0.5, {"free": 9, "busy": 9})
    assert not wrong.possible
    assert wrong.posterior == before[0].posterior
    assert wrong.glances == 1
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


def test_the_sentence_tells_of_all_glances() -> None:
    watch = covey.watch(shared_resource())
    watch.see(0.0, {"free": 2, "busy": 1})
    said = str(watch.see(1.0, {"free": 2, "busy": 1}))
    assert said.startswith("After 2 glances, the last of {free: 2, busy: 1} at time 1")
