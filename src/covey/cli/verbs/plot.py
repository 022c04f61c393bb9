"""`covey plot`: a picture of a sweep that was saved."""

from __future__ import annotations

from typing import Any

import click

from covey.cli.printing import print_json
from covey.cli.streams import say
from covey.errors import InputError


@click.command(short_help="A picture of a saved sweep.")
@click.argument("file", type=click.Path())
@click.option(
    "--output",
    "-o",
    type=click.Path(),
    default="sweep.png",
    show_default=True,
    metavar="PATH",
    help="Where to draw; the ending .png, .svg or .pdf says how.",
)
@click.option(
    "--where",
    "fixed",
    multiple=True,
    metavar="NAME=VALUE",
    help="Fix an axis at one of its values. May be repeated.",
)
@click.option(
    "--measure", metavar="M", help="Of a sweep of several measures, the one to draw; default: all."
)
@click.option(
    "--against", metavar="M", help="Draw every cell as a point, this measure to the right."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing.")
def plot(
    file: str,
    output: str,
    fixed: tuple[str, ...],
    measure: str | None,
    against: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Draw a sweep from its .nc or .csv file.

    Two axes make a heat map, one a line, a random sample a scatter, or violins where an axis has
    few values; three axes make a map for each value of the shortest. Several measures stand side by
    side.

    \b
        covey plot map.nc --where types.scout=5 -o map.pdf
        covey plot map.nc --measure guess --against kl
    """
    from covey.report.figure_file import save_figure
    from covey.report.figures.sweeps.sweep_plot import draw_sweep
    from covey.study.sweep.result import open_sweep

    figure = draw_sweep(open_sweep(file), measure=measure, against=against, where=_where(fixed))
    save_figure(figure, output)
    if as_json:
        print_json({"file": output})
    elif not quiet:
        say(f"drawn: {output}")


def _where(texts: tuple[str, ...]) -> dict[str, Any]:
    from covey.study.sweep.axes import parse_axis

    found = {}
    for text in texts:
        axis = parse_axis(text)
        if len(axis.values) != 1:
            raise InputError("one value is expected, such as types.A=5", file=f"--where {text}")
        found[axis.name] = axis.values[0]
    return found
