"""`covey groups`: how much one snapshot gives away about several robots at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from covey.cli.options.arguments import Request, computing_verb
from covey.cli.options.seen import seen_option
from covey.cli.printing import begin_answer, print_json, table

if TYPE_CHECKING:
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
@computing_verb("at", "smoothing")
def groups(request: Request, robots: int, max_teams: int | None, seen: Reporting | None) -> None:
    """Say what one snapshot gives away about the types of up to K robots together.

    Every team is solved in which at most K robots have another type. Nothing is multiplied: K
    times the leakage of one robot bounds neither what K give away nor anything else.

    \b
        covey groups fleet.toml --robots 2
    """
    from covey.privacy.snapshot.groups import MAX_TEAMS, group_leakage

    with request.progress() as progress:
        found = group_leakage(
            request.scenario,
            robots,
            seen=seen,
            max_teams=MAX_TEAMS if max_teams is None else max_teams,
            limits=request.limits,
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
        "guess": found.bayes_success,
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
        "lost_mass": found.truncated_mass,
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
    from covey.privacy.snapshot.bayes_success import binary_success
    from covey.words import certainty, format_number, percent

    out = begin_answer(request.scenario)
    for place, sentence in enumerate(found.sentences):
        out.print(spoken(sentence), style="bold" if place == 0 else None)
    out.print()
    rows = table("a team with", "leakage", "best guess", align="lr")
    rows.columns[0].no_wrap = False
    ordered = sorted(found.pairs, key=lambda pair: (pair.value, pair.total_variation), reverse=True)
    for pair in ordered[:_MOST_ROWS]:
        right = percent(binary_success(pair.total_variation[1]), "up")
        rows.add_row(str(pair.alternative), format_number(pair.value, ".8g"), right)
    out.print(rows)
    if len(found.pairs) > _MOST_ROWS:
        out.print(f"… and {len(found.pairs) - _MOST_ROWS:,} teams that give away less")
    out.print(f"\n{certainty(found.interval)}")
    out.print(f"method: {found.method} ({found.why})")
