"""Files appear whole, and what is no file stays what it is."""

import os
import stat
import threading
from pathlib import Path

import pytest

from covey.errors import InputError
from covey.whole_file import whole_file, write_whole


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail() -> None:
        with whole_file(path) as file:
            file.write_text("half")
            raise OSError(28, "no more")

    with pytest.raises(InputError, match="cannot be written: no more"):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "real.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_mode_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "private.txt"
    path.write_text("old")
    path.chmod(0o600)
    write_whole(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_pipe_gets_the_text_and_stays_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(path.read_text()))
    reader.start()
    write_whole(path, "text")
    reader.join(120)  # it ends by itself when the text is there
    assert read == ["text"]
    assert path.is_fifo()


def test_line_ends_stay_as_they_are(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", "one\r\ntwo\n")
    assert (tmp_path / "a").read_bytes() == b"one\r\ntwo\n"
