"""`covey stream`: what a day of snapshots gives away."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from covey.cli.options.arguments import (
    Request,
    cluster_option,
    computing_verb,
    follow_options,
    secret_options,
)
from covey.cli.options.seen import seen_option
from covey.cli.options.snapshot_options import (
    confidence_option,
    paths_seed_option,
    read_counts,
    snapshot_options,
)
from covey.cli.options.workers import hired
from covey.cli.printing import begin_answer, print_json, table
from covey.cli.saving import save_csv, save_picture
from covey.errors import InputError
from covey.words import format_number, rounded

if TYPE_CHECKING:
    from covey.privacy.stream.confidence import Bounded
    from covey.privacy.stream.stream import Stream
    from covey.privacy.stream.stream_row import StreamRow


@click.command(short_help="What does a day of snapshots give away?")
@snapshot_options
@click.option(
    "--target",
    metavar="guess=P",
    help="Find how often it may be published: an observer shall be right at most P of the time in "
    "the end. --every is then the shortest time that is tried.",
)
@click.option("--epsilon", type=float, metavar="E", help="Say δ at this ε as well.")
@click.option(
    "--accuracy",
    type=float,
    default=0.02,
    show_default=True,
    help="How near total variation is to be known where paths are drawn.",
)
@confidence_option
@click.option("--paths", type=int, metavar="N", help="Draw so many paths of either team instead.")
@paths_seed_option
@cluster_option
@click.option("--output", "-o", type=click.Path(), metavar="CSV", help="Save the table.")
@click.option("--plot", type=click.Path(), metavar="PATH", help="Draw it (.png, .svg, .pdf).")
@seen_option
@secret_options("against", "teams")
@follow_options
@computing_verb("at")
def stream(
    request: Request,
    /,
    every: float | None,
    span: float | None,
    target: str | None,
    snapshots: str | None,
    epsilon: float | None,
    output: str | None,
    plot: str | None,
    paths: int | None,
    cluster: str | None,
    **sampling: Any,
) -> None:
    """Say what somebody learns who looks again and again.

    Snapshots of one trajectory: the first when the adversary looks, the others D apart. Few of them
    are summed over exactly; for many, paths are drawn and filtered, and every figure gets bounds.
    A scenario's [release] may say every and until instead.

    \b
        covey stream fleet.toml --every 1 --for 480 --plot day.png
        covey stream fleet.toml --for 480 --target guess=0.6
        covey stream fleet.toml --every 1 --for 480 --follow     one robot is followed
    """
    from covey.privacy.headline import spoken
    from covey.privacy.stream.period import period
    from covey.privacy.stream.stream import stream as solve
    from covey.report.json_keys.stream import stream_keys, stream_table

    more: dict[str, Any] = {}
    with ExitStack() as stack:
        executor, workers = stack.enter_context(hired(None, cluster))
        sampling |= {"executor": executor, "workers": workers}
        progress = stack.enter_context(request.progress())
        if target is None:
            found = solve(
                request.scenario, every, span, snapshots=read_counts(snapshots), paths=paths,
                epsilons=[] if epsilon is None else [epsilon], limits=request.limits,
                progress=progress, **sampling,
            )  # fmt: skip
            sentence = spoken(found.verdict)
        else:
            refuse_with_target(snapshots=snapshots, epsilon=epsilon, paths=paths)
            answer = period(
                request.scenario, span, guess=read_target(target), shortest=every,
                limits=request.limits, progress=progress, **sampling,
            )  # fmt: skip
            found, sentence, more = answer.stream, str(answer), {"tried": answer.tried}
    if output is not None:
        save_csv(output, *stream_table(found))
    save_picture(found, plot, title=request.scenario.title)
    if request.json:
        print_json(stream_keys(found) | more)
        return
    out = begin_answer(request.scenario, sentence)
    if target is None:
        out.print(found.numbers)
    followed = found.pairs if found.relation.follow else ()
    for pair in followed:
        out.print(f"\n{pair.neighbour}:")
        out.print(_table(found, pair.rows))
    if not followed:
        out.print()
        out.print(_table(found, found.rows))
    out.print(f"\nmethod: {_method(found)}")


def _table(found: Stream, figures: Sequence[StreamRow]) -> Any:
    deltas = [f"δ at ε = {epsilon:g}" for epsilon in found.epsilons]
    rows = table("snapshots", "right", "between", *deltas, "one ruled out", "leakage", align="r")
    for row in figures:
        leakage = "" if row.leakage is None else format_number(row.leakage.value, ".4g")
        rows.add_row(
            f"{row.snapshots:,}",
            f"{row.bayes_success.value:.1%}",
            _between(row.bayes_success),
            *(f"{delta.value:.3g}" for delta in row.delta),
            f"{row.distinguishing_mass.value:.3g}",
            leakage,
        )
    return rows


def _between(figure: Bounded) -> str:
    if rounded(figure.lower, ".1%") == rounded(figure.upper, ".1%"):
        return ""
    return f"{rounded(figure.lower, '.1%', 'down')} – {rounded(figure.upper, '.1%', 'up')}"


def _method(found: Stream) -> str:
    exact = "every sequence of observations summed over"
    if found.tells_nothing:
        return "exact: nothing that is seen depends on which robot is of which type"
    if found.method == "exact":
        return exact
    if found.method == "normal":
        return "a Kalman filter on the linear noise model: an approximation"
    upto = f"up to {found.exact}, then " if found.exact > 1 else "for one snapshot, then "
    return (
        f"{exact} {upto}{found.paths:,} paths of either team, filtered on {found.states:,} states; "
        f"all bounds hold together with confidence {found.confidence:g}"
    )


def read_target(text: str) -> float:
    """`guess=0.6` as a number."""
    name, _, value = text.partition("=")
    from covey.numbers import number_of

    guess = number_of(value)
    if name.strip() != "guess" or guess is None:
        raise InputError(f"--target {text[:80]}: guess=P is expected, as guess=0.6")
    return guess


def refuse_with_target(**given: object) -> None:
    """Refuses options that say the same as --target, or what it leaves open."""
    for name, value in given.items():
        if value:
            raise InputError(f"--{name} cannot go with --target: leave one of them out")
