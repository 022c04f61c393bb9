"""Models in Antimony, read as the SBML that they are translated to."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from covey import CoveyError, InputError, Network, from_sbml, load
from tests.cli.command import covey
from tests.conftest import EXAMPLES

BAYS = """
model bays()
  S1 + S3 -> S4; find*S1*S3
  S4 -> S1 + S3; drone_full*S4
  S2 + S3 -> S5; find*S2*S3
  S5 -> S2 + S3; rover_full*S5
  find = 0.4; drone_full = 0.2; rover_full = 0.1
end
"""


def written(folder: Path, text: str, name: str = "m.ant") -> Path:
    pytest.importorskip("antimony")
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_it_is_the_network_that_was_written(tmp_path: Path) -> None:
    model = from_sbml(
        written(tmp_path, "A + B -> C; k*A*B\nC -> A + B; 2*C\nk = 3; A = 5; B = 1; C = 0")
    )
    assert model.network == Network("k = 3\nA + B -> C @ k\nC -> A + B @ 2")
    assert model.initial == {"A": 5, "B": 1, "C": 0}


def test_submodels_are_written_out(tmp_path: Path) -> None:
    cell = "model cell()\n A -> B; k*A\n k = 1; A = 2; B = 0\nend\n"
    both = from_sbml(written(tmp_path, cell + "model *two()\n x: cell(); y: cell()\nend\n"))
    assert len(both.network.reactions) == 2
    assert sorted(both.initial.values()) == [0, 0, 2, 2]


def test_a_scenario_takes_its_reactions_from_it(tmp_path: Path) -> None:
    example = next(path for path in EXAMPLES if path.stem == "charging-bays")
    written(tmp_path, BAYS, "bays.ANT")
    text = example.read_text(encoding="utf-8").replace("charging-bays.xml", "bays.ANT")
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    ours = {
        (str(one.reactants), str(one.products))
        for one in load(tmp_path / "s.toml").network.reactions
    }
    theirs = {(str(one.reactants), str(one.products)) for one in load(example).network.reactions}
    assert ours == theirs
    answers = [covey("leakage", path, "--json").json for path in (tmp_path / "s.toml", example)]
    assert answers[0]["leakage"] == pytest.approx(answers[1]["leakage"], rel=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A -> B; k*A\nk = 1\nB -> A; k*B +\n", r"m\.ant:\d+: not valid Antimony: .*k\*B"),
        ('\nimport "/etc/passwd"\nA -> B; 1', r"m\.ant:2: the word import is in it"),
        ('import /* */ "o.ant"', "the word import is in it"),
        ("A -> B; " + "(" * 20_000 + "1" + ")" * 20_000, "m.ant:1: not valid Antimony: memory"),
        ("A -> B; k*A; k = 1\nat (time > 3): A = 2", "m.ant: the model has an event"),
        ("A -> B; q*A; A = 1; B = 0", "m.ant: .*q"),
        ("", "m.ant: the model has no reaction"),
    ],
)
def test_what_is_wrong_is_said_with_the_file(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CoveyError, match=message):
        from_sbml(written(tmp_path, text))


def test_a_mistake_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        from_sbml(written(tmp_path, "model wrong()\n A -> ; k*A +\nend"))
    assert from_sbml(written(tmp_path, "A -> B; 1*A; A = 1; B = 0")).network == Network(
        "A -> B @ 1"
    )


def test_it_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, BAYS)
    monkeypatch.setitem(sys.modules, "antimony", None)
    with pytest.raises(InputError, match=r'pip install "covey\[antimony\]"'):
        from_sbml(path)
