import csv
import math
import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import INTERRUPTIBLE, PATIENCE, covey
from tests.cli.terminal import read_until
from tests.conftest import EXAMPLES

pytestmark = pytest.mark.slow  # the whole command, again and again

SHARED = next(path for path in EXAMPLES if path.stem == "shared-resource")
TASK = next(path for path in EXAMPLES if path.stem == "task-network")
OPEN = "[network]\nreactions = '''\n0 -> X @ 4\nX -> 0 @ 0.5\n'''\n[observe]\nx = 'X'\n"


def test_json() -> None:
    answer = covey("distribution", SHARED, "--json").json
    assert answer["outcomes"][1] == {"free": 2, "busy": 1}
    assert answer["probabilities"][1] == pytest.approx(14 / 45, rel=1e-12)
    assert answer["log_probabilities"][1] == pytest.approx(math.log(14 / 45), rel=1e-12)
    assert answer["lost_mass"] == 0
    assert answer["mean"] == pytest.approx({"free": 61 / 45, "busy": 74 / 45})
    assert answer["states"] == 5
    assert answer["method"] == "product-form"


def test_immigration_and_death() -> None:
    answer = covey("distribution", "-", "--at", 3, "--json", stdin=OPEN).json
    assert answer["method"] == "linear"
    assert answer["mean"]["x"] == pytest.approx(8 * (1 - math.exp(-1.5)), rel=1e-10)
    assert 0 < answer["lost_mass"] <= 1e-12


def test_people_read_how_far_to_trust_it() -> None:
    answer = covey("distribution", TASK)
    assert answer.code == 0
    assert "team: 4 of type 1, 4 of type 2, 4 of type 3, seen at time 10" in answer.out
    assert "exploring   waiting   in_twos   probability" in answer.out
    assert "method: transient on 1,023 states" in answer.out


def test_saved_table(tmp_path: Path) -> None:
    path = tmp_path / "law.csv"
    assert covey("distribution", SHARED, "-o", path).code == 0
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [row["free"] for row in rows] == ["1", "2", "3"]
    assert float(rows[0]["probability"]) == pytest.approx(30 / 45)
    assert list(tmp_path.iterdir()) == [path]


def test_plot(tmp_path: Path) -> None:
    path = tmp_path / "distribution.png"
    assert covey("distribution", SHARED, "--states", "--plot", path).code == 0
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["--at", "-1"], 2, "adversary.at is -1: it must be finite and not negative"),
        (["--at", "nan"], 2, "adversary.at is nan: it must be finite and not negative"),
        (["--at", "soon"], 2, "adversary.at is 'soon': a time or \"steady\" is expected"),
        (["--method", "transient"], 2, "answers only at a time, not for the steady state"),
        (["--method", "guess"], 2, "Invalid value for '--method'"),
        (
            ["--max-states", "3", "--method", "stationary"],
            3,
            "the Markov chain has 5 states and would take 0.0 GiB; at",
        ),
        (["--max-states", "0"], 2, "max_states is 0: a positive whole number is expected"),
        (["-o", "distribution.txt"], 2, ".csv is expected"),
        (["-o", "none/law.csv"], 2, "none/law.csv: there is no folder none"),
        (["--at", "1", "--method", "projection", "--tolerance", "0"], 2, "the tolerance is 0"),
        (["--tolerance", "2"], 2, "the tolerance is 2.0: a number between 0 and 1 is expected"),
    ],
)
def test_refusals(args: list[str], code: int, message: str, tmp_path: Path) -> None:
    answer = covey("distribution", SHARED, *args, cwd=tmp_path)
    assert (answer.code, answer.out) == (code, "")
    assert message in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("at", ["0", "1e12"])
def test_absurd_times_that_have_an_answer(at: str) -> None:
    answer = covey("distribution", SHARED, "--at", at, "--json").json
    expected = {"0": [0, 0, 1], "1e12": [30 / 45, 14 / 45, 1 / 45]}[at]
    found = {o["free"]: p for o, p in zip(answer["outcomes"], answer["probabilities"], strict=True)}
    assert [found.get(free, 0) for free in (1, 2, 3)] == pytest.approx(expected, rel=1e-9)


def test_too_large_is_refused_before_memory_is_taken() -> None:
    huge = [f"--set=types.{i}=300" for i in (1, 2, 3)]
    answer = covey("distribution", TASK, "--at", "10", "--method", "transient", *huge)
    assert answer.code == 3
    assert "the Markov chain has 17,385,433,732,381 states and would take" in answer.err


def test_no_steady_state() -> None:
    answer = covey("distribution", "-", stdin="[network]\nreactions = '0 -> X @ 4'\n")
    assert answer.code == 2
    assert "there is no steady state: X can grow without end" in answer.err


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    sizes = [f"--set=types.{i}=16" for i in (1, 2, 3)]
    terminal, err = pty.openpty()
    process = subprocess.Popen(
        [*INTERRUPTIBLE, "distribution", str(TASK), *sizes, "-o", "law.csv"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=err,
        text=True,
    )
    os.close(err)
    said = read_until(terminal, "%")  # the bar of progress: it is at work
    process.send_signal(signal.SIGINT)
    said += read_until(terminal, None)
    os.close(terminal)
    out, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "")
    assert said.strip().endswith("covey: interrupted")
    assert "Traceback" not in said
    assert not list(tmp_path.iterdir())
