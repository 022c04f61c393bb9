"""The app under use: many moves in a row, two tabs, and a server that dies and comes back."""

import json
import random
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import covey
from tests.browser.running_app import RunningApp, Tab

pytestmark = pytest.mark.slow  # a browser, and servers

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
MOVE = """([name, share]) => {
    const slider = document.querySelector(`[data-knob="${name}"] input[type=range]`);
    slider.value = Number(slider.min) + share * (slider.max - slider.min);
    slider.dispatchEvent(new Event("input"));
}"""


def moved(tab: Tab, count: int, seed: int) -> None:
    """Random sliders to random places, without waiting for any answer but the last and a few."""
    draw = random.Random(seed)
    rates = ("meet", "pick", "carrier_low", "picker_low", "carrier_full", "picker_full")
    knobs = [f"rates.{name}" for name in rates] + [
        "types.carrier",
        "types.picker",
        "resources.dock",
    ]
    for i in range(count):
        name = draw.choice(knobs)
        share = draw.uniform(0.1, 0.6) if name[0] != "r" or name[1] != "a" else draw.random()
        tab.page.evaluate(MOVE, [name, share])
        if i % 20 == 7:
            tab.answered()
    tab.answered()
    scenario = covey.loads(tab.text)
    assert tab.number("headline.guess") == pytest.approx(
        covey.profile(scenario).bayes_success, rel=1e-9
    )
    assert tab.complaints == []


def test_many_moves_in_a_row(browser: Browser, app: RunningApp) -> None:
    tab = Tab(browser, app)
    start = tab.text
    moved(tab, 60, seed=1)
    # Each slider's moves in a row are one step; all of them can be undone.
    tab.page.eval_on_selector("#undo", "button => { while (!button.disabled) button.click(); }")
    tab.answered()
    assert tab.text == start
    tab.close()


def test_a_question_that_is_refused_leaves_nobody_waiting(
    browser: Browser, app: RunningApp
) -> None:
    tab = Tab(browser, app)
    said = json.dumps({"message": "not a question"})
    tab.page.route("**/api/ask", lambda route: route.fulfill(status=400, body=said))
    tab.page.evaluate(MOVE, ["rates.meet", 0.3])
    expect(tab.page.locator("#answer .verdict")).to_contain_text("not a question")
    tab.answered()
    tab.page.unroute("**/api/ask")
    tab.doing(lambda: tab.page.evaluate(MOVE, ["rates.meet", 0.5]))
    right = covey.profile(covey.loads(tab.text)).bayes_success
    assert tab.number("headline.guess") == pytest.approx(right, rel=1e-9)
    tab.close()


@pytest.mark.study
def test_a_thousand_moves_in_a_row(browser: Browser, app: RunningApp) -> None:
    tab = Tab(browser, app)
    moved(tab, 1000, seed=2)
    assert tab.page.evaluate("document.querySelectorAll('*').length") < 5000
    tab.close()


def test_two_tabs_and_a_server_that_comes_back(browser: Browser, app: RunningApp) -> None:
    one = Tab(browser, app)
    two = Tab(browser, app, beside=one)
    two.write((EXAMPLES / "shared-resource.toml").read_text(encoding="utf-8"))
    for i in range(5):  # neither takes the other's answer away
        one.page.evaluate(MOVE, ["rates.meet", 0.1 + i / 10])
        two.page.evaluate(MOVE, ["rates.take", 0.9 - i / 10])
    for tab in (one, two):
        tab.answered()
        right = covey.profile(covey.loads(tab.text)).bayes_success
        assert tab.number("headline.guess") == pytest.approx(right, rel=1e-9)
        assert tab.complaints == []
    two.page.close()
    # The server dies: the page says so, keeps what is done, and tries again.
    app.kill()
    page = one.page
    page.evaluate(MOVE, ["rates.meet", 0.9])
    page.get_by_label("Robots of type picker, exactly").fill("3")
    banner = page.locator("#lost")
    expect(banner).to_contain_text("cannot be reached")
    text = one.text
    assert covey.loads(text).team.types["picker"] == 3
    app.start()
    expect(banner).to_contain_text("started again")  # with another token
    one.open(app)
    assert one.text == text
    right = covey.profile(covey.loads(text)).bayes_success
    assert one.number("headline.guess") == pytest.approx(right, rel=1e-9)
    expect(banner).to_be_hidden()
    one.close()
