"""How often somebody is taken to look, where nobody said it."""

from __future__ import annotations

import pytest

import covey
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.errors import TooLargeError
from covey.privacy.headline import later_sentence, spoken
from covey.privacy.stream.pace import over_time, usual_pace, usual_stream
from tests.cli.command import covey as command
from tests.privacy.small_teams import flipping, shared_resource


def test_the_slowest_rate_sets_the_pace() -> None:
    assert usual_pace(flipping(slow=0.25)) == (4.0, 400.0)


def test_a_release_says_it_better() -> None:
    scenario = shared_resource().with_({"release.every": 0.5})
    assert usual_pace(scenario) == (0.5, 50.0)
    assert usual_pace(scenario.with_({"release.until": 2.0})) == (0.5, 2.0)


def test_it_is_said_how_often() -> None:
    scenario = shared_resource()
    solver = Solver(scenario.network)
    found = usual_stream(solver, scenario, quick=1000, accuracy=0.1)
    said = over_time(scenario, found)
    assert said.pace == (
        "One snapshot every time unit (the default: 1 / slowest rate; [release] sets none)"
    )
    hours = over_time(scenario.with_({"time.unit": "hour"}), found)
    assert hours.pace.startswith("One snapshot every hour (")
    assert [snapshots for snapshots, _ in said.bayes_success] == [10, 100]
    assert said.bayes_success[-1][1] == found.bayes_success[-1].upper
    published = scenario.with_({"release.every": 0.5, "release.until": 1.0})
    found = usual_stream(solver, published, quick=1000, accuracy=0.1)
    assert over_time(published, found).pace == "One snapshot every 0.5 time units"
    assert over_time(published, found).bayes_success == ((2, found.bayes_success[-1].upper),)


def test_whoever_asks_the_same_is_told_the_same_figure_with_its_confidence() -> None:
    scenario = shared_resource()
    found = covey.stream(scenario, *usual_pace(scenario))
    assert usual_stream(Solver(scenario.network), scenario, quick=1000) == found
    told = over_time(scenario, found)
    assert told.bayes_success[-1] == (100, found.bayes_success[-1].upper)
    assert told.sampled == (
        f"with 95% confidence, from {found.paths:,} sampled paths of either team"
    )
    said = spoken(later_sentence(told))
    assert f" after 100 ({told.sampled})." in said
    # The command line and the report say the very sentence.
    printed = command("leakage", "examples/shared-resource.toml").out
    assert said in " ".join(printed.split())
    assert said in str(covey.assess(scenario, changes=False).headline)


def test_what_is_exact_has_no_confidence() -> None:
    scenario = shared_resource().with_({"release.every": 0.5, "release.until": 1.0})
    told = over_time(scenario, usual_stream(Solver(scenario.network), scenario, quick=1000))
    assert told.sampled == ""
    assert "confidence" not in spoken(later_sentence(told))


def test_what_takes_long_is_left_to_who_asks() -> None:
    scenario = shared_resource()
    with pytest.raises(TooLargeError, match="3 teams of 5 or more states each"):
        usual_stream(Solver(scenario.network), scenario, quick=10, accuracy=0.1)
    crowd = scenario.with_({"types.A": 10**7})
    with pytest.raises(TooLargeError, match=r"events; that takes long.*covey stream"):
        usual_stream(Solver(crowd.network), crowd, quick=1000, accuracy=0.1)


def test_a_team_too_large_to_be_followed_is_roughly_told_where_that_is_wanted() -> None:
    scenario = shared_resource(12, 8).with_({"resources.R": 10, "release.every": 0.5})
    scenario = scenario.with_({"release.until": 5.0})
    few = Solver(scenario.network, Limits(max_states=20))
    with pytest.raises(TooLargeError, match="covey stream"):
        usual_stream(few, scenario, quick=20)
    found = usual_stream(few, scenario, quick=20, roughly=True, accuracy=0.2)
    assert found.method == "normal"
    assert found.rows[-1].snapshots == 10
    assert found.rows[-1].bayes_success.lower <= found.rows[-1].bayes_success.upper < 1
