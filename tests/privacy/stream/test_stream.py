"""A day of snapshots: against joint distributions, brute force, and what was measured elsewhere."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import covey
from covey.dynamics.hmm.hidden_markov import Schedule, WatchedChain, watched_chain
from covey.dynamics.hmm.likelihood_ratio import PathSampler
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.errors import InputError, TooLargeError
from covey.executors import LocalPool
from covey.model.scenario import Scenario
from covey.privacy.snapshot.profile import profile, profile_of
from covey.privacy.stream.confidence import confidence_of_try
from covey.privacy.stream.joint_distributions import joint_distributions
from covey.privacy.stream.sampled import PairOfTeams
from covey.privacy.stream.stream import Stream, stream
from covey.report.json_keys.stream import stream_keys
from tests.privacy.small_teams import arriving, finishing, flipping, shared_resource


def test_one_snapshot_is_the_profile() -> None:
    for at in ("steady", 0.7):
        one = profile(shared_resource(), at)
        (told,) = stream(shared_resource(), 1, 1, at=at, epsilons=[0.3]).rows
        assert told.total_variation.value == one.total_variation
        assert told.delta[0].value == one.delta(0.3)
        assert told.total_variation[1:] == one.total_variation_interval


def test_flipping_robots_are_told_apart_by_how_they_move() -> None:
    found = stream(flipping(), 0.1, 0.2)
    assert found.method == "exact"
    first, second = found.rows
    assert first.leakage is not None
    assert second.leakage is not None
    assert first.total_variation.value == pytest.approx(0, abs=1e-12)
    assert first.leakage.value == pytest.approx(0, abs=1e-12)
    assert f"{second.leakage.value:.2f}" == "1.56"
    switch = [-math.expm1(-2 * rate * 0.1) / 2 for rate in (1, 10)]
    assert second.total_variation.value == pytest.approx(switch[1] - switch[0])


def test_every_figure_says_of_which_neighbour_it_is() -> None:
    """C is told by where it is, at once; B only by how fast it moves, in the end."""
    rates = {"A": (1.0, 1.0), "B": (9.0, 9.0), "C": (1.0, 1.3)}
    team = covey.Scenario(
        covey.Network(
            "\n".join(f"{{{t}}} <-> on{{{t}}} @ {a}, {b}" for t, (a, b) in rates.items())
        ),
        covey.Team({"A": 2, "B": 0, "C": 0}),
        covey.Query(on="on{A} + on{B} + on{C}"),
    )
    found = stream(team, 0.1, 0.9, snapshots=[1, 3, 9], accuracy=0.05)
    first, last = found.worst_neighbours[0], found.worst_neighbours[-1]
    assert (str(first), str(last)) == ("one A turned C", "one A turned B")
    assert found.neighbour == last
    own = {pair.neighbour: pair for pair in found.pairs}
    for i, (row, neighbour) in enumerate(zip(found.rows, found.worst_neighbours, strict=True)):
        assert row.bayes_success.value == own[neighbour].rows[i].bayes_success.value
    said = str(found)
    assert (
        f"{found.bayes_success[0].value:.1%} of the time after one snapshot (one A turned C)"
        in said
    )
    assert f"{found.bayes_success[-1].value:.1%} after 9 (one A turned B)" in said
    drawn = found.plot().axes[0].lines
    right = [row.bayes_success.value for row in found.rows]
    assert any(
        np.array_equal(line.get_ydata(), right) for line in drawn
    )  # the chart is the table's


def _brute_force(
    scenario: Scenario, every: float, snapshots: int, start_distribution: bool
) -> float:
    """The total variation of the worst neighbour, by joint distributions of all sequences."""
    times = [every * i for i in range(snapshots)]
    return profile_of(
        joint_distributions(scenario, times, stationary=start_distribution)
    ).total_variation


@pytest.mark.parametrize("scenario", [shared_resource(), shared_resource(3, 2), flipping(2, 1)])
def test_paths_agree_with_sums_over_all_that_can_be_seen(scenario: Scenario) -> None:
    found = stream(scenario, 0.4, 2.0, snapshots=[2, 3, 5], seed=3)
    for n, told in zip(found.snapshots, found.rows, strict=True):
        assert told.total_variation.value == pytest.approx(
            _brute_force(scenario, 0.4, n, True), rel=1e-9
        )
    assert found.method == "exact"
    # The same figures from paths, which the exact ones must be inside the bounds of.
    paths = stream(scenario, 0.4, 2.0, snapshots=[2, 3, 5], seen=1.0, paths=3000, seed=3)
    assert paths.method == "paths"
    for exact, drawn in zip(found.rows, paths.rows, strict=True):
        low, high = drawn.total_variation[1:]
        assert low <= exact.total_variation.value <= high
        assert drawn.total_variation.value == pytest.approx(exact.total_variation.value, abs=0.05)
        assert (
            drawn.distinguishing_mass.lower
            <= exact.distinguishing_mass.value
            <= drawn.distinguishing_mass.upper
        )
        assert drawn.learning == pytest.approx(exact.learning, abs=0.05)


@pytest.mark.slow
def test_bounds_cover_as_often_as_they_say() -> None:
    scenario = shared_resource()
    exact = _brute_force(scenario, 0.5, 4, True)
    solver = Solver(scenario.network, Limits())

    def chain(team: covey.Team) -> WatchedChain:
        return watched_chain(
            solver, scenario.start_of(team), scenario.query, Schedule("steady", 0.5, (6,))
        )

    neighbours = scenario.team.neighbours(scenario.protected)
    pairs = [PairOfTeams(chain(scenario.team), chain(n.team), [4]) for n in neighbours]
    worst = max(pairs, key=lambda pair: pair.look(500, (1, 2), 0.5)[0][0].total_variation.value)
    runs, missed = 1000, 0
    for run in range(runs):
        (told,), _ = worst.look(60, (2 * run, 2 * run + 1), 0.5)
        missed += not told.total_variation.lower <= exact <= told.total_variation.upper
    assert missed <= 0.5 * runs
    assert missed < runs / 10  # they assume nothing, so they are far wider than they need be


def test_more_snapshots_never_tell_less() -> None:
    found = stream(shared_resource(3, 3), 0.3, 30, accuracy=0.05)
    values = np.array([row.total_variation for row in found.rows])
    assert (np.diff(values, axis=0) >= 0).all()
    assert (values[:, 1] <= values[:, 0]).all()
    assert (values[:, 0] <= values[:, 2]).all()


def test_more_frequent_snapshots_never_tell_less() -> None:
    often, seldom = (stream(shared_resource(), every, 8.0, seed=1) for every in (0.5, 2.0))
    assert often.total_variation[-1].upper >= seldom.total_variation[-1].lower
    assert often.total_variation[-1].value > seldom.total_variation[-1].value


@pytest.mark.slow
def test_the_warehouse_over_a_shift() -> None:
    warehouse = covey.load("examples/warehouse.toml")
    found = stream(warehouse, 1, 480, accuracy=0.03)
    assert found.snapshots == (1, 2, 5, 10, 30, 60, 120, 240, 480)
    # From 1,000 paths of another program (± 0.02); the first two are exact here.
    measured = [0.550, 0.567, 0.604, 0.635, 0.716, 0.817, 0.922, 0.982, 1.0]
    for told, other in zip(found.bayes_success, measured, strict=True):
        assert told.value == pytest.approx(other, abs=0.025)
    carrier = found.pairs[0]
    assert str(carrier.neighbour) == "one carrier turned picker"
    assert carrier.rows[-1].bayes_success.value == pytest.approx(0.787, abs=0.03)
    assert str(found.neighbour) == "one picker turned carrier"
    assert str(found).startswith(
        "High: someone who takes 480 snapshots, one every minute, nearly always tells one picker "
    )
    assert "From steady state on, right 54.8% of the time after one snapshot, " in str(found)


def test_the_same_for_any_number_of_cores() -> None:
    def run(cores: int) -> Stream:
        return stream(shared_resource(4, 3), 0.5, 25, paths=200, seed=9, cores=cores)

    assert run(1) == run(3)
    assert run(1) != stream(shared_resource(4, 3), 0.5, 25, paths=200, seed=10)


def test_the_same_for_any_number_of_workers() -> None:
    team: Scenario = shared_resource(4, 3)
    asked: dict[str, Any] = {"paths": 200, "seed": 9}
    with LocalPool(2) as pool:
        there = stream(team, 0.5, 25, **asked, executor=pool, workers=1)
    assert there == stream(team, 0.5, 25, **asked)
    with pytest.raises(InputError, match="the number of workers is 0"):
        stream(team, 0.5, 25, executor=pool, workers=0)


def test_more_paths_begin_with_the_same_ones() -> None:
    scenario = shared_resource(3, 2)
    solver = Solver(scenario.network, Limits())
    team, other = (
        watched_chain(
            solver, scenario.start_of(team), scenario.query, Schedule("steady", 0.5, (6,))
        )
        for team in (scenario.team, scenario.team.neighbours(scenario.protected)[0].team)
    )
    sampler = PathSampler(team, other)
    few, many = (sampler.log_ratios([2, 6], paths, 4) for paths in (40, 100))
    assert (few == many[:40]).all()


def test_a_noisy_observer_learns_less() -> None:
    clear, dim = (stream(shared_resource(4, 2), 0.5, 20, seen=seen) for seen in (None, 0.5))
    assert dim.rows[-1].total_variation.upper < clear.rows[-1].total_variation.lower
    # A report that says nothing tells nothing, however often it is seen.
    blind = stream(shared_resource(4, 2), 0.5, 20, seen=0.0, paths=100)
    assert blind.rows[-1].total_variation.value == pytest.approx(0, abs=1e-12)


def test_a_table_reports_at_every_snapshot_anew() -> None:
    table = {(0, 1): {(0, 1): 0.7, (1, 0): 0.3}, (1, 0): {(1, 0): 0.7, (0, 1): 0.3}}
    found = stream(flipping(), 0.1, 0.2, seen=table, accuracy=0.02)
    # Two reports differ where one of the truth and the reports flips: 0.3 twice, s in between.
    flips = [-math.expm1(-2 * rate * 0.1) / 2 for rate in (1, 10)]
    differ = [s * (0.49 + 0.09) + (1 - s) * 2 * 0.21 for s in flips]
    exact = abs(differ[1] - differ[0])
    low, high = found.rows[-1].total_variation[1:]
    assert low <= exact <= high


def test_from_a_start_that_is_known() -> None:
    # Nobody is done at 0; at 1 each A is with probability 1 − e^-1, each B with 1 − e^-2.
    found = stream(finishing(1, 1), 1.0, 2.0, at=0.0)
    first, second = found.rows
    assert first.total_variation.value == 0
    assert second.total_variation.value == pytest.approx(
        profile(finishing(1, 1), 1.0).total_variation, rel=1e-9
    )


def test_the_release_says_how_often() -> None:
    scenario = shared_resource().with_({"release.every": 0.5, "release.until": 1.0})
    assert stream(scenario).snapshots == (1, 2)
    assert stream(scenario, until=1.5).snapshots == (1, 2, 3)
    assert covey.loads(covey.dumps(scenario)) == scenario


def test_neighbours_that_are_alike_are_drawn_once() -> None:
    scenario = flipping(2, 2, slow=1.0, fast=1.0)
    found = stream(scenario, 0.3, 60, paths=50)
    assert found.pairs[0].rows[-1] == found.pairs[1].rows[-1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"every": 0}, "every must be above 0"),
        ({"every": 2, "until": 1}, "makes none"),
        ({"every": 1e-9, "until": 1}, "1,000,000,000 of them: at most 100,000"),
        ({"every": None}, "how often somebody looks"),
        ({"snapshots": [0]}, "whole numbers from 1 to 4"),
        ({"snapshots": [9]}, "whole numbers from 1 to 4"),
        ({"accuracy": 0}, "accuracy is 0"),
        ({"confidence": 1}, "confidence is 1"),
        ({"paths": 1}, "paths is 1"),
        ({"epsilons": [-1]}, "epsilon is -1"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_what_is_wrong_is_said(options: dict[str, object], message: str) -> None:
    given = {"every": 0.5, "until": 2.0} | options
    with pytest.raises(InputError, match=message):
        stream(shared_resource(), **given)  # type: ignore[arg-type]


def test_too_many_states_for_a_noisy_observer_are_refused_with_their_number() -> None:
    scenario = shared_resource(60, 60).with_({"resources.R": 60})
    with pytest.raises(TooLargeError, match="has 1,891 states") as caught:
        stream(scenario, 1, 10, seen=0.5, limits=Limits(max_states=1000))
    assert caught.value.states == 1891


def test_infinitely_many_states_are_approximated() -> None:
    assert stream(arriving(), 1, 4, at=1.0, paths=50).method == "normal"


def test_how_often_it_may_be_published() -> None:
    scenario = shared_resource()
    found = covey.period(scenario, 10.0, guess=0.65, shortest=0.5)
    assert found.stream.bayes_success[-1].upper <= 0.65
    assert found.every == pytest.approx(10.0 / found.stream.snapshots[-1])
    assert all(every >= 0.5 for every, _ in found.tried)
    more = found.stream.snapshots[-1] + 2
    assert stream(scenario, 10.0 / more, 10.0).bayes_success[-1].upper > 0.64
    with pytest.raises(InputError, match=r"after one snapshot alone an observer is right 55\.3%"):
        covey.period(scenario, 10.0, guess=0.52)
    with pytest.raises(InputError, match=r"from 0\.5"):
        covey.period(scenario, 10.0, guess=0.3)


@pytest.mark.parametrize(("search", "accuracy"), [(covey.period, 0.3), (covey.protect_stream, 0.1)])
def test_a_search_has_the_confidence_of_all_its_tries(search: Any, accuracy: float) -> None:
    scenario = shared_resource(3, 3)
    found = search(scenario, until=10.0, guess=0.7, accuracy=accuracy, confidence=0.9)
    assert found.stream.method == "paths"
    assert found.stream.confidence == 0.9  # and not that of the last try, which was asked more of
    assert f"(with 90% confidence, from {found.stream.paths:,} sampled paths" in str(found)
    tries = [1 - confidence_of_try(0.9, k) for k in range(1, 50)]
    assert sum(tries) <= 0.1 * (1 + 1e-12)
    assert tries[0] == pytest.approx(0.05)


def test_json_has_one_entry_for_each_number_of_snapshots() -> None:
    found = stream_keys(stream(shared_resource(), 0.5, 4, epsilons=[0.5]))
    lists = ("snapshots", "total_variation", "lower", "upper", "guess", "delta", "settled")
    assert {len(found[name]) for name in lists} == {len(found["snapshots"])}
    assert found["neighbour"] == {"from": "A", "to": "B"} or found["neighbour"]["from"] == "B"
    json.dumps(found)
