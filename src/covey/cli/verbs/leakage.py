"""`covey leakage`: how much one snapshot gives away about any robot's type."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from covey.cli.options.arguments import (
    Request,
    computing_verb,
    delta_option,
    follow_options,
    secret_options,
)
from covey.cli.options.seen import seen_option
from covey.cli.printing import (
    begin_answer,
    print_json,
    print_table,
    print_verdict,
    table,
    width_of,
)
from covey.errors import InputError
from covey.words import format_number

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from covey.privacy.snapshot.channel import Reporting
    from covey.privacy.snapshot.leakage import Headline, Leakage
    from covey.study.rate_range import RateRange

_IN_ASCII = str.maketrans({"ε": "epsilon", "δ": "delta", "∞": "infinite"})


def fit_option(function: Callable[..., None]) -> Callable[..., None]:
    """Adds `--fit`, a file of fitted rates."""
    return click.option(
        "--fit",
        type=click.Path(),
        metavar="JSON",
        help="Rates as fit --save wrote them, and the range over what their intervals leave open.",
    )(function)


@click.command(short_help="How much does one snapshot give away?")
@delta_option
@seen_option
@secret_options("against", "teams")
@fit_option
@click.option(
    "--draws",
    type=int,
    metavar="N",
    help="How many rates --fit draws from their intervals, besides the ends; default: 40.",
)
@follow_options
@computing_verb("at", "smoothing")
def leakage(
    request: Request,
    delta: float,
    seen: Reporting | None,
    fit: str | None,
    draws: int | None,
) -> None:
    """Say how often an observer is right after one snapshot, and how far it can shift the odds.

    First the best guess between the team and one in which one robot has another type; then ε at
    δ: no event is more than e^ε times as likely for one of the two as for the other, plus δ; then
    the worst case, with its probability: the leakage is the largest |ln P(y|D)/P(y|D')| over every
    observation y and every such team D'. 0 means that a snapshot tells nothing, and infinite that
    it can settle a robot's type.

    \b
        covey leakage fleet.toml --at 10 --delta 1e-4
        covey leakage fleet.toml --seen 0.9        the observer misses one robot in ten
        covey leakage fleet.toml --against rates.meet=0.1    another secret: how fast they meet
        covey leakage fleet.toml --teams A=5:7,B=3:5    the worst over a public set of teams
        covey leakage fleet.toml --follow          one robot is followed: which type is it?
        covey leakage fleet.toml --fit fit.json    with the rates of a log, and their range
    """
    from covey.privacy.answer import headline
    from covey.report.json_keys.leakage import leakage_keys, range_keys

    began = time.perf_counter()
    request, open_ = _with_fit(request, fit, draws, seen is not None, delta)
    with request.progress() as progress:
        said = headline(
            request.scenario, delta=delta, seen=seen, limits=request.limits, progress=progress
        )
    if request.json:
        there = {"still_there": dict(said.leakage.distributions.still_there) or None}
        more = there | range_keys(open_) | {"seconds": time.perf_counter() - began}
        print_json(leakage_keys(said) | more)
    else:
        _print(request, said, open_)


def _with_fit(
    request: Request, file: str | None, draws: int | None, seen: bool, delta: float
) -> tuple[Request, RateRange | None]:
    """The question with the rates of a fit, and what these leave open."""
    if file is None:
        if draws is not None:
            raise InputError("--draws is for --fit: how many rates to draw from their intervals")
        return request, None
    if seen:
        raise InputError("--fit and --seen do not go together: ask for one after the other")
    from covey.study.fit.fit_file import open_fit
    from covey.study.rate_range import DRAWS, fitted_scenario, rate_range

    fitted = open_fit(file, request.scenario)
    count = DRAWS if draws is None else draws
    with request.progress() as progress:
        found = rate_range(
            request.scenario,
            fitted,
            delta=delta,
            draws=count,
            limits=request.limits,
            progress=progress,
        )
    return replace(request, scenario=fitted_scenario(request.scenario, fitted)), found


def print_range(out: Console, found: RateRange | None) -> None:
    """What fitted rates leave open."""
    from covey.privacy.headline import spoken

    for sentence in () if found is None else found.sentences:
        text = spoken(sentence)
        out.print(text.translate(_IN_ASCII) if out.options.ascii_only else text)


def _print(request: Request, said: Headline, open_: RateRange | None) -> None:
    from covey.words import certainty

    found, out = said.leakage, begin_answer(request.scenario)
    print_headline(out, said, _advice(request, said))
    print_range(out, open_)
    out.print()
    rows = _pairs_table(found)
    if not sys.stdout.isatty():
        print_table(out, rows)
    else:
        from covey.cli.distribution_bars import print_distribution_bars
        from covey.report.distribution_pair import of_leakage

        out.print(_short_table(found) if width_of(out, rows) > out.width else rows)
        print_distribution_bars(out, of_leakage(found.distributions, found))
    out.print(f"\n{certainty(found.interval)}")
    if found.distributions.about:
        out.print(found.distributions.about)
    size = "" if found.states is None else f" on {found.states:,} states"
    out.print(f"method: {found.method}{size} ({found.why})")


def print_headline(out: Console, said: Headline, advice: str = "") -> None:
    """Every sentence on lines of its own: the verdict, what to do, the rest."""
    from covey.privacy.headline import spoken

    for place, sentence in enumerate(said.sentences):
        text = spoken(sentence)
        if out.options.ascii_only:
            text = text.translate(_IN_ASCII)
        if place == 0:
            print_verdict(out, text)
            if advice:
                out.print(advice)
        else:
            out.print(text)


def _advice(request: Request, said: Headline) -> str:
    """What to do about it, by how bad it is."""
    file = shlex.quote(request.file)
    if said.over_time is not None and said.over_time.why:
        return f"What to do: covey stream {file} --every D --for S says what many snapshots tell."
    if said.level == "Low":
        return ""
    return f"What to do: covey report {file} lists what lowers it, and what that costs."


def _pairs_table(found: Leakage) -> Table:
    names = tuple(found.worst.observation)
    of_set = found.relation.teams is not None
    rows = table(
        *(["team"] if of_set else []), "neighbour", "leakage", *names, "P(team)", "P(neighbour)",
        align="llr" if of_set else "lr",
    )  # fmt: skip
    for pair in found.pairs:
        seen = (str(count) for count in pair.observation.values())
        chances = (f"{p:.4g}" for p in pair.probability)
        team = [str(pair.team)] if of_set else []
        value = format_number(pair.value, ".8g")
        rows.add_row(*team, str(pair.neighbour), value, *seen, *chances)
    return rows


def _short_table(found: Leakage) -> Table:
    """For a window too narrow for what has to be seen of every neighbour."""
    rows = table("neighbour", "leakage")
    rows.columns[0].no_wrap = False
    for pair in found.pairs:
        rows.add_row(str(pair.neighbour), format_number(pair.value, ".8g"))
    return rows
