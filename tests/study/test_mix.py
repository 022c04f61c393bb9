"""What a report says of the mix, where [release] says how often it is published."""

from __future__ import annotations

from pathlib import Path

import pytest

import covey
from covey.errors import UnsupportedError
from covey.study.mix import mix

SHARED = covey.load(Path(__file__).parents[2] / "examples" / "shared-resource.toml")


def test_a_report_of_a_stream_says_what_becomes_known_of_the_mix(tmp_path: Path) -> None:
    team = SHARED.with_({"release.every": 1, "release.until": 20})
    found = covey.assess(team, changes=False)
    assert found.mix is not None
    assert [one.name for one in found.mix.of] == ["types.A", "types.B"]
    covey.write_report(found, tmp_path / "r.html")
    page = " ".join((tmp_path / "r.html").read_text().split())
    assert "knows the model but not its numbers, and looks every time unit from" in page


def test_where_there_is_no_stream_or_too_much_of_it_nothing_is_said() -> None:
    assert covey.assess(SHARED, changes=False).mix is None
    many = SHARED.with_({"types.A": 40, "types.B": 40, "resources.R": 60})
    with pytest.raises(UnsupportedError, match="too many states"):
        mix(many.with_({"release.every": 1, "release.until": 20}))
