"""`covey account`: what one snapshot of each of several independent missions gives away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from covey.cli.options.arguments import Request, computing_verb, delta_option, secret_options
from covey.cli.options.seen import seen_option
from covey.cli.printing import begin_answer, print_json, table
from covey.words import rounded

if TYPE_CHECKING:
    from covey.privacy.snapshot.channel import Reporting


@click.command(short_help="What do several independent missions give away together?")
@click.option(
    "--missions",
    type=int,
    required=True,
    metavar="K",
    help="How many missions, each seen once.",
)
@click.option(
    "--epsilon",
    "epsilons",
    type=float,
    multiple=True,
    metavar="E",
    help="An ε to give δ(ε) for; may be repeated.",
)
@delta_option
@seen_option
@secret_options("against", "teams")
@computing_verb("at")
def account(
    request: Request,
    missions: int,
    epsilons: tuple[float, ...],
    delta: float,
    seen: Reporting | None,
) -> None:
    """Say what one snapshot of each of K missions of the same team gives away together.

    The missions must be independent: every one begins anew, and is seen once. Snapshots of one
    mission are not independent. Losses are summed by dp-accounting, which comes with pip install
    "covey[accounting]", and rounded up: the truth is not worse.

    \b
        covey account fleet.toml --missions 30 --delta 1e-4
    """
    from covey.privacy.snapshot.composition import account as solve
    from covey.report.json_keys.leakage import neighbour_keys, relation_keys

    with request.progress() as progress:
        found = solve(
            request.scenario, missions, seen=seen, limits=request.limits, progress=progress
        )
    deltas = [found.delta(epsilon) for epsilon in epsilons]
    if request.json:
        print_json(
            {
                "missions": found.missions,
                "guess": found.bayes_success,
                "epsilon_at": {"delta": delta, "epsilon": found.epsilon(delta)},
                "settled": found.distinguishing_mass,
                "total_variation": found.delta(0.0),
                "epsilon": list(epsilons),
                "delta": deltas,
                "neighbour": neighbour_keys(found.worst.neighbour),
                **relation_keys(found.relation, found.worst.team),
                "at": found.at,
                "lost_mass": found.truncated_mass,
                "step": found.step,
                "rounding": found.rounding,
            }
        )
        return
    out = begin_answer(request.scenario, found.says(delta=delta))
    if epsilons:
        rows = table("ε", "δ", align="r")
        for epsilon, value in zip(epsilons, deltas, strict=True):
            rows.add_row(f"{epsilon:.4g}", rounded(value, ".4g", "up"))
        out.print()
        out.print(rows)
    out.print(
        f"\nfrom above: losses in steps of {found.step:.2g}; "
        f"{rounded(found.rounding, '.1g', 'up')} is added to δ"
    )
