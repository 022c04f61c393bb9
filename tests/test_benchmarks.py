"""What stands at the head of a page of figures, and that one case that fails spoils no other."""

from __future__ import annotations

import time
from pathlib import Path
from types import ModuleType

import pytest
from benchmarks.__main__ import FILES, LONG, several
from benchmarks.page import Meter, Ratio, faster, head, ratios
from benchmarks.timing import markdown

ROWS = [
    ["10", "0.59 s", "0.13 s, **4.6 ×**"],
    ["12", "16 × 16 teams, 3 × op, 1 × 480 looks", "0.9 s (0.9 ×)"],
    ["14", "more than 20 s", "**more than 1,234.5 ×**"],
    ["16", "–", "1.02 ×"],
]
TABLE = markdown(["N", "peer", "covey"], ROWS)


def module(**of: str) -> ModuleType:
    made = ModuleType("bench_of_nothing")
    vars(made).update(of)
    return made


def test_comparisons_are_read_from_the_tables() -> None:
    found = [Ratio("N 10", 4.6), Ratio("N 12", 0.9), Ratio("N 14", 1234.5), Ratio("N 16", 1.02)]
    assert ratios(f"### A title\n\n{TABLE}\n") == found


def test_where_covey_is_slower_is_said() -> None:
    said = faster(module(), ratios(TABLE))
    assert "2 of 4 comparisons (4.6 to 1234.5 times); as fast in 1" in said
    assert "slower in “N 12” (0.9 ×)" in said
    assert "no other program was timed" in faster(module(), [])
    assert faster(module(FASTER="the textbook"), []) == "the textbook"


def test_a_head_says_when_on_what_and_against_whom() -> None:
    said = head("nothing", module(AGAINST="a script"), TABLE, Meter())
    for part in ("commit", " cores, ", "Load average", "python -m benchmarks nothing",
                 "**Against:** a script.", "**Faster:** covey in 2 of 4"):  # fmt: skip
        assert part in said


@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_every_benchmark_names_its_peer(file: Path) -> None:
    assert "\nAGAINST = " in file.read_text(encoding="utf-8")


def test_every_page_has_a_head_and_a_place_in_the_documentation() -> None:
    docs = Path(__file__).parents[1] / "docs"
    shown = "\n".join(page.read_text(encoding="utf-8") for page in docs.rglob("*.md"))
    for page in (docs / "benchmarks").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert page.stem in {*FILES, *LONG}
        assert f"benchmarks/{page.name}\n" in shown
        first, against, fast, *_ = text.split("\n\n")
        assert "commit" in first
        assert "cores" in first
        assert against.startswith("**Against:** ")
        assert fast.startswith("**Faster:** ")


def test_one_that_fails_is_named_at_last(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"nothing: ended with 2"):
        several(["nothing"], float("inf"), save=False)
    assert "no benchmark nothing" in capfd.readouterr().err


def test_one_without_time_left_is_ended() -> None:
    with pytest.raises(SystemExit, match="closed_form: there was no time left"):
        several(["closed_form"], time.monotonic(), save=False)
