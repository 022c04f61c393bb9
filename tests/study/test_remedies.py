"""What a report says of what to publish instead: where it is quick, and else why not."""

from __future__ import annotations

from dataclasses import replace

import pytest

import covey
from covey.report.page.document import html_of
from tests.remedy.mechanism.test_protect_stream import flipping


def test_a_stream_is_protected_where_the_scenario_has_one() -> None:
    whole = flipping().with_({"release.every": 0.25, "release.until": 2.0})
    found = covey.assess(whole, workers=1)
    remedy = found.remedy
    assert remedy is not None
    assert remedy.stream is not None
    assert remedy.stream.stream.bayes_success[-1].upper <= 0.6
    assert remedy.mechanism.leakage.interval[1] <= remedy.mechanism.epsilon
    text = html_of(found)
    assert 'data-is="remedy.stream.stream.bayes_success[-1].upper"' in text
    assert "For all of a stream: publish <data" in text
    assert text.index("For all of a stream") < text.index("For one snapshot alone")


def test_every_table_is_judged_by_the_stream() -> None:
    """And a constant is neither shown as a table nor said to be the truth now and then."""
    whole = flipping().with_({"release.every": 0.25, "release.until": 8.0})
    found = covey.assess(whole, workers=1)
    remedy = found.remedy
    assert remedy is not None
    assert len(remedy.days) == len(remedy.front.mechanisms)
    constants = [one.release.constant is not None for one in remedy.front.mechanisms]
    assert {True, False} == set(constants)
    for one, day, constant in zip(remedy.front.mechanisms, remedy.days, constants, strict=True):
        right = max(profile.bayes_success for profile in one.profiles)
        assert day.bayes_success == 0.5 if constant else day.bayes_success > right + 0.1
    assert remedy.mechanism.release.constant is None
    assert remedy.day == remedy.days[remedy.place]
    text = html_of(found)
    assert 'data-is="remedy.day.bayes_success"' in text
    assert "a table made for one snapshot does not keep it low" in text
    assert "costs less than a constant, a 1, b 1, whatever is there" in text
    assert covey.assess(flipping(), changes=False).remedy.days == ()  # type: ignore[union-attr]


def test_a_design_that_raises_the_stream_is_not_advised() -> None:
    scenario = covey.loads("""
[types]
A = 1
B = 1

[rates]
off = 1.2

[design.vary]
"rates.off" = [0.9, 1.3]

[network]
reactions = \"\"\"
up: {A} -> on{A} @ 1
down: on{A} -> {A} @ off
{B} <-> on{B} @ 4, 4
\"\"\"

[observe]
on = "on{A} + on{B}"

[performance]
ups = "rate(up) - rate(up)"

[release]
every = 0.1
until = 0.6
""")
    found = covey.assess(scenario, workers=1)
    assert found.design is not None
    assert found.design.raises_stream
    text = html_of(found)
    assert "That is no advice" in text
    assert "Found by covey design" not in text
    assert "Which rates and counts can you choose?" not in text
    plain = html_of(covey.assess(scenario.with_({"design.vary": {}}), workers=1))
    assert "Which rates and counts can you choose? List them as vary under [design]" in plain


def test_where_it_is_not_said_how_often_there_is_one_snapshot_only() -> None:
    remedy = covey.assess(flipping(), workers=1).remedy
    assert remedy is not None
    assert remedy.stream is None
    assert "[release]" in remedy.why_no_stream
    calm = flipping().with_({"release.every": 4.0, "release.until": 4.0})
    there = covey.assess(calm, workers=1).remedy
    assert there is not None
    assert "published as it is" in there.why_no_stream


def test_what_is_left_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    table = replace(covey.protect(flipping(), 0.5, teams="this").release, file="mechanism.json")
    published = flipping().with_({"release.mechanism": table})
    found = covey.assess(published, changes=False)
    assert found.remedy is None
    assert "a mechanism is in place" in found.missing["remedy"]
    assert "Not computed: a mechanism is in place" in html_of(found)
    monkeypatch.setattr("covey.study.remedies._MOST_OUTCOMES", 2)
    assert "takes a while" in covey.assess(flipping(), changes=False).missing["remedy"]
