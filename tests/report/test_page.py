"""The text of the report: whatever a user writes is text, and the file is small."""

from __future__ import annotations

import json
import re
from functools import partial
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import jinja2
import pytest

import covey
from covey.report.page import evidence
from covey.report.page.document import html_of
from covey.report.page.rendering import ours, render
from covey.study import assessment
from tests.remedy.test_design import TASKS
from tests.report.hostile import EVIL, hostile_assessment

EXAMPLES = sorted((Path(__file__).parent.parent.parent / "examples").glob("*.toml"))
SCRIPTS = [file.name for file in files("covey.report.page").iterdir() if file.name.endswith(".js")]


class Page(HTMLParser):
    """The elements of a page with their attributes, and its text, the data of scripts apart."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.comments: list[str] = []
        self.data: list[str] = []
        self._within = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._within = tag
        if tag == "script":
            self.data.append("")

    def handle_endtag(self, tag: str) -> None:
        self._within = ""

    def handle_data(self, data: str) -> None:
        if self._within == "script":
            self.data[-1] += data
        elif self._within != "style":
            self.text += data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


@pytest.fixture(scope="module")
def hostile() -> str:
    return html_of(hostile_assessment())


def test_a_hostile_text_adds_no_element(hostile: str) -> None:
    tame = html_of(covey.assess(covey.load(EXAMPLES[0].with_name("shared-resource.toml"))))
    page, usual = Page(hostile), Page(tame)
    assert {tag for tag, _ in page.elements} <= {tag for tag, _ in usual.elements}
    assert [tag for tag, _ in page.elements].count("script") == 3  # two charts, and the page's own
    names = {name for _, attributes in page.elements for name in attributes}
    assert names <= {name for _, attributes in usual.elements for name in attributes}
    assert not any(name.startswith("on") for name in names)
    assert page.comments == []


def test_a_hostile_text_is_shown_as_it_is(hostile: str) -> None:
    page = Page(hostile)
    assert page.text.count(EVIL) > 20
    assert f"{EVIL} · covey" in page.text
    assert f"with one {EVIL} turned B" in page.text
    over_time = json.loads(page.data[0])
    assert over_time["lines"][0]["name"] == f"a robot of type {EVIL}"


def test_a_forgotten_escape_is_no_hole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever returns a plain string from a section sees the tags on the page."""
    found = covey.assess(covey.load(EXAMPLES[0].with_name("shared-resource.toml")), changes=False)
    monkeypatch.setattr(evidence, "exposure", lambda _: f"<p>{EVIL}</p>")
    page = Page(html_of(found))
    assert f"<p>{EVIL}</p>" in page.text
    assert "img" not in {tag for tag, _ in page.elements}


def test_a_gap_without_a_value_is_an_error() -> None:
    with pytest.raises(jinja2.UndefinedError, match="'chart' is undefined"):
        render("profile.html", sentence="", rows=())


def test_what_is_not_a_number_is_no_json() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        render("chart.html", picture="", numbers=[float("nan")])


def test_scripts_make_no_markup() -> None:
    """Names reach the page as text: nothing of what parses markup or code is used."""
    assert len(SCRIPTS) == 4
    for name in SCRIPTS:
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", ours(name)
        )
        assert "</script" not in ours(name)


def test_only_the_page_s_script_may_run(hostile: str) -> None:
    policy = next(
        attributes["content"] or ""
        for tag, attributes in Page(hostile).elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert "default-src 'none'" in policy
    script = re.search(r"script-src ([^;]*)", policy)
    assert script
    assert re.fullmatch(r"'sha256-[\w+/=]+'", script[1])


@pytest.fixture
def rough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams by a few paths: a page is as long with them, and has the same sentences."""
    few = partial(assessment.watched_stream, accuracy=0.3)
    monkeypatch.setattr(assessment, "watched_stream", few)


@pytest.mark.usefixtures("rough")
@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_a_report_is_small(file: Path) -> None:
    text = html_of(covey.assess(covey.load(file), changes=False))
    assert len(text.encode()) < 600_000
    assert "plotly" not in text.lower()
    if file.stem == "ride-sharing":
        assert "who are still there with probability" in Page(text).text


@pytest.mark.usefixtures("rough")
def test_a_fleet_that_comes_and_goes_is_about_one_that_arrives() -> None:
    settled = covey.load("examples/ride-sharing.toml").with_({"adversary.at": "steady"})
    page = Page(html_of(covey.assess(settled, changes=False)))
    assert "this is about one that arrives at the settled fleet" in page.text
    assert "leakage over time would tell nothing of them" in page.text


def test_a_design_is_told_with_its_numbers() -> None:
    assessed = covey.assess(covey.loads(TASKS.format(n=1)), workers=1)
    design = assessed.design
    assert design is not None
    page = Page(html_of(assessed))
    told = [
        (str(given["data-is"]), float(str(given["value"])))
        for tag, given in page.elements
        if tag == "data" and "design." in str(given.get("data-is"))
    ]
    assert {name for name, _ in told} >= {
        "design.after.privacy('guess')",
        "design.after.performance['throughput']",
        "design.values['rates.m1']",
    }
    for name, value in told:
        assert value == pytest.approx(eval(name, {"design": design}), rel=1e-12)
    assert design.after.performance["throughput"] >= design.before.performance["throughput"]


def test_a_team_that_is_for_nothing_is_told_so() -> None:
    scenario = covey.loads(TASKS.format(n=1).partition("[performance]")[0])
    text = Page(html_of(covey.assess(scenario, workers=1))).text
    assert "the scenario has no [performance], which says what the team has to achieve" in text
