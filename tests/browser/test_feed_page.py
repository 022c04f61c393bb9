"""The page of `covey serve`, as Chromium shows it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import covey
from tests.browser.running_app import WAIT
from tests.serve.running_feed import RunningFeed
from tests.serve.test_feed import FLEET

pytestmark = pytest.mark.slow  # starts a browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_shows_what_is_published(browser: Browser, tmp_path: Path, scheme: str) -> None:
    (tmp_path / "fleet.toml").write_text(FLEET)
    covey.stand_in(covey.load(tmp_path / "fleet.toml"), {"A": 1, "B": 2}).save(tmp_path / "s.json")
    feed = RunningFeed(
        tmp_path, "s.json", "--every", 0.25, "--delay", 0.5, "--together", 0, "--title", "<b>Bays</b>"
    )  # fmt: skip
    context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light")
    page = context.new_page()
    page.set_default_timeout(WAIT)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text))
    page.on(
        "request",
        lambda asked: wrong.append(asked.url) if str(feed.port) not in asked.url else None,
    )
    page.goto(f"http://127.0.0.1:{feed.port}/")
    page.wait_for_selector("article:nth-of-type(2) output")
    assert page.inner_text("h1") == "<b>Bays</b>"
    assert page.title() == "<b>Bays</b>"
    numbers = [int(n) for n in page.locator("article output").all_inner_texts()]
    assert page.locator("article h2").all_inner_texts() == ["free", "busy"]
    assert sum(numbers) == 3
    page.wait_for_function(
        "() => document.querySelector('path.line').getAttribute('d').length > 60"
    )
    assert re.match(r"Published for \d", page.inner_text("#status"))
    assert wrong == []
    page.screenshot(path=tmp_path / "page.png")
    feed.stop()
    page.wait_for_selector("#status.is-away")
    context.close()
