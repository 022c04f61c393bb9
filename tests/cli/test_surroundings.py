"""Streams that are closed or full, Ctrl-C at any time, and too little memory: never a traceback."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from covey.errors import CoveyError, TooLargeError
from covey.executors import InThisProcess, LocalPool, result_of
from tests.cli.command import Answer, covey
from tests.conftest import EXAMPLES

SHARED = next(path for path in EXAMPLES if path.stem == "shared-resource")
TASKS = next(path for path in EXAMPLES if path.stem == "task-network")
WARNS = "--set observe.free={A}"  # a direct breach: said on standard error


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """What a line of bash does, in which covey is this one and FILE an example."""
    line = command.replace("covey ", f"{sys.executable} -m covey ", 1).replace("FILE", str(SHARED))
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.parametrize(
    "line",
    [
        "check FILE >&-",
        "check FILE >&- <&-",
        "check FILE --json >&- <&-",
        "leakage FILE >&-",
        "--help >&-",
    ],
)
def test_a_closed_standard_output(line: str) -> None:
    done = shell(f"covey {line}")
    assert done.returncode == 2
    assert done.stderr == "covey: the answer cannot be written: standard output is closed\n"


def test_what_needs_no_standard_output_works_without(tmp_path: Path) -> None:
    """And the file that is written does not take the place of the stream."""
    done = shell(f"covey export FILE --to prism -q -o {tmp_path}/a.prism >&-")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "a.prism").read_text().startswith("// Two types")


@pytest.mark.parametrize("broken", ["2>&-", "2>/dev/full", "2> >(exit)"])
def test_a_standard_error_that_nobody_reads(broken: str) -> None:
    done = shell(f"covey check FILE {WARNS} {broken}")
    assert done.returncode == 0
    assert done.stdout.startswith("Two types share a resource")
    assert shell(f"covey check none.toml {broken}").returncode == 2


@pytest.mark.parametrize("out", [">&-", ">/dev/full"])
@pytest.mark.parametrize("err", ["2>&-", "2>/dev/full"])
def test_nothing_is_left(out: str, err: str) -> None:
    assert shell(f"covey leakage FILE {WARNS} {out} {err}").returncode == 2


def test_workers_have_streams_too(tmp_path: Path) -> None:
    sweep = f"covey sweep FILE --vary types.A=1:3 --workers 2 -q -o {tmp_path}/map.csv"
    assert shell(f"{sweep} >&- 2>&-").returncode == 0
    assert (tmp_path / "map.csv").read_text().count("\n") == 4


def test_a_reader_that_is_gone_is_no_error() -> None:
    done = shell("covey distribution FILE | exit 0; echo ${PIPESTATUS[0]}")
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.parametrize("module", ["click", "covey.cli.verbs.check", "numpy"])
def test_ctrl_c_while_python_is_loading(module: str, tmp_path: Path) -> None:
    """The interrupt comes at one import, always the same: of a module that sends it."""
    hook = tmp_path / "sitecustomize.py"
    hook.write_text(
        "import os, signal, sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "covey", "check", str(SHARED)],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.strip() == "covey: interrupted"


def test_ctrl_c_never_reaches_a_worker() -> None:
    """Not even while it is starting: it is born with the signal blocked."""
    with LocalPool(1) as pool:
        blocked = pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, ()).result()
    assert signal.SIGINT in blocked
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.fixture
def raising(monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception], Answer]:
    """What `covey leakage` answers where something is raised in it."""

    def asked(error: Exception) -> Answer:
        computing = mock.Mock(side_effect=error)
        monkeypatch.setattr("covey.privacy.answer.leakage_of", computing)
        answer = covey("leakage", SHARED)
        computing.assert_called_once()
        return answer

    return asked


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (MemoryError(), 3, "memory ran out. Take a smaller team"),
        (OSError(12, "Cannot allocate memory"), 3, "memory ran out. Take a smaller team"),
        (RuntimeError("can't start new thread"), 3, "memory ran out"),
        (RecursionError(), 2, "the input is nested too deeply to be followed"),
        (OSError(24, "Too many open files", "a"), 2, "a: Too many open files"),
    ],
)
def test_what_python_raises_is_a_sentence(
    error: Exception, code: int, message: str, raising: Callable[[Exception], Answer]
) -> None:
    answer = raising(error)
    assert (answer.code, answer.out) == (code, "")
    assert answer.err.startswith(f"covey: {message}")
    assert answer.err.count("\n") == 1


def test_an_array_that_does_not_fit_is_a_sentence(raising: Callable[[Exception], Answer]) -> None:
    with pytest.raises(MemoryError) as found:
        np.empty(1 << 56)
    answer = raising(found.value)
    assert answer.code == 3
    assert answer.err.startswith("covey: memory ran out. Take a smaller team")


def test_a_bug_is_told_as_one(raising: Callable[[Exception], Answer]) -> None:
    answer = raising(ZeroDivisionError("\x1b[31m"))
    assert answer.code == 1
    assert "ZeroDivisionError: ␛[31m" in answer.err
    assert answer.err.endswith("this is a bug of covey's: please report it, with the lines above\n")


def limited(megabytes: int, *args: object) -> subprocess.CompletedProcess[str]:
    """Runs covey with little to address; a hang is a failure."""
    command = (
        f"ulimit -v {1000 * megabytes}; exec {sys.executable} -m covey {' '.join(map(str, args))}"
    )
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False, timeout=100
    )


@pytest.mark.parametrize("megabytes", [40, 100, 400])
@pytest.mark.parametrize("verb", ["leakage", "report"])
def test_too_little_to_load_the_libraries(megabytes: int, verb: str) -> None:
    done = limited(megabytes, verb, TASKS, "--at", 1)
    assert (done.returncode, done.stdout) == (3, "")
    assert "covey: the address space is limited to" in done.stderr
    assert "allow more (ulimit -v)" in done.stderr


def test_small_verbs_need_little() -> None:
    cores = os.cpu_count() or 1
    assert limited(300 + 16 * cores, "check", TASKS).returncode == 0


LARGE = [f"--set=types.{i}=24" for i in (1, 2, 3)]


def test_too_little_to_compute(tmp_path: Path) -> None:
    """The libraries fit, the Markov chain does not."""
    room = 660 + 32 * (os.cpu_count() or 1)
    done = limited(room, "distribution", TASKS, "--at", 1, *LARGE, "--max-states", 10**9)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.splitlines()[-1].startswith("covey: memory ran out. Take a smaller team")
    assert "Traceback" not in done.stderr


def test_too_little_for_the_workers(tmp_path: Path) -> None:
    room = 660 + 32 * (os.cpu_count() or 1)
    grid = ["--vary", "types.1=24:25", "--workers", 2, "--max-states", 10**9]
    done = limited(room, "sweep", TASKS, "--at", 1, *LARGE, *grid, "-q", "-o", tmp_path / "m.csv")
    assert done.returncode == 3
    last = done.stderr.splitlines()[-1]
    assert last.startswith("covey: memory ran out in a worker. Take fewer workers")
    assert last.endswith(
        "Finished cells are kept where the sweep has an output: run it again to go on"
    )
    assert "Traceback" not in done.stderr


def _no_memory() -> None:
    raise MemoryError


def _die() -> None:
    os._exit(9)


@pytest.mark.parametrize("task", [_no_memory, _die])
def test_advice_fits_who_asked(task: object) -> None:
    with LocalPool(1) as pool:
        with pytest.raises(TooLargeError) as plain:
            result_of(pool.submit(task))  # type: ignore[arg-type]
        with pytest.raises(TooLargeError, match=r"fewer states. The rest is kept$"):
            result_of(pool.submit(task), "The rest is kept")  # type: ignore[arg-type]
    assert plain.value.message.endswith("Take fewer workers, or allow fewer states")
    assert "sweep" not in plain.value.message


def test_a_worker_out_of_reach_is_told_from_a_bug() -> None:
    here = InThisProcess()
    with pytest.raises(CoveyError, match=r"do not answer any more \(OSError: gone\). All is kept$"):
        result_of(here.submit(_fail, OSError("gone")), "All is kept")
    with pytest.raises(ZeroDivisionError):
        result_of(here.submit(_fail, ZeroDivisionError()))


def _fail(error: Exception) -> None:
    raise error


def test_no_memory_in_this_process() -> None:
    with pytest.raises(TooLargeError, match="memory ran out in a worker"):
        result_of(InThisProcess().submit(_no_memory))


def test_the_option_is_named_where_there_is_one() -> None:
    huge = [f"--set=types.{i}=300" for i in (1, 2, 3)]
    answer = covey("distribution", TASKS, "--method", "transient", *huge)
    assert answer.code == 3
    assert "--max-states" not in answer.err  # no more would fit into memory
    answer = covey("distribution", TASKS, "--method", "transient", *huge, "--max-states", 100)
    assert answer.code == 3
    assert "Or allow more by --max-states" in " ".join(answer.err.split())
