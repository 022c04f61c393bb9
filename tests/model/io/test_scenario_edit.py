"""Scenario files with other numbers: whatever their form, they mean the scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

import covey
from covey.model.io.scenario_edit import rewritten

RATES = "[rates]\nmeet = 0.2    # per minute\n"
REST = '''
# Two of each.
[types]
A = 2
"B" = 2

[network]
reactions = """
{A} + {B} <-> {A,B}  @ meet, 1   # meet = 0.7
"""

[observe]
free = "{A} + {B}"
'''


def changed(tmp_path: Path, text: str, values: dict[str, float | int], **given: object) -> str:
    path = tmp_path / "team.toml"
    path.write_bytes(text.encode())
    scenario = covey.load(path).with_({"adversary.at": given["at"]} if given else {}).with_(values)
    named = {f"adversary.{name}": value for name, value in given.items()}
    written = rewritten(str(path), scenario, values, tmp_path, named)
    assert covey.loads(written) == scenario
    return written


@pytest.mark.parametrize(
    ("rates", "line"),
    [
        (RATES, "meet = 0.5    # was 0.2; per minute"),
        (RATES.replace("\n", "\r\n"), "meet = 0.5    # was 0.2; per minute"),
        ("[rates]\n'meet' = 2e-1\n", "'meet' = 0.5  # was 2e-1"),
        ("rates.meet = 0.2# dotted\n", "rates.meet = 0.5  # was 0.2; dotted"),
        ("rates = { meet = 0.2 }  # on one line\n", "rates = { meet = 0.5 }  # on one line"),
        ("[ rates ]  # spaced\nmeet=0.2\n", "meet=0.5  # was 0.2"),
    ],
)
def test_a_rate_in_any_form_keeps_all_comments(tmp_path: Path, rates: str, line: str) -> None:
    lines = changed(tmp_path, rates + REST, {"rates.meet": 0.5}).split("\n")
    assert line in lines
    assert "# Two of each." in lines


def test_what_stands_on_a_line_is_marked_beside_what_does_not(tmp_path: Path) -> None:
    text = "types = { A = 2, B = 2 }\n" + RATES + REST.replace('[types]\nA = 2\n"B" = 2\n', "")
    lines = changed(tmp_path, text, {"rates.meet": 0.5, "types.B": 3}).split("\n")
    assert lines[0] == "types = { A = 2, B = 3 }"
    assert lines[2] == "meet = 0.5    # was 0.2; per minute"


def test_values_of_the_command_line_keep_the_comments(tmp_path: Path) -> None:
    written = changed(tmp_path, RATES + REST, {"types.B": 3}, at=10.0)
    assert '"B" = 3  # was 2' in written
    assert "meet = 0.2    # per minute" in written
    assert "[adversary]\nat = 10.0" in written


def test_counts_on_one_line_that_are_not_published_any_more(tmp_path: Path) -> None:
    seen = 'observe = { free = "{A} + {B}", busy = "{A,B}" }  # what a visitor sees\n'
    path = tmp_path / "team.toml"
    path.write_text(seen + RATES + REST.partition("[observe]")[0], encoding="utf-8")
    scenario = covey.load(path)
    fewer = scenario.with_(query=covey.Query({"busy": "{A,B}"}))
    written = rewritten(str(path), fewer, {}, tmp_path)
    first, *rest = written.split("\n")
    assert " ".join(first.split()) == 'observe = { busy = "{A,B}" } # what a visitor sees'
    assert rest[1] == "meet = 0.2    # per minute"
    assert covey.loads(written) == fewer


def test_measures_of_counts_that_are_not_published_any_more(tmp_path: Path) -> None:
    path = tmp_path / "team.toml"
    more = 'busy = "{A,B}"\n\n[performance]\nwork = "2 mean(busy)"  # pairs\nidle = "mean({A})"\n'
    path.write_text(RATES + REST + more, encoding="utf-8")
    scenario = covey.load(path)
    fewer = scenario.with_(query=covey.Query({"free": "{A} + {B}"}))
    written = rewritten(str(path), fewer, {}, tmp_path)
    assert 'work = "2 mean({A,B})"  # was "2 mean(busy)"; pairs' in written.split("\n")
    assert 'idle = "mean({A})"' in written.split("\n")
    assert '# not published: busy = "{A,B}"' in written
    assert covey.loads(written) == fewer
