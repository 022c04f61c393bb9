"""`covey sweep`: one number for every cell of a grid of scenarios, to a file."""

from __future__ import annotations

import math
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from covey.cli.options.arguments import (
    Request,
    cluster_option,
    computing_verb,
    secret_options,
    workers_option,
)
from covey.cli.options.workers import hired
from covey.cli.printing import console, print_json, print_table, print_title, table
from covey.cli.saving import save_picture
from covey.cli.streams import tell
from covey.errors import CoveyError, InputError, TooLargeError

if TYPE_CHECKING:
    from rich.console import Console

    from covey.study.sweep.result import Found, Sweep

_ROWS, _COLUMNS = 24, 10  # the largest map that is printed as a table


@click.command(short_help="A map over teams, rates or times, to a file.")
@click.option(
    "--vary",
    "axes",
    multiple=True,
    required=True,
    metavar="NAME=RANGE",
    help="An axis: types.A=1:20, rates.take=0.2:2:10, adversary.at=1,10,steady; several names "
    "before the = are tied. May be repeated.",
)
@click.option(
    "--measure",
    "measures",
    multiple=True,
    default=("leakage",),
    show_default=True,
    metavar="M",
    help="leakage, guess, settled, tv, hellinger, js, kl, delta=ε, epsilon=δ, renyi=α, "
    "max_leakage, mu, rho, or performance.NAME for a measure of [performance]. May be repeated: "
    "the first is drawn up in the table, all are saved.",
)
@click.option("--sample", type=int, metavar="N", help="N random cells instead of all.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random cells.")
@click.option(
    "--output",
    "-o",
    type=click.Path(),
    required=True,
    metavar="PATH",
    help="Where to save it, as .csv or .nc; PATH.journal keeps what is done until all is.",
)
@click.option("--plot", "picture", type=click.Path(), metavar="PATH", help="Draw it as well.")
@workers_option
@cluster_option
@secret_options("against", "teams")
@computing_verb("at", "smoothing")
def sweep(
    request: Request,
    axes: tuple[str, ...],
    measures: tuple[str, ...],
    sample: int | None,
    seed: int,
    output: str,
    picture: str | None,
    workers: int | None,
    cluster: str | None,
) -> None:
    """Measure every combination of some values of the scenario, and save the map.

    Interrupted, it loses only the cells that were being computed: the same command goes on from
    there.

    \b
        covey sweep fleet.toml --vary types.scout=1:9 -o map.csv --plot map.png
        covey sweep fleet.toml --vary types.scout=1:9 --measure guess --measure epsilon=1e-6 -o a.nc
    """
    from covey.study.sweep.sweep import sweep as run

    with ExitStack() as stack:
        executor, workers = stack.enter_context(hired(workers, cluster))
        progress = stack.enter_context(request.progress())
        found = run(
            request.scenario,
            _read(axes),
            measure=measures,
            sample=sample,
            seed=seed,
            path=output,
            executor=executor,
            workers=workers,
            limits=request.limits,
            progress=progress,
        )
    save_picture(found, picture)
    _answer(request, found, output, picture)


def _read(texts: tuple[str, ...]) -> list[Any]:
    from covey.study.sweep.axes import parse_axis

    found = []
    for text in texts:
        try:
            found.append(parse_axis(text))
        except CoveyError as error:
            raise error.at(file=f"--vary {text}") from None
    return found


def _answer(request: Request, found: Sweep, output: str, picture: str | None) -> None:
    errors = found.errors
    if request.json:
        print_json(as_json(found) | {"file": output, "picture": picture})
    elif not request.quiet:
        _print(request, found, output, picture)
    if errors and len(errors) == found.values.size:
        kind, _, message = errors[0].partition(": ")
        failure = TooLargeError if kind == "TooLargeError" else InputError
        raise failure(f"none of the {len(errors):,} cells has an answer. The first: {message}")
    if errors and not request.quiet:
        first = next(iter(errors.values()))
        tell(
            f"covey: warning: {len(errors):,} of {found.values.size:,} cells have no answer; the "
            f"column error says why. The first: {first}"
        )


def as_json(found: Sweep) -> dict[str, Any]:
    """The keys that programs rely on."""
    return {
        "measure": found.data.attrs["measured"],
        "measures": {
            name: {"lowest": _cell(view.lowest), "highest": _cell(view.highest)}
            for name, view in ((name, found.of(name)) for name in found.measures)
        },
        "axes": found.axes,
        "cells": int(found.values.size),
        "failed": len(found.errors),
        "lowest": _cell(found.lowest),
        "highest": _cell(found.highest),
    }


def _cell(cell: Found | None) -> dict[str, Any] | None:
    return None if cell is None else {"value": cell.value, "at": cell.changes}


def _print(request: Request, found: Sweep, output: str, picture: str | None) -> None:
    out = console()
    print_title(out, request.scenario)
    for place, name in enumerate(found.measures):
        out.print(str(found.of(name)), style=None if place else "bold")
    shape = found.values.shape
    if not found.is_sample and len(shape) == 2 and shape[0] <= _ROWS and shape[1] <= _COLUMNS:
        _print_map(out, found)
    out.print(f"\nsaved: {output}" + (f" and {picture}" if picture else ""))


def _print_map(out: Console, found: Sweep) -> None:
    """A small map as a table: the first axis down, the second across."""
    from covey.study.sweep.result import shown

    down, across = map(str, found.data[found.measure].dims)
    heads = map(shown, found.data[across].values.tolist())
    rows = table(f"{down} ╲ {across}", *heads, align="r")
    for name, row in zip(found.data[down].values.tolist(), found.values.tolist(), strict=True):
        rows.add_row(shown(name), *("—" if math.isnan(value) else shown(value) for value in row))
    out.print()
    print_table(out, rows)
