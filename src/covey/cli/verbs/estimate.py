"""`covey estimate`: what somebody who watches comes to know of the team's numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from covey.cli.options.arguments import Request, computing_verb
from covey.cli.options.snapshot_options import (
    confidence_option,
    paths_seed_option,
    read_counts,
    snapshot_options,
)
from covey.cli.printing import begin_answer, print_json, table
from covey.cli.saving import save_csv, save_picture
from covey.errors import InputError
from covey.words import rounded

if TYPE_CHECKING:
    from covey.privacy.inference.estimate.estimate import Estimation
    from covey.privacy.stream.confidence import Bounded

_WITH_BOUNDS = 2  # numbers whose bounds fit beside them


@click.command(short_help="What does a watcher come to know of the team's numbers?")
@click.option(
    "--of",
    multiple=True,
    required=True,
    metavar="NAME=LOW:HIGH",
    help="A number that is not known, and its range, as types.picker=1:8 or rates.meet=0.05:0.5; "
    "or a measure of [performance] by its name. May be repeated.",
)
@snapshot_options
@click.option(
    "--level",
    type=float,
    default=0.9,
    show_default=True,
    help="The probability with which a number is known to within what is said.",
)
@click.option(
    "--points", type=int, default=15, show_default=True, help="Values of a rate that are weighed."
)
@confidence_option
@click.option("--paths", type=int, metavar="N", help="Draw so many paths; default: 1000 or fewer.")
@paths_seed_option
@click.option(
    "--output",
    "-o",
    type=click.Path(),
    metavar="PATH",
    help="Save the picture (.png, .svg, .pdf) or the table (.csv).",
)
@computing_verb("at")
def estimate(
    request: Request,
    /,
    of: tuple[str, ...],
    every: float | None,
    span: float | None,
    snapshots: str | None,
    output: str | None,
    confidence: float,
    paths: int | None,
    seed: int,
    **grid: Any,
) -> None:
    """Say how near somebody comes to numbers of the model who knows nothing but its form.

    Snapshots of one trajectory are weighed under every value of the numbers that are not known. All
    other numbers are known: give both types where only the mix is secret.

    \b
        covey estimate fleet.toml --of types.picker=1:8 --of types.carrier=2:9 --every 1 --for 480
        covey estimate fleet.toml --of rates.meet=0.05:0.5 --of throughput -o narrows.png
    """
    from covey.privacy.inference.estimate.estimate import estimate as solve
    from covey.privacy.stream.problem import Sampling
    from covey.report.json_keys.estimate import estimate_keys, estimate_table

    with request.progress() as progress:
        found = solve(
            request.scenario, _ranges(of), every, span, snapshots=read_counts(snapshots),
            sampling=Sampling(confidence=confidence, paths=paths, seed=seed),
            limits=request.limits, progress=progress, **grid,
        )  # fmt: skip
    if output is not None and Path(output).suffix == ".csv":
        save_csv(output, *estimate_table(found))
    else:
        save_picture(found, output, title=request.scenario.title)
    if request.json:
        print_json(estimate_keys(found))
        return
    out = begin_answer(request.scenario, str(found))
    out.print()
    out.print(_table(found))
    out.print(f"\nmethod: {_method(found)}")


def _ranges(given: tuple[str, ...]) -> dict[str, str | None]:
    """`types.picker=1:8` as a name and a range; a name alone has none."""
    found: dict[str, str | None] = {}
    for text in given:
        name, equals, span = (part.strip() for part in text.partition("="))
        if name in found:
            raise InputError(f"--of {name} is given twice")
        found[name] = span if equals else None
    return found


def _table(found: Estimation) -> Any:
    """With the bounds of each figure, where there is room for them."""
    wide = len(found.of) <= _WITH_BOUNDS

    def cells(texts: list[tuple[str, str]]) -> list[str]:
        return [cell for pair in texts for cell in pair[: 1 + wide]]

    heads = cells([(f"{one.name} ±", "between") for one in found.of])
    rows = table("snapshots", *heads, align="r")
    rows.add_row("0", *cells([(f"{one.before:.3g}", "") for one in found.of]))
    for i, snapshots in enumerate(found.snapshots):
        near = [one.within[i] for one in found.of]
        texts = [(f"{one.value:.3g}", _between(one, found.method)) for one in near]
        rows.add_row(f"{snapshots:,}", *cells(texts))
    return rows


def _between(figure: Bounded, method: str) -> str:
    if method != "paths":
        return "approximation" if method == "normal" else "exact"
    return f"{rounded(figure.lower, '.3g', 'down')} – {rounded(figure.upper, '.3g', 'up')}"


def _method(found: Estimation) -> str:
    if found.method == "normal":
        return (
            "Fisher information of the linear noise model: an approximation, checked on "
            f"{found.paths:,} simulated paths"
        )
    if found.method == "exact":
        return "exact: what a stand-in publishes does not depend on the numbers of the team"
    return (
        f"{found.paths:,} paths, filtered under {found.hypotheses:,} hypotheses on up to "
        f"{found.states:,} states; all bounds hold together with confidence {found.confidence:g}"
    )
