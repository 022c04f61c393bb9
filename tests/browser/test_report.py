"""The report in a real browser: nothing breaks, nothing sticks out, every number is right."""

import math
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

import covey

pytestmark = pytest.mark.slow  # a browser

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
EVIL = (
    """<script>document.title = "owned"</script><img src=x onerror="document.title='owned'">&amp;"""
)


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


class Opened:
    """A page, and what went wrong in it."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: self.complaints.append(f"{said.type}: {said.text}"))
        page.on("request", lambda asked: self._local(asked.url))
        page.goto(path.as_uri())

    def _local(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:")):
            self.complaints.append(f"asked for {url}")


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
    live = page.locator(".chart .live .main-svg").first
    picture = page.locator(".chart .picture svg").first
    if scripts:
        live.wait_for(state="visible")
        assert not picture.is_visible()
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide == size["width"]
    else:
        assert picture.is_visible()
        assert page.locator(".live .main-svg").count() == 0
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
    known = {
        "leakage": covey.leakage(scenario),
        "profile": covey.profile(scenario),
        "sensitivity": covey.sensitivity(scenario),
        "trace": covey.assess(scenario, changes=False).trace,
        "laws": covey.team_laws(scenario)[0],
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
        assert as_number(text) == pytest.approx(expected, rel=0.006, abs=1e-10), (name, text)
    page.close()


def as_number(text: str) -> float:
    """What a reader takes a number for."""
    if text == "∞":
        return math.inf
    plain = re.fullmatch(r"([\d.,e+-]+)( %)?", text)
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
    scenario = covey.Scenario(
        covey.Network("{A} + {R} <-> {A,R} @ 3, 1\n{B} + {R} <-> {B,R} @ 1, 1"),
        covey.Team({"A": 2, "B": 1}, resources={"R": 2}),
        covey.Query({"<i>free</i>": "{A} + {B}", EVIL: "{A,R} + {B,R}"}),
        title=EVIL,
    )
    opened = Opened(browser.new_page(), written(tmp_path, scenario))
    page = opened.page
    page.locator(".chart .live .main-svg").first.wait_for(state="visible")
    assert page.locator("h1").inner_text() == EVIL
    assert page.title() == f"{EVIL} · covey"
    assert (
        page.locator("main script:not([type='application/json']), main img, main i i").count() == 0
    )
    assert EVIL in page.locator("#seen").inner_text()
    assert opened.complaints == []
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
