"""`covey paper`, on its fastest part."""

import csv
from pathlib import Path

import pytest

from covey.cli.verbs.paper import _NAMES
from covey.paper.claims import VERDICTS
from tests.cli.command import covey

pytestmark = pytest.mark.slow  # the whole command, again and again


def test_one_part(tmp_path: Path) -> None:
    answer = covey("paper", "motivating", "-o", "out", cwd=tmp_path)
    assert answer.code == 0, answer.err
    assert "4 claims: 3 confirmed, 0 confirmed with a correction" in answer.out
    assert "cores: motivating" in answer.out
    files = {str(file.relative_to(tmp_path / "out")) for file in tmp_path.rglob("*.*")}
    for name in ("motivating-chains", "motivating-laws"):
        assert {f"{name}.png", f"{name}.pdf", f"data/{name}.csv"} <= files
    assert "claims.png" in files
    with (tmp_path / "out" / "claims.csv").open(encoding="utf-8") as stream:
        claims = list(csv.DictReader(stream))
    assert len(claims) == 4
    assert all(cell for claim in claims for cell in claim.values())
    assert "0.43 and 0.57" in (tmp_path / "out" / "claims.md").read_text(encoding="utf-8")


def test_a_second_run_computes_nothing_and_says_the_same(tmp_path: Path) -> None:
    first = covey("paper", "motivating", "--json", cwd=tmp_path).json
    kept = {file: file.read_bytes() for file in (tmp_path / "paper").rglob("*.*")}
    again = covey("paper", "motivating", cwd=tmp_path)
    assert again.err.count("kept from before") == 3
    assert {file: file.read_bytes() for file in (tmp_path / "paper").rglob("*.*")} == kept
    assert [claim["verdict"] for claim in first["claims"]] == [
        "confirmed", "confirmed", "confirmed", "false as stated",
    ]  # fmt: skip
    assert first["cores"] >= 1


def test_claims_of_other_parts_stay(tmp_path: Path) -> None:
    covey("paper", "motivating", cwd=tmp_path)
    file = tmp_path / "paper" / "claims.csv"
    text = file.read_text(encoding="utf-8")
    other = "tasks,here,says,finds,misprint,asks,why\n"
    file.write_text(text + other, encoding="utf-8")
    covey("paper", "motivating", cwd=tmp_path)
    assert file.read_text(encoding="utf-8").endswith(other)


def test_against_the_authors_numbers(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    text = "n1,n2,n3,leakage\n220,220,200,1.90263073112690\n"
    (folder / "cs1_populations_nu1e-5.csv").write_text(text, encoding="utf-8")
    answer = covey("paper", "--against", "theirs", cwd=tmp_path)
    assert answer.code == 0, answer.err
    assert "cs1_populations_nu1e-5.csv" in answer.out
    assert not (tmp_path / "paper" / "claims.md").exists()
    (found,) = covey("paper", "--against", "theirs", "--json", cwd=tmp_path).json["against"]
    assert found["largest"] < 1e-12
    assert found["at"] == {"n1": 220.0, "n2": 220.0, "n3": 200.0}
    answer = covey("paper", "trees", "--against", "theirs", cwd=tmp_path)
    assert answer.code == 2
    assert "part trees" in answer.err


def test_wrong_names(tmp_path: Path) -> None:
    answer = covey("paper", "prose", cwd=tmp_path)
    assert answer.code == 2
    assert "motivating" in answer.err
    (tmp_path / "paper").write_text("a file")
    answer = covey("paper", "motivating", cwd=tmp_path)
    assert answer.code == 2
    assert "Traceback" not in answer.err


@pytest.mark.study
def test_the_whole_as_users_run_it(tmp_path: Path) -> None:
    """Every part with its own settings, on the coarser grids."""
    answer = covey("paper", "--json", cwd=tmp_path).json
    assert list(answer["seconds"]) == list(_NAMES)
    verdicts = [claim["verdict"] for claim in answer["claims"]]
    assert [verdicts.count(verdict) for verdict in VERDICTS] == [35, 13, 2, 8, 2]
    for claim in answer["claims"]:
        row = f"{claim['verdict']} {claim['says']} {claim['finds']} more"
        assert len(row.split()) <= 40, row
