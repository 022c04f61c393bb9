"""`covey compare`: scenarios side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from covey.cli.options.arguments import Request, computing_verb, read_scenario
from covey.cli.printing import console, print_json, table
from covey.cli.saving import save_csv, save_picture

if TYPE_CHECKING:
    from covey.model.scenario import Scenario
    from covey.study.side_by_side import SideBySide


@click.command(short_help="Two or more scenarios side by side.")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option(
    "--measure",
    "measures",
    multiple=True,
    default=("guess", "epsilon=1e-06", "leakage"),
    show_default=True,
    metavar="M",
    help="What is compared, as for covey sweep. May be repeated; the first decides.",
)
@click.option(
    "--output", "-o", type=click.Path(), metavar="PATH", help="Save it (.csv, .png, .svg, .pdf)."
)
@computing_verb("at", "smoothing")
def compare(
    request: Request, files: tuple[str, ...], measures: tuple[str, ...], output: str | None
) -> None:
    """Say what each of several scenario files gives away, and what its team achieves.

    \b
        covey compare now.toml slower.toml
        covey compare now.toml slower.toml --measure guess --measure mu -o compared.png
    """
    from covey.study.side_by_side import compare as solve

    with request.progress() as progress:
        found = solve(
            _scenarios(request, files), measures=measures, limits=request.limits, progress=progress
        )
    if output is not None:
        _save(found, output)
    if request.json:
        print_json(_keys(found))
        return
    out = console()
    out.print(str(found))
    out.print()
    rows = table("scenario", *found.measures, align="l" + "r" * len(found.measures))
    for name, figures in found.found.items():
        values = (figures[one].value if one in figures else None for one in found.measures)
        rows.add_row(name, *("" if value is None else f"{value:.6g}" for value in values))
    out.print(rows)


def _scenarios(request: Request, files: tuple[str, ...]) -> dict[str, Scenario]:
    """Each by its file's name without the ending, or as it was given where two are called alike."""
    changes = {name: value for name, value in request.given.items() if name not in _TABLES}
    opened = []
    for file in files:
        one = read_scenario(file, fleet=request.fleet, quiet=request.quiet)
        one = one.with_(changes, warn=False) if changes else one
        opened.append((file, one))
    opened.append((request.file, request.scenario))
    stems = [Path(file).stem for file, _ in opened]
    found: dict[str, Scenario] = {}
    for stem, (file, one) in zip(stems, opened, strict=True):
        name = stem if stems.count(stem) == 1 else file
        while name in found:
            name += "'"
        found[name] = one
    return found


_TABLES = ("types", "secret")  # what --fleet and --against give as a whole


def _keys(found: SideBySide) -> dict[str, object]:
    return {
        "scenarios": {
            name: {
                measure: {"value": one.value, "lower": one.lower, "upper": one.upper}
                for measure, one in figures.items()
            }
            for name, figures in found.found.items()
        },
        "least": found.least,
    }


def _save(found: SideBySide, output: str) -> None:
    if Path(output).suffix == ".csv":
        columns = found.table_columns
        save_csv(output, list(columns), list(zip(*columns.values(), strict=True)))
        return
    save_picture(found, output)
