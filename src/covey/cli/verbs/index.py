"""`covey index`: the paper's Proposition 1, under a name of its own."""

from __future__ import annotations

import click

from covey.cli.options.arguments import Request, scenario_verb
from covey.cli.printing import begin_answer, print_json, table


@click.command(short_help="The paper's Proposition 1: how far apart are the equilibria?")
@scenario_verb
def index(request: Request) -> None:
    """Print the right-hand side of the paper's Proposition 1, for a complex-balanced network.

    It compares the mean-field equilibria of the team and of a team in which one robot has another
    type: the largest |Σ x ln(x̄/x̄') − x̄ + x̄'|. The paper calls it the leakage of somebody who sees
    every species. It is no leakage and bounds none: such an observer counts the types, and the
    leakage is infinite. `covey leakage` answers what one snapshot gives away.
    """
    from covey.dynamics.mean_field.equilibrium import equilibrium_point
    from covey.privacy.snapshot.paper_index import paper_index
    from covey.report.json_keys.leakage import neighbour_keys
    from covey.words import format_number

    scenario = request.scenario
    found = paper_index(scenario)
    species = [str(one) for one in scenario.network.species]
    own, other = (
        dict(zip(species, equilibrium_point(scenario.network, start).tolist(), strict=True))
        for start in (scenario.start, scenario.start_of(found.neighbour.team))
    )
    if request.json:
        print_json({
            "index": found.value,
            "neighbour": neighbour_keys(found.neighbour),
            "state": found.state,
            "equilibrium": {"team": own, "neighbour": other},
        })  # fmt: skip
        return
    out = begin_answer(scenario)
    out.print(f"The paper's index is {format_number(found.value, '.8g')}.", style="bold")
    out.print(f"It is the largest for {found.neighbour}, and no leakage: it bounds none.")
    rows = table("equilibrium", "team", "neighbour", align="lr")
    for one in species:
        rows.add_row(one, f"{own[one]:.6g}", f"{other[one]:.6g}")
    out.print()
    out.print(rows)
