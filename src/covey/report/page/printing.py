"""The report on paper: an installed browser prints it to a PDF file."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from covey.errors import CoveyError, InputError
from covey.files.atomic_file import check_writable, whole_file

BROWSER_VARIABLE = "COVEY_BROWSER"

_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "msedge",
)
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
_SECONDS = 120

# The page is a file of ours and asks for nothing: no window, no profile, no connections.
_FLAGS = (
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-pdf-header-footer",
)


def find_browser() -> str | None:
    """The program that can print: $COVEY_BROWSER, or a Chromium-like browser that is installed."""
    if given := os.environ.get(BROWSER_VARIABLE):
        return shutil.which(given)
    found = (shutil.which(name) for name in (*_NAMES, *_PLACES))
    return next((browser for browser in found if browser), None)


def print_pdf(page: str | Path, path: str | Path) -> None:
    """Prints an HTML file to a PDF file."""
    path = Path(path)
    browser = check_pdf(path)
    with whole_file(path) as unfinished, tempfile.TemporaryDirectory() as profile:
        command = [browser, *_FLAGS, f"--user-data-dir={profile}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.append("--no-sandbox")  # as root it would not start
        command += [f"--print-to-pdf={unfinished.absolute()}", Path(page).absolute().as_uri()]
        _run(command, unfinished)


def check_pdf(path: str | Path) -> str:
    """The browser that will print; refuses what cannot work before any work is done."""
    check_writable(path, (".pdf",))
    return require_browser()


def require_browser() -> str:
    """The browser; where there is none, an error that says what to install."""
    browser = find_browser()
    if browser is None:
        named = os.environ.get(BROWSER_VARIABLE)
        what = f"${BROWSER_VARIABLE} names {named}, which is not there" if named else "none found"
        raise InputError(
            f"a PDF is printed by a browser, {what}: install Chromium or Chrome, or name one in "
            f"${BROWSER_VARIABLE}. The HTML report can also be printed from any browser by hand"
        )
    return browser


def _run(command: list[str], expected: Path) -> None:
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CoveyError(f"the browser {command[0]} does not print the report: {error}") from None
    if done.returncode or not expected.is_file():
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise CoveyError(
            f"the browser {command[0]} did not print the report (exit code {done.returncode}"
            + (f": {lines[-1][:200]})" if lines else ")")
        )
