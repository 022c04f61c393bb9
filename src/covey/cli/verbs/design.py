"""`covey design`: how to run the team so that it gives away less."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from covey.cli.design_files import save_front, save_points, save_setting
from covey.cli.options.arguments import (
    Request,
    cluster_option,
    computing_verb,
    secret_options,
    workers_option,
)
from covey.cli.options.workers import hired
from covey.cli.printing import begin_answer, print_json, table
from covey.cli.saving import save_picture
from covey.cli.streams import say
from covey.errors import InputError

if TYPE_CHECKING:
    from covey.remedy.design.design import Design
    from covey.remedy.design.evaluation import Evaluated


@click.command(short_help="How to run the team instead: less leakage at the same performance.")
@click.option(
    "--vary",
    multiple=True,
    metavar="NAME=A:B",
    help="What may change, and in which range: rates.meet=0.1:2, rates.* for each of them, "
    "rates.a,rates.b=0.1:2 for one value, =x0.5:x2 for one factor, types.carrier=4:7 for a count, "
    "control.pick.factor=0:1 and control.pick.threshold=1:5 for a rule of [control]; "
    "what is published: observe=a, b|a + b (or * for every way) and release.epsilon=0.5|1|none. "
    "Repeatable; default: vary of the scenario's [design].",
)
@click.option(
    "--keep",
    multiple=True,
    metavar="NAME=SHARE",
    help='What must not be lost: throughput=0.95 of what it is now, or "throughput>=1.3". '
    "Repeatable.",
)
@click.option(
    "--minimise",
    metavar="MEASURE",
    help="guess, total_variation, leakage, epsilon (with --delta), stream_guess (of all that "
    "[release] publishes), loss (what publishing less costs) or any measure of covey sweep; "
    "default: stream_guess where [release] says every and until, else guess.",
)
@click.option("--maximise", metavar="NAME", help="Instead: a measure of [performance].")
@click.option(
    "--target",
    multiple=True,
    metavar="MEASURE=X",
    help="The most that such a measure may be, as guess=0.51 or loss=0.5. Repeatable.",
)
@click.option("--delta", type=float, default=0.0, metavar="D", help="The delta of epsilon.")
@click.option(
    "--within",
    multiple=True,
    metavar="SUM<=X",
    help='What counts may cost together: "3 types.picker + resources.dock <= 20". Repeatable.',
)
@click.option(
    "--front",
    type=int,
    default=0,
    metavar="N",
    help="Also designs at N levels of performance: privacy against performance.",
)
@click.option("--starts", type=int, default=4, show_default=True, help="From how many places.")
@click.option("--seed", type=int, default=0, show_default=True, help="Where those are.")
@workers_option
@cluster_option
@click.option(
    "--output",
    "-o",
    type=click.Path(),
    metavar="TOML",
    help="Write the scenario with the setting: comments stay, and what changed is marked. An "
    "interrupted design goes on from there.",
)
@click.option("--csv", type=click.Path(), metavar="CSV", help="Save the front as a table.")
@click.option("--plot", type=click.Path(), metavar="PNG", help="Save a picture of the front.")
@click.option(
    "--points",
    type=click.Path(),
    metavar="TOML",
    help="Write a scenario for every point of the front: front.toml stands for front-1.toml, "
    "front-2.toml and so on, as the table numbers them.",
)
@secret_options("against", "teams")
@computing_verb("at")
def design(
    request: Request,
    /,
    workers: int | None,
    cluster: str | None,
    output: str | None,
    csv: str | None,
    plot: str | None,
    points: str | None,
    **asked: Any,
) -> None:
    """Find rates and counts that give away less, and keep what the team is for.

    What is found has been evaluated exactly. It is the best of several local searches, which prove
    no global optimum. The exit code is 2 where what must hold cannot be met; the nearest is shown.

    \b
        covey design fleet.toml --vary "rates.*=0.1:1" --keep throughput=0.95 -o better.toml
        covey design fleet.toml --vary rates.meet=0.1:2 --maximise throughput --target guess=0.51
    """
    from covey.files.atomic_file import check_writable
    from covey.remedy.design.design import design as solve
    from covey.report.json_keys.design import design_keys

    endings = {
        output: (".toml",),
        csv: (".csv",),
        plot: (".png", ".svg", ".pdf"),
        points: (".toml",),
    }
    kept = [path for path in endings if path is not None]
    for path in kept:
        check_writable(path, endings[path])
    if (csv or plot or points) and not asked["front"]:
        raise InputError("--csv, --plot and --points are for a front: add --front 8")
    written: list[str | Path] = []

    def save(found: Design) -> None:
        written.extend(_save(request, found, output, csv, plot, points))

    began = time.perf_counter()
    with ExitStack() as stack:
        executor, workers = stack.enter_context(hired(workers, cluster))
        progress = stack.enter_context(request.progress())
        found = solve(
            request.scenario, **asked, path=next(iter(kept), None), executor=executor,
            workers=workers, limits=request.limits, progress=progress, save=save,
        )  # fmt: skip
    if request.json:
        print_json(design_keys(found) | {"seconds": time.perf_counter() - began})
    else:
        _print(request, found)
        for name in written:
            say(f"written: {name}")
    if not found.met:
        raise InputError(_missed(found))


def _save(
    request: Request,
    found: Design,
    output: str | None,
    csv: str | None,
    plot: str | None,
    points: str | None,
) -> list[str | Path]:
    """Writes whatever is asked for, and says where it is; what does not hold is no design."""
    written: list[str | Path] = []
    if output is not None and found.met:
        save_setting(request, found.after, output)
        written.append(output)
    if csv is not None:
        save_front(found, csv)
        written.append(csv)
    if plot is not None:
        save_picture(found, plot, title=request.scenario.title)
        written.append(plot)
    if points is not None:
        written += save_points(request, found, points)
    return written


def _missed(found: Design) -> str:
    after = found.after
    parts = [
        f"{name} is {_apart(after.performance.measures[name].lower, floor)}"
        for name, floor in found.floors.items()
        if after.performance.measures[name].lower < floor
    ]
    parts += [
        f"{name} is {_apart(after.privacy(name), cap)}"
        for name, cap in found.caps.items()
        if after.privacy(name) > cap
    ]
    return (
        f"nothing that was tried meets all that has to hold; the nearest: {', '.join(parts)}. "
        "Widen the ranges, ask for less, or search from more --starts"
    )


def _apart(value: float, wanted: float) -> str:
    """Both in as many digits as tell them apart."""
    digits = next((d for d in (6, 10, 17) if f"{value:.{d}g}" != f"{wanted:.{d}g}"), 17)
    return f"{value:.{digits}g} and not {wanted:.{digits}g}"


def _print(request: Request, found: Design) -> None:
    out = begin_answer(request.scenario, str(found))
    out.print()
    rows = table("setting", "now", "design", align="lr")
    from covey.remedy.design.variables import said_now

    for name, value in found.after.settings.items():
        rows.add_row(name, _shown(said_now(request.scenario, name)), _shown(value))
    out.print(rows)
    out.print()
    rows = table("measure", "now", "design", align="lr")
    for name, value in found.before.measures.items():
        rows.add_row(name, f"{value:.6g}", f"{found.after.measures[name]:.6g}")
    out.print(rows)
    if found.front:
        out.print("\nThe front, by performance:")
        out.print(_front(found.front))
    out.print(f"\n{_tried(found)}")


def _tried(found: Design) -> str:
    """How it was searched, and what that proves."""
    said = f"{found.evaluations:,} settings were evaluated"
    if found.starts:
        starts = "1 start" if found.starts == 1 else f"{found.starts} starts"
        return f"{said}, from {starts}; a local search proves no optimum."
    if found.tried == found.choices:
        return f"{said}: all that there are."
    return f"{said}, of {found.choices:,} that there are."


def _shown(value: float | int | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"


def _front(points: tuple[Evaluated, ...]) -> Any:
    names = list(points[0].measures)
    rows = table("point", *names, align="r")
    for number, point in enumerate(points, start=1):
        rows.add_row(str(number), *(f"{point.measures[name]:.6g}" for name in names))
    return rows
