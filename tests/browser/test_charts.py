"""The live charts: what they say is what stands beside them, by mouse, finger and keyboard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page

import covey
from tests.browser.opened import Opened

SIZES = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}


@pytest.fixture(scope="session")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three types, over time and as a profile."""
    written = tmp_path_factory.mktemp("charts") / "report.html"
    scenario = covey.Scenario(
        covey.Network(
            "{A} + {R} <-> {A,R} @ 3, 1\n{B} + {R} <-> {B,R} @ 1, 1\n{C} + {R} <-> {C,R} @ 2, 1"
        ),
        covey.Team({"A": 2, "B": 1, "C": 1}, resources={"R": 2}),
        covey.Query(free="{A} + {B} + {C}", busy="{A,R} + {B,R} + {C,R}"),
    )
    covey.write_report(covey.assess(scenario, changes=False), written)
    return written


@pytest.fixture(
    params=[("desktop", "light"), ("desktop", "dark"), ("phone", "light"), ("phone", "dark")],
    ids="-".join,
)
def opened(request: pytest.FixtureRequest, browser: Browser, path: Path) -> Iterator[Opened]:
    size, scheme = request.param
    context = browser.new_context(viewport=SIZES[size], color_scheme=scheme)  # type: ignore[arg-type]
    yield Opened(context.new_page(), path)
    context.close()


@pytest.fixture
def page(browser: Browser, path: Path) -> Iterator[Page]:
    opened = Opened(browser.new_page(), path)
    yield opened.page
    assert opened.complaints == []
    opened.page.close()


def numbers(chart: Locator) -> Any:
    return json.loads(chart.locator("script").text_content() or "")


def told(chart: Locator) -> tuple[float, list[tuple[str, float]]]:
    """What the tip says: where, and the name and the value of every line."""
    tip = chart.locator(".tip.is-there")
    x = float(tip.locator("[data-x]").get_attribute("data-x") or "")
    assert (tip.locator("[data-x]").text_content() or "").endswith(f"= {four(x)}")
    rows = []
    for row in tip.locator(".row").all():
        value = float(row.locator("b").get_attribute("data-y") or "")
        assert float(row.locator("b").text_content() or "") == float(four(value))
        rows.append((row.locator("span").text_content() or "", value))
    return x, rows


def four(value: float) -> str:
    """Four digits, as a script writes them."""
    return f"{float(f'{value:.4g}'):.12g}"


def expected(chart: Locator, x: float) -> list[tuple[str, float]]:
    """The values that stand in the JSON for that place."""
    lines = numbers(chart)["lines"]
    found = []
    for line in lines:
        steady = len(line["x"]) == 2
        found.append((line["name"], line["y"][0 if steady else line["x"].index(x)]))
    return found


def test_pointing_tells_what_stands_in_the_json(opened: Opened) -> None:
    page = opened.page
    charts = page.locator(".chart").all()
    assert len(charts) == 2
    for chart in charts:
        svg = chart.locator(".frame > svg")
        svg.scroll_into_view_if_needed()
        box = svg.bounding_box()
        assert box
        for share in (0.15, 0.5, 0.97):
            svg.hover(position={"x": share * box["width"], "y": 0.5 * box["height"]})
            x, rows = told(chart)
            assert rows == expected(chart, x)
            places = numbers(chart)["lines"][0]["x"]
            assert abs(x / places[-1] - share) < 0.16  # the axis begins some way in
            inside(chart.locator(".tip"), page)
        cursor = chart.locator(".cursor path").bounding_box()
        assert cursor
        assert abs(cursor["x"] - box["x"] - 0.97 * box["width"]) < 0.03 * box["width"]
        page.mouse.move(1, 1)
        assert chart.locator(".tip.is-there").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") == page.evaluate("innerWidth")
    assert opened.complaints == []


def inside(part: Locator, page: Page) -> None:
    """It is not cut off at either side."""
    box = part.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= page.evaluate("innerWidth")


def test_the_keyboard_reads_every_point(page: Page) -> None:
    chart = page.locator("#time .chart")
    slider = chart.get_by_role("slider", name="Leakage over time, a line for each that is compared")
    times = numbers(chart)["lines"][0]["x"]
    page.locator("#time .legend button").last.focus()
    page.keyboard.press("Tab")
    assert slider.evaluate("node => node === document.activeElement")
    assert told(chart)[0] == times[0]
    visited = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "PageUp", "End", "ArrowRight", "Home"):
        page.keyboard.press(key)
        visited.append(told(chart)[0])
    assert visited == [times[i] for i in (1, 2, 1, 11, -1, -1, 0)]
    page.keyboard.press("PageUp")
    x, rows = told(chart)
    assert rows == expected(chart, x)
    assert float(slider.get_attribute("aria-valuenow") or "") == x
    said = "; ".join(f"{name}: {four(value)}" for name, value in rows)
    assert slider.get_attribute("aria-valuetext") == f"time {four(x)}; {said}"
    page.keyboard.press("Escape")
    assert chart.locator(".tip.is-there").count() == 0


def test_a_finger_reads_and_what_it_read_stays(browser: Browser, path: Path) -> None:
    context = browser.new_context(viewport=SIZES["phone"], has_touch=True, is_mobile=True)  # type: ignore[arg-type]
    opened = Opened(context.new_page(), path)
    chart = opened.page.locator("#profile .chart")
    chart.locator(".frame > svg").tap()
    x, rows = told(chart)
    assert rows == expected(chart, x)
    assert chart.get_by_text("Touch the chart to read it.").is_visible()
    opened.page.locator("h1").tap()
    assert opened.complaints == []
    context.close()


def test_a_line_is_hidden_and_shown_by_its_entry(page: Page) -> None:
    chart = page.locator("#time .chart")
    names = [line["name"] for line in numbers(chart)["lines"]]
    assert chart.locator(".legend button").all_text_contents() == names
    drawn = chart.locator(".frame .line")
    assert drawn.count() == len(names)
    entry = chart.get_by_role("button", name=names[1], exact=True)
    assert entry.get_attribute("aria-pressed") == "true"
    entry.click()
    assert entry.get_attribute("aria-pressed") == "false"
    assert drawn.count() == len(names) - 1
    chart.locator(".frame > svg").hover()
    assert [name for name, _ in told(chart)[1]] == [names[0], *names[2:]]
    entry.focus()
    page.keyboard.press("Enter")
    assert drawn.count() == len(names)
    for every in chart.locator(".legend button").all():
        every.click()
    assert drawn.count() == 0


def test_dragging_looks_closer_and_a_double_click_shows_all(page: Page) -> None:
    chart = page.locator("#time .chart")
    svg, back = chart.locator(".frame > svg"), chart.get_by_role("button", name="the whole range")
    svg.scroll_into_view_if_needed()
    box = svg.bounding_box()
    assert box
    whole = ends(svg)

    def drag(start: float, end: float) -> None:
        assert box
        page.mouse.move(box["x"] + start * box["width"], box["y"] + 100)
        page.mouse.down()
        page.mouse.move(box["x"] + end * box["width"], box["y"] + 120, steps=4)
        page.mouse.up()

    drag(0.3, 0.6)
    low, high = ends(svg)
    assert whole[0] < low < high < whole[1]
    assert {low, high} <= set(numbers(chart)["lines"][0]["x"])
    x, rows = told(chart)
    assert low <= x <= high
    assert rows == expected(chart, x)
    svg.dblclick()
    assert ends(svg) == whole
    drag(0.5, 0.505)  # a click that slipped
    assert ends(svg) == whole
    drag(0.9, 0.7)
    assert ends(svg) != whole
    back.click()
    assert ends(svg) == whole
    assert not back.is_visible()
    for key, shown in (("+", False), ("-", True), ("+", False), ("0", True)):
        page.keyboard.press(key)
        assert (ends(svg) == whole) is shown


def ends(svg: Locator) -> tuple[float, float]:
    low, high = (svg.get_attribute(f"aria-value{end}") for end in ("min", "max"))
    return float(low or ""), float(high or "")


def test_infinite_values_are_told(browser: Browser, path: Path, tmp_path: Path) -> None:
    """A gap in the line, and ∞ where the cursor is in it."""
    text = path.read_text(encoding="utf-8")
    chart = json.loads(
        text.partition('<script type="application/json">')[2].partition("</script>")[0]
    )
    for line in chart["lines"][:1]:
        line["y"][20:25] = [None] * 5
    start = text.index('<script type="application/json">') + len('<script type="application/json">')
    page_path = tmp_path / "report.html"
    page_path.write_text(text[:start] + json.dumps(chart) + text[text.index("</script>", start) :])
    opened = Opened(browser.new_page(), page_path)
    page, live = opened.page, opened.page.locator("#time .chart")
    assert (live.locator(".frame .line").first.get_attribute("d") or "").count("M") == 2
    live.locator(".frame > svg").focus()
    for _ in range(22):
        page.keyboard.press("ArrowRight")
    assert live.locator(".tip .row b").first.text_content() == "∞"
    assert live.locator(".cursor circle").count() == len(chart["lines"]) - 1
    assert opened.complaints == []
    page.close()


def test_the_picture_is_what_is_printed(page: Page) -> None:
    picture, live = page.locator("#time .picture svg"), page.locator("#time .live")
    assert live.is_visible()
    page.emulate_media(media="print")
    assert picture.is_visible()
    assert not live.is_visible()


def test_nothing_moves_for_whoever_asked_for_that(browser: Browser, path: Path) -> None:
    for motion, duration in (("reduce", "0s"), ("no-preference", "0.1s")):
        context = browser.new_context(reduced_motion=motion)  # type: ignore[arg-type]
        page = Opened(context.new_page(), path).page
        found = page.locator(".tip").first.evaluate(
            "node => getComputedStyle(node).transitionDuration"
        )
        assert found == duration
        context.close()
