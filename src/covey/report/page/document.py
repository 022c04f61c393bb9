"""The page as a whole: its sections in their order, its look and its script, in one file."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from markupsafe import Markup

from covey import __version__
from covey.files.atomic_file import check_writable, write_whole
from covey.model.scenario import Scenario
from covey.report.page import advice, evidence
from covey.report.page.colophon import colophon
from covey.report.page.publishing import instead
from covey.report.page.rendering import ours, render
from covey.report.page.themed import THEMES
from covey.report.page.verdict import verdict
from covey.report.page.watching import observer, over_a_day
from covey.study.assessment import Assessment, assess

_SCRIPTS = ("scale.js", "chart.js", "exploring.js", "page.js")


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
    """Refuses a place where no page can be written, before any work is done."""
    check_writable(path, (".html", ".htm"))


def html_of(found: Assessment) -> str:
    """The report as the text of an HTML file."""
    script = Markup("\n").join(map(ours, _SCRIPTS))
    page = render(
        "page.html",
        policy=_policy(script),
        version=__version__,
        title=found.scenario.title or "A team of robots",
        themes=THEMES,
        look=ours("page.css"),
        verdict=verdict(found),
        sections=(
            ("day", "Over a day", over_a_day(found)),
            ("do", "What to change", advice.best_changes(found)),
            ("publish", "What to publish instead", instead(found)),
            ("words", "The scenario in words", evidence.explained(found)),
            ("team", "The team", evidence.team(found)),
            ("seen", "What a snapshot shows", evidence.distributions(found)),
            ("exposed", "Who is exposed", evidence.exposure(found)),
            ("time", "Leakage over time", evidence.timing(found)),
            ("profile", "Every event: the (ε, δ) profile", evidence.profile(found)),
            ("moves", "What moves it", advice.sensitivities(found)),
            ("observer", "Who the observer is taken to be", observer(found)),
            ("how", "How this was computed", colophon(found)),
        ),
        script=script,
    )
    return f"{page}\n"


def _policy(script: str) -> str:
    """Nothing is fetched from anywhere, and no script runs but the page's own."""
    digest = b64encode(sha256(script.encode("utf-8")).digest()).decode("ascii")
    return (
        "default-src 'none'; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
