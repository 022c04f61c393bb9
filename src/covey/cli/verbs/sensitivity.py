"""`covey sensitivity`: how leakage moves with each rate, count and release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from covey.cli.options.arguments import (
    DELTA,
    Request,
    computing_verb,
    secret_options,
    workers_option,
)
from covey.cli.printing import begin_answer, print_json, table
from covey.cli.saving import save_csv
from covey.cli.streams import say
from covey.words import format_number

if TYPE_CHECKING:
    from covey.study.sensitivity.found import Found
    from covey.study.sensitivity.sensitivity import Sensitivity


@click.command(short_help="What to change: how leakage moves with each rate and count.")
@click.option(
    "--factor",
    type=float,
    default=2.0,
    show_default=True,
    metavar="X",
    help="Rates are divided and multiplied by it.",
)
@click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="M",
    help="Besides leakage and total variation, as for covey sweep. May be repeated.",
)
@workers_option
@click.option("--output", "-o", type=click.Path(), metavar="CSV", help="Save the table.")
@secret_options("against", "teams")
@computing_verb("at", "smoothing")
def sensitivity(
    request: Request,
    factor: float,
    measures: tuple[str, ...],
    workers: int | None,
    output: str | None,
) -> None:
    """Try every single change and say which help most.

    Rates are halved and doubled, counts go up and down by one, and what is seen gets coarser.
    Everything is computed anew each time, as exactly as `covey leakage` does. A second table
    says how fast all of it changes with each rate: its derivatives, for small changes.
    """
    from covey.report.json_keys.sensitivity import sensitivity_keys
    from covey.study.sensitivity.sensitivity import sensitivity as solve

    with request.progress() as progress:
        found = solve(
            request.scenario,
            factor=factor,
            measures=measures,
            workers=workers,
            limits=request.limits,
            progress=progress,
        )
    if output is not None:
        columns = found.table_columns
        cells = zip(*columns.values(), strict=True)
        save_csv(output, list(columns), [["" if c is None else c for c in row] for row in cells])
    if request.json:
        print_json(sensitivity_keys(found))
    else:
        _print(request, found)
        if output is not None:
            say(f"written: {output}")


def _print(request: Request, found: Sensitivity) -> None:
    out = begin_answer(request.scenario, str(found))
    out.print()
    names = (*found.before.measures, *found.before.performance)
    rows = table("change", "leakage", "total variation", *names, align="lr")
    rows.columns[0].no_wrap = False
    rows.add_row("(none)", *_numbers(found.before))
    for effect in sorted(found.effects, key=lambda effect: effect.after.rank):
        after = effect.after
        if after.why:
            rows.add_row(f"{effect.change.words}: {after.why}")
        else:
            rows.add_row(effect.change.words, *_numbers(after))
    out.print(rows)
    if found.sensitivities:
        out.print("\nFor every per cent that a rate grows, each changes by a hundredth of:")
        out.print(_sensitivities(found))


def _sensitivities(found: Sensitivity) -> Any:
    names = "leakage", "total variation", f"ε({DELTA:.0e})", *found.before.performance
    rows = table("rate", *names, align="lr")
    for one in sorted(found.sensitivities, key=lambda one: -abs(one.total_variation)):
        values = (one.leakage, one.total_variation, one.epsilon, *one.performance.values())
        rows.add_row(one.knob.removeprefix("rates."), *(f"{value:+.4g}" for value in values))
    return rows


def _numbers(found: Found) -> list[str]:
    also = (*found.measures.values(), *found.performance.values())
    values = (found.leakage, found.total_variation, *also)
    return [format_number(value, ".6g") for value in values]
