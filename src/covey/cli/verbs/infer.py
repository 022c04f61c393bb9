"""`covey infer`: what an adversary believes after a snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from covey.cli.feed import follow, follow_state
from covey.cli.options.arguments import Request, computing_verb, follow_options, secret_options
from covey.cli.printing import begin_answer, print_json, table
from covey.errors import InputError, shown


@click.command(short_help="What does an adversary believe after a snapshot?")
@click.option("--observed", metavar="NAME=N,…", help="What was seen, as free=2,busy=1.")
@click.option(
    "--series",
    metavar="FILE",
    help="What was seen again and again: CSV or JSON lines with time and counts; - is a live feed.",
)
@click.option(
    "--knowing",
    metavar="SUM=N,…",
    help="What is known besides, as {A}=1,{B}=1; separate by ; where braces hold commas.",
)
@click.option(
    "--prior",
    metavar="NAME=P,…",
    help="Beliefs before: of types, as A=3,B=1, or of teams, as team=1,A->B=1.",
)
@click.option(
    "--state",
    is_flag=True,
    help="Say instead where robots are: the posterior of the counts that are not seen, and of the "
    "place of one robot of each type, the team being known.",
)
@click.option(
    "--changes",
    "every_change",
    is_flag=True,
    help="Every line of --series is a change, and between lines nothing changed: what is seen "
    "without a break.",
)
@secret_options("against")
@follow_options
@computing_verb("at")
@click.argument("seen", required=False, metavar="[NAME=N,…]")
def infer(
    request: Request,
    seen: str | None,
    observed: str | None,
    series: str | None,
    knowing: str | None,
    prior: str | None,
    state: bool,
    every_change: bool,
) -> None:
    """Give the posterior over the team and its neighbours, and over one robot's type.

    What was seen may stand after the file, or after --observed.

    With --series, after every line of a feed of one team, filtered over its trajectory: times count
    from the start, or from the first line on where the adversary comes at steady state. A line that
    no team can show is told and left out; one that cannot be read is told and skipped, and the
    exit code is 2 in the end.

    \b
        covey infer fleet.toml --observed roaming=3,charging=2
        covey infer fleet.toml roaming=3,charging=2 --state
        covey infer fleet.toml --series day.csv
        covey infer fleet.toml --series robot.csv --follow    columns time,followed
        tail -f feed.csv | covey infer fleet.toml --series - --json
    """
    from covey.privacy.inference.posterior import infer as solve

    if seen is not None and observed is not None:
        raise InputError("what was seen is given twice: after the file, and by --observed")
    observed = seen if observed is None else observed
    if (observed is None) == (series is None):
        raise InputError("give what was seen: --observed for one snapshot, or --series for a feed")
    if state and prior:
        raise InputError("--prior is about teams: with --state the team is known; leave one out")
    believed = read_pairs(prior, "--prior", whole=False) if prior else None
    if series is not None:
        if knowing:
            raise InputError("--knowing is for one snapshot: a feed is followed by what it says")
        if state and every_change:
            raise InputError("--changes does not go with --state: leave one of them out")
        if state:
            follow_state(request, series)
            return
        follow(request, series, believed, changes=every_change)
        return
    if every_change:
        raise InputError("--changes is for --series: lines that are changes of what is seen")
    assert observed is not None
    counted = read_pairs(observed, "--observed", whole=True)
    known = read_pairs(knowing, "--knowing", whole=True) if knowing else {}
    if state:
        _say_state(request, counted, known)
        return
    with request.progress() as progress:
        found = solve(
            request.scenario,
            counted,
            knowing=known,
            prior=believed,
            progress=progress,
            limits=request.limits,
        )
    if request.json:
        print_json(
            {
                "posterior": found.robots,
                "teams": found.posterior,
                "prior": {belief.name: belief.prior for belief in found.beliefs},
                "observed": dict(found.observed),
                "knowing": dict(found.knowing),
                "method": found.method,
                "states": found.states,
            }
        )
        return
    out = begin_answer(request.scenario, str(found))
    out.print()
    rows = table("team", "before", "after", align="lr")
    for belief in found.beliefs:
        name = "as it is" if belief.neighbour is None else f"with {belief.neighbour}"
        if belief.neighbour is None and request.scenario.adversary.follow:
            name = f"as it is, a {belief.name} being followed"
        rows.add_row(name, f"{belief.prior:.4g}", f"{belief.posterior:.4g}")
    out.print(rows)


def _say_state(request: Request, observed: Mapping[str, int], knowing: Mapping[str, int]) -> None:
    """Says what is believed of the state after one snapshot."""
    from covey.privacy.inference.hidden_state import hidden_state
    from covey.report.json_keys.hidden_state import state_keys

    with request.progress() as progress:
        found = hidden_state(
            request.scenario, observed, knowing=knowing, limits=request.limits, progress=progress
        )
    if request.json:
        keys = state_keys(found) | {"knowing": dict(found.knowing)}
        print_json(keys | {"method": found.method, "states": found.states})
        return
    out = begin_answer(request.scenario, str(found))
    out.print()
    rows = table("one robot of type", "is in", "before", "after", align="llr")
    for name, places in found.places.items():
        for place, chance in places.items():
            before = found.places_before[name][place]
            rows.add_row(name, place, f"{before:.4g}", f"{chance:.4g}")
    out.print(rows)
    out.print()
    rows = table("how many", "mean", "probability of each number", align="lrl")
    for name, chances in found.counts.items():
        listed = ", ".join(f"{n}: {chance:.3g}" for n, chance in chances.items())
        rows.add_row(name, f"{found.means[name]:.4g}", listed)
    out.print(rows)


def read_pairs(text: str, option: str, *, whole: bool) -> dict[str, Any]:
    """`free=2,busy=1` as a mapping; pairs are separated by ; where there is one, else by commas."""
    from covey.numbers import number_of, whole_of

    found: dict[str, Any] = {}
    for pair in _split(text):
        name, equals, value = (part.strip() for part in pair.rpartition("="))
        number = whole_of(value) if whole else number_of(value)
        if not equals or not name or number is None:
            kind = "whole numbers" if whole else "numbers"
            raise InputError(
                f"{option} {text[:80]}: {shown(pair.strip())} found, pairs NAME=N with {kind} are "
                "expected"
            )
        if name in found:
            raise InputError(f"{option} {text[:80]}: {name[:80]} is given twice")
        found[name] = number
    return found


def _split(text: str) -> list[str]:
    """At semicolons, or at the commas that are outside braces."""
    if ";" in text:
        return text.split(";")
    parts, depth = [""], 0
    for character in text:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts
