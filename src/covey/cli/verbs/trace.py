"""`covey trace`: leakage and other measures over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from covey.cli.options.arguments import Request, check_points, computing_verb, secret_options
from covey.cli.options.seen import seen_option
from covey.cli.printing import begin_answer, print_json, table
from covey.cli.saving import save_csv, save_picture
from covey.words import in_units

if TYPE_CHECKING:
    from covey.privacy.snapshot.channel import Reporting
    from covey.study.trace import Trace

_MOST_ROWS = 21


@click.command(short_help="Leakage over time.")
@click.option("--until", type=float, required=True, metavar="T", help="The last time.")
@click.option(
    "--points",
    type=int,
    default=101,
    show_default=True,
    help="At how many times, evenly from 0 to T.",
)
@click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="M",
    help="Besides the leakage: guess, tv, hellinger, js, kl, settled, delta=EPSILON, "
    "epsilon=DELTA, renyi=ALPHA, max_leakage, mu or rho. May be repeated: all in one pass.",
)
@click.option("--output", "-o", type=click.Path(), metavar="CSV", help="Save the table.")
@click.option("--plot", type=click.Path(), metavar="PATH", help="Draw it (.png, .svg, .pdf).")
@seen_option
@secret_options("against", "teams")
@computing_verb("smoothing")
def trace(
    request: Request,
    until: float,
    points: int,
    measures: tuple[str, ...],
    output: str | None,
    plot: str | None,
    seen: Reporting | None,
) -> None:
    """Say when a snapshot gives away most, and where the leakage settles.

    \b
        covey trace fleet.toml --until 30 --plot trace.png
        covey trace fleet.toml --until 30 --measure guess --measure epsilon=1e-6
    """
    import numpy as np

    from covey.dynamics.validation import check_time
    from covey.report.json_keys.trace import trace_keys, trace_table
    from covey.study.trace import trace as solve

    check_points(points, 2)
    times = np.linspace(0.0, check_time(until, "--until"), points)
    with request.progress() as progress:
        found = solve(
            request.scenario,
            times,
            measures=measures,
            seen=seen,
            limits=request.limits,
            progress=progress,
        )
    if output is not None:
        save_csv(output, *trace_table(found))
    save_picture(found, plot, title=request.scenario.title)
    if request.json:
        print_json(trace_keys(found))
    else:
        _print(request, found)


def _print(request: Request, found: Trace) -> None:
    out = begin_answer(request.scenario, str(found))
    out.print()
    rows = table(
        in_units("time", found.unit), "leakage", *found.measures, *found.performance, align="r"
    )
    step = max(1, (len(found.times) - 1) // (_MOST_ROWS - 1))
    also = [rows[:, 0] for rows in found.measures.values()]
    columns = [found.times, found.values, *also, *found.performance.values()]
    for time, *values in list(zip(*columns, strict=True))[::step]:
        rows.add_row(f"{time:g}", *(f"{value:.6g}" for value in values))
    out.print(rows)
