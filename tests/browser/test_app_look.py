"""How the app looks and who can use it: narrow and wide, light and dark, by keyboard alone."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

import covey
from tests.browser.running_app import RunningApp, Tab
from tests.report.hostile import EVIL, hostile_scenario

pytestmark = pytest.mark.slow  # a browser, and a server

ACCESSIBLE = (Path(__file__).parent / "accessible.js").read_text(encoding="utf-8")
EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "shared-resource.toml"
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
# Everything that sticks out of the window and is not inside something that scrolls by itself.
STICKS_OUT = """() => [...document.querySelectorAll("body *")].filter((node) => node.checkVisibility()
    && !node.closest(".scroll, textarea, nav, .unseen, .skip, svg svg, clipPath")
    && node.getBoundingClientRect().right > innerWidth + 0.5
    && node.getBoundingClientRect().width > 0).map((node) => node.outerHTML.slice(0, 90))"""


# Every box for a number in which the text is wider than the room between its paddings.
CUT_OFF = """() => [...document.querySelectorAll("input[type=number]")].filter((box) => {
    const style = getComputedStyle(box), pen = document.createElement("canvas").getContext("2d");
    pen.font = style.font;
    const room = box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const arrows = style.appearance === "textfield" ? 0 : 15;
    return box.checkVisibility() && pen.measureText(box.value).width + arrows > room;
}).map((box) => `${box.ariaLabel}: ${box.value}`)"""


def on_example(browser: Browser, app: RunningApp, **look: Any) -> Tab:
    """The page on the shared-resource example, in which everything is quick."""
    tab = Tab(browser, app, **look)
    tab.write(EXAMPLE.read_text(encoding="utf-8"))
    return tab


def unfolded(page: Page) -> None:
    """Every part of the page seen once, and everything that unfolds open."""
    signs = {"snapshots": ".frame", "time": ".frame", "helps": "li", "protect": "details + details"}
    for part, sign in signs.items():  # each is asked when one looks at it
        page.locator(f"#{part}").scroll_into_view_if_needed()
        page.wait_for_selector(f"#{part} .fill:not(.is-old) {sign}")
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")


@pytest.mark.parametrize(
    ("size", "schemes"), [(DESKTOP, ("light", "dark")), (PHONE, ("dark", "light"))]
)
def test_it_fits_and_can_be_read(
    browser: Browser, app: RunningApp, size: dict[str, int], schemes: tuple[str, str]
) -> None:
    tab = on_example(browser, app, viewport=size, color_scheme=schemes[0])
    page = tab.page
    unfolded(page)
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 26)"}[scheme]
        assert page.evaluate("document.documentElement.scrollWidth") == size["width"]
        assert page.evaluate(STICKS_OUT) == []
        assert page.evaluate(ACCESSIBLE) == []
    page.locator("#compare").click()
    tab.write(tab.text.replace("[rates]", "[rate]"))  # and where something is wrong
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"]
    assert page.evaluate(STICKS_OUT) == []
    assert page.evaluate(ACCESSIBLE) == []
    page.locator("#examples").select_option("blank")
    assert page.evaluate(STICKS_OUT) == []
    assert page.evaluate(ACCESSIBLE) == []
    assert tab.complaints == []
    tab.close()


def test_the_check_would_notice(browser: Browser) -> None:
    """The checks above can fail."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.set_content(
        "<main><h1>x</h1><button></button><input><p style='color:#999'>pale</p>"
        "<div style='width:600px'>wide</div></main>"
    )
    said = page.evaluate(ACCESSIBLE)
    assert sum("no name" in one for one in said) == 2
    assert any("contrast 2.85" in one for one in said)
    assert "no language" in said
    assert len(page.evaluate(STICKS_OUT)) == 1
    page.close()


def test_by_keyboard_alone(browser: Browser, app: RunningApp) -> None:
    tab = on_example(browser, app)
    tab.page.reload()  # so that nothing has the focus
    tab.answered()
    page = tab.page
    controls = "button, input, select, textarea, a[href], summary, [tabindex='0']"
    page.evaluate(
        """controls => {
            for (const node of document.querySelectorAll(controls)) node.dataset.there = "";
        }""",
        controls,
    )
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    # Every control is reached, none keeps the focus, and where it is can be seen.
    reached = []
    for _ in range(400):
        page.keyboard.press("Tab")
        place, ringed = page.evaluate(
            """() => {
                const node = document.activeElement, style = getComputedStyle(node);
                if (node === document.body) return ["", true];
                node.dataset.reached ??= Math.random();
                const paper = node.closest(".editor");
                return [node.dataset.reached, style.outlineStyle !== "none" || paper !== null];
            }"""
        )
        if not place or place in reached:
            break
        assert ringed, page.evaluate("document.activeElement.outerHTML")
        reached.append(place)
    missed = page.evaluate(
        """() => [...document.querySelectorAll("[data-there]:not([data-reached])")]
            .filter((node) => node.checkVisibility({ visibilityProperty: true }) && !node.disabled
                && !node.matches(".skip, [type=radio]:not(:checked)"))
            .map((node) => node.outerHTML.slice(0, 90))"""
    )
    assert missed == []
    # A rate, a chip, a fold and undo, by key.
    before = tab.text
    page.get_by_label("Rate take", exact=True).focus()
    tab.doing(lambda: page.keyboard.press("ArrowRight"))
    assert covey.loads(tab.text).network.rates["take"] > 3
    page.get_by_role("button", name="A + R", exact=True).focus()
    tab.doing(lambda: page.keyboard.press("ArrowDown"))
    assert tomllib.loads(tab.text)["observe"]["busy"] == "{B,R}"
    assert page.evaluate("document.activeElement.ariaLabel") == "A + R"  # it keeps the focus
    page.keyboard.press("Enter")
    page.get_by_role("button", name="into free").focus()
    tab.doing(lambda: page.keyboard.press("Enter"))
    assert tomllib.loads(tab.text)["observe"]["free"] == "{A} + {B} + {A,R}"
    for _ in range(3):
        tab.doing(lambda: page.keyboard.press("Control+z"))
    assert tab.text == before
    tab.doing(lambda: page.keyboard.press("Control+Shift+z"))
    assert tab.text != before
    page.locator("#downloads summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Report (HTML)"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    assert not page.get_by_role("button", name="Report (HTML)").is_visible()
    page.locator("#add-happening summary").focus()
    page.keyboard.press("Enter")
    assert page.get_by_label("What kind of thing happens").is_visible()
    assert tab.complaints == []
    tab.close()


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_no_number_is_cut_off(browser: Browser, app: RunningApp, size: dict[str, int]) -> None:
    """As a design leaves rates; the box has all digits while one is in it, and the file always."""
    tab = on_example(browser, app, viewport=size)
    page, box = tab.page, tab.page.get_by_label("Rate take, exactly")
    exact = "0.003470554048027899"
    text = tab.text.replace("take = 3.0", f"take = {exact}")
    text = text.replace("[network]", "give = 0.0167\n[network]").replace(
        "@ take, 1", "@ take, give"
    )
    tab.write(f"{text}\n[release]\nevery = 400.033333333\nuntil = 1200.789012345\n")
    assert exact in tab.text
    unfolded(page)
    assert page.evaluate(CUT_OFF) == []
    assert page.get_by_label("Rate give, exactly").input_value() == "0.0167"
    assert (box.input_value(), box.get_attribute("title")) == ("0.003471", exact)
    before = tab.text
    box.focus()
    assert box.input_value() == exact
    page.keyboard.press("Tab")
    assert (box.input_value(), tab.text) == ("0.003471", before)
    assert tab.complaints == []
    tab.close()


def test_what_a_file_says_is_data(browser: Browser, app: RunningApp) -> None:
    """A title and names of sums that try to be markup and scripts."""
    tab = Tab(browser, app)
    page = tab.page
    tab.write(covey.dumps(hostile_scenario()))
    page.locator("#protect").scroll_into_view_if_needed()
    page.wait_for_selector("#protect .fill:not(.is-old) .hundred")
    assert page.locator("h1").text_content() == EVIL
    assert EVIL in (page.locator("#distributions").text_content() or "")
    assert EVIL in (page.locator("#seen").text_content() or "")
    assert not page.title().startswith("owned")
    assert page.locator("main img, main script, h1 *").count() == 0
    assert page.evaluate(STICKS_OUT) == []
    assert tab.complaints == []
    tab.close()
