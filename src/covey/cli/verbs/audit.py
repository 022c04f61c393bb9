"""`covey audit`: what samples prove to be given away, for teams of any size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from covey.cli.options.arguments import Request, adversary_options, scenario_verb, secret_options
from covey.cli.printing import begin_answer, print_json, table

if TYPE_CHECKING:
    from covey.privacy.inference.audit import AuditPair


@click.command(short_help="What do simulated missions prove to be given away?")
@click.option(
    "--samples", type=int, default=10_000, show_default=True, metavar="N", help="Of each team."
)
@click.option(
    "--confidence",
    type=float,
    default=0.95,
    show_default=True,
    metavar="P",
    help="With which all bounds hold together.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the samples.")
@secret_options("against")
@adversary_options("at")
@scenario_verb
def audit(request: Request, samples: int, confidence: float, seed: int) -> None:
    """Simulate the team and its neighbours, and prove from below what a snapshot gives away.

    An independent check of an exact answer, and some answer where the team is too large for any.
    Where the scenario asks for the steady state, a time stands for it, at which samples cannot be
    told from those at twice that time. The bounds are proved for that time, and not for later.

    \b
        covey audit fleet.toml --samples 20000
        covey audit fleet.toml --at 30
    """
    from covey.privacy.inference.audit import audit as solve
    from covey.privacy.snapshot.bayes_success import binary_success
    from covey.words import number, percent

    with request.progress() as progress:
        found = solve(
            request.scenario,
            samples=samples,
            confidence=confidence,
            seed=seed,
            progress=progress,
        )
    if request.json:
        print_json(
            {
                "lower": found.lower,
                "total_variation": found.total_variation,
                "guess": found.bayes_success,
                **_pair(found.worst),
                "pairs": [
                    {"lower": p.lower, "total_variation": p.total_variation, **_pair(p)}
                    for p in found.pairs
                ],
                "at": found.at,
                "steady": found.steady,
                "confidence": found.confidence,
                "samples": found.samples,
                "seed": found.seed,
            }
        )
        return
    out = begin_answer(request.scenario, str(found))
    out.print()
    rows = table("neighbour", "leaks at least", "right at least", align="lr")
    for pair in found.pairs:
        right = percent(binary_success(pair.total_variation), "down")
        rows.add_row(str(pair.neighbour), number(pair.lower, "down"), right)
    out.print(rows)


def _pair(pair: AuditPair) -> dict[str, Any]:
    from covey.report.json_keys.leakage import neighbour_keys

    team, other = pair.hits
    return {
        "neighbour": neighbour_keys(pair.neighbour),
        "event": pair.event,
        "speaks_for": pair.speaks_for,
        "hits": {"team": team, "neighbour": other},
        "apart": pair.apart,
    }
