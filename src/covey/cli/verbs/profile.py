"""`covey profile`: all that one snapshot can tell, not only the worst ratio."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from covey.cli.options.arguments import Request, computing_verb, delta_option, secret_options
from covey.cli.options.seen import seen_option
from covey.cli.printing import begin_answer, print_json, table
from covey.words import LARGEST, rounded

if TYPE_CHECKING:
    from covey.privacy.snapshot.channel import Reporting


@click.command(short_help="The (ε, δ) profile and the best test an adversary has.")
@click.option(
    "--epsilon",
    "epsilons",
    type=float,
    multiple=True,
    metavar="E",
    help="An ε to give δ(ε) for; may be repeated. By default 21 of them.",
)
@delta_option
@seen_option
@secret_options("against", "teams")
@computing_verb("at")
def profile(
    request: Request,
    epsilons: tuple[float, ...],
    delta: float,
    seen: Reporting | None,
) -> None:
    """Give δ(ε), total variation and divergences between the team and its neighbours.

    It says something also where the leakage is infinite: whatever is seen is at most e^ε times as
    probable for this team as for a neighbour, and δ(ε) more; and the reverse. It is said of this
    team, at these rates: other teams have profiles of their own.

    \b
        covey profile fleet.toml --epsilon 0.1 --epsilon 0.5
    """
    from covey.privacy.snapshot.profile import profile as solve
    from covey.report.json_keys.leakage import neighbour_keys, profile_keys, relation_keys

    with request.progress() as progress:
        found = solve(request.scenario, seen=seen, limits=request.limits, progress=progress)
    epsilon, deltas = found.curve(epsilons or None)
    if request.json:
        print_json(
            {
                "epsilon": epsilon.tolist(),
                "delta": deltas.tolist(),
                "total_variation": found.total_variation,
                "lower": found.total_variation_interval[0],
                "upper": found.total_variation_interval[1],
                **profile_keys(found, delta),
                "kl": found.kl,
                "renyi_2": found.renyi(2.0),
                "neighbour": neighbour_keys(found.worst.neighbour),
                "protected": found.protected,
                "age": found.age,
                **relation_keys(found.relation, found.team),
            }
        )
        return
    out = begin_answer(request.scenario, found.says(epsilons or (0.1, 0.5, 1.0), delta))
    out.print()
    rows = table("ε", "odds shift by", "δ", align="r")
    for e in epsilon.tolist():
        delta_of = rounded(found.delta_interval(e)[1], ".4g", "up")
        factor = f" = {math.exp(e):.4g}" if e < LARGEST else ""
        rows.add_row(f"{e:.4g}", f"e^ε{factor}", delta_of)
    out.print(rows)
    if found.distributions.about:
        out.print(f"\n{found.distributions.about}")
    out.print(
        f"\nKullback–Leibler divergence {found.kl:.4g}, Rényi of order 2 {found.renyi(2):.4g}"
    )
