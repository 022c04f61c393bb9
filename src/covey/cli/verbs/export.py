"""`covey export`: the model for other programs."""

from __future__ import annotations

import click

from covey.cli.options.arguments import Request, scenario_verb
from covey.cli.printing import print_json
from covey.cli.streams import say
from covey.files.atomic_file import write_whole


@click.command(short_help="Write the model for other programs, as SBML or PRISM.")
@click.option(
    "--to",
    "form",
    required=True,
    type=click.Choice(["sbml", "prism"]),
    help="The format: sbml for simulators, prism for model checkers.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(),
    metavar="PATH",
    help="Where to write; by default to standard output.",
)
@scenario_verb
def export(request: Request, form: str, output: str | None) -> None:
    """Write the network and its start for other programs.

    SBML is what simulators and editors of reaction networks read. PRISM is the language of
    probabilistic model checkers, PRISM itself and storm.
    """
    from covey.model.io.prism import to_prism
    from covey.model.io.sbml.writer import to_sbml

    text = to_sbml(request.scenario) if form == "sbml" else to_prism(request.scenario)
    if output is not None:
        write_whole(output, text)
    if request.json:
        where = {"text": text} if output is None else {"file": output}
        print_json({"format": form, **where})
    elif output is None:
        click.echo(text, nl=False)
    elif not request.quiet:
        say(f"written: {output}")
