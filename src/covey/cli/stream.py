"""`covey stream`: what a day of glances gives away."""

from __future__ import annotations

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
from covey.cli.saving import save_csv
from covey.cli.seen import seen_option
from covey.errors import InputError

if TYPE_CHECKING:
    from covey.dynamics.limits import Limits
    from covey.privacy.confidence import Bounded
    from covey.privacy.stream import Stream
    from covey.privacy.told import Told


@click.command(short_help="What does a day of glances give away?")
@click.option("--every", type=float, metavar="D", help="The time from one glance to the next.")
@click.option("--for", "span", type=float, metavar="S", help="How long they go on: S/D glances.")
@click.option(
    "--target",
    metavar="guess=P",
    help="Find how often it may be published: an observer shall be right at most P of the time in "
    "the end. --every is then the shortest time that is tried.",
)
@click.option(
    "--glances",
    metavar="N,…",
    help="After how many to say what is known; default: 1, 2, 5, 10 and more up to all.",
)
@click.option("--epsilon", type=float, metavar="E", help="Say δ at this ε as well.")
@click.option(
    "--accuracy",
    type=float,
    default=0.01,
    show_default=True,
    help="How near total variation is to be known where paths are drawn.",
)
@click.option(
    "--confidence",
    type=float,
    default=0.95,
    show_default=True,
    help="With which all bounds hold together.",
)
@click.option("--paths", type=int, metavar="N", help="Draw so many paths of either team instead.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the paths.")
@click.option("--output", "-o", type=click.Path(), metavar="CSV", help="Save the table.")
@click.option("--plot", type=click.Path(), metavar="PATH", help="Draw it (.png, .svg, .pdf).")
@seen_option
@computing_options
@adversary_options("at")
@scenario_verb
def stream(
    request: Request,
    /,
    every: float | None,
    span: float | None,
    target: str | None,
    glances: str | None,
    epsilon: float | None,
    output: str | None,
    plot: str | None,
    paths: int | None,
    limits: Limits,
    **sampling: Any,
) -> None:
    """Say what somebody learns who looks again and again.

    Glances at one trajectory: the first when the adversary looks, the others D apart. Few of them
    are summed over exactly; for many, paths are drawn and filtered, and every figure gets bounds.
    A scenario's [release] may say every and until instead.

    \b
        covey stream fleet.toml --every 1 --for 480 --plot day.png
        covey stream fleet.toml --for 480 --target guess=0.6
    """
    from covey.privacy.period import period
    from covey.privacy.stream import stream as solve

    more: dict[str, Any] = {}
    with progress_bar(request.quiet or request.json) as progress:
        if target is None:
            found = solve(
                request.scenario, every, span, glances=_counts(glances), paths=paths,
                epsilons=[] if epsilon is None else [epsilon], limits=limits, progress=progress,
                **sampling,
            )  # fmt: skip
            sentence = str(found)
        else:
            _only_without_target(glances=glances, epsilon=epsilon, paths=paths)
            answer = period(
                request.scenario, span, guess=_target(target), shortest=every, limits=limits,
                progress=progress, **sampling,
            )  # fmt: skip
            found, sentence, more = answer.stream, str(answer), {"tried": answer.tried}
    if output is not None:
        save_csv(output, _header(found), [_row(found, row) for row in found.told])
    if plot is not None:
        from covey.report.figure_file import save_figure
        from covey.report.figures.stream_plot import draw_stream

        save_figure(draw_stream(found, title=request.scenario.title), plot)
    if request.json:
        print_json(as_json(found) | more)
        return
    out = console()
    print_heading(out, request.scenario)
    out.print(sentence, style="bold")
    out.print()
    out.print(_table(found))
    out.print(f"\nmethod: {_method(found)}")


def as_json(found: Stream) -> dict[str, Any]:
    """The keys that programs rely on."""
    return {
        "at": found.at,
        "every": found.every,
        **_columns(found, found.told),
        "neighbour": {"from": found.neighbour.from_type, "to": found.neighbour.to_type},
        "pairs": [
            {
                "neighbour": {"from": pair.neighbour.from_type, "to": pair.neighbour.to_type},
                **_columns(found, pair.told),
                "paths": pair.paths,
            }
            for pair in found.pairs
        ],
        "method": found.method,
        "exact": found.exact,
        "confidence": None if found.method == "exact" else found.confidence,
        "seed": found.seed,
        "states": found.states,
    }


def _columns(found: Stream, rows: tuple[Told, ...]) -> dict[str, Any]:
    columns: dict[str, Any] = {
        "glances": [row.glances for row in rows],
        "total_variation": [row.total_variation.value for row in rows],
        "lower": [row.total_variation.lower for row in rows],
        "upper": [row.total_variation.upper for row in rows],
        "guess": [row.guess.value for row in rows],
        "settled": [row.settled.value for row in rows],
        "learning": [row.learning for row in rows],
        "leakage": [None if row.leakage is None else row.leakage.value for row in rows],
    }
    for epsilon in found.epsilons:
        columns["epsilon"] = epsilon
        for name in ("value", "lower", "upper"):
            key = "delta" if name == "value" else f"delta_{name}"
            columns[key] = [getattr(row.delta[0], name) for row in rows]
    return columns


def _header(found: Stream) -> list[str]:
    figures = ["total_variation", *(f"delta({e:g})" for e in found.epsilons), "settled"]
    bounds = [name + more for name in figures for more in ("", ".lower", ".upper")]
    return ["glances", "time", "guess", *bounds, "learning", "leakage"]


def _row(found: Stream, row: Told) -> list[float | str]:
    time = (row.glances - 1) * found.every
    figures = [bound for f in (row.total_variation, *row.delta, row.settled) for bound in f]
    leakage = "" if row.leakage is None else row.leakage.value
    return [row.glances, time, row.guess.value, *figures, row.learning, leakage]


def _table(found: Stream) -> Any:
    deltas = [f"δ at ε = {epsilon:g}" for epsilon in found.epsilons]
    rows = table("glances", "right", "between", *deltas, "settled", "leakage", right=True)
    for row in found.told:
        leakage = "" if row.leakage is None else _number(row.leakage.value)
        rows.add_row(
            f"{row.glances:,}",
            f"{row.guess.value:.1%}",
            _between(row.guess),
            *(f"{delta.value:.3g}" for delta in row.delta),
            f"{row.settled.value:.3g}",
            leakage,
        )
    return rows


def _between(figure: Bounded) -> str:
    low, high = f"{figure.lower:.1%}", f"{figure.upper:.1%}"
    return "" if low == high else f"{low} – {high}"


def _number(value: float) -> str:
    return "∞" if value == float("inf") else f"{value:.4g}"


def _method(found: Stream) -> str:
    exact = "every sequence of observations summed over"
    if found.method == "exact":
        return exact
    if found.method == "normal":
        return "a Kalman filter on the linear noise model: an approximation"
    upto = f"up to {found.exact}, then " if found.exact > 1 else "for one glance, then "
    return (
        f"{exact} {upto}{found.paths:,} paths of either team, filtered on {found.states:,} states; "
        f"all bounds hold together with confidence {found.confidence:g}"
    )


def _counts(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"--glances {text}: whole numbers with commas are expected, as 1,10,100"
        ) from None


def _target(text: str) -> float:
    name, _, value = text.partition("=")
    try:
        if name.strip() == "guess":
            return float(value)
    except ValueError:
        pass
    raise InputError(f"--target {text}: guess=P is expected, as guess=0.6")


def _only_without_target(**given: object) -> None:
    for name, value in given.items():
        if value:
            raise InputError(f"--{name} cannot go with --target: leave one of them out")
