"""The report in a real browser: nothing breaks, nothing sticks out, every number is right."""

import math
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import covey
from tests.browser.opened import Opened
from tests.report.hostile import EVIL, hostile_assessment

pytestmark = pytest.mark.slow  # a browser

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


def written(folder: Path, scenario: covey.Scenario) -> Path:
    path = folder / "report.html"
    covey.write_report(scenario, path)
    return path


@pytest.fixture(scope="session", params=["shared-resource", "warehouse", "ride-sharing"])
def report(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[covey.Scenario, Path]:
    scenario = covey.load(EXAMPLES / f"{request.param}.toml")
    return scenario, written(tmp_path_factory.mktemp(request.param), scenario)


@pytest.mark.parametrize(
    ("size", "scheme", "scripts"),
    [(DESKTOP, "light", True), (PHONE, "dark", True), (PHONE, "light", False)],
    ids=["desktop", "phone", "no scripts"],
)
def test_renders(
    browser: Browser,
    report: tuple[covey.Scenario, Path],
    size: dict[str, int],
    scheme: str,
    scripts: bool,
) -> None:
    context = browser.new_context(
        viewport=size,  # type: ignore[arg-type]
        color_scheme=scheme,  # type: ignore[arg-type]
        java_script_enabled=scripts,
    )
    opened = Opened(context.new_page(), report[1])
    page = opened.page
    live = page.locator(".chart .live .frame > svg").first
    picture = page.locator(".chart .picture svg").first
    if scripts:
        live.wait_for(state="visible")
        assert not picture.is_visible()
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide == size["width"]
    else:
        assert picture.is_visible()
        assert page.locator(".live .frame > svg").count() == 0
        widths = [page.locator(tag).first.bounding_box() for tag in ("main", "h1", "footer")]
        assert all(box and box["x"] + box["width"] <= size["width"] for box in widths)
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 26)"}[scheme]
    assert opened.complaints == []
    context.close()


def test_every_number_is_the_library_s(
    browser: Browser, report: tuple[covey.Scenario, Path]
) -> None:
    scenario, path = report
    assessed = covey.assess(scenario, changes=False)
    known = {
        "leakage": covey.leakage(scenario),
        "profile": covey.profile(scenario),
        "sensitivity": covey.sensitivity(scenario),
        "trace": assessed.trace,
        "stream": assessed.stream,
        "remedy": assessed.remedy,
        "design": assessed.design,
        "over_time": assessed.headline.over_time,
        "distributions": covey.team_distributions(scenario)[0],
        "exp": math.exp,
        "inf": math.inf,
    }
    page = Opened(browser.new_page(), path).page
    found = page.eval_on_selector_all(
        "data", "all => all.map(d => [d.getAttribute('data-is'), d.value, d.textContent])"
    )
    assert len(found) > 40
    for name, value, text in found:
        expected = eval(name, known)
        assert float(value) == pytest.approx(expected, rel=1e-12), name
        # three digits, and a bound is rounded outward
        assert as_number(text) == pytest.approx(expected, rel=0.0101, abs=1e-10), (name, text)
    page.close()


def as_number(text: str) -> float:
    """What a reader takes a number for."""
    if text == "∞":
        return math.inf
    plain = re.fullmatch(r"([\d.,e+-]+)( ?%)?", text)
    assert plain, text
    return float(plain[1].replace(",", "")) / (100 if plain[2] else 1)


def test_the_script_would_be_noticed(browser: Browser, tmp_path: Path) -> None:
    """The test below can fail: unescaped, the same title takes the page over."""
    path = tmp_path / "naive.html"
    path.write_text(f"<title>covey</title><h1>{EVIL}</h1>", encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_function("document.title === 'owned'")
    page.close()


def test_what_a_file_says_is_data(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    covey.write_report(hostile_assessment(), path)
    opened = Opened(browser.new_page(), path)
    page = opened.page
    page.locator(".chart .live .frame > svg").first.wait_for(state="visible")
    entry = page.locator(".legend button").first
    entry.hover()
    page.locator(".frame > svg").first.hover()
    said = page.locator(".tip.is-there .row span").first
    for name in (entry, said):
        assert name.text_content() == f"a robot of type {EVIL}"
    assert page.locator("h1").text_content() == EVIL
    shown = " ".join(EVIL.replace("\u2028", " ").split())
    assert " ".join(page.title().replace("\u2028", " ").split()) == f"{shown} · covey"
    assert page.locator("main script:not([type='application/json']), img, main i i").count() == 0
    assert page.locator("script").count() == 3
    assert EVIL in (page.locator("#seen").text_content() or "")
    assert page.evaluate("document.documentElement.scrollWidth") == page.evaluate("innerWidth")
    assert opened.complaints == []
    page.close()


def test_the_policy_stops_what_got_in(browser: Browser, tmp_path: Path) -> None:
    """Should markup get into the page in spite of all, its scripts do not run."""
    path = tmp_path / "report.html"
    covey.write_report(
        covey.assess(covey.load(EXAMPLES / "shared-resource.toml"), changes=False), path
    )
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("<main>", f"<main>{EVIL}"), encoding="utf-8")
    opened = Opened(browser.new_page(), path)
    page = opened.page
    page.locator(".chart .live .frame > svg").first.wait_for(state="visible")
    assert page.locator("main img").count() > 0
    assert page.title() == "Two types share a resource · covey"
    assert all("Content Security Policy" in complaint for complaint in opened.complaints)
    assert opened.complaints
    page.close()


def test_light_and_dark_by_hand(browser: Browser, report: tuple[covey.Scenario, Path]) -> None:
    page = Opened(browser.new_page(color_scheme="light"), report[1]).page
    colour = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(colour)
    page.click("#theme")
    assert page.evaluate(colour) != before
    page.click("#theme")
    assert page.evaluate(colour) == before
    page.close()
