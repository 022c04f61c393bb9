"""The file that the app was opened on: the only one that is written, and never over a change."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from covey.app.examples import examples, first_example
from covey.app.opened import ChangedError, Opened, opened
from covey.errors import InputError
from covey.model.io.scenario_file import loads, scenario_of
from covey.model.scenario import Scenario

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = """# a comment
[types]
A = 2
B = 1

[network]
reactions = "{A} <-> x{A} @ 1, 1\\n{B} <-> x{B} @ 2, 1"

[observe]
there = "x{A} + x{B}"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "fleet.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def test_it_is_read_and_saved(file: Path) -> None:
    found = opened(str(file), "")
    text, stamp = found.read()
    assert (text, found.writable) == (SMALL, True)
    new = found.save(SMALL.replace("A = 2", "A = 3"), stamp)
    assert file.read_text(encoding="utf-8") == SMALL.replace("A = 2", "A = 3")
    assert found.read()[1] == new
    assert [path.name for path in file.parent.iterdir()] == ["fleet.toml"]


def test_what_was_changed_meanwhile_stays(file: Path) -> None:
    found = opened(str(file), "")
    _, stamp = found.read()
    file.write_text(SMALL + "# by another program\n", encoding="utf-8")
    for old in (stamp, None, 7, "", [stamp]):
        with pytest.raises(ChangedError, match=r"fleet\.toml was changed meanwhile"):
            found.save(SMALL, old)
    assert file.read_text(encoding="utf-8").endswith("# by another program\n")


def test_line_ends_stay(file: Path) -> None:
    file.write_bytes(SMALL.replace("\n", "\r\n").encode())
    found = opened(str(file), "")
    text, stamp = found.read()
    assert "\r" not in text
    found.save(text.replace("A = 2", "A = 4"), stamp)
    assert file.read_bytes() == SMALL.replace("A = 2", "A = 4").replace("\n", "\r\n").encode()


def test_a_byte_order_mark_stays(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + SMALL.encode())
    found = opened(str(file), "")
    text, stamp = found.read()
    assert text == SMALL
    assert found.save(text + "\n", stamp) == found.read()[1]
    assert file.read_bytes() == b"\xef\xbb\xbf" + SMALL.encode() + b"\n"


def test_what_is_no_text_any_more_is_said_to_be_none(file: Path) -> None:
    found = opened(str(file), "")
    file.write_bytes(b"\xff")
    with pytest.raises(InputError, match="no text in UTF-8 any more"):
        found.read()


def test_files_of_one_name_have_drafts_of_their_own(file: Path) -> None:
    other = file.parent / "elsewhere" / file.name
    other.parent.mkdir()
    other.write_text(SMALL, encoding="utf-8")
    places = [opened(name, "x").place for name in (str(file), str(other), "")]
    assert len(set(places)) == 3
    assert places[2] == ""
    assert opened(str(other.parent / ".." / file.name), "").place == places[0]


def test_a_link_stays_one(file: Path) -> None:
    link = file.with_name("link.toml")
    link.symlink_to(file)
    found = opened(str(link), "")
    found.save(SMALL + "\n", found.read()[1])
    assert link.is_symlink()
    assert file.read_text(encoding="utf-8") == SMALL + "\n"


def test_an_example_goes_back_nowhere() -> None:
    found = opened("", first_example())
    assert found.read() == (first_example(), None)
    assert not found.writable
    with pytest.raises(InputError, match="no file to save to"):
        found.save(SMALL, None)


@pytest.mark.parametrize("name", ["missing.toml", "-", "."])
def test_what_is_no_scenario_file_is_said_to_be_none(file: Path, name: str) -> None:
    with pytest.raises(InputError):
        opened(name if name == "-" else str(file.parent / name), "")
    file.write_text("[network]", encoding="utf-8")
    with pytest.raises(InputError, match="needs reactions"):
        opened(str(file), "")


def test_reactions_from_elsewhere_are_written_out(file: Path) -> None:
    pytest.importorskip("libsbml")
    found = opened(str(EXAMPLES / "charging-bays.toml"), "")
    text, stamp = found.read()
    assert (found.writable, stamp) == (False, None)
    assert "sbml" not in text
    assert loads(text, files=False).team.types == {"drone": 4, "rover": 3}


def test_a_mechanism_beside_the_file_is_read(file: Path) -> None:
    from covey.model.io.scenario_file import load
    from covey.remedy.mechanism.protect import protect

    protect(load(file), 0.5, teams="this").save(file.with_name("mechanism.json"))
    file.write_text(SMALL + '\n[release]\nmechanism = "mechanism.json"\n', encoding="utf-8")
    found = opened(str(file), "")
    assert (found.writable, found.beside) == (True, file.with_name("mechanism.json").resolve())
    file.with_name("mechanism.json").unlink()
    with pytest.raises(InputError, match=r"mechanism\.json"):
        opened(str(file), "")


def test_examples_can_be_opened() -> None:
    found = examples()
    named = {one["name"]: one for one in found}
    assert named.keys() >= {"warehouse", "task-families", "shared-resource"}
    assert "charging-bays" not in named  # it needs another file
    for one in found:
        assert loads(one["text"], files=False).title in (one["title"], "")


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_a_file_that_cannot_be_written_is_said_to_be_so(file: Path) -> None:
    if os.getuid() == 0:
        pytest.skip("root may write everywhere")
    found = opened(str(file), "")
    file.parent.chmod(0o500)
    try:
        with pytest.raises(InputError, match="cannot be written"):
            found.save(SMALL, found.read()[1])
    finally:
        file.parent.chmod(0o700)


def test_nothing_is_kept_of_where_it_came_from() -> None:
    assert Opened(None, "x") == Opened(None, "x")


def test_a_file_that_becomes_another_one_meanwhile(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read once: all that is taken from it is of one version."""

    def replaced(*given: Any) -> Scenario:
        file.write_text("x = 1", encoding="utf-8")
        return scenario_of(*given)

    monkeypatch.setattr("covey.app.opened.scenario_of", replaced)
    assert opened(str(file), "").writable
