"""Every link from page to page leads somewhere, also where the pages are read on GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import covey

ROOT = Path(__file__).parent.parent.parent
PAGES = [
    page
    for page in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
    if "_build" not in page.parts
]
_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def _anchors(page: Path) -> set[str]:
    """The headings of a page, as GitHub and MyST name them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    titles = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def _broken(page: Path) -> Iterator[str]:
    """Links to what is not there."""
    for link in _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        # The tables of docs/benchmarks are included in the page above them, and read there.
        home = page.parent.parent if page.parent.name == "benchmarks" else page.parent
        target = home / path if path else page
        if not target.exists() or (anchor and anchor not in _anchors(target)):
            yield link


def test_links_lead_somewhere() -> None:
    wrong = {str(page.relative_to(ROOT)): found for page in PAGES if (found := [*_broken(page)])}
    assert wrong == {}


@pytest.mark.parametrize("folder", ["tutorials", "how-to", "theory"])
def test_every_page_ends_with_where_to_go(folder: str) -> None:
    pages = sorted((ROOT / "docs" / folder).glob("*.md"))
    ends = {page.stem: page.read_text(encoding="utf-8").strip().splitlines()[-1] for page in pages}
    assert [page for page, end in ends.items() if not _LINK.search(end)] == []


def test_a_link_to_nowhere_would_fail(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One\n[a](#one) [b](#two) [c](page.md#one) [d](none.md)\n")
    assert [*_broken(page)] == ["#two", "none.md"]


@pytest.mark.parametrize(
    "kind", [covey.Leakage, covey.Profile, covey.Stream, covey.Mechanism, covey.StandIn]
)
def test_a_result_knows_where_its_proof_is(kind: type[covey.Leakage]) -> None:
    path, _, anchor = kind.proof.partition("#")
    assert anchor in _anchors(ROOT / path)


def test_anchors() -> None:
    assert "how-to-trust-these-numbers" in _anchors(ROOT / "docs" / "trust.md")
    assert "covey-check-file" in _anchors(ROOT / "docs" / "command-line.md")
