"""`covey new` on a terminal: what is asked, what is asked again, and the file that it writes."""

import os
import pty
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import covey as library
from covey.cli.interview import Activity, Answers, scenario_text
from tests.cli.command import covey

WAREHOUSE = [
    "carrier 6, picker",  # no number: asked again
    "carrier 6, picker 4",
    "dock 3",
    "week",  # no unit: asked again
    "minute",
    "pick: carrier + robot",  # nobody: asked again
    "pick: carrier + picker",
    "0.2",
    "2",
    "charge: any + dock",
    "0.05",
    "10",
    "0.03",
    "-1",  # no time: asked again
    "12.5",
    "charge: dock + picker",  # is there already: asked again
    "-",
    "free, pick",
]


def on_a_terminal(*arguments: str, lines: list[str], cwd: Path) -> tuple[int, str]:
    """The exit code, and what the terminal shows, where somebody types these lines."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "covey", "new", *arguments],
        stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd,
    ) as asked:  # fmt: skip
        os.close(theirs)
        os.write(ours, ("\n".join(lines) + "\n").encode())
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # what Linux says of a terminal that nobody holds any more
            pass
    os.close(ours)
    return asked.returncode, shown.decode()


def test_it_asks_until_the_answers_can_be_used_and_writes_the_team(tmp_path: Path) -> None:
    code, shown = on_a_terminal("mine", lines=WAREHOUSE, cwd=tmp_path)
    assert code == 0, shown
    assert shown.count("Error: ") == 5
    assert shown.rstrip().endswith("written: mine.toml. Next: covey check mine.toml")
    found = library.load(tmp_path / "mine.toml")
    assert (str(found.team), found.unit) == ("6 carriers, 4 pickers, 3 docks", "minute")
    assert found.query.texts() == {"free": "{carrier} + {picker}", "pick": "pick{carrier,picker}"}
    assert str(found.network) == str(
        library.Network(
            """pick_begins = 0.2
            pick_ends = 0.5
            charge_carrier_dock_begins = 0.05
            charge_carrier_dock_ends = 0.1
            charge_picker_dock_begins = 0.03
            charge_picker_dock_ends = 0.08
            {carrier} + {picker} <-> pick{carrier,picker} @ pick_begins, pick_ends
            {carrier} + {dock} <-> charge{carrier,dock} @ charge_carrier_dock_begins, charge_carrier_dock_ends
            {dock} + {picker} <-> charge{dock,picker} @ charge_picker_dock_begins, charge_picker_dock_ends"""
        )
    )


def test_what_is_proposed_makes_a_team_that_has_an_answer(tmp_path: Path) -> None:
    code, shown = on_a_terminal(lines=["", "scout 2, carrier 2", *[""] * 8], cwd=tmp_path)
    assert code == 0, shown
    assert 0.5 < library.profile(library.load(tmp_path / "fleet.toml")).bayes_success < 1
    for verb in ("check", "explain"):
        answer = covey(verb, "fleet.toml", cwd=tmp_path)
        assert (answer.code, answer.err) == (0, "")


def test_a_return_writes_the_small_team_that_a_script_gets(tmp_path: Path) -> None:
    code, shown = on_a_terminal("here", lines=[""], cwd=tmp_path)
    assert (code, shown.count("?")) == (0, 1)
    covey("new", "there", cwd=tmp_path)
    assert (tmp_path / "here.toml").read_text() == (tmp_path / "there.toml").read_text()


def test_an_example_is_not_asked_about_and_no_file_is_overwritten(tmp_path: Path) -> None:
    code, shown = on_a_terminal("--example", "warehouse", lines=[], cwd=tmp_path)
    assert (code, "?" in shown) == (0, False)
    code, shown = on_a_terminal("warehouse", lines=[], cwd=tmp_path)
    assert (code, "exists already" in shown, "?" in shown) == (2, True, False)


@pytest.mark.parametrize("title", ['a "b" \\ c', "Flotte für Köln", "tab\tend"])
def test_any_name_makes_a_file_that_can_be_read(title: str) -> None:
    work = Activity("work", ("a", "b"), 0.5, 3.0)
    text = scenario_text(Answers({"a": 1, "b": 1}, {}, "hour", (work,), ("work",)), title)
    assert tomllib.loads(text)["title"] == title
    assert tomllib.loads(text)["rates"] == {"work_begins": 0.5, "work_ends": 0.333333}
