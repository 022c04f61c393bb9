"""Commands that nobody watches: ended by a signal, a full disk or a reader that has gone."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from covey.files.atomic_file import whole_file
from tests.cli.command import PATIENCE, covey
from tests.conftest import EXAMPLES
from tests.fuzz.corpus import resigned, stream_table

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX signals, modes and limits")

SHARED = str(next(path for path in EXAMPLES if path.stem == "shared-resource"))
EVENTS = ("simulate", SHARED, "--events", "--seed", "1", "--samples", "1")


def limited(size: int, *arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command where no file may be longer: as a full disk has it."""
    program = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size})); "
        "from covey.cli import main; main()"
    )
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@pytest.mark.parametrize("verb", [("new", "fleet"), ("serve", "fleet.toml", "--init")])
def test_a_new_file_is_whole_or_not_there(tmp_path: Path, verb: tuple[str, ...]) -> None:
    done = limited(100, *verb, cwd=tmp_path)
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
    assert "fleet.toml: cannot be written" in done.stderr


@pytest.mark.parametrize("room", [0, 100, 1024])
def test_a_sweep_that_cannot_write_names_the_file(tmp_path: Path, room: int) -> None:
    """Not even its first line; the rest of it; the last cells."""
    vary = ("--vary", "types.A=1:9", "--workers", "1", "-o", "map.csv")
    done = limited(room, "sweep", SHARED, *vary, cwd=tmp_path)
    assert done.returncode == 2
    assert "map.csv.journal: the journal of finished cells cannot be written" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [(*EVENTS, "--until", "20000"), ("export", SHARED, "--to", "prism"), ("check", SHARED)],
)
def test_a_reader_that_has_seen_enough_is_no_error(arguments: tuple[str, ...]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "covey", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    _, told = process.communicate(timeout=PATIENCE)
    assert (process.returncode, told) == (0, b"")


@pytest.mark.parametrize(
    "verb", [("infer", SHARED, "--series", "-"), ("publish", "one.json", "--each-is-a-mission")]
)
def test_nor_for_a_feed(verb: tuple[str, ...], tmp_path: Path) -> None:
    protected = ("protect", SHARED, "-e", "0.5", "--only-this-team", "--no-compare", "-o")
    assert covey(*protected, tmp_path / "one.json").code == 0
    process = subprocess.Popen(
        [sys.executable, "-m", "covey", *verb, "-q"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.close()
    lines = "".join(f"{t},3,0\n" for t in range(2000))
    _, told = process.communicate(f"time,free,busy\n{lines}".encode(), timeout=PATIENCE)
    assert (process.returncode, told) == (0, b"")


def test_sigterm_tidies_up_as_ctrl_c_does(tmp_path: Path) -> None:
    """In the middle of a long file."""
    command = [sys.executable, "-m", "covey", *EVENTS, "--until", "3000000", "-o", "events.csv"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    while not any(path.stat().st_size for path in tmp_path.glob(".covey-*")):
        assert process.poll() is None
        time.sleep(0.05)  # the other process needs the core
    process.send_signal(signal.SIGTERM)
    _, told = process.communicate(timeout=PATIENCE)
    assert (process.returncode, told.strip()) == (143, "covey: terminated")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_what_is_being_written_is_as_secret_as_what_it_replaces(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file.json"
    path.touch()
    path.chmod(mode)
    with whole_file(path) as unfinished:
        assert stat.S_IMODE(unfinished.stat().st_mode) == mode
        unfinished.write_text("new")
    assert (stat.S_IMODE(path.stat().st_mode), path.read_text()) == (mode, "new")
    with whole_file(path, mode=0o600) as unfinished:
        assert stat.S_IMODE(unfinished.stat().st_mode) == 0o600
        unfinished.write_text("newer")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("state", [(), ("--state",)])
def test_a_time_that_cannot_be_is_left_out_of_a_series(
    tmp_path: Path, state: tuple[str, ...]
) -> None:
    (tmp_path / "s.csv").write_text(
        "time,free,busy\n0,3,0\n1e300,2,1\n1,2,1\n" + "9" * 400 + ",2,1\n2,1,2\n"
    )
    answer = covey("infer", SHARED, "--series", "s.csv", "--json", *state, cwd=tmp_path)
    assert answer.code == 2
    told = json.loads(answer.out)
    assert told["times"] == [0, 1, 2]
    assert [one["line"] for one in told["skipped"]] == [3, 5]


def test_nor_does_it_freeze_a_published_stream(tmp_path: Path) -> None:
    stream_table(tmp_path)
    lines = "time,free,busy\n0,3,0\n1e300,2,1\n1,2,1\n2,1,2\n"
    state = tmp_path / "last.json"
    answer = covey("publish", tmp_path / "stream.json", "--state", state, stdin=lines)
    assert answer.code == 2
    assert "-:3: the time is '1e300': no time is further than 1e+15 away" in answer.err
    assert "over" not in answer.err
    assert len(answer.out.splitlines()) == 5
    assert json.loads(state.read_text())["time"] == 2


def test_nor_a_stand_in(tmp_path: Path) -> None:
    stand_in = tmp_path / "stand-in.json"
    assert (
        covey("protect", SHARED, "--stand-in", "A=2,B=1", "--no-compare", "-o", stand_in).code == 0
    )
    header = 'time,reaction,{A},{B},{R},"{A,R}","{B,R}"\n'
    rows = ["0,,2,1,2,0,0", "1e300,1,,,,,", "1e9,1,,,,,", "3.5,1,,,,,"]
    answer = covey("publish", stand_in, "--every", "1", stdin=header + "\n".join(rows) + "\n")
    assert answer.code == 2
    assert [line.partition(",")[0] for line in answer.out.splitlines()] == [
        "time",
        "0",
        "1",
        "2",
        "3",
    ]
    assert "-:3: there is no time that can be read" in answer.err
    assert "-:4: 1e+09 publications are due before the time" in answer.err
    answer = covey("publish", stand_in, "--every", "1e-300", stdin=header + "5,,2,1,2,0,0\n")
    assert "every is 1e-300: beside the time 5 that is nothing" in answer.err


@pytest.mark.parametrize("every", ['"1"', "-1", "0", "1e400", "9" * 400, "true", "[1]"])
def test_a_schedule_that_limits_nothing_is_refused(tmp_path: Path, every: str) -> None:
    stream_table(tmp_path)
    path = tmp_path / "stream.json"
    document = json.loads(path.read_text())
    document["made_for"]["every"] = json.loads(every)
    path.write_text(resigned(document))
    answer = covey(
        "publish", path, "--state", tmp_path / "last.json", stdin="time,free,busy\n0,3,0\n"
    )
    assert answer.code == 2
    assert "made_for.every is" in answer.err or "Infinity is no number" in answer.err
    assert answer.out == ""


def test_headers_are_as_safe_as_other_tables(tmp_path: Path) -> None:
    scenario = tmp_path / "odd.toml"
    text = Path(SHARED).read_text().replace("free =", '"=1+2" =')
    scenario.write_text(text)
    table = tmp_path / "one.json"
    assert (
        covey(
            "protect", scenario, "-e", "0.5", "--only-this-team", "--no-compare", "-o", table
        ).code
        == 0
    )
    answer = covey("publish", table, "--each-is-a-mission", stdin="=1+2,busy\n3,0\n")
    assert answer.out.splitlines()[0] == "'=1+2,busy"
    read_back = f"time,{answer.out.splitlines()[0]}\n0,3,0\n"
    assert covey("infer", scenario, "--series", "-", "--json", stdin=read_back).code == 0
