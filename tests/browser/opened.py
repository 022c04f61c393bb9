"""A report in a browser, and what went wrong in it."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page


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
