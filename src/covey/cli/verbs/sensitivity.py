"""`covey sensitivity`: how leakage moves with each rate, count and release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from covey.cli.arguments import (
    DELTA,
    Request,
    adversary_options,
    computing_options,
    scenario_verb,
)
from covey.cli.printing import console, print_heading, print_json, table
from covey.cli.progress import progress_bar
from covey.cli.saving import save_csv
from covey.cli.streams import say

if TYPE_CHECKING:
    from covey.dynamics.limits import Limits
    from covey.study.sensitivity import Found, Sensitivity


@click.command(short_help="What to change: how leakage moves with each rate and count.")
@click.option(
    "--factor",
    type=float,
    default=2.0,
    show_default=True,
    metavar="X",
    help="Rates are divided and multiplied by it.",
)
@click.option("--workers", type=int, metavar="N", help="Processes; default: one on each core.")
@click.option("--output", "-o", type=click.Path(), metavar="CSV", help="Save the table.")
@computing_options
@adversary_options("at", "smoothing")
@scenario_verb
def sensitivity(
    request: Request,
    factor: float,
    workers: int | None,
    output: str | None,
    limits: Limits,
) -> None:
    """Try every single change and say which help most.

    Rates are halved and doubled, counts go up and down by one, and what is seen gets coarser.
    Everything is computed anew each time, as exactly as `covey leakage` does. A second table
    says how fast all of it changes with each rate: its derivatives, for small changes.
    """
    from covey.report.keys.sensitivity import sensitivity_keys
    from covey.study.sensitivity import sensitivity as solve

    with progress_bar(request.quiet or request.json) as progress:
        found = solve(
            request.scenario, factor=factor, workers=workers, limits=limits, progress=progress
        )
    if output is not None:
        rows = [effect.row() for effect in found.effects]
        save_csv(output, list(rows[0]), [list(row.values()) for row in rows])
    if request.json:
        print_json(sensitivity_keys(found))
    else:
        _print(request, found)
        if output is not None:
            say(f"written: {output}")


def _print(request: Request, found: Sensitivity) -> None:
    out = console()
    print_heading(out, request.scenario)
    out.print(str(found), style="bold")
    out.print()
    rows = table("change", "leakage", "total variation", *found.before.performance, right=True)
    rows.columns[0].justify = "left"
    rows.columns[0].no_wrap = False
    rows.add_row("(none)", *_numbers(found.before))
    for effect in sorted(found.effects, key=lambda effect: effect.after.rank):
        after = effect.after
        if after.why:
            rows.add_row(f"{effect.change.words}: {after.why}")
        else:
            rows.add_row(effect.change.words, *_numbers(after))
    out.print(rows)
    if found.slopes:
        out.print("\nFor every per cent that a rate grows, each changes by a hundredth of:")
        out.print(_slopes(found))


def _slopes(found: Sensitivity) -> Any:
    names = "leakage", "total variation", f"ε({DELTA:.0e})", *found.before.performance
    rows = table("rate", *names, right=True)
    rows.columns[0].justify = "left"
    for slope in sorted(found.slopes, key=lambda slope: -abs(slope.total_variation)):
        values = (slope.leakage, slope.total_variation, slope.epsilon, *slope.performance.values())
        rows.add_row(slope.knob.removeprefix("rates."), *(f"{value:+.4g}" for value in values))
    return rows


def _numbers(found: Found) -> list[str]:
    leakage = "∞" if found.leakage == float("inf") else f"{found.leakage:.6g}"
    achieved = [f"{value:.6g}" for value in found.performance.values()]
    return [leakage, f"{found.total_variation:.6g}", *achieved]
