"""Files appear whole, and what is no file stays what it is."""

import os
import stat
import threading
from pathlib import Path

import pytest

from covey.errors import InputError
from covey.files.atomic_file import check_writable, whole_file, write_whole


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


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written: File name too long"):
        write_whole(tmp_path / ("x" * 300), "text")


def test_line_ends_stay_as_they_are(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", "one\r\ntwo\n")
    assert (tmp_path / "a").read_bytes() == b"one\r\ntwo\n"


def locked(folder: Path) -> Path:
    """A folder that nobody may write to; for root, who may write anywhere, the system's own."""
    if os.geteuid() == 0:
        return Path("/proc/self")
    folder.chmod(0o500)
    return folder


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("folder.html", "this is a directory"),
        ("folder", "this is a directory"),
        ("missing/a.html", "there is no folder .*missing"),
        ("a.txt", r'the ending is "\.txt": \.html is expected'),
        ("a", r'the ending is "": \.html is expected'),
        (f"{'a' * 300}.html", "cannot be written"),
        ("a\0.html", "cannot be written"),
        ("file.html/a.html", "there is no folder"),
    ],
)
def test_what_cannot_be_written_is_known_before(tmp_path: Path, name: str, said: str) -> None:
    for folder in ("folder", "folder.html"):
        (tmp_path / folder).mkdir()
    (tmp_path / "file.html").write_text("old")
    with pytest.raises(InputError, match=said):
        check_writable(tmp_path / name, (".html", ".htm"))
    assert len(list(tmp_path.iterdir())) == 3


def test_a_folder_that_is_locked_is_known_before(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written: .*; choose another place"):
        check_writable(locked(tmp_path) / "a.html", (".html",))


def test_the_check_leaves_everything_as_it_was(tmp_path: Path) -> None:
    old = tmp_path / "old.HTML"
    old.write_text("old")
    os.mkfifo(tmp_path / "pipe.html")  # nobody reads: opening it would wait for ever
    for name in ("old.HTML", "new.html", "pipe.html"):
        check_writable(tmp_path / name, (".html",))
    assert old.read_text() == "old"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["old.HTML", "pipe.html"]


@pytest.mark.skipif(os.name == "nt", reason="Windows opens no folders")
def test_a_power_cut_does_not_bring_back_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First the text is on disk, then the folder that has the new file in place of the old one."""
    done: list[tuple[bool, bool]] = []

    def fsync(number: int) -> None:
        done.append((stat.S_ISDIR(os.fstat(number).st_mode), (tmp_path / "f.txt").exists()))

    monkeypatch.setattr("os.fsync", fsync)
    write_whole(tmp_path / "f.txt", "new")
    assert done == [(False, False), (True, True)]
