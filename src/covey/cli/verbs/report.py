"""`covey report`: one page that says what leaks and what to do about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from covey.cli.options.arguments import Request, computing_verb, secret_options, workers_option
from covey.cli.printing import console, print_json
from covey.cli.streams import say
from covey.cli.verbs.leakage import fit_option, print_headline, print_range

if TYPE_CHECKING:
    from covey.study.assessment import Assessment
    from covey.study.sensitivity.shortest import Shortest


@click.command(short_help="Write a page that says what leaks and what to do.")
@click.option(
    "--output",
    "-o",
    type=click.Path(),
    default="report.html",
    show_default=True,
    metavar="HTML",
    help="Where the page is written: one file, which needs nothing else.",
)
@click.option("--pdf", type=click.Path(), metavar="PDF", help="Print it too, with Chromium.")
@click.option(
    "--until",
    type=float,
    metavar="T",
    help="Follow the leakage until this time; default: until the team has settled.",
)
@click.option(
    "--changes/--no-changes",
    "try_changes",
    default=True,
    show_default=True,
    help="Whether to try single changes, which is most of the work.",
)
@click.option(
    "--target",
    multiple=True,
    metavar="MEASURE=X",
    help="The most that guess, total_variation or leakage may be, as guess=0.51: what to change so "
    "that it is. Repeatable.",
)
@workers_option
@fit_option
@secret_options("against", "teams")
@computing_verb("at", "smoothing")
def report(
    request: Request,
    output: str,
    pdf: str | None,
    until: float | None,
    try_changes: bool,
    target: tuple[str, ...],
    workers: int | None,
    fit: str | None,
) -> None:
    """Write one HTML page about a team: verdict, evidence, and what to change.

    It opens by double click, needs no network, prints well, and holds all that is needed to
    compute it again.
    """
    from covey.report.page.document import check_path, write_report
    from covey.report.page.printing import check_pdf, print_pdf
    from covey.study.assessment import assess
    from covey.study.fit.fit_file import open_fit

    check_path(output)
    fitted = None if fit is None else open_fit(fit, request.scenario)
    if pdf is not None:
        check_pdf(pdf)
    with request.progress() as progress:
        found = assess(
            request.scenario,
            until=until,
            changes=try_changes,
            target=target,
            limits=request.limits,
            workers=workers,
            fitted=fitted,
            progress=progress,
        )
    write_report(found, output)
    if pdf is not None:
        print_pdf(output, pdf)
    if request.json:
        print_json(_as_json(found, output, pdf))
    else:
        _print(found, output, pdf)


def _as_json(found: Assessment, output: str, pdf: str | None) -> dict[str, Any]:
    from covey.report.json_keys.leakage import leakage_keys, range_keys

    best = found.sensitivity.best() if found.sensitivity is not None else []
    return {
        "report": str(Path(output).absolute()),
        "pdf": None if pdf is None else str(Path(pdf).absolute()),
        **leakage_keys(found.headline),
        **range_keys(found.rate_range),
        "total_variation": found.profile.total_variation,
        "changes": [effect.row() for effect in best],
        "shortest": None if found.shortest is None else _steps(found.shortest),
        "missing": found.missing,
        "seconds": found.seconds,
    }


def _steps(found: Shortest) -> dict[str, Any]:
    return {
        "target": dict(found.target),
        "met": found.met,
        "changes": [effect.row() for effect in found.effects],
        "tried": list(found.tried),
    }


def _print(found: Assessment, output: str, pdf: str | None) -> None:
    out = console()
    print_headline(out, found.headline)
    print_range(out, found.rate_range)
    if found.sensitivity is not None:
        out.print(str(found.sensitivity))
    if found.shortest is not None:
        out.print(str(found.shortest))
    for path in (output, pdf):
        if path is not None:
            say(f"written: {path}")
