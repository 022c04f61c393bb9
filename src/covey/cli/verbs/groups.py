"""`covey groups`: how much one snapshot gives away about several robots at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from covey.cli.arguments import Request, adversary_options, computing_options, scenario_verb
from covey.cli.printing import console, print_heading, print_json, table
from covey.cli.progress import progress_bar
from covey.cli.seen import seen_option

if TYPE_CHECKING:
    from covey.dynamics.limits import Limits
    from covey.privacy.snapshot.channel import Reporting
    from covey.privacy.snapshot.groups import GroupLeakage, GroupPair

_MOST_ROWS = 20


@click.command(short_help="How much is given away about several robots at once?")
@click.option(
    "--robots", type=int, required=True, metavar="K", help="How many robots a group has at most."
)
@click.option(
    "--max-teams", type=int, metavar="N", help="Refuse to compare more teams; default: 2,000."
)
@seen_option
@computing_options
@adversary_options("at", "smoothing")
@scenario_verb
def groups(
    request: Request, robots: int, max_teams: int | None, seen: Reporting | None, limits: Limits
) -> None:
    """Say what one snapshot gives away about the types of up to K robots together.

    Every team is solved in which at most K robots have another type. Nothing is multiplied: K
    times the leakage of one robot bounds neither what K give away nor anything else.

    \b
        covey groups fleet.toml --robots 2
    """
    from covey.privacy.snapshot.groups import MAX_TEAMS, group_leakage

    with progress_bar(request.quiet or request.json) as progress:
        found = group_leakage(
            request.scenario,
            robots,
            seen=seen,
            max_teams=MAX_TEAMS if max_teams is None else max_teams,
            limits=limits,
            progress=progress,
        )
    if request.json:
        print_json(_as_json(found))
    else:
        _print(request, found)


def _as_json(found: GroupLeakage) -> dict[str, Any]:
    return {
        "robots": found.robots,
        "leakage": found.value,
        "lower": found.interval[0],
        "upper": found.interval[1],
        "guess": found.right,
        **_pair(found.worst),
        "by_robots": {str(size): value for size, value in found.by_robots.items()},
        "teams": [
            {
                "leakage": pair.value,
                "lower": pair.interval[0],
                "upper": pair.interval[1],
                "total_variation": pair.total_variation[1],
                **_pair(pair),
            }
            for pair in found.pairs
        ],
        "at": found.at,
        "smoothing": found.smoothing,
        "lost_mass": found.lost_mass,
        "method": found.method,
        "why": found.why,
    }


def _pair(pair: GroupPair) -> dict[str, Any]:
    team, other = pair.probability
    return {
        "changes": dict(pair.alternative.changes),
        "observation": pair.observation,
        "probability": {"team": team, "neighbour": other},
    }


def _print(request: Request, found: GroupLeakage) -> None:
    from covey.privacy.headline import spoken
    from covey.words import certainty, percent

    out = console()
    print_heading(out, request.scenario)
    for place, sentence in enumerate(found.sentences):
        out.print(spoken(sentence), style="bold" if place == 0 else None)
    out.print()
    rows = table("a team with", "leakage", "best guess", right=True)
    rows.columns[0].justify = "left"
    rows.columns[0].no_wrap = False
    ordered = sorted(found.pairs, key=lambda pair: (pair.value, pair.total_variation), reverse=True)
    for pair in ordered[:_MOST_ROWS]:
        value = "∞" if pair.value == float("inf") else f"{pair.value:.8g}"
        rows.add_row(str(pair.alternative), value, percent((1 + pair.total_variation[1]) / 2, "up"))
    out.print(rows)
    if len(found.pairs) > _MOST_ROWS:
        out.print(f"… and {len(found.pairs) - _MOST_ROWS:,} teams that give away less")
    out.print(f"\n{certainty(found.interval)}")
    out.print(f"method: {found.method} ({found.why})")
