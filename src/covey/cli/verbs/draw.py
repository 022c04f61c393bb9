"""`covey draw`: a picture of the network."""

from __future__ import annotations

import click

from covey.cli.options.arguments import Request, scenario_verb
from covey.cli.printing import print_json
from covey.cli.streams import say


@click.command(short_help="Draw the network to a PNG, SVG or PDF file.")
@click.option(
    "--output",
    "-o",
    default="network.png",
    show_default=True,
    type=click.Path(),
    help="Where to draw; the ending (.png, .svg, .pdf) says how.",
)
@scenario_verb
def draw(request: Request, output: str) -> None:
    """Draw the network as the paper does.

    Circles are species, doubly outlined where several robots share one; boxes are reactions;
    dashed arrows lead one way only.
    """
    from covey.report.figure_file import save_figure
    from covey.report.topology import draw_network

    scenario = request.scenario
    figure = draw_network(
        scenario.network, resources=tuple(scenario.team.resources), title=scenario.title
    )
    save_figure(figure, output)
    if request.json:
        print_json({"file": output})
    elif not request.quiet:
        say(f"drawn: {output}")
