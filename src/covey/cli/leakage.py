"""`covey leakage`: how much one glance gives away about any robot's type."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from covey.cli.arguments import (
    Request,
    adversary_options,
    computing_options,
    scenario_verb,
)
from covey.cli.printing import console, print_heading, print_json, table
from covey.cli.progress import progress_bar

if TYPE_CHECKING:
    from covey.privacy.leakage import Leakage, PairLeakage


@click.command(short_help="How much does one glance give away?")
@computing_options
@adversary_options("at", "smoothing")
@scenario_verb
def leakage(request: Request, how: dict[str, Any]) -> None:
    """Say how far one glance can shift the odds on any robot's type.

    The leakage is the largest |ln P(y|D)/P(y|D')| over every observation y and every team D' in
    which one robot has another type.
    """
    from covey.privacy.leakage import leakage as solve

    began = time.perf_counter()
    with progress_bar(request.quiet or request.json) as progress:
        found = solve(request.scenario, progress=progress, **how)
    if request.json:
        print_json(as_json(found) | {"seconds": time.perf_counter() - began})
    else:
        _print(request, found)


def as_json(found: Leakage) -> dict[str, Any]:
    """The keys that programs rely on."""
    return {
        "leakage": found.value,
        "lower": found.interval[0],
        "upper": found.interval[1],
        **_pair(found.worst),
        "exposed": found.exposed,
        "pairs": [
            {"leakage": p.value, "lower": p.interval[0], "upper": p.interval[1], **_pair(p)}
            for p in found.pairs
        ],
        "at": found.at,
        "smoothing": found.smoothing,
        "lost_mass": found.lost_mass,
        "method": found.method,
        "why": found.why,
        "states": found.states,
    }


def _pair(pair: PairLeakage) -> dict[str, Any]:
    team, neighbour = pair.probability
    return {
        "neighbour": {"from": pair.neighbour.from_type, "to": pair.neighbour.to_type},
        "observation": pair.observation,
        "probability": {"team": team, "neighbour": neighbour},
    }


def _print(request: Request, found: Leakage) -> None:
    out = console()
    print_heading(out, request.scenario)
    out.print(str(found), style="bold")
    out.print()
    names = tuple(found.worst.observation)
    rows = table("neighbour", "leakage", *names, "P(team)", "P(neighbour)", right=True)
    rows.columns[0].justify = "left"
    for pair in found.pairs:
        seen = (str(count) for count in pair.observation.values())
        chances = (f"{p:.4g}" for p in pair.probability)
        rows.add_row(str(pair.neighbour), _number(pair.value), *seen, *chances)
    out.print(rows)
    low, high = found.interval
    out.print(f"\nthe leakage is certainly between {_number(low)} and {_number(high)}")
    out.print(f"method: {found.method} on {found.states:,} states ({found.why})")


def _number(value: float) -> str:
    return "∞" if value == float("inf") else f"{value:.8g}"
