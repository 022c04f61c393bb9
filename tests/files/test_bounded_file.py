"""Input that is no file, has no end, or never comes is refused, and never waited for."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from covey import Team, from_sbml, load, open_sweep
from covey.errors import CoveyError, InputError
from covey.files.bounded_file import open_bytes, read_bytes, read_text
from covey.study.fit.logs.log_file import read_log
from tests.cli.command import covey, covey_process
from tests.conftest import EXAMPLES

SHARED = next(path for path in EXAMPLES if path.stem == "shared-resource")


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("covey.files.bounded_file._PATIENCE", 0.1)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("ending", ["toml", "csv", "log", "nc", "sweep.csv"])
def test_a_pipe_that_nobody_writes_to_is_refused(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"pipe.{ending}"
    os.mkfifo(path)
    scenario = load(SHARED)
    readers: dict[str, Callable[[], object]] = {
        "toml": lambda: load(path),
        "csv": lambda: Team.from_fleet(path, ["A"]),
        "log": lambda: read_log(path, scenario),
        "nc": lambda: open_sweep(path),
        "sweep.csv": lambda: open_sweep(path),
    }
    with pytest.raises(InputError, match="nobody has written to this pipe") as caught:
        readers[ending]()
    assert caught.value.file == str(path)


def test_a_model_named_in_a_scenario_is_a_file(pipe: Path) -> None:
    with pytest.raises(InputError, match="this is a pipe; an SBML file is expected"):
        from_sbml(pipe)


def test_the_command_does_not_wait_for_ever(pipe: Path) -> None:
    answer = covey("check", pipe)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"covey: {pipe}: nobody has written to this pipe for 3 seconds")


def test_a_pipe_with_a_writer_is_read(pipe: Path) -> None:
    writer = threading.Thread(target=lambda: pipe.write_text("text\n"))
    writer.start()
    assert read_text(pipe, "a text", 100) == "text\n"
    writer.join(10)


@pytest.mark.usefixtures("impatient")
def test_who_writes_slowly_is_waited_for(pipe: Path) -> None:
    """Longer than a pipe without a writer is."""
    read, finished = [], threading.Event()

    def reader() -> None:
        read.append(read_text(pipe, "a text", 100))
        finished.set()

    thread = threading.Thread(target=reader)
    thread.start()
    with pipe.open("wb", buffering=0) as stream:  # opens when the reader has
        stream.write(b"one ")
        assert not finished.wait(0.5)
        stream.write(b"two")
    assert finished.wait(10)
    thread.join(10)
    assert read == ["one two"]


def test_process_substitution() -> None:
    command = f"{sys.executable} -m covey check <(cat {SHARED}) --json"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_standard_input_by_its_name() -> None:
    assert covey_process("check", "/dev/stdin", "--json", stdin=SHARED.read_text()).code == 0


def test_what_has_no_end_is_bounded() -> None:
    with pytest.raises(InputError, match="more than 1 MB: this is too large for a thing"):
        read_bytes("/dev/zero", "a thing", 1_000_000)


def test_other_things_than_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is a directory; a thing is expected"):
        read_bytes(tmp_path, "a thing", 10)
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        with pytest.raises(InputError, match="cannot be read"):
            read_bytes(path, "a thing", 10)
    with pytest.raises(InputError, match="there is no such file; look elsewhere"):
        read_bytes(tmp_path / "none", "a thing", 10, hint="look elsewhere")
    with pytest.raises(InputError, match="cannot be read: embedded null"):
        read_bytes("a\0b", "a thing", 10)
    with pytest.raises(InputError, match="there is no such file"):  # not standard input
        read_bytes("-", "a thing", 10, only_files=True)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_the_line_of_a_byte_that_is_no_text(mark: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(mark + b"one\ntwo \xff\n")
    with pytest.raises(InputError) as caught:
        read_text(path, "a text", 100)
    assert str(caught.value) == (f"{path}:2: byte 0xff is not UTF-8: save the file as UTF-8 text")


def test_a_file_is_as_long_as_allowed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 10)
    assert read_bytes(path, "a text", 10) == b"x" * 10
    with pytest.raises(CoveyError, match="too large for a text"):
        read_bytes(path, "a text", 9)


def test_a_pipe_is_read_as_it_comes(pipe: Path) -> None:
    """A log that is still being written: the first line is there before the last."""
    seen: list[bytes] = []
    first = threading.Event()

    def reader() -> None:
        with open_bytes(pipe, "a log") as stream:
            seen.append(stream.readline())
            first.set()
            seen.extend(stream)

    thread = threading.Thread(target=reader)
    thread.start()
    with pipe.open("wb", buffering=0) as stream:
        stream.write(b"one\n")
        assert first.wait(10)
        stream.write(b"two\n")
    thread.join(10)
    assert seen == [b"one\n", b"two\n"]
