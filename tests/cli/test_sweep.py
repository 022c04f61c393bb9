"""`covey sweep` and `covey plot`: files, exit codes, and a sweep that is really killed."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.command import INTERRUPTIBLE, PATIENCE, covey

pytestmark = pytest.mark.slow  # the whole command, again and again

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
SHARED = EXAMPLES / "shared-resource.toml"
TASKS = EXAMPLES / "task-network.toml"

SMALL = ("--set", "types.1=2", "--set", "types.2=2", "--set", "types.3=2")

# Each takes two or three seconds on two cores; the first shares distributions between cells, the second cannot.
GRIDS = {
    "teams": ("--vary", "types.1=2:5", "--vary", "types.2=2:5", "--set", "types.3=2"),
    "rates": ("--vary", "rates.k3,rates.k13=0.5:2:4", "--vary", "rates.k5=0.5:2:4", *SMALL),
}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_a_grid(tmp_path: Path) -> None:
    path = tmp_path / "grid.csv"
    vary = ("--vary", "types.A=1:3", "--vary", "rates.take=0.5:2:4")
    answer = covey("sweep", SHARED, *vary, "-o", path, "--quiet")
    assert (answer.code, answer.out, answer.err) == (0, "", "")
    table = rows(path)
    assert [row["types.A"] for row in table] == ["1"] * 4 + ["2"] * 4 + ["3"] * 4
    alone = covey("leakage", SHARED, "--set", "rates.take=1.5", "--json").json
    assert float(table[6]["leakage"]) == alone["leakage"]
    assert os.listdir(tmp_path) == ["grid.csv"]  # noqa: PTH208  (no journal is left)


def test_a_map_is_printed_and_drawn(tmp_path: Path) -> None:
    path, picture, again = tmp_path / "map.nc", tmp_path / "map.png", tmp_path / "again.png"
    vary = ("--vary", "types.A=1:2", "--vary", "rates.take=0.5:2:4")
    answer = covey("sweep", SHARED, *vary, "-o", path, "--plot", picture)
    assert answer.code == 0, answer.err
    said = " ".join(answer.out.split())
    assert "from 0 at types.A = 1, rates.take = 1 to 0.452 at types.A = 1" in said
    assert "types.A ╲ rates.take 0.5 1 1.5 2" in said
    assert covey("plot", path, "-o", again).out == f"drawn: {again}\n"
    assert picture.read_bytes() == again.read_bytes()


def test_json_and_other_measures(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    found = covey(
        "sweep", SHARED, "--vary", "types.A=0:3", "--set", "types.B=0", "--measure", "delta=0.1",
        "-o", path, "--json",
    ).json  # fmt: skip
    assert found["measure"] == "delta=0.1"
    assert (found["cells"], found["failed"]) == (4, 1)
    assert found["lowest"]["at"] == {"types.A": 3}
    assert rows(path)[0]["error"].startswith("InputError: there are no robots")
    assert float(rows(path)[1]["delta"]) == found["highest"]["value"]


def test_samples(tmp_path: Path) -> None:
    path = tmp_path / "sample.csv"
    vary = ("--vary", "types.A=1:3", "--vary", "rates.take=0.5:2")
    answer = covey("sweep", SHARED, *vary, "--sample", 30, "--seed", 1, "-o", path)
    assert answer.code == 0, answer.err
    assert [row["sample"] for row in rows(path)] == [str(i) for i in range(30)]
    assert covey("plot", path, "-o", tmp_path / "a.svg", "--json").json["file"].endswith("a.svg")


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--vary", "types.A=3:1"), 2, "--vary types.A=3:1: types.A runs from 3 down to 1"),
        (("--vary", "types.Q=1:3"), 2, "types.Q is in no reaction"),
        (("--vary", "rates.tak=1:3"), 2, 'there is no rate tak to set. Did you mean "take"?'),
        (("--vary", "types.A=-1:3"), 2, "types.A is -1: it must not be negative"),
        (("--vary", "types.A=1:3", "--measure", "leek"), 2, "'leek' cannot be measured."),
        (("--vary", "types.A=1:3", "-o", "map.txt"), 2, 'map.txt: the ending is ".txt"'),
        (("--vary", "types.A=1:3", "-o", "no/map.csv"), 2, "there is no folder no"),
        (("--vary", "types.A=1:3", "--workers", "0"), 2, "at least 1 is expected"),
        (("--vary", "types.A=1:9000000"), 3, "types.A has 9,000,000 values"),
        (
            ("--vary", "types.A=4:5", "--max-states", "3", "--method", "stationary"),
            3,
            "none of the 2 cells has an answer. The first: the Markov chain has 5 states",
        ),
        ((), 2, "Missing option '--vary'"),
    ],
)
def test_what_is_refused(tmp_path: Path, args: tuple[str, ...], code: int, message: str) -> None:
    answer = covey("sweep", SHARED, "-o", "map.csv", *args, cwd=tmp_path)
    assert answer.code == code
    assert message in answer.err
    assert "Traceback" not in answer.err


def test_plots_that_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.csv"
    answer = covey("plot", path)
    assert (answer.code, answer.err) == (2, f"covey: {path}: there is no such file\n")
    path.write_text("types.A,leakage,error\n1,0.5,\n", encoding="utf-8")
    assert "the sweep has one cell" in covey("plot", path).err
    path.write_text("types.A,leakage,error\n1,0.5,\n2,0.5,\n", encoding="utf-8")
    answer = covey("plot", path, "--where", "types.B=1")
    assert "types.B is no axis of this sweep, which has types.A" in answer.err
    answer = covey("plot", path, "-o", tmp_path / "a.gif")
    assert (answer.code, "the name ends in .gif" in answer.err) == (2, True)


def test_a_script_needs_no_main_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import covey\nfrom covey.study.sweep.sweep import sweep\n"
        f"scenario = covey.load({str(SHARED)!r})\n"
        "print('once', sweep(scenario, {'types.A': [2, 3]}, workers=2).values.size)\n",
        encoding="utf-8",
    )
    command = [sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.stdout, done.stderr) == ("once 2\n", "")


def start(grid: str, path: Path) -> subprocess.Popen[bytes]:
    command = [*INTERRUPTIBLE, "sweep", str(TASKS), *GRIDS[grid], "-q"]
    return subprocess.Popen([*command, "--at", "1", "-o", str(path)], start_new_session=True)


def wait_for_cells(path: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    """Until so many cells are in the journal; the sweep must not be over by then."""
    journal = path.with_name(f"{path.name}.journal")
    end = time.monotonic() + PATIENCE
    while not journal.exists() or len(journal.read_bytes().splitlines()) <= count:
        assert process.poll() is None, "the sweep was over too soon to be killed"
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("grid", GRIDS)
def test_kill_minus_nine_loses_nothing(tmp_path: Path, grid: str) -> None:
    whole, path = tmp_path / "whole.nc", tmp_path / "map.nc"
    assert start(grid, whole).wait(PATIENCE) == 0
    killed = start(grid, path)
    wait_for_cells(path, 2, killed)
    os.killpg(killed.pid, signal.SIGKILL)
    assert killed.wait(PATIENCE) == -signal.SIGKILL
    assert not path.exists()

    alone = start(grid, path)  # the workers of one that is killed alone end by themselves
    wait_for_cells(path, 5, alone)
    alone.kill()
    alone.wait(PATIENCE)
    end = time.monotonic() + PATIENCE
    while _alive(alone.pid):
        assert time.monotonic() < end
        time.sleep(0.05)

    done = len((tmp_path / "map.nc.journal").read_bytes().splitlines()) - 1
    assert 5 <= done < 16
    assert start(grid, path).wait(PATIENCE) == 0
    assert path.read_bytes() == whole.read_bytes()
    assert not (tmp_path / "map.nc.journal").exists()


def test_ctrl_c_says_so_and_keeps_what_is_done(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    process = start("rates", path)
    wait_for_cells(path, 2, process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
    assert process.wait(PATIENCE) == 130
    assert len((tmp_path / "map.csv.journal").read_bytes().splitlines()) > 2


def _alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
