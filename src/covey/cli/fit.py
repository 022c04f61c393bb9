"""`covey fit`: rate constants from a log of what the team did."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from covey.cli.arguments import Request, scenario_verb
from covey.cli.printing import console, print_json, print_title, table
from covey.cli.progress import progress_bar
from covey.errors import InputError

if TYPE_CHECKING:
    from covey.study.fit.fit import Estimate, Fit


@click.command(short_help="Rate constants from a log of what the team did.")
@click.option(
    "--log",
    type=click.Path(),
    required=True,
    metavar="CSV",
    help="What happened when, as simulate --events writes it, or states at given times.",
)
@click.option(
    "--until", type=float, metavar="T", help="How long events were watched; default: the last row."
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--output", "-o", type=click.Path(), metavar="TOML", help="Save the fitted scenario.")
@scenario_verb
def fit(
    request: Request, log: str, until: float | None, confidence: float, output: str | None
) -> None:
    """Estimate every rate constant by maximum likelihood, with confidence intervals.

    \b
        covey fit fleet.toml --log log.csv -o fitted.toml
    """
    from covey.model.scenario_file import dump
    from covey.study.fit.fit import fit as solve

    if output is not None and Path(output).suffix != ".toml":
        raise InputError(f'the ending is "{Path(output).suffix}": .toml is expected', file=output)
    with progress_bar(request.quiet or request.json) as progress:
        found = solve(request.scenario, log, until=until, confidence=confidence, progress=progress)
    if output is not None:
        dump(found.scenario, output)
    if request.json:
        print_json(_answer(found) | ({"file": output} if output is not None else {}))
    else:
        _print(request, found, output)


def _answer(found: Fit) -> dict[str, Any]:
    return {
        "rates": {
            name: {
                "value": rate.value if rate.identified else None,
                "lower": rate.interval[0],
                "upper": rate.interval[1],
                "given": rate.given,
                "events": rate.events,
                "exposure": rate.exposure,
            }
            for name, rate in found.rates.items()
        },
        "confidence": found.confidence,
        "sampled": found.sampled,
        "runs": found.runs,
        "observations": found.observations,
        "duration": found.duration,
        "notes": list(found.notes),
    }


def _print(request: Request, found: Fit, output: str | None) -> None:
    out = console()
    print_title(out, request.scenario)
    what = "pairs of glances" if found.sampled else "events"
    runs = f"{found.runs:,} run{'s' * (found.runs != 1)}"
    out.print(f"{found.observations:,} {what} in {runs}, {found.duration:.6g} of time in all\n")
    share = f"{100 * found.confidence:g}% interval"
    rows = table("rate", "file", "fitted", share, *([] if found.sampled else ["events"]))
    for column in rows.columns[1:]:
        column.justify = "right"
    for name, rate in found.rates.items():
        events = [] if rate.events is None else [f"{rate.events:.4g}"]
        if isinstance(rate.events, int):
            events = [f"{rate.events:,}"]
        rows.add_row(name, f"{rate.given:.4g}", *_shown(rate), *events)
    out.print(rows)
    for note in found.notes:
        out.print(f"\n{note}")
    if output is not None:
        out.print(f"\nsaved: {output}")


def _shown(rate: Estimate) -> tuple[str, str]:
    low, high = (f"{end:.4g}" if math.isfinite(end) else "∞" for end in rate.interval)
    value = f"{rate.value:.4g}" if math.isfinite(rate.value) else "∞"
    return value if rate.identified else "not known", f"{low} to {high}"
