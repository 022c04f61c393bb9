"""The documentation as a site: it builds without a warning, holds all it promises, loads nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import click
import pytest

import covey
from tests.cli.command import verbs

pytestmark = pytest.mark.slow  # builds the site

DOCS = Path(__file__).parent.parent.parent / "docs"


class Page(HTMLParser):
    """What a page names, loads and links to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        self.names.add(given.get("id", ""))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.append(given["href"])
        elif tag in ("script", "img", "iframe", "source") and "src" in given:
            self.loads.append(given["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", folder / "cache", DOCS,
         folder / "html"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html")}


def test_every_public_name_has_a_place(pages: dict[Path, Page]) -> None:
    named = {name for page in pages.values() for name in page.names}
    assert {f"covey.{name}" for name in dir(covey)} <= named


def test_parameters_and_attributes_are_lists(site: Path) -> None:
    text = (site / "reference" / "privacy.html").read_text(encoding="utf-8")
    assert "<strong>smoothing</strong> – The paper’s ν, added to every probability" in text
    assert "<li><p><strong>truncated_mass</strong> – The probability that was left out" in text
    assert "Args:" not in text
    assert "Attributes:" not in text


def test_every_verb_and_option_is_in_the_generated_reference(site: Path) -> None:
    text = re.sub(r"<[^>]+>", "", (site / "reference" / "verbs.html").read_text(encoding="utf-8"))
    for verb, command in verbs().items():
        section = text.partition(f"covey {verb} [OPTIONS]")[2].partition("[OPTIONS]")[0]
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                for option in (*parameter.opts, *parameter.secondary_opts):
                    assert option in section, (verb, option)


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for address in page.loads:
            assert not re.match(r"(\w+:)?//", address), (path, address)
            assert (path.parent / unquote(address).partition("?")[0]).exists(), (path, address)
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"url\(['\"]?(https?:)?//|@import", text), sheet


def test_every_link_leads_somewhere(pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for link in page.links:
            address, _, anchor = unquote(link).partition("#")
            if re.match(r"\w+:", address):
                continue
            target = (path.parent / address).resolve() if address else path
            assert target.exists(), (path, link)
            if anchor and target in pages:
                assert anchor in pages[target].names, (path, link)


def test_search_works_without_a_server(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    for page in ("theory", "trust", "tutorials/first-team", "reference/privacy"):
        assert f'"{page}"' in index
    assert "searchindex.js" in (site / "search.html").read_text(encoding="utf-8")
