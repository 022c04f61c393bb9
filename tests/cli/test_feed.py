"""`covey infer --series`: files, live feeds, impossible lines and bad ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import covey as library
from tests.cli.command import WARNINGS, covey

WAREHOUSE = "examples/warehouse.toml"
GOOD = "time,driving,picking,charging\n0,7,1,1\n1,5,2,1\n2,5,2,1\n"


def test_a_file_gives_the_posterior_after_every_line(tmp_path: Path) -> None:
    series = tmp_path / "day.csv"
    series.write_text(GOOD)
    found = covey("infer", WAREHOUSE, "--series", series, "--json").json
    watch = library.watch(library.load(WAREHOUSE))
    rows = [(0.0, 7, 1, 1), (1.0, 5, 2, 1), (2.0, 5, 2, 1)]
    names = ("driving", "picking", "charging")
    expected = [watch.see(t, dict(zip(names, counts, strict=True))) for t, *counts in rows]
    assert found["times"] == [0, 1, 2]
    assert found["posterior"] == [one.robots for one in expected]
    assert found["teams"] == [one.posterior for one in expected]
    assert found["possible"] == [True] * 3
    assert (found["skipped"], found["settled"], found["lines"]) == ([], True, [2, 3, 4])


def test_csv_and_json_lines_say_the_same(tmp_path: Path) -> None:
    lines = [
        {"time": 0, "driving": 7, "picking": 1, "charging": 1},
        {"time": 1, "driving": 5, "picking": 2, "charging": None},
    ]
    both = {
        "day.csv": "\ufefftime,charging,driving,picking\r\n0,1,7,1\r\n\r\n1,,5,2\r\n",
        "day.jsonl": "\n".join(map(json.dumps, lines)),
    }
    found = []
    for name, text in both.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        answer = covey("infer", WAREHOUSE, "--series", tmp_path / name, "--json").json
        found.append((answer["times"], answer["teams"]))
    assert found[0] == found[1]


@pytest.mark.parametrize("as_json", [False, True])
def test_a_live_feed_is_answered_line_by_line(as_json: bool) -> None:
    command = [sys.executable, "-m", "covey", "infer", WAREHOUSE, "--series", "-"]
    with subprocess.Popen(
        command + ["--json"] * as_json,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": WARNINGS},
    ) as feed:
        assert feed.stdin is not None
        assert feed.stdout is not None
        head, *lines = GOOD.splitlines()
        print(head, file=feed.stdin, flush=True)
        if not as_json:
            for _ in range(3):  # the title, what the columns are, and their names
                assert feed.stdout.readline()
        for line in lines:
            print(line, file=feed.stdin, flush=True)
            answer = feed.stdout.readline()  # comes before the next line is sent
            time = float(json.loads(answer)["time"] if as_json else answer.split()[0])
            assert time == float(line.split(",")[0])
        feed.stdin.close()
        assert feed.wait() == 0
        assert feed.stdout.read() == ""


def test_an_impossible_line_is_told_and_does_not_end_the_watch() -> None:
    answer = covey("infer", WAREHOUSE, "--series", "-", stdin=GOOD + "3,99,0,0\n4,5,2,1\n")
    assert answer.code == 0
    assert "-:5: driving 99, picking 0, charging 0 at time 3 is impossible" in answer.err
    rows = answer.out.splitlines()
    assert rows[-2].endswith("impossible: left out")
    assert len(rows[-1].split()) == 7


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("3,5,2", "3 columns"),
        ("1,5,2,1", "increasing order"),
        ("soon,5,2,1", "a number is expected"),
        ("3,5.5,2,1", "whole number"),
        ("3,-5,2,1", "negative"),
        ("3,,,", "nothing was observed"),
        (",5,2,1", "there is no time"),
        ('3,"5,2,1', "not a line of CSV"),
        ("inf,5,2,1", "time is inf: a time from 0 on is expected"),
        ("3," + "9" * 2_000_000, "megabyte"),
    ],
)
def test_a_bad_line_is_told_skipped_and_the_exit_code_says_so(line: str, words: str) -> None:
    answer = covey("infer", WAREHOUSE, "--series", "-", stdin=f"{GOOD}{line}\n4,5,2,1\n")
    assert answer.code == 2
    assert "-:5: " in answer.err
    assert words in answer.err
    assert "1 line of the series could not be read" in answer.err
    assert answer.out.splitlines()[-1].split()[0] == "4"


def test_bytes_that_are_no_text_are_a_bad_line(tmp_path: Path) -> None:
    series = tmp_path / "day.csv"
    series.write_bytes(GOOD.encode() + b"3,\xff,2,1\n")
    answer = covey("infer", WAREHOUSE, "--series", series, "--json")
    assert answer.code == 2
    (skipped,) = json.loads(answer.out)["skipped"]
    assert skipped["line"] == 5
    assert "UTF-8" in skipped["why"]


@pytest.mark.parametrize(
    "line",
    [
        "[1]",
        "{",
        '{"driving": 1}',
        '{"time": 1, "drving": 1}',
        '{"time": "1", "driving": 1}',
        '{"time": true, "driving": 1}',
    ],
)
def test_a_bad_line_of_json(line: str) -> None:
    feed = f'{{"time": 0, "driving": 7}}\n{line}\n{{"time": 2, "driving": 7}}\n'
    answer = covey("infer", WAREHOUSE, "--series", "-", "--json", stdin=feed)
    assert answer.code == 2
    assert [json.loads(row)["line"] for row in answer.out.splitlines()] == [1, 3]
    assert "-:2: " in answer.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "nothing to read"),
        ("time\n1\n", "names no time and counts"),
        ("driving\n1\n", "names no time and counts"),
        ("time,drving\n1,1\n", "Did you mean"),
        ("time,driving,driving\n1,1,1\n", "twice"),
        ('time,"driving\n', "not a line of CSV"),
    ],
)
def test_a_feed_without_columns_is_refused(text: str, words: str) -> None:
    answer = covey("infer", WAREHOUSE, "--series", "-", stdin=text)
    assert answer.code == 2
    assert words in answer.err


def test_one_of_both_ways_to_say_what_was_seen() -> None:
    for args in ((), ("--observed", "driving=1", "--series", "-")):
        answer = covey("infer", WAREHOUSE, *args)
        assert answer.code == 2
        assert "--series" in answer.err
    assert covey("infer", WAREHOUSE, "--series", "-", "--knowing", "{dock}=1").code == 2
    assert covey("infer", WAREHOUSE, "--series", "nowhere.csv").code == 2


def test_from_the_start_where_the_adversary_comes_at_a_time() -> None:
    args = ("infer", WAREHOUSE, "--at", "5", "--series", "-", "--json")
    answer = covey(*args, stdin="time,driving\n0,10\n")
    found = json.loads(answer.out)
    assert found["possible"]
    assert found["teams"] == pytest.approx(dict.fromkeys(found["teams"], 1 / 3))
