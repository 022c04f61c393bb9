"""Every link from page to page leads somewhere, also where the pages are read on GitHub."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        # The tables of docs/benchmarks are included in the page above them, and read there.
        home = page.parent.parent if page.parent.name == "benchmarks" else page.parent
        target = home / path if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in _anchors(target), link


def test_anchors() -> None:
    assert "how-to-trust-these-numbers" in _anchors(ROOT / "docs" / "trust.md")
    assert "covey-check-file" in _anchors(ROOT / "docs" / "command-line.md")
