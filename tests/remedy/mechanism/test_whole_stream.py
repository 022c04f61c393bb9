"""What a table for one snapshot leaves of a stream, and constants that are called so."""

from __future__ import annotations

import pytest

import covey
from covey.dynamics.solver import Solver
from covey.errors import TooLargeError
from covey.remedy.mechanism.protect_stream import protect_stream
from covey.remedy.mechanism.whole_stream import WholeStream, whole_stream
from tests.privacy.small_teams import shared_resource
from tests.remedy.mechanism.test_protect_stream import flipping


@pytest.mark.parametrize("snapshots", [2, 8])
def test_it_is_the_stream_of_what_is_published(snapshots: int) -> None:
    scenario = flipping().with_({"release.every": 0.25, "release.until": 0.25 * snapshots})
    table = covey.protect(scenario, 0.05, teams="this").release
    found = whole_stream(Solver(scenario.network), scenario, table, quick=1_000)
    published = scenario.with_({"release.mechanism": table}, warn=False)
    told = covey.stream(published, accuracy=0.02)
    assert (found.snapshots, found.bayes_success) == (snapshots, told.bayes_success[-1].upper)
    assert (
        found.bayes_success > told.bayes_success[0].upper + 0.01
    )  # one snapshot promises less than all tell
    assert f"After all {snapshots} snapshots that [release] publishes" in str(found)
    assert ("confidence 0.95" in str(found)) == (told.method != "exact")


def test_what_takes_long_is_refused() -> None:
    scenario = flipping().with_({"release.every": 0.25, "release.until": 2.0})
    table = covey.protect(scenario, 0.05, teams="this").release
    with pytest.raises(TooLargeError, match="that takes long"):
        whole_stream(Solver(scenario.network), scenario, table, quick=5)


def test_a_constant_is_called_one() -> None:
    """It is right two thirds of the time, and no feed."""
    scenario = shared_resource().with_({"release.every": 1.0, "release.until": 50.0})
    found = covey.protect(scenario, 0.03, teams="this")
    assert found.release.constant == {"free": 1, "busy": 2}
    assert found.unchanged == pytest.approx(2 / 3)
    assert "costs less than a constant" in str(found)
    assert "{free: 1, busy: 2} is published whatever is there" in str(found)
    assert "66.7%" not in str(found)
    assert found.as_point(1e-6).name == "the mechanism for ε = 0.03, a constant"
    day = whole_stream(Solver(scenario.network), scenario, found.release, quick=0)
    assert day == WholeStream(50, 0.5, 1.0)
    assert covey.protect(scenario, 0.3, teams="this").release.constant is None
    long = protect_stream(flipping(), 0.25, 8.0, guess=0.6, accuracy=0.1)
    assert long.mechanism.release.constant == {"a": 1, "b": 1}
    assert "costs less than a constant: {a: 1, b: 1}" in str(long)


def test_where_only_one_thing_can_be_seen_the_truth_is_no_constant() -> None:
    network = covey.Network("{A} <-> x{A} @ 1, 1\n{B} <-> x{B} @ 2, 1")
    all_ = covey.Query(all="{A} + x{A} + {B} + x{B}")
    scenario = covey.Scenario(network, covey.Team({"A": 1, "B": 1}), all_)
    assert covey.protect(scenario, 0.1, teams="this").release.constant is None
