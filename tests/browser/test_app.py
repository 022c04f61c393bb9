"""covey app in a real browser: the whole story, its numbers held against the library's."""

import json
import math
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import covey
from covey.model.io.value_edit import with_values
from covey.privacy.headline import DELTA
from covey.privacy.stream.pace import usual_pace
from tests.browser.running_app import RunningApp, Tab

pytestmark = pytest.mark.slow  # a browser, and servers

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "shared-resource.toml"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "fleet.toml"
    path.write_bytes(EXAMPLE.read_bytes())
    return path


@pytest.fixture
def app_on_file(file: Path) -> Iterator[RunningApp]:
    running = RunningApp(file)
    yield running
    running.stop()


def held(tab: Tab) -> covey.Scenario:
    """The scenario of the page's text, after every number of its answer was compared."""
    scenario = covey.loads(tab.text)
    leak, profile = covey.leakage(scenario), covey.profile(scenario)
    distributions = covey.team_distributions(scenario)[0]
    expected = {
        "headline.guess": profile.bayes_success,
        "headline.factor": math.exp(leak.value),
        "headline.settled": profile.distinguishing_mass,
        "headline.epsilon_at.epsilon": profile.epsilon_interval(DELTA)[1],
        "exposed.A.leakage": leak.exposed["A"],
        **{f"means.{name}": mean for name, mean in distributions.team.mean.items()},
    }
    for name, value in expected.items():
        assert tab.number(name) == pytest.approx(value, rel=1e-9), name
    rows = tab.page.locator(".distributions tbody tr")
    both = [
        (team, other)
        for neighbour, team, other in distributions.pairs
        if neighbour == leak.neighbour
    ]
    for i in range(rows.count()):
        words = rows.nth(i).locator("th").inner_text().split()
        seen = {name: int(n) for name, n in zip(words[::2], words[1::2], strict=True)}
        for side, distribution in zip(("team", "other"), both[0], strict=True):
            assert tab.number(f"distributions.{side}[{i}]") == pytest.approx(
                distribution.probability(**seen)
            )
    return scenario


def test_the_whole_story(browser: Browser, app_on_file: RunningApp, file: Path) -> None:
    tab = Tab(browser, app_on_file)
    page = tab.page
    assert page.locator("h1").inner_text() == "Two types share a resource"
    held(tab)
    # From an example, and back by undo.
    label = "A warehouse with carriers, pickers and charging docks"
    tab.doing(lambda: page.locator("#examples").select_option(label=label))
    assert page.locator("h1").inner_text() == label
    tab.doing(lambda: page.click("#undo"))
    # Broken at its line, and mended.
    good = tab.text
    tab.write(good.replace("{B} + {R} <->", "{B} <->"))
    wrong = page.locator("#wrong")
    assert "line 18" in wrong.inner_text()
    assert "does not conserve R" in wrong.inner_text()
    assert page.locator(".fault").is_visible()
    tab.write(good)
    expect(wrong).to_be_hidden()
    # A slider, by key; the comment behind the number stays.
    slider = page.get_by_label("Rate take", exact=True)
    slider.focus()
    tab.doing(lambda: page.keyboard.press("PageDown"))
    scenario = held(tab)
    assert scenario.network.rates["take"] < 3
    assert "# κ1, κ2" in tab.text
    box = page.get_by_label("Rate take, exactly")
    tab.doing(lambda: box.fill("2.5"))
    assert held(tab).network.rates["take"] == 2.5
    # What many snapshots give away is there without being looked for, and is what the sentence says.
    page.wait_for_selector("#verdict small:has-text('one every')")
    scenario = covey.loads(tab.text)
    bound = covey.stream(scenario, *usual_pace(scenario)).bayes_success[-1].upper
    assert tab.number("snapshots.guess_upper") == pytest.approx(bound, rel=1e-6)
    assert f"{100 * bound:.1f}%" in page.locator("#snapshots").inner_text()
    _stood_in(tab)
    _protected(tab)
    _designed(tab)
    _saved(tab, app_on_file, file)
    assert ["409 (Conflict)" in said for said in tab.complaints] == [
        True
    ]  # of what _saved tried last
    tab.close()


def _stood_in(tab: Tab) -> None:
    """A stand-in by sliders: its price, a while of it beside the truth, and the file of it."""
    page, scenario = tab.page, covey.loads(tab.text)
    page.locator("#stand_in").scroll_into_view_if_needed()
    ready = "#stand_in .fill:not(.is-old) .feed"
    page.wait_for_selector(ready)
    page.get_by_label("How many A the stand-in has, exactly").fill("1")
    page.get_by_label("How many B the stand-in has, exactly").fill("2")
    reference = {"A": 1, "B": 2}
    expect(page.locator("#stand_in")).to_contain_text("Published is a stand-in, 1 A, 2 B")
    page.wait_for_selector(f"{ready} path.shown")
    page.wait_for_selector("#stand_in .fill > div:not(.is-old) > .feed")
    found = covey.stand_in(scenario, reference)
    known = {"loss": found.price.loss, "least": found.least, "unchanged": found.price.unchanged}
    for name, value in known.items():
        assert tab.number(f"stand_in.{name}") == pytest.approx(value, rel=1e-6), name
    assert "if the reference was not chosen by looking at the team" in said(page, "stand_in")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the stand-in").click()
    assert covey.open_stand_in(download.value.path()).scenario.team.types == reference


def _protected(tab: Tab) -> None:
    """What to publish instead, its cost, one draw of it, and the file of it."""
    page, scenario = tab.page, covey.loads(tab.text)
    page.locator("#protect").scroll_into_view_if_needed()
    page.wait_for_selector("#protect .fill:not(.is-old) .hundred")
    found = covey.protect(scenario, epsilon=0.5, teams="this")
    upper = found.leakage.interval[1]
    known = {"upper": upper, "loss": found.loss, "unchanged": found.unchanged}
    for name, value in known.items():
        assert tab.number(f"protect.{name}") == pytest.approx(value, rel=1e-6), name
    page.get_by_label("free, in truth").fill("2")
    page.get_by_label("busy, in truth").fill("1")
    page.get_by_role("button", name="Publish one").click()
    page.wait_for_selector("[data-published=busy]")
    free, busy = (int(page.locator(f"[data-published={n}]").inner_text()) for n in ("free", "busy"))
    assert [free, busy] in found.published.tolist()
    page.get_by_label("busy, in truth").fill("99")
    page.get_by_role("button", name="Publish one").click()
    page.wait_for_selector(".published:has-text('never seen so')")
    # No mechanism of another team is handed out.
    tab.doing(lambda: page.get_by_label("Robots of type A, exactly").fill("4"))
    page.get_by_role("button", name="Download the mechanism").click()
    page.wait_for_selector("text=The team has changed since")
    tab.doing(lambda: page.click("#undo"))
    page.wait_for_selector("#protect .fill:not(.is-old) .hundred")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the mechanism").click()
    made = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert made["covey_mechanism"] == 2
    assert made["counts"] == ["free", "busy"]


def _designed(tab: Tab) -> None:
    """What the team is for, and rates that give away less and keep it."""
    page = tab.page
    tab.doing(lambda: page.get_by_role("button", name="+ keep this").click())
    before = covey.loads(tab.text)
    (measure,) = before.performance
    achieved = covey.performance(before).measures[measure].value
    assert tab.number(f"performance.{measure}") == pytest.approx(achieved)
    kept = page.get_by_label(f"{measure}, percent")
    kept.fill("96")
    tab.doing(lambda: page.get_by_label("Rate take, exactly").fill("2.4"))
    expect(kept).to_have_value("96")  # what was typed stays
    tab.doing(lambda: page.click("#undo"))
    kept.fill("95")
    page.get_by_role("button", name="Look for it").click()
    page.wait_for_selector("#design .result:not(.is-old) >> text=settings tried")
    told = {side: tab.number(f"design.{side}.guess") for side in ("before", "after")}
    assert told["before"] == pytest.approx(covey.profile(before).bayes_success)
    tab.doing(lambda: page.locator("#design .result .main").click())
    after = covey.loads(tab.text)
    assert told["after"] == pytest.approx(covey.profile(after).bayes_success, rel=1e-6)
    assert told["after"] < told["before"]
    assert covey.performance(after).measures[measure].value >= 0.95 * achieved * (1 - 1e-6)
    assert "# κ1, κ2" in tab.text


def _saved(tab: Tab, app: RunningApp, file: Path) -> None:
    """Into the file that it came from; the address and the draft have the rest."""
    page, text = tab.page, tab.text
    page.keyboard.press("Control+s")
    page.wait_for_selector("text=Saved to fleet.toml")
    assert file.read_text(encoding="utf-8") == text
    tab.doing(lambda: page.get_by_label("Robots of type A, exactly").fill("3"))
    changed = tab.text
    tab.link()
    page.reload()
    tab.answered()
    assert tab.text == changed
    page.goto(app.address)  # without the address the draft is what is left
    tab.answered()
    assert tab.text == changed
    # Somebody else has changed the file meanwhile; a reload does not make that forgotten.
    tab.link()
    file.write_text(f"# theirs\n{text}", encoding="utf-8")
    page.reload()
    tab.answered()
    assert tab.text == changed
    page.keyboard.press("Control+s")
    page.get_by_role("button", name="Take the file's").click()
    expect(page.get_by_label("The scenario file")).to_have_value(f"# theirs\n{text}")
    tab.answered()


def test_two_variants_side_by_side(browser: Browser, app: RunningApp) -> None:
    tab = Tab(browser, app)
    page = tab.page
    tab.write(EXAMPLE.read_text(encoding="utf-8"))
    first = tab.number("headline.guess")
    page.click("#compare")
    tab.doing(lambda: page.get_by_label("Rate take, exactly").fill("1"))
    page.wait_for_selector('data[data-is="B.guess"]')
    assert tab.number("A.guess") == first
    assert tab.number("B.guess") == tab.number("headline.guess") < first
    assert "rates.take 3.0 → 1" in page.locator("#comparison").inner_text()
    tab.link()
    page.reload()  # A is still there
    tab.answered()
    page.wait_for_selector('data[data-is="A.guess"]')
    assert tab.number("A.guess") == first
    tab.doing(lambda: page.get_by_role("button", name="Change sides").click())
    assert tab.number("B.guess") == first
    # Sides are changed before the answer is there: A gets its own.
    box = page.get_by_label("Rate take, exactly")
    box.fill("2")
    page.get_by_role("button", name="Change sides").click()
    tab.answered()
    assert covey.loads(tab.text).network.rates["take"] == 1
    expected = covey.profile(covey.loads(with_values(tab.text, {"rates.take": 2}))).bayes_success
    page.wait_for_selector('data[data-is="A.guess"]')
    assert tab.number("A.guess") == pytest.approx(expected)
    assert tab.complaints == []
    tab.close()


def test_the_address_is_the_scenario(browser: Browser, app: RunningApp) -> None:
    """A link opens what it holds, wherever it is opened, and nothing on the page takes it away."""
    tab = Tab(browser, app)
    page = tab.page
    tab.write(EXAMPLE.read_text(encoding="utf-8"))
    box = page.get_by_label("Rate take, exactly")
    slider = page.get_by_label("Rate take", exact=True)

    tab.doing(lambda: box.fill("2"))
    first = tab.link()
    tab.doing(lambda: box.fill("0.5"))
    second = tab.link()
    page.evaluate("link => { location.href = link }", first)  # pasted where the page is open
    expect(box).to_have_value("2")  # though it has the focus
    tab.doing(lambda: page.keyboard.press("Control+z"))
    expect(box).to_have_value("0.5")
    slider.focus()
    tab.doing(lambda: page.keyboard.press("PageUp"))
    place = slider.input_value()
    tab.doing(lambda: page.keyboard.press("Control+z"))
    expect(box).to_have_value("0.5")
    assert slider.input_value() != place
    assert tab.link() == second
    page.evaluate("link => history.replaceState(null, '', link)", first)
    page.reload()  # as a bookmark is opened, after the draft has moved on
    tab.answered()
    expect(box).to_have_value("2")
    page.get_by_role("link", name="What is seen").click()
    assert page.evaluate("location.href") == first
    assert page.evaluate("document.activeElement.id") == "seen"
    page.goto("about:blank")  # where no timer of the page before writes the address
    page.goto(first[:-9])
    tab.answered()
    expect(page.locator("#notice")).to_contain_text("The link cannot be read")
    assert tab.complaints == []
    tab.close()


def said(page: Page, part: str) -> str:
    """The words of a part of the page."""
    return page.locator(f"#{part}").text_content() or ""


def test_another_secret(browser: Browser, app: RunningApp) -> None:
    """The page speaks of what [secret] names, and says what does not apply to it."""
    tab = Tab(browser, app)
    against = '[[secret.against]]\nname = "a slower shift"\nset = { "rates.take" = 0.5 }\n'
    tab.write(EXAMPLE.read_text(encoding="utf-8") + against)
    leak = covey.leakage(covey.loads(tab.text))
    assert tab.number("exposed.a slower shift.leakage") == pytest.approx(leak.value, rel=1e-9)
    assert "What is compared: a slower shift" in said(tab.page, "exposed")
    assert "type" not in said(tab.page, "exposed")
    assert "with a slower shift" in said(tab.page, "distributions")
    tab.page.locator("#stand_in").scroll_into_view_if_needed()
    expect(tab.page.locator("#stand_in")).to_contain_text("the secret here is another one")
    assert tab.complaints == []
    tab.close()


def test_a_team_of_one_s_own_by_mouse(browser: Browser, app: RunningApp) -> None:
    """From nothing to an answer without a line of TOML."""
    tab = Tab(browser, app)
    page = tab.page
    page.locator("#examples").select_option("blank")
    for name in ("drone", "rover"):
        page.get_by_label("Name of the new type").fill(name)
        page.get_by_role("button", name="+ a type of robot").click()
    page.get_by_label("Name of the new resource").fill("pad")
    page.get_by_role("button", name="+ a shared thing").click()
    page.get_by_label("What they do, in a word").fill("lift")
    page.get_by_role("button", name="Add it").click()
    page.locator("#add-happening summary").click()
    page.get_by_label("What kind of thing happens").select_option("uses")
    page.get_by_label("How long it lasts, rover").fill("5")
    hint = page.locator("#add-happening form > .hint")
    expect(hint).to_contain_text("With one pad free or with ten, a free drone begins after 20")
    page.get_by_label("When it begins").select_option("pair")
    page.get_by_label("After how long it begins, drone").fill("30")
    expect(hint).to_contain_text("with two pads free after 15, with ten after 3.")
    expect(page.get_by_label("What this writes into the file")).not_to_contain_text("[")
    page.get_by_label("When it begins").select_option("each")
    tab.doing(lambda: page.get_by_role("button", name="Add it").click())
    tab.doing(lambda: page.get_by_role("button", name="Count by what they do").click())
    scenario = covey.loads(tab.text)
    assert dict(scenario.team.types) == {"drone": 4, "rover": 4}
    assert scenario.network.rates["charge_rover_done"] == pytest.approx(0.2)
    assert scenario.network.rates["charge_drone_begin"] == 1 / 30
    assert "at [charge_drone_begin * {drone} * ({pad} > 0)] in all" in said(page, "happens")
    assert "back at charge_drone_done each" in said(page, "happens")
    assert set(scenario.query.texts()) == {"free", "lift", "charge"}
    assert tab.number("headline.guess") == pytest.approx(covey.profile(scenario).bayes_success)
    # A chip is dragged to what is not seen, and comes back by key.
    chip = page.locator("#seen button.chip", has_text="lift")
    tab.doing(lambda: chip.drag_to(page.locator(".unseen-bin")))
    assert set(covey.loads(tab.text).query.texts()) == {"free", "charge"}
    chip.focus()
    tab.doing(lambda: page.keyboard.press("ArrowUp"))
    seen = covey.loads(tab.text).query.texts()
    assert "lift" in seen["charge"]
    # A type that goes takes with it what only it did.
    tab.doing(lambda: page.get_by_role("button", name="Remove Robots of type rover").click())
    left = tomllib.loads(tab.text)
    assert left["types"] == {"drone": 4}
    assert set(left["rates"]) == {"charge_drone_begin", "charge_drone_done"}
    assert set(left["observe"]) == {"free", "charge"}
    assert tab.complaints == []
    tab.close()
