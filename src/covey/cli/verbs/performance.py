"""`covey performance`: what the team achieves, by the names of [performance]."""

from __future__ import annotations

import click

from covey.cli.options.arguments import Request, computing_verb
from covey.cli.printing import begin_answer, print_json, table
from covey.words import rounded


@click.command(short_help="What the team achieves: the measures of [performance].")
@computing_verb("at")
def performance(request: Request) -> None:
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

    with request.progress() as progress:
        found = solve(request.scenario, limits=request.limits, progress=progress)
    if request.json:
        values = {name: one.value for name, one in found.measures.items()}
        bounds = {name: [one.lower, one.upper] for name, one in found.measures.items()}
        print_json({"performance": values, "bounds": bounds, "at": found.at})
        return
    out = begin_answer(request.scenario)
    rows = table("measure", "expected", "certain to within", "what it is", align="lrrl")
    for name, one in found.measures.items():
        within = rounded(max(one.upper - one.value, one.value - one.lower), ".1g", "up")
        rows.add_row(name, f"{one.value:.10g}", within, one.text)
    out.print(rows)
