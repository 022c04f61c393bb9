"""The bars of `covey leakage`: on a terminal, and there alone."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from tests.cli.command import covey
from tests.cli.terminal import plain, terminal, terminal_process
from tests.conftest import EXAMPLES

pytestmark = pytest.mark.slow  # the whole command, again and again

BY_NAME = {path.stem: path for path in EXAMPLES}
SHARED, TASK, HOUSE = (BY_NAME[n] for n in ("shared-resource", "task-network", "warehouse"))


def bars(line: str) -> int:
    """How long a bar is, in eighths of a cell."""
    return sum(" ▏▎▍▌▋▊▉█".index(c) for c in line if c in "▏▎▍▌▋▊▉█")


def test_a_pair_of_bars_for_each_observation() -> None:
    shown = terminal("leakage", SHARED, "-q")
    lines = plain(shown).splitlines()
    first = next(i for i, line in enumerate(lines) if "free 1, busy 2" in line)
    assert lines[first - 1] == "██ above: this team   ██ below: with one A turned B"
    rows = lines[first : first + 6]
    assert [row.split()[-1] for row in rows] == ["0.667", "0.56", "0.311", "0.4", "0.0222", "0.04"]
    lengths = [bars(row) for row in rows]
    assert [n / lengths[0] for n in lengths] == pytest.approx(
        [1, 0.84, 14 / 30, 0.6, 1 / 30, 0.06], abs=0.5 / lengths[0]
    )
    assert rows[4].startswith("▶ free 3, busy 0")
    assert "gives most away: 1.8 times as likely with one A turned B" in lines[first + 6]
    assert "\x1b[" in shown


def test_pipes_and_programs_get_none() -> None:
    piped = covey("leakage", SHARED)
    assert "█" not in piped.out
    assert "above: this team" not in piped.out
    assert covey("leakage", SHARED, "--json").json["leakage"] > 0
    assert terminal("leakage", SHARED, "--json").startswith('{"leakage"')


def test_of_many_observations_twelve_are_shown() -> None:
    shown = plain(terminal("leakage", TASK, "-q", columns=100))
    assert shown.count("exploring ") >= 12
    assert "▶ exploring 12, waiting 0, in_twos 0" in shown
    assert "37 of 49 observations are less probable, and not shown" in shown


@pytest.mark.parametrize("columns", [40, 60, 100, 180])
@pytest.mark.parametrize("file", [SHARED, HOUSE], ids=["shared", "warehouse"])
def test_it_fits_the_window(file: object, columns: int) -> None:
    asked = terminal_process if (file, columns) == (SHARED, 60) else terminal
    lines = plain(asked("leakage", file, "-q", columns=columns)).splitlines()
    assert max(map(cell_len, lines)) <= columns
    assert not any("…" in line for line in lines)
    with_bar = [line for line in lines if bars(line) and "above" not in line]
    assert len(with_bar) >= 6
    assert max(map(cell_len, with_bar)) >= 0.6 * columns


def test_a_terminal_that_knows_ascii_only() -> None:
    shown = plain(terminal_process("leakage", SHARED, "-q", PYTHONIOENCODING="ascii"))
    assert shown.isascii()
    assert "> free 3, busy 0 " in shown
    assert "## above: this team   ## below: with one A turned B" in shown
    assert "?" not in shown


def test_a_dumb_terminal_has_no_colours() -> None:
    shown = terminal_process("leakage", SHARED, "-q", TERM="dumb")
    assert "\x1b" not in shown
    assert "▶ free 3, busy 0" in shown


def test_equal_types() -> None:
    shown = plain(terminal("leakage", SHARED, "-q", "--set", "rates.take=1"))
    assert "No observation tells this team from one with one" in shown
    assert "▶" not in shown
