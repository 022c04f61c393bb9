"""The page as a whole: its sections in their order, its look and its script, in one file."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from plotly.offline import get_plotlyjs

from covey import __version__
from covey.errors import InputError
from covey.model.scenario import Scenario
from covey.report.html_parts import escape
from covey.report.page import advice, evidence
from covey.report.page.colophon import colophon
from covey.report.page.themed import PALETTES
from covey.report.page.verdict import verdict
from covey.study.assessment import Assessment, assess
from covey.whole_file import write_whole

_FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif'

# Nothing is fetched from anywhere, even if something in the page asked for it.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)


def write_report(found: Assessment | Scenario, path: str | Path) -> None:
    """Writes the report of a scenario as one HTML file.

    Args:
        found: The scenario, or what `assess` found about it.
        path: Ends in .html; the file appears when it is complete.
    """
    check_path(path)
    assessment = assess(found) if isinstance(found, Scenario) else found
    write_whole(path, html_of(assessment))


def check_path(path: str | Path) -> None:
    """Refuses a name that is not that of a page, before any work is done."""
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f'the ending is "{path.suffix}": .html is expected', file=str(path))
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent}: make it first", file=str(path))


def html_of(found: Assessment) -> str:
    """The report as the text of an HTML file."""
    title = found.scenario.title or "A team of robots"
    sections = "".join(
        f'<section id="{name}"><h2>{heading}</h2>{content}</section>'
        for name, heading, content in (
            ("do", "What to change", advice.best_changes(found)),
            ("team", "The team", evidence.team(found)),
            ("seen", "What a glance shows", evidence.laws(found)),
            ("exposed", "Who is exposed", evidence.exposure(found)),
            ("time", "Leakage over time", evidence.timing(found)),
            ("profile", "How often: the (ε, δ) profile", evidence.profile(found)),
            ("moves", "What moves it", advice.sensitivities(found)),
            ("how", "How this was computed", colophon(found)),
        )
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="generator" content="covey {__version__}">'
        f"<title>{escape(title)} · covey</title><style>{_style()}</style></head><body>"
        '<header><p>What one glance gives away</p><button id="theme" type="button" hidden>'
        "light / dark</button></header>"
        f"<h1>{escape(title)}</h1><main>{verdict(found)}{sections}</main>"
        f'<footer class="small">Written by covey {__version__}.</footer>'
        f"<script>{get_plotlyjs()}</script><script>{_resource('page.js')}</script></body></html>\n"
    )


def _style() -> str:
    light, dark = PALETTES
    return (
        f":root{{color-scheme:light dark;--font:{_FONT};{light}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}"
        f"@media screen{{:root[data-theme=dark]{{{dark}}}}}{_resource('page.css')}"
    )


def _resource(name: str) -> str:
    return files("covey.report.page").joinpath(name).read_text(encoding="utf-8")
