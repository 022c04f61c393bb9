"""Who holds the token, in a real browser: the tab alone; and what the browser keeps is sealed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.running_app import RunningApp, Tab

pytestmark = pytest.mark.slow  # a browser, and servers


@pytest.fixture
def app() -> Iterator[RunningApp]:
    running = RunningApp()
    yield running
    running.stop()


def test_the_tab_holds_the_token_and_nobody_else(app: RunningApp, browser: Browser) -> None:
    tab = Tab(browser, app)
    token = app.address.partition("#token=")[2]
    assert token not in tab.page.url
    assert tab.page.evaluate("document.cookie") == ""
    assert tab.page.context.cookies() == []
    link = tab.link()
    # Another tab of the same browser is handed it by this one, a link in it being opened.
    other = tab.page.context.new_page()
    other.goto(link)
    other.wait_for_selector("body.is-ready")
    # A stranger who has the address without the token sees the page, and no answer.
    stranger = browser.new_page()
    stranger.goto(link)
    expect(stranger.locator("#lost")).to_contain_text("open the address that covey app printed")


def test_another_port_of_this_machine_is_sent_nothing(app: RunningApp, browser: Browser) -> None:
    heard: list[str] = []

    class Listening(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(str(self.headers) + self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Listening) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        tab = Tab(browser, app)
        tab.page.goto(f"http://127.0.0.1:{server.server_port}/")
        assert heard
        assert app.address.partition("#token=")[2] not in "".join(heard)
        server.shutdown()


def test_drafts_are_sealed_and_end(app: RunningApp, browser: Browser) -> None:
    tab = Tab(browser, app)
    tab.doing(lambda: tab.page.get_by_role("spinbutton").first.fill("3"))
    tab.link()
    kept = dict(tab.page.evaluate("Object.entries(localStorage)"))
    drafts = {name: json.loads(text) for name, text in kept.items() if name.startswith("covey:")}
    assert drafts
    for draft in drafts.values():
        assert set(draft) == {"until", "iv", "sealed"}
    text = tab.text
    assert "types" not in json.dumps(kept)
    tab.page.goto(app.address)  # the address holds no text: it is the draft that comes back
    tab.answered()
    assert tab.text == text
    old = "([name, text]) => localStorage.setItem(name, JSON.stringify({ ...JSON.parse(text), until: 1 }))"
    name = next(iter(drafts))
    tab.page.evaluate(old, [name, kept[name]])
    tab.page.evaluate("localStorage.setItem('covey:plain', '{\"text\": \"x\"}')")
    tab.page.goto(app.address)
    tab.page.wait_for_function("() => localStorage.getItem('covey:plain') === null")
