"""`covey fit`: rate constants from a log of what the team did."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from covey.cli.options.arguments import Request, scenario_verb
from covey.cli.options.log_options import columns_option, read_columns, unit_option
from covey.cli.printing import console, print_json, print_table, print_title, table
from covey.errors import InputError
from covey.words import format_number

if TYPE_CHECKING:
    from rich.table import Table

    from covey.study.fit.fit import Estimate, Fit
    from covey.study.fit.logs.feeds.sources import Source

SOURCES = ("gbfs", "vda5050", "mcap")


@click.command(short_help="Rate constants from a log of what the team did.")
@click.option(
    "--log",
    type=click.Path(),
    metavar="FILE",
    help="What happened when, as CSV or JSON lines: events as simulate --events writes them, a row "
    "for every robot and change, or counts at given times; - is standard input.",
)
@click.option(
    "--from",
    "source",
    type=(click.Choice(SOURCES), click.Path()),
    default=None,
    metavar="FORMAT PATH",
    help="A feed instead: gbfs (a folder of snapshots, or a file of many), vda5050 (state "
    "messages, one a line) or mcap (a ROS 2 bag).",
)
@columns_option
@unit_option
@click.option(
    "--together",
    type=float,
    default=0.0,
    show_default=True,
    metavar="D",
    help="How far apart robots may report the event that moved them together.",
)
@click.option(
    "--until",
    metavar="T",
    help="How long events were watched; default: the last row. A time or a date.",
)
@click.option(
    "--lost-after",
    type=float,
    metavar="D",
    help="After which silence a robot is lost, and not watched until it is heard of again; "
    "default: 5 heartbeats, or 20 times what is usual in its state.",
)
@click.option(
    "--polled/--not-polled",
    default=None,
    help="Whether robots were looked at now and then, or every change was logged when it happened; "
    "default: what the times say.",
)
@click.option(
    "--skip-bad", is_flag=True, help="Skip lines that cannot be read, and say how many they are."
)
@click.option(
    "--stages",
    is_flag=True,
    help="Find in how many stages reactions happen, from a row for every robot and change.",
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--output", "-o", type=click.Path(), metavar="TOML", help="Save the fitted scenario.")
@click.option(
    "--save",
    type=click.Path(),
    metavar="JSON",
    help="Save the rates with their intervals, for leakage --fit and report --fit.",
)
@scenario_verb
def fit(
    request: Request,
    log: str | None,
    source: tuple[str, str] | None,
    columns: tuple[str, ...],
    unit: str | None,
    together: float,
    until: str | None,
    lost_after: float | None,
    polled: bool | None,
    skip_bad: bool,
    stages: bool,
    confidence: float,
    output: str | None,
    save: str | None,
) -> None:
    """Estimate every rate constant by maximum likelihood, with confidence intervals.

    \b
        covey fit fleet.toml --log log.csv -o fitted.toml
        covey fit fleet.toml --log log.csv --columns time=when,robot=agv --unit minute
        covey fit fleet.toml --log log.csv --stages    which times are not exponential?
        covey fit fleet.toml --from gbfs feed/ -o fitted.toml
    """
    from covey.model.io.scenario_file import dump
    from covey.study.fit.fit import fit as solve
    from covey.study.fit.fit_file import as_json, save_fit
    from covey.study.fit.logs.reading import Reading

    if (log is None) == (source is None):
        raise InputError("either --log FILE or --from FORMAT PATH is expected")
    for path, ending in ((output, ".toml"), (save, ".json")):
        if path is not None and Path(path).suffix != ending:
            raise InputError(
                f'the ending is "{Path(path).suffix}": {ending} is expected', file=path
            )
    kind, file = ("log", log) if source is None else source
    with request.progress() as progress:
        found = solve(
            request.scenario,
            file or "",
            source=cast("Source", kind),
            reading=Reading(
                read_columns(columns), unit, request.fleet, together, lost_after, polled, skip_bad
            ),
            until=until,
            confidence=confidence,
            stages=stages,
            progress=progress,
        )
    if output is not None:
        dump(found.scenario, output)
    if save is not None:
        save_fit(found, save)
    saved = {"file": output} if output is not None else {}
    if request.json:
        print_json(as_json(found) | saved)
    else:
        _print(request, found, [path for path in (output, save) if path is not None])


def _print(request: Request, found: Fit, saved: list[str]) -> None:
    out = console()
    print_title(out, request.scenario)
    what = "pairs of snapshots" if found.sampled else "events"
    runs = f"{found.runs:,} run{'s' * (found.runs != 1)}"
    out.print(f"{found.observations:,} {what} in {runs}, {found.duration:.6g} of time in all\n")
    share = f"{100 * found.confidence:g}% interval"
    counted = [] if found.sampled else ["events"]
    rows = table("rate", "file", "fitted", share, *counted, align="lr")
    for name, rate in found.rates.items():
        events = [] if rate.events is None else [f"{rate.events:.4g}"]
        if isinstance(rate.events, int):
            events = [f"{rate.events:,}"]
        rows.add_row(name, f"{rate.given:.4g}", *_shown(rate), *events)
    out.print(rows)
    if found.stages:
        out.print()
        print_table(out, _stages(found))
    for note in found.notes:
        out.print(f"\n{note}")
    for number, path in enumerate(saved):
        out.print(f"{'' if number else chr(10)}saved: {path}")


def _stages(found: Fit) -> Table:
    share = f"{100 * found.confidence:g}% interval"
    rows = table("reaction", "times", "stages", "probability", share, "shape", align="lr")
    for one in found.stages:
        low, high = one.interval
        rows.add_row(
            one.reaction, f"{one.times:,}", str(one.stages), f"{one.weight:.3g}",
            f"{low} to {high}", f"{one.shape:.3g}" + ("" if one.fits else ": none fits"),
        )  # fmt: skip
    return rows


def _shown(rate: Estimate) -> tuple[str, str]:
    low, high = (format_number(end, ".4g") for end in rate.interval)
    value = format_number(rate.value, ".4g")
    return value if rate.identified else "not known", f"{low} to {high}"
