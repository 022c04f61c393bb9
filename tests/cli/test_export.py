from pathlib import Path

import pytest

import covey as library
from tests.cli.command import covey
from tests.conftest import EXAMPLES

pytestmark = pytest.mark.slow  # the whole command, again and again

BY_NAME = {path.stem: path for path in EXAMPLES}
SHARED = BY_NAME["shared-resource"]


@pytest.mark.parametrize("form", ["sbml", "prism"])
def test_to_standard_output(form: str) -> None:
    write = library.to_sbml if form == "sbml" else library.to_prism
    answer = covey("export", SHARED, "--to", form)
    assert answer.code == 0
    assert answer.out == write(library.load(SHARED))
    assert answer.err == ""


def test_changed_values() -> None:
    changed = library.load(SHARED).with_({"types.A": 7})
    answer = covey("export", SHARED, "--to", "prism", "--set", "types.A=7")
    assert answer.out == library.to_prism(changed)


def test_json() -> None:
    text = library.to_prism(library.load(SHARED))
    answer = covey("export", SHARED, "--to", "prism", "--json")
    assert answer.json == {"format": "prism", "text": text}


def test_to_a_file_and_back(tmp_path: Path) -> None:
    target = tmp_path / "m.xml"
    answer = covey("export", BY_NAME["charging-bays"], "--to", "sbml", "-o", target)
    assert answer.out == f"written: {target}\n"
    assert list(tmp_path.iterdir()) == [target]
    network = library.load(BY_NAME["charging-bays"]).network
    assert library.from_sbml(target).network == network
    answer = covey("export", SHARED, "--to", "sbml", "-o", target, "--json")
    assert answer.json == {"format": "sbml", "file": str(target)}
    assert library.from_sbml(target).network == library.load(SHARED).network
    assert covey("export", SHARED, "--to", "sbml", "-o", target, "--quiet").out == ""


def test_what_cannot_be_exported_leaves_the_file(tmp_path: Path) -> None:
    target = tmp_path / "m.sm"
    target.write_text("mine")
    answer = covey("export", BY_NAME["ride-sharing"], "--to", "prism", "-o", target)
    assert answer.code == 2
    assert "nothing bounds the number of {sedan}" in answer.err
    assert target.read_text() == "mine"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "Missing option '--to'"),
        (("--to", "latex"), "'latex' is not one of 'sbml', 'prism'"),
        (("--to", "sbml", "-o", "none/m.xml"), "none/m.xml: there is no folder none"),
        (("--to", "sbml", "-o", "."), ".: this is a directory; the name of a file is expected"),
        (("--to", "sbml", "-o", ""), "this is a directory; the name of a file is expected"),
        (("--to", "sbml", "-o", "x" * 300), "cannot be written: File name too long"),
    ],
)
def test_wrong_arguments(args: tuple[str, ...], message: str, tmp_path: Path) -> None:
    answer = covey("export", SHARED, *args, cwd=tmp_path)
    assert answer.code == 2
    assert message in answer.err
    assert not list(tmp_path.iterdir())
