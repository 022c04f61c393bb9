"""What a report says of what to publish instead: where it is quick, and else why not."""

from __future__ import annotations

from dataclasses import replace

import pytest

import covey
from covey.report.page.document import html_of
from tests.remedy.test_protect_stream import flipping


def test_a_stream_is_protected_where_the_scenario_has_one() -> None:
    whole = flipping().with_({"release.every": 0.25, "release.until": 8.0})
    found = covey.assess(whole, workers=1)
    remedy = found.remedy
    assert remedy is not None
    assert remedy.stream is not None
    assert remedy.stream.stream.guess[-1].upper <= 0.6
    assert remedy.mechanism.leakage.interval[1] <= remedy.mechanism.epsilon
    text = html_of(found)
    assert 'data-is="remedy.stream.stream.guess[-1].upper"' in text
    assert "For all of a stream: publish every" in text


def test_where_it_is_not_said_how_often_there_is_one_glance_only() -> None:
    remedy = covey.assess(flipping(), workers=1).remedy
    assert remedy is not None
    assert remedy.stream is None
    assert "[release]" in remedy.why_no_stream
    calm = flipping().with_({"release.every": 4.0, "release.until": 4.0})
    there = covey.assess(calm, workers=1).remedy
    assert there is not None
    assert "published as it is" in there.why_no_stream


def test_what_is_left_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    table = replace(covey.protect(flipping(), 0.5).release, file="mechanism.json")
    published = flipping().with_({"release.mechanism": table})
    found = covey.assess(published, changes=False)
    assert found.remedy is None
    assert "a mechanism is in place" in found.missing["remedy"]
    assert "Not computed: a mechanism is in place" in html_of(found)
    monkeypatch.setattr("covey.study.remedies._OUTCOMES", 2)
    assert "takes a while" in covey.assess(flipping(), changes=False).missing["remedy"]
