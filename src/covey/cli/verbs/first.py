"""`covey first`: how long it takes until something is seen for the first time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from covey.cli.options.arguments import Request, adversary_options, scenario_verb
from covey.cli.printing import begin_answer, print_json, table
from covey.cli.saving import save_csv, save_picture
from covey.errors import InputError
from covey.words import in_units, rounded

if TYPE_CHECKING:
    from covey.dynamics.first_passage import FirstPassage

_MOST_POINTS = 10_000


@click.command(short_help="How long until something is seen for the first time.")
@click.option(
    "--points",
    type=int,
    default=21,
    show_default=True,
    metavar="N",
    help="At how many times, evenly from 0 to the last.",
)
@click.option("--output", "-o", type=click.Path(), metavar="CSV", help="Save the table.")
@click.option("--plot", type=click.Path(), metavar="PATH", help="Draw it (.png, .svg, .pdf).")
@click.option(
    "--max-states",
    type=int,
    metavar="N",
    help="Refuse more states than this; default: what fits in free memory.",
)
@adversary_options("at")
@scenario_verb
@click.argument("condition")
def first(
    request: Request,
    condition: str,
    points: int,
    output: str | None,
    plot: str | None,
    max_states: int | None,
) -> None:
    """Give the distribution of the time until a CONDITION holds for the first time.

    It compares counts that are seen, or species, and may join comparisons by and, or, not.
    Probabilities are given by the time --at, or of when the adversary looks; at steady state, by
    three times the mean. The mean is infinite where the condition need not ever hold.

    \b
        covey first fleet.toml "charging >= 3" --at 60
        covey first fleet.toml "driving <= 1 and {dock} == 0" --plot first.png
    """
    from covey.dynamics.first_passage import first_passage
    from covey.dynamics.limits import Limits

    if not 2 <= points <= _MOST_POINTS:
        raise InputError(f"--points is {points}: 2 to {_MOST_POINTS:,} are expected")
    limits = Limits(max_states=max_states)
    with request.progress() as progress:
        found = first_passage(
            request.scenario, condition, points=points, limits=limits, progress=progress
        )
    if output is not None:
        columns = found.table_columns
        save_csv(output, list(columns), zip(*columns.values(), strict=True))
    save_picture(found, plot, title=request.scenario.title)
    if request.json:
        print_json(_keys(request, found))
    else:
        _print(request, found)


def _keys(request: Request, found: FirstPassage) -> dict[str, Any]:
    """What programs rely on; at steady state `probability` is that of ever."""
    at = request.scenario.adversary.at
    lower, upper = found.ever
    probability = (lower + upper) / 2
    if at != "steady" and found.times:
        last = (found.probability[-1], found.lower[-1], found.upper[-1])
        probability, lower, upper = map(float, last)
    return {
        "condition": found.condition,
        "mean": None if math.isnan(found.mean) else found.mean,
        "mean_bounds": list(found.mean_interval),
        "why": found.why or None,
        "at": at,
        "probability": probability,
        "lower": lower,
        "upper": upper,
        "ever": list(found.ever),
        "curve": found.table_columns,
        "states": found.states,
    }


def _print(request: Request, found: FirstPassage) -> None:
    out = begin_answer(request.scenario, str(found))
    if found.times and found.ever[1] > 0:
        out.print()
        rows = table(in_units("by time", found.unit), "probability", "certain to within", align="r")
        for time, value, low, high in zip(*found.table_columns.values(), strict=True):
            rows.add_row(f"{time:g}", f"{value:.6g}", rounded(high - low, ".1g", "up"))
        out.print(rows)
    if math.isfinite(found.mean) and found.mean > 0:
        low, high = found.mean_interval
        within = rounded(high - low, ".1g", "up")
        out.print(f"\nthe mean is certain to within {within}; {found.states:,} states before it")
