"""`covey report` and `covey sensitivity`, as a user runs them."""

import csv
import os
from pathlib import Path

import pytest

from covey.cli.verbs.report import report
from covey.errors import InputError
from covey.report.page.printing import find_browser
from tests.cli.command import covey

pytestmark = pytest.mark.slow  # the whole command, again and again

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
SHARED = EXAMPLES / "shared-resource.toml"


def test_report(tmp_path: Path) -> None:
    done = covey("report", SHARED, cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.out.endswith("written: report.html\n")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Two types share a resource" in page
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_json_says_what_the_page_says(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    answer = covey("report", SHARED, "-o", path, "--json").json
    assert answer["report"] == str(path)
    assert answer["pdf"] is None
    assert answer["leakage"] == covey("leakage", SHARED, "--json").json["leakage"]
    assert answer["changes"] == covey("sensitivity", SHARED, "--json").json["best"]
    assert repr(answer["leakage"]) in path.read_text(encoding="utf-8")


def test_another_moment_and_no_changes(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    answer = covey("report", SHARED, "--at", 2, "--no-changes", "-o", path, "--json").json
    assert answer["at"] == 2
    assert answer["changes"] == []
    assert sorted(answer["missing"]) == ["design", "sensitivity"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("-o", "report.txt"), ".html is expected"),
        (("-o", "missing/report.html"), "there is no folder missing"),
        (("--until", "0"), "a time after the start is expected"),
        (("--set", "types.A=-1"), "types.A"),
        (("--target", "guess"), "as guess=0.51"),
    ],
)
def test_refusals_leave_nothing(tmp_path: Path, args: tuple[str, ...], said: str) -> None:
    done = covey("report", SHARED, *args, cwd=tmp_path)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--output", "--pdf"])
@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("folder", "this is a directory"),
        ("missing/page", "there is no folder missing: make it first"),
        ("/proc/self/page", "cannot be written|no folder /proc/self"),
        ("page.txt", "is expected"),
    ],
)
def test_where_nothing_can_be_written_nothing_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, place: str, said: str
) -> None:
    def computed(*_: object, **__: object) -> None:
        pytest.fail("it was computed")

    monkeypatch.setattr("covey.study.assessment.assess", computed)
    monkeypatch.setenv("COVEY_BROWSER", "true")
    monkeypatch.chdir(tmp_path)
    ending = "" if "." in place else ".html" if option == "--output" else ".pdf"
    (tmp_path / f"folder{ending}").mkdir()
    with pytest.raises(InputError, match=said):
        report.main([str(SHARED), option, place + ending], standalone_mode=False)
    assert len(list(tmp_path.iterdir())) == 1


def test_pdf(tmp_path: Path) -> None:
    if find_browser() is None:
        if os.environ.get("COVEY_REQUIRE_BROWSER"):
            pytest.fail("no Chromium is installed: apt-get install chromium")
        pytest.skip("no Chromium is installed: apt-get install chromium")
    done = covey("report", SHARED, "--pdf", "report.pdf", "--no-changes", cwd=tmp_path)
    assert done.code == 0, done.err
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["report.html", "report.pdf"]


def test_no_browser_is_said_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COVEY_BROWSER", "no-such-browser")
    done = covey("report", SHARED, "--pdf", "report.pdf", cwd=tmp_path)
    assert done.code == 2
    assert "no-such-browser" in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_browser_that_does_not_print_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COVEY_BROWSER", "false")
    done = covey("report", SHARED, "--pdf", "report.pdf", "--no-changes", cwd=tmp_path)
    assert done.code == 2
    assert "did not print the report" in done.err
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_sensitivity(tmp_path: Path) -> None:
    table = tmp_path / "changes.csv"
    done = covey("sensitivity", SHARED, "-o", table)
    assert done.code == 0, done.err
    assert "take: 3 → 1.5" in done.out
    with table.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    answer = covey("sensitivity", SHARED, "--json").json
    assert [row["change"] for row in rows] == [change["change"] for change in answer["changes"]]
    assert [float(row["leakage"]) for row in rows] == [c["leakage"] for c in answer["changes"]]


def test_sensitivity_refuses_a_factor_below_one() -> None:
    done = covey("sensitivity", SHARED, "--factor", "0.5")
    assert done.code == 2
    assert "above 1" in done.err


def test_a_target_begins_what_to_change(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    answer = covey("report", SHARED, "-o", page, "--target", "leakage=0.2", "--json").json
    found = answer["shortest"]
    assert found["target"] == {"leakage": 0.2}
    assert found["met"]
    assert [one["change"] for one in found["changes"]] == ["take: 3 → 1.5"]
    text = page.read_text(encoding="utf-8")
    assert (
        "The target: the leakage is to be at most 0.2. One of the changes that were tried" in text
    )
    assert "--target leakage=0.2" in text
