"""`covey certainty`: how long until an observer is sure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from covey.cli.options.arguments import Request, computing_verb, follow_options, secret_options
from covey.cli.options.snapshot_options import (
    confidence_option,
    paths_seed_option,
    read_counts,
    snapshot_options,
)
from covey.cli.printing import begin_answer, print_json, table
from covey.cli.saving import save_csv, save_picture
from covey.words import in_units, lasting, rounded

if TYPE_CHECKING:
    from covey.privacy.inference.certainty.certainty import Certainty
    from covey.privacy.stream.confidence import Bounded


@click.command(short_help="How long until an observer is sure?")
@snapshot_options
@click.option(
    "--level",
    type=float,
    default=0.9,
    show_default=True,
    metavar="P",
    help="From which probability on somebody is sure.",
)
@click.option(
    "--continuous",
    is_flag=True,
    help="Every change is seen with its time, and not only snapshots.",
)
@click.option(
    "--paths",
    type=int,
    default=1000,
    show_default=True,
    metavar="N",
    help="Draw so many paths of every hypothesis.",
)
@confidence_option
@paths_seed_option
@click.option("--output", "-o", type=click.Path(), metavar="CSV", help="Save the table.")
@click.option(
    "--plot", type=click.Path(), metavar="PATH", help="Draw beliefs along some paths (.png, .svg)."
)
@follow_options
@secret_options("against")
@computing_verb("at")
def certainty(
    request: Request,
    /,
    every: float | None,
    span: float | None,
    snapshots: str | None,
    output: str | None,
    plot: str | None,
    **asked: Any,
) -> None:
    """Say how long somebody has to watch until they are sure.

    The posterior is followed along sampled paths, by the exact filter of every hypothesis; all
    weigh the same at first. With --follow it is about the type of one robot that is followed.

    \b
        covey certainty fleet.toml --follow --every 1 --for 480
        covey certainty fleet.toml --follow --every 1 --for 480 --continuous --plot beliefs.png
    """
    from covey.privacy.inference.certainty.certainty import certainty as solve
    from covey.report.json_keys.certainty import certainty_keys, certainty_table

    with request.progress() as progress:
        found = solve(
            request.scenario, every, span, snapshots=read_counts(snapshots), limits=request.limits,
            progress=progress, **asked,
        )  # fmt: skip
    if output is not None:
        save_csv(output, *certainty_table(found))
    save_picture(found, plot, title=request.scenario.title)
    if request.json:
        print_json(certainty_keys(found))
        return
    out = begin_answer(request.scenario, str(found))
    for one in found.of:
        out.print(
            f"\n{one.question}: the best guess is right {found.level:.0%} of the time "
            f"{_from(one.reaches, found.unit)}"
        )
        out.print(_table(found, one.bayes_success, one.sure))


def _table(found: Certainty, right: tuple[Bounded, ...], sure: tuple[Bounded, ...]) -> Any:
    level = f"{found.level:.0%} sure by then"
    rows = table(
        "snapshots", in_units("time", found.unit), "right", "between", level, "between", align="r"
    )
    for n, time, *figures in zip(found.snapshots, found.times, right, sure, strict=True):
        shown = [text for one in figures for text in (f"{one.value:.1%}", _between(one))]
        rows.add_row(f"{n:,}", f"{time:g}", *shown)
    return rows


def _from(reaches: Bounded, unit: str | None) -> str:
    later = "later than was looked at"
    if math.isinf(reaches.lower):
        return later
    upper = f"{reaches.upper:g}" if math.isfinite(reaches.upper) else "later"
    if math.isinf(reaches.value):
        return f"{later} (after {lasting(reaches.lower, unit)} at the earliest)"
    return f"after {lasting(reaches.value, unit)} (between {reaches.lower:g} and {upper})"


def _between(figure: Bounded) -> str:
    return f"{rounded(figure.lower, '.1%', 'down')} – {rounded(figure.upper, '.1%', 'up')}"
