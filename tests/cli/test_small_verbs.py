import subprocess
import sys
from pathlib import Path

import pytest

import covey as library
from tests.cli.command import covey
from tests.conftest import EXAMPLES

SHARED = next(path for path in EXAMPLES if path.stem == "shared-resource")
RESCUE = SHARED.parent / "search-and-rescue.toml"


def test_version_and_help() -> None:
    assert covey("--version").out == f"covey {library.__version__}\n"
    guide = covey("--help").out
    assert "How much does a team of robots give away" in guide
    assert "covey new fleet" in guide


def test_new_writes_a_scenario_that_checks(tmp_path: Path) -> None:
    assert covey("new", "fleet", cwd=tmp_path).out.startswith("written: fleet.toml.")
    answer = covey("check", "fleet.toml", "--json", cwd=tmp_path)
    assert answer.json["states"] == 19
    assert answer.err == ""


def test_new_writes_an_example_under_its_own_name_or_another(tmp_path: Path) -> None:
    text = SHARED.read_text(encoding="utf-8")
    assert covey("new", "--example", "shared-resource", cwd=tmp_path).code == 0
    assert (tmp_path / "shared-resource.toml").read_text(encoding="utf-8") == text
    assert covey("new", "mine", "--example", "shared-resource", cwd=tmp_path).code == 0
    assert (tmp_path / "mine.toml").read_text(encoding="utf-8") == text


def test_new_lists_every_example_that_is_one_file(tmp_path: Path) -> None:
    lines = covey("new", "--list", cwd=tmp_path).out.splitlines()
    assert [line.split()[0] for line in lines] == [
        path.stem for path in EXAMPLES if path.stem != "charging-bays"
    ]
    assert "warehouse            A warehouse with carriers, pickers and charging docks" in lines
    assert all(len(line.split()) > 1 for line in lines)
    assert [*tmp_path.iterdir()] == []


def test_new_names_the_examples_there_are(tmp_path: Path) -> None:
    answer = covey("new", "fleet", "--example", "warehose", cwd=tmp_path)
    assert answer.code == 2
    assert "there is no example 'warehose'; there are binary-tree" in answer.err
    assert [*tmp_path.iterdir()] == []


def test_new_does_not_overwrite(tmp_path: Path) -> None:
    (tmp_path / "fleet.toml").write_text("mine")
    answer = covey("new", "fleet", cwd=tmp_path)
    assert answer.code == 2
    assert "fleet.toml: exists already; choose another name" in answer.err
    assert (tmp_path / "fleet.toml").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "told"),
    [("my fleet", "'my fleet.toml'"), ("-x", "./-x.toml"), ("a.TOML", "a.TOML")],
)
def test_the_next_command_works_as_it_is_told(name: str, told: str, tmp_path: Path) -> None:
    answer = covey("new", "--", name, cwd=tmp_path)
    assert answer.out.strip().endswith(f"Next: covey check {told}")


def test_new_needs_a_name(tmp_path: Path) -> None:
    for args in ([" "], []):
        answer = covey("new", *args, cwd=tmp_path)
        assert answer.code == 2
        assert "covey new fleet writes fleet.toml" in answer.err


def test_new_in_a_missing_folder(tmp_path: Path) -> None:
    answer = covey("new", "none/fleet", cwd=tmp_path)
    assert answer.code == 2
    assert "cannot be written: No such file or directory" in answer.err


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_draw(tmp_path: Path, ending: str) -> None:
    answer = covey("draw", SHARED, "-o", tmp_path / f"net.{ending}", "--json")
    assert answer.json == {"file": str(tmp_path / f"net.{ending}")}
    first = (tmp_path / f"net.{ending}").read_bytes()
    assert first.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending])


def test_draw_to_an_unknown_ending(tmp_path: Path) -> None:
    answer = covey("draw", SHARED, "-o", tmp_path / "net.gif")
    assert answer.code == 2
    assert ".png" in answer.err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    assert "_COVEY_COMPLETE" in covey("completion", shell).out


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import covey", {"numpy", "matplotlib", "numba", "scipy", "rich"}),
        ("import covey; covey.Network('a -> b @ 1')", {"matplotlib", "numba", "scipy", "rich"}),
        ("import covey.cli", {"numpy", "matplotlib", "numba", "scipy", "rich"}),
        (
            "import sys; sys.argv = ['covey', 'check', " + repr(str(SHARED)) + ", '--json']\n"
            "from covey.cli import main\nmain()",
            {"matplotlib", "numba", "scipy", "rich"},
        ),
        (
            f"import covey; covey.leakage(covey.load({str(RESCUE)!r}))",
            {"matplotlib", "numba", "scipy", "rich", "numpy.ma"},
        ),
    ],
)
def test_what_is_not_loaded(code: str, absent: set[str]) -> None:
    """A small question must not wait for libraries that it does not need."""
    probe = f"{code}\nimport sys; print(sorted(set(sys.modules) & {absent!r}))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_probes(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "shared-resource.toml"
    file = tmp_path / "probed.toml"
    file.write_text(
        example.read_text()
        + '\n[[adversary.probe]]\nset = { "resources.R" = -1 }\nlooks = [0.5]\n'
        + '\n[[adversary.probe]]\nname = "many"\nset = { "resources.R" = 9 }\nlooks = [0.5, 1]\n'
    )
    said = covey("probe", str(file), "--json").json
    assert [one["name"] for one in said["probes"]] == ["1 R fewer", "many"]
    assert said["best"] == max((0, 1), key=lambda i: said["probes"][i]["guess"])
    assert said["probes"][1]["looks"] == [0.5, 1]
    assert set(said["probes"][0]["watching"]) <= set(said["probes"][0])
    assert "without it" in covey("probe", str(file)).out
    refused = covey("probe", str(example))
    assert refused.code == 2
    assert "[[adversary.probe]]" in refused.err
    file.write_text(file.read_text().replace("looks = [0.5]", "look = [0.5]"))
    assert f"{file}:" in covey("probe", str(file)).err
