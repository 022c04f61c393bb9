"""`covey leakage`: how much one glance gives away about any robot's type."""

from __future__ import annotations

import sys
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
    from rich.table import Table

    from covey.dynamics.limits import Limits
    from covey.privacy.laws import TeamLaws
    from covey.privacy.leakage import Leakage, PairLeakage

_WIDE = 10_000  # cells: a table in a window that is never too narrow


@click.command(short_help="How much does one glance give away?")
@computing_options
@adversary_options("at", "smoothing")
@scenario_verb
def leakage(request: Request, limits: Limits) -> None:
    """Say how far one glance can shift the odds on any robot's type.

    The leakage is the largest |ln P(y|D)/P(y|D')| over every observation y and every team D' in
    which one robot has another type. 0 means that a glance tells nothing, and infinite that it
    can settle a robot's type.

    \b
        covey leakage fleet.toml --at 10
    """
    from covey.privacy.laws import team_laws
    from covey.privacy.leakage import leakage_of

    began = time.perf_counter()
    with progress_bar(request.quiet or request.json) as progress:
        (laws,) = team_laws(request.scenario, limits=limits, progress=progress)
    found = leakage_of(laws, request.scenario.adversary.smoothing)
    if request.json:
        there = {"still_there": dict(laws.still_there) or None}
        print_json(as_json(found) | there | {"seconds": time.perf_counter() - began})
    else:
        _print(request, found, laws)


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
        "protected": found.protected,
        "age": found.age,
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


def _print(request: Request, found: Leakage, laws: TeamLaws) -> None:
    from covey.words import certainty

    out = console()
    print_heading(out, request.scenario)
    out.print(str(found), style="bold")
    out.print()
    rows = _pairs_table(found)
    if not sys.stdout.isatty():
        out.print(rows)
    else:
        from covey.cli.law_bars import print_law_bars
        from covey.report.two_laws import of_leakage

        wide = out.measure(rows, options=out.options.update(width=_WIDE)).maximum > out.width
        out.print(_short_table(found) if wide else rows)
        print_law_bars(out, of_leakage(laws, found))
    out.print(f"\n{certainty(found.interval)}")
    if laws.about:
        out.print(laws.about)
    size = "" if found.states is None else f" on {found.states:,} states"
    out.print(f"method: {found.method}{size} ({found.why})")


def _pairs_table(found: Leakage) -> Table:
    names = tuple(found.worst.observation)
    rows = table("neighbour", "leakage", *names, "P(team)", "P(neighbour)", right=True)
    rows.columns[0].justify = "left"
    for pair in found.pairs:
        seen = (str(count) for count in pair.observation.values())
        chances = (f"{p:.4g}" for p in pair.probability)
        rows.add_row(str(pair.neighbour), _number(pair.value), *seen, *chances)
    return rows


def _short_table(found: Leakage) -> Table:
    """For a window too narrow for what has to be seen of every neighbour."""
    rows = table("neighbour", "leakage")
    rows.columns[0].no_wrap = False
    for pair in found.pairs:
        rows.add_row(str(pair.neighbour), _number(pair.value))
    return rows


def _number(value: float) -> str:
    return "∞" if value == float("inf") else f"{value:.8g}"
