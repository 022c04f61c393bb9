"""`covey leakage`: how much one snapshot gives away about any robot's type."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from covey.cli.arguments import (
    Request,
    adversary_options,
    computing_options,
    delta_option,
    scenario_verb,
)
from covey.cli.printing import console, print_heading, print_json, print_table, table, width_of
from covey.cli.progress import progress_bar
from covey.cli.seen import seen_option
from covey.errors import CoveyError, InputError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from covey.dynamics.limits import Limits
    from covey.dynamics.solver import Solver
    from covey.privacy.headline import Headline, OverTime
    from covey.privacy.snapshot.channel import Reporting
    from covey.privacy.snapshot.leakage import Leakage
    from covey.study.rate_range import RateRange

_IN_ASCII = str.maketrans({"ε": "epsilon", "δ": "delta", "∞": "infinite"})
_QUICK_STATES, _QUICK_STATES_IF_PUBLISHED = 300, 10_000  # followed for many snapshots


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
@fit_option
@click.option(
    "--draws",
    type=int,
    metavar="N",
    help="How many rates --fit draws from their intervals, besides the ends; default: 40.",
)
@computing_options
@adversary_options("at", "smoothing")
@scenario_verb
def leakage(
    request: Request,
    delta: float,
    seen: Reporting | None,
    fit: str | None,
    draws: int | None,
    limits: Limits,
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
        covey leakage fleet.toml --fit fit.json    with the rates of a log, and their range
    """
    from covey.dynamics.solver import Solver
    from covey.privacy.snapshot.channel import seen_through
    from covey.privacy.snapshot.leakage import leakage_of
    from covey.privacy.snapshot.output_distributions import laws_by
    from covey.report.keys.leakage import leakage_keys, range_keys

    began = time.perf_counter()
    request, open_ = _with_fit(request, fit, draws, seen is not None, delta, limits)
    with progress_bar(request.quiet or request.json) as progress:
        solver = Solver(request.scenario.network, limits)
        (laws,) = laws_by(solver, request.scenario, progress=progress)
    laws = laws if seen is None else seen_through(laws, seen)
    found = leakage_of(laws, request.scenario.adversary.smoothing)
    later = None if request.json or seen is not None else _later(request, solver)
    said = found.headline(delta, later)
    if request.json:
        there = {"still_there": dict(laws.still_there) or None}
        more = there | range_keys(open_) | {"seconds": time.perf_counter() - began}
        print_json(leakage_keys(said) | more)
    else:
        _print(request, said, open_)


def _with_fit(
    request: Request, file: str | None, draws: int | None, seen: bool, delta: float, limits: Limits
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
    with progress_bar(request.quiet or request.json) as progress:
        found = rate_range(
            request.scenario, fitted, delta=delta, draws=count, limits=limits, progress=progress
        )
    return replace(request, scenario=fitted_scenario(request.scenario, fitted)), found


def print_range(out: Console, found: RateRange | None) -> None:
    """What fitted rates leave open."""
    from covey.privacy.headline import spoken

    for sentence in () if found is None else found.sentences:
        text = spoken(sentence)
        out.print(text.translate(_IN_ASCII) if out.options.ascii_only else text)


def _later(request: Request, solver: Solver) -> OverTime | None:
    """What more snapshots tell, where that is known in a moment."""
    from covey.privacy.stream.pace import over_time, usual_stream

    scenario = request.scenario
    published = scenario.release.every is not None
    most = _QUICK_STATES_IF_PUBLISHED if published else _QUICK_STATES
    try:
        with progress_bar(request.quiet or not published) as progress:
            found = usual_stream(solver, scenario, quick=most, progress=progress)
    except CoveyError:
        return None
    return over_time(scenario, found)


def _print(request: Request, said: Headline, open_: RateRange | None) -> None:
    from covey.words import certainty

    found, out = said.leakage, console()
    print_heading(out, request.scenario)
    print_headline(out, said)
    print_range(out, open_)
    out.print()
    rows = _pairs_table(found)
    if not sys.stdout.isatty():
        print_table(out, rows)
    else:
        from covey.cli.law_bars import print_law_bars
        from covey.report.two_laws import of_leakage

        out.print(_short_table(found) if width_of(out, rows) > out.width else rows)
        print_law_bars(out, of_leakage(found.laws, found))
    out.print(f"\n{certainty(found.interval)}")
    if found.laws.about:
        out.print(found.laws.about)
    size = "" if found.states is None else f" on {found.states:,} states"
    out.print(f"method: {found.method}{size} ({found.why})")


def print_headline(out: Console, said: Headline) -> None:
    """Every sentence on lines of its own, the first in bold."""
    from covey.privacy.headline import spoken

    for place, sentence in enumerate(said.sentences):
        text = spoken(sentence)
        if out.options.ascii_only:
            text = text.translate(_IN_ASCII)
        out.print(text, style="bold" if place == 0 else None)


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
