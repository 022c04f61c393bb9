"""The answer in one call: one snapshot, and what more of them tell, or why that is not known."""

from __future__ import annotations

import covey
from covey.privacy.headline import spoken
from covey.privacy.stream.pace import usual_pace
from tests.cli.command import covey as command
from tests.privacy.small_teams import shared_resource


def test_what_is_printed_is_in_python_and_in_json() -> None:
    scenario = shared_resource()
    said = covey.headline(scenario)
    assert said.leakage == covey.leakage(scenario)
    more = said.over_time
    assert more is not None
    stream = covey.stream(scenario, *usual_pace(scenario))
    assert (more.every, more.why) == (stream.every, "")
    assert more.bayes_success[-1] == (100, stream.bayes_success[-1].upper)
    assert "takes 100 snapshots" in spoken(said.verdict)
    assert " after 100 (" in spoken(said.sentences[3])
    assert command("leakage", "examples/shared-resource.toml", "--json").json["over_time"] == {
        "every": more.every,
        "snapshots": [snapshots for snapshots, _ in more.bayes_success],
        "guess": [success for _, success in more.bayes_success],
        "sampled": more.sampled,
        "why": None,
    }


def test_what_is_not_followed_is_said_last_with_the_reason() -> None:
    scenario = shared_resource().with_({"types.A": 40, "types.B": 30, "resources.R": 20})
    said = covey.headline(scenario, delta=1e-3)
    assert said.delta == 1e-3
    assert said.over_time is not None
    assert "that takes long" in said.over_time.why
    assert not said.over_time.bayes_success
    last = "More snapshots were not followed: many snapshots have to be followed"
    assert spoken(said.sentences[-1]).startswith(last)
    assert len(said.sentences) == 6
    assert spoken(said.verdict).startswith(f"{said.level}, for one snapshot: ")
    published = covey.headline(scenario.with_({"release.every": 0.5, "release.until": 0.5}))
    assert published.over_time is not None
    assert not published.over_time.why  # more states are followed where somebody does look


def test_an_observer_who_misses_some_is_followed_on_request() -> None:
    said = covey.headline(shared_resource(), seen=0.5)
    assert said.leakage == covey.leakage(shared_resource(), seen=0.5)
    assert said.over_time is not None
    assert "covey stream --seen" in said.over_time.why
