"""Names from a stranger's file are shown, and never obeyed: by a terminal or by a spreadsheet."""

import csv
import json
import re
import unicodedata
from pathlib import Path
from xml.etree import ElementTree

import pytest

from covey import load, open_sweep
from covey.escaping import escape
from covey.files.csv_cells import read_cell
from tests.cli.command import covey
from tests.cli.terminal import plain, terminal

# Colours, the cursor, the line, the title bar, right to left, the C1 way to say escape.
EVIL = "\x1b[2J\x1b[31mred\x1b]0;title\x07\r\n\t\x08\x7f\u202e\u2066\u009b31m\u0085\u2028\ufeff"
SHOWN = "␛[2J␛[31mred␛]0;title␇␍␊␉␈␡��"
FORMULA = "=cmd|' /C calc'!A0"
CLI = Path(__file__).parents[2] / "src" / "covey" / "cli"


def scenario(folder: Path, name: str = EVIL, title: str = EVIL, **more: str) -> Path:
    """A team that is seen under a name; `more` are lines in other tables."""
    path = folder / "team.toml"
    tables = "".join(f"[{table}]\n{line}\n" for table, line in more.items())
    path.write_text(
        f"title = {_toml(title)}\n[types]\nA = 2\nB = 1\n"
        '[network]\nreactions = """\n{A} <-> w{A} @ 2, 1\n{B} <-> w{B} @ 1, 1\n"""\n'
        f'[observe]\n{_toml(name)} = "{{A}} + {{B}}"\n"β" = "w{{A}} + w{{B}}"\n{tables}',
        encoding="utf-8",
    )
    return path


def _toml(text: str) -> str:
    return json.dumps(text).replace("\x7f", "\\u007f")


def _acts(text: str) -> list[str]:
    """The characters that a terminal would act upon, or that nobody can see."""
    return [c for c in text if unicodedata.category(c)[0] == "C" or c in "\u2028\u2029"]


VERBS = [
    ("check",),
    ("leakage",),
    ("leakage", "--at", "1"),
    ("distribution", "--at", "1"),
    ("profile",),
    ("trace", "--until", "2", "--points", "3"),
    ("sensitivity", "--workers", "1"),
    ("simulate", "--until", "1"),
    ("simulate", "--until", "1", "--events"),
    ("export", "--to", "prism"),
    ("export", "--to", "sbml"),
]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_no_verb_lets_a_name_through(verb: tuple[str, ...], tmp_path: Path) -> None:
    answer = covey(verb[0], scenario(tmp_path), *verb[1:], cwd=tmp_path)
    assert answer.code == 0, answer.err
    assert set(_acts(answer.out + answer.err)) <= {"\n"}


def test_the_guide_is_plain_text() -> None:
    for args in ((), ("--help",), ("sweep", "--help")):
        answer = covey(*args)
        assert set(_acts(answer.out + answer.err)) == {"\n"}
        assert "␈" not in answer.out + answer.err


@pytest.mark.parametrize("verb", [("check",), ("leakage", "--at", "1"), ("profile",)], ids=" ".join)
@pytest.mark.parametrize("columns", [40, 120])
def test_a_terminal_gets_colours_from_covey_alone(
    verb: tuple[str, ...], columns: int, tmp_path: Path
) -> None:
    text = terminal(verb[0], scenario(tmp_path), *verb[1:], "-q", columns=columns)
    assert set(_acts(plain(text))) <= {"\n"}
    assert "\x1b[31m" not in text


def test_a_line_break_in_a_name_makes_no_line(tmp_path: Path) -> None:
    name = "free\ncovey: all is well"
    answer = covey("distribution", scenario(tmp_path, name, title="a\nb"))
    assert "free␊covey: all is well" in answer.out
    assert answer.out.startswith("a␊b\n")


@pytest.mark.parametrize(
    "broken",
    [
        {"initial": f'{_toml(EVIL)} = "{{A}}"'},
        {"resources": f"{_toml(EVIL)} = 1"},
        {"rates": f"{_toml(EVIL)} = 1"},
        {"adversary": f"protect = [{_toml(EVIL)}]"},
        {EVIL.replace("\n", "").replace("\r", "").replace("]", ""): "a = 1"},
    ],
    ids=["initial", "resources", "rates", "protect", "table"],
)
def test_no_error_lets_a_name_through(broken: dict[str, str], tmp_path: Path) -> None:
    answer = covey("check", scenario(tmp_path, **broken))
    assert answer.err.startswith("covey: ")
    assert set(_acts(answer.err)) == {"\n"}
    assert answer.err.count("\n") == 1


def test_errors_about_other_files(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.csv"
    fleet.write_text(f'robot,type\nr1,"{EVIL}"\n', encoding="utf-8", newline="")
    path = scenario(tmp_path)
    for args in (
        ("check", path, "--fleet", fleet),
        ("check", tmp_path / EVIL),
        ("check", path, "--set", f"types.{EVIL}=1"),
        ("check", path, EVIL),
        ("check", path, f"--{EVIL}"),
        (EVIL,),
        ("new", f"{tmp_path}/none/{EVIL}"),
    ):
        answer = covey(*args)
        assert answer.code == 2
        assert "␛[2J␛[31mred␛]0;title␇␍␊" in answer.err or r"\x1b[2J" in answer.err
        assert set(_acts(answer.err)) == {"\n"}


def test_warnings(tmp_path: Path) -> None:
    path = scenario(tmp_path)
    text = path.read_text(encoding="utf-8").replace('"{A} + {B}"', '"{A}"')
    path.write_text(text, encoding="utf-8")
    answer = covey("check", path)
    assert answer.err.startswith(f"covey: warning: {SHOWN}")
    assert set(_acts(answer.err)) == {"\n"}


@pytest.mark.parametrize("ending", ["svg", "pdf"])
@pytest.mark.parametrize(
    "verb", [("draw", "-o"), ("distribution", "--plot"), ("trace", "--until", "2", "--plot")]
)
def test_a_picture_can_be_opened(verb: tuple[str, ...], ending: str, tmp_path: Path) -> None:
    """XML has no place for most control characters, and a font no glyph."""
    path = tmp_path / f"picture.{ending}"
    answer = covey(verb[0], scenario(tmp_path), *verb[1:], path)
    assert answer.code == 0, answer.err
    if ending == "svg":
        assert ElementTree.parse(path).getroot().tag.endswith("svg")
        assert set(_acts(path.read_text(encoding="utf-8"))) <= {"\n"}


def test_file_names_that_are_written(tmp_path: Path) -> None:
    name = "a\x1b[31m.csv"
    answer = covey("sensitivity", scenario(tmp_path), "--workers", 1, "-o", name, cwd=tmp_path)
    assert "written: a␛[31m.csv\n" in answer.out
    assert (tmp_path / name).exists()
    assert "␛" in covey("new", "b\x1b[31m", cwd=tmp_path).out


def test_json_is_the_same_and_can_be_looked_at(tmp_path: Path) -> None:
    answer = covey("distribution", scenario(tmp_path), "--json")
    assert EVIL in answer.json["mean"]
    assert "β" in answer.out
    assert _acts(answer.out) == ["\n"]


@pytest.mark.parametrize(
    "text", ["Γ ∞ → ≤ ε é ß 日本語 العربية", "a b c", "می\u200cخواهم", "👩\u200d🚀"]
)
def test_what_can_be_read_stays(text: str) -> None:
    assert escape(text) == text


def test_lines_stay_where_they_are_meant() -> None:
    assert escape("a\nb\r", lines=True) == "a\nb␍"
    assert escape("a\nb") == "a␊b"
    assert escape("\udcff\U000e0001") == "��"


def test_verbs_print_in_one_place_only() -> None:
    """What is no name of anybody's: JSON, completion scripts, and models for other programs."""
    prints = re.compile(r"\bclick\.(s?echo)\(|(?<![\w.])print\(|\.stdout\.write\(|\bConsole\(")
    found = {
        path.name
        for path in CLI.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if prints.search(line)
    }
    assert found == {"completion.py", "export.py", "printing.py", "streams.py"}


@pytest.mark.parametrize("verb", ["distribution", "sensitivity"])
def test_no_table_holds_a_formula(verb: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    args = ("--workers", 1) if verb == "sensitivity" else ()
    assert covey(verb, scenario(tmp_path, FORMULA), *args, "-o", path).code == 0
    cells = _cells(path)
    assert not [
        cell for cell in cells if re.match(r"\s*[=@]|\s*[+-](?!\d)", cell) and not _is(cell)
    ]
    assert any(FORMULA in read_cell(cell) for cell in cells)


def test_a_sweep_reads_its_names_back(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    file = scenario(tmp_path, FORMULA)
    assert covey("sweep", file, "--vary", "types.A=1:2", "--workers", 1, "-o", path).code == 0
    assert not [cell for cell in _cells(path) if cell.startswith("=")]
    seen = open_sweep(path).data["observation"].values
    assert all(str(text).startswith(f"{FORMULA}=") for text in seen)
    assert load(file).query.sums[FORMULA]


def _cells(path: Path) -> list[str]:
    with path.open(newline="", encoding="utf-8") as stream:
        return [cell for row in csv.reader(stream) for cell in row]


def _is(cell: str) -> bool:
    return cell in ("-inf", "+inf")
