"""A real browser: Debian's chromium, or whichever Chromium-like one is installed.

Where there is none the tests are skipped, and say so; with $COVEY_REQUIRE_BROWSER set, as .ci/run
does, they fail.
"""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from covey.report.page.printing import find_browser
from tests.browser.running_app import WAIT, RunningApp


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = find_browser()
    if program is None:
        message = "no Chromium is installed: apt-get install chromium"
        if os.environ.get("COVEY_REQUIRE_BROWSER"):
            pytest.fail(message)
        pytest.skip(message)
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
    expect.set_options(timeout=WAIT)
    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=program, args=flags)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def app() -> Iterator[RunningApp]:
    """`covey app` on an example, for all tests that write no file: it takes seconds to start."""
    running = RunningApp()
    yield running
    running.stop()
