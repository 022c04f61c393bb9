"""Progress where nobody draws a bar: a line now and then on standard error."""

from __future__ import annotations

import pytest

from covey.cli.progress import progress_bar, progress_lines


def test_a_line_once_in_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    times = iter([100.0, 103.0, 109.9, 110.0, 119.0, 121.5])
    show = progress_lines(lambda: next(times))
    for done, text in enumerate(("too soon", "still", "first", "too soon again", "second")):
        show(done, 8, text)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        "covey: after 10 s: 25%, first",
        "covey: after 22 s: 50%, second",
    ]


def test_more_than_all_and_an_unknown_whole(capsys: pytest.CaptureFixture[str]) -> None:
    times = iter([0.0, 10.0, 20.0])
    show = progress_lines(lambda: next(times))
    show(9, 8, "rounding")
    show(3, 0, "3 states")
    assert capsys.readouterr().err.splitlines() == [
        "covey: after 10 s: 100%, rounding",
        "covey: after 20 s: 3 states",
    ]


def test_names_in_a_line_can_only_be_seen(capsys: pytest.CaptureFixture[str]) -> None:
    times = iter([0.0, 10.0])
    progress_lines(lambda: next(times))(0, 1, "\x1b[2Jscout")
    assert "\x1b" not in capsys.readouterr().err


def test_quiet_is_quiet() -> None:
    with progress_bar(quiet=True) as show:
        assert show is None


def test_in_a_pipe_there_are_lines() -> None:
    with progress_bar(quiet=False) as show:  # the tests' standard error is no terminal
        assert show is not None
