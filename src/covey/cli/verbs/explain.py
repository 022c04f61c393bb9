"""`covey explain`: the scenario read back in plain sentences."""

from __future__ import annotations

import click

from covey.cli.options.arguments import Request, scenario_verb
from covey.cli.printing import console, print_json, print_title


@click.command(short_help="Read a scenario back in plain sentences.")
@scenario_verb
def explain(request: Request) -> None:
    """Read the scenario back: who is there, what happens and how long it takes, what is seen.

    Rates are said as mean times and as how often two robots meet: the way to see a mistake before
    any figure is believed.

    \b
        covey explain fleet.toml
    """
    from covey.study.explanation import explain as read_back

    found = read_back(request.scenario)
    if request.json:
        print_json({"title": request.scenario.title, "unit": request.scenario.unit, **found.keys()})
        return
    out = console()
    print_title(out, request.scenario)
    for heading, sentences in found.parts:
        out.print(f"\n{heading.capitalize()}", style="bold")
        for sentence in sentences:
            out.print(f"- {sentence}")
