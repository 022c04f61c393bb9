"""`covey app` as it is started, and its page in a browser, with what went wrong in it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

WAIT = 240_000  # milliseconds: for an answer on a busy machine


class RunningApp:
    """A server of its own process, on a port that stays the same when it is started again."""

    def __init__(self, file: Path | None = None) -> None:
        self._file, self.port, self.address = file, 0, ""
        self.start()

    def start(self) -> None:
        named = [] if self._file is None else [str(self._file)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "covey", "app", *named, "--no-open", "--port", str(self.port)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/#token=\S+", said)
        assert found, said
        self.address, self.port = found[0], int(found[1])

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def stop(self) -> None:
        self._process.terminate()
        self._process.communicate()


class Tab:
    """The page of an app. Whatever a script complains of fails the test in the end."""

    def __init__(
        self, browser: Browser, app: RunningApp, beside: Tab | None = None, **look: Any
    ) -> None:
        look = {"viewport": {"width": 1280, "height": 900}} | look
        self._context: BrowserContext = (
            browser.new_context(**look) if beside is None else beside._context
        )
        self.page: Page = self._context.new_page()
        self.page.set_default_timeout(WAIT)
        self.complaints: list[str] = []
        self._origin = f"http://127.0.0.1:{app.port}/"
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda said: self.complaints.append(f"{said.type}: {said.text}"))
        self.page.on("request", lambda asked: self._local(asked.url))
        self.open(app)

    def open(self, app: RunningApp) -> None:
        self.page.goto(app.address)
        self.answered()

    def _local(self, url: str) -> None:
        if not url.startswith((self._origin, "blob:")):
            self.complaints.append(f"asked for {url}")

    def answered(self) -> None:
        """Waits until the answer to the text on the page stands."""
        self.page.wait_for_selector("body.is-ready #answer:not([aria-busy]) .verdict p")

    def doing(self, act: Callable[[], Any]) -> None:
        """Does something that changes the text, and waits for the answer."""
        act()
        self.answered()

    @property
    def text(self) -> str:
        return self.page.get_by_label("The scenario file").input_value()

    def write(self, text: str) -> None:
        """Another text, typed."""
        self.doing(lambda: self.page.get_by_label("The scenario file").fill(text))

    def link(self) -> str:
        """The address, once it holds the text on the page: it follows after a pause."""
        made = "async text => origin + await (await import('/static/memory.js')).link(text)"
        link = str(self.page.evaluate(made, self.text))
        self.page.wait_for_function("link => location.href === link", arg=link)
        return link

    def number(self, name: str) -> float:
        """A number on the page, by the name under which it can be held against the library's."""
        return float(
            self.page.locator(f'data[data-is="{name}"]').first.get_attribute("value") or ""
        )

    def close(self) -> None:
        self._context.close()
