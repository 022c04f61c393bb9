"""`covey performance`: what the team achieves, by the names of [performance]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from covey.cli.arguments import Request, adversary_options, computing_options, scenario_verb
from covey.cli.printing import console, print_heading, print_json, table
from covey.cli.progress import progress_bar
from covey.words import rounded

if TYPE_CHECKING:
    from covey.dynamics.limits import Limits


@click.command(short_help="What the team achieves: the measures of [performance].")
@computing_options
@adversary_options("at")
@scenario_verb
def performance(request: Request, limits: Limits) -> None:
    """Say what the team achieves, exactly: expected rates of reactions and mean counts.

    The measures stand in the scenario file, each a sum of rate(NAME OF A REACTION) and
    mean(SPECIES), at the moment at which the adversary looks unless it says otherwise:

    \b
        [performance]
        throughput = "rate(pick')"
        charging   = "mean(charge{carrier,dock}) at steady"
        shift      = "rate(pick') until 480"
    """
    from covey.remedy.performance import performance as solve

    with progress_bar(request.quiet or request.json) as progress:
        found = solve(request.scenario, limits=limits, progress=progress)
    if request.json:
        values = {name: one.value for name, one in found.measures.items()}
        bounds = {name: [one.lower, one.upper] for name, one in found.measures.items()}
        print_json({"performance": values, "bounds": bounds, "at": found.at})
        return
    out = console()
    print_heading(out, request.scenario)
    rows = table("measure", "expected", "certain to within", "what it is", right=True)
    rows.columns[0].justify = rows.columns[3].justify = "left"
    for name, one in found.measures.items():
        within = rounded(max(one.upper - one.value, one.value - one.lower), ".1g", "up")
        rows.add_row(name, f"{one.value:.10g}", within, one.text)
    out.print(rows)
