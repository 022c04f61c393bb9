"""`covey paper`: the paper that covey is built on, reproduced claim by claim."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from covey.cli.options.arguments import workers_option
from covey.cli.printing import console, print_json, table
from covey.cli.progress import progress_bar
from covey.cli.streams import tell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from covey.paper.claims import Claim
    from covey.paper.workspace import Part, Workspace

_NAMES = ("theory", "motivating", "collaboration", "trees", "groups", "tasks", "rules")


@click.command(short_help="Reproduce the paper, with a table claim by claim.")
@click.argument("name", required=False, type=click.Choice(_NAMES))
@click.option("--full", is_flag=True, help="The paper's own grids: many minutes.")
@click.option(
    "--output",
    "-o",
    type=click.Path(file_okay=False),
    default="paper",
    show_default=True,
    metavar="FOLDER",
    help="Where figures, data and claims are written.",
)
@click.option(
    "--against",
    type=click.Path(),
    metavar="DIR",
    help="Compare with the authors' numbers in this folder instead.",
)
@click.option("--as-printed", is_flag=True, help="Draw the paper's own panels and no more.")
@workers_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def paper(
    name: str | None,
    full: bool,
    output: str,
    against: str | None,
    as_printed: bool,
    workers: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Reproduce the paper, or one part of it.

    Writes every figure (PNG, PDF), the data behind it (CSV) and claims.md, claims.csv: what the
    paper says, what covey finds, and one of five verdicts: confirmed, confirmed with a correction,
    misprint, false as stated, underdetermined. Without --full the grids are coarser. Data that is
    there from the same settings is not computed again, and a run that was stopped, however it was,
    goes on where it had come to.

    --against takes a folder with the numbers behind the authors' figures, as CSV files, computes
    every cell of them again and prints the largest difference of each file.
    """
    from covey.paper import open_workspace

    chosen = (name,) if name else _NAMES
    folder = Path(output)
    if against is not None:
        _compare(chosen, folder, Path(against), workers, as_json, quiet)
        return
    with (
        progress_bar(quiet or as_json) as progress,
        open_workspace(folder / "data", full=full, workers=workers, progress=progress) as workspace,
    ):
        done = _run(chosen, folder, workspace, as_printed, quiet or as_json)
    parts = [part for part, _ in done]
    claims = [claim for part in parts for claim in part.claims]
    if as_json:
        print_json(_as_json(folder, done, claims))
    else:
        _print(folder, done, claims)


def _compare(
    names: Sequence[str],
    folder: Path,
    authors: Path,
    workers: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Every file of the authors' folder that is of these parts, against covey."""
    from dataclasses import asdict

    from covey.paper import open_workspace
    from covey.paper.against import compare

    with (
        progress_bar(quiet or as_json) as progress,
        open_workspace(folder / "data", workers=workers, progress=progress) as workspace,
    ):
        found = compare(workspace, authors, names)
    if as_json:
        print_json({"folder": str(folder), "against": [asdict(one) for one in found]})
        return
    rows = table("file", "ν", "cells", "median", "largest", "at", "theirs", "covey's")
    for one in found:
        at = ", ".join(f"{number:g}" for number in one.at.values())
        rows.add_row(
            one.file, f"{one.nu:g}", str(one.cells), f"{one.median:.2g}", f"{one.largest:.2g}",
            f"({at})", f"{one.theirs:.6g}", f"{one.ours:.6g}",
        )  # fmt: skip
    out = console()
    out.print(rows)
    out.print(f"\nevery cell is in {folder / 'data'}, as against-NAME.csv")


def _run(
    names: Sequence[str], folder: Path, workspace: Workspace, as_printed: bool, quiet: bool
) -> list[tuple[Part, float]]:  # fmt: skip
    """Every part with its seconds; its figures and claims are there as soon as it is done."""
    from covey.paper import run_part
    from covey.paper.figures.parts import figures_of

    done = []
    for name in names:
        began = time.perf_counter()
        part = run_part(name, workspace)
        for figure, drawn in figures_of(part, as_printed=as_printed).items():
            _save(drawn, folder / figure)
        _write_files(folder, part)
        _write_claims(folder, part.claims)
        done.append((part, time.perf_counter() - began))
        if not quiet:
            for line in workspace.log:
                tell(f"covey: {line}")
        workspace.log.clear()
    return done


def _save(figure: Figure, stem: Path) -> None:
    from covey.report.figure_file import save_figure

    for ending in ("png", "pdf"):
        save_figure(figure, stem.with_suffix(f".{ending}"))


def _write_files(folder: Path, part: Part) -> None:
    from covey.files.atomic_file import write_whole

    for name, text in part.files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        write_whole(folder / name, text)


def _write_claims(folder: Path, claims: Sequence[Claim]) -> None:
    """The tables; claims of parts that were not asked for this time stay as they were."""
    from covey.files.atomic_file import write_whole
    from covey.paper.claims import PICTURE, as_csv, as_markdown, counts, from_csv
    from covey.paper.figures.charts import draw_verdicts

    file = folder / "claims.csv"
    before = from_csv(file.read_text(encoding="utf-8")) if file.is_file() else []
    new = {claim.part for claim in claims}
    every = [*claims, *(claim for claim in before if claim.part not in new)]
    every.sort(key=lambda claim: _NAMES.index(claim.part) if claim.part in _NAMES else len(_NAMES))
    note = (
        "Written by `covey paper`. The data of every figure are in `data/`; what is called coarse "
        "there is on a coarser grid than the paper's, which `covey paper --full` takes."
    )
    write_whole(folder / "claims.md", as_markdown(every, note))
    write_whole(file, as_csv(every))
    _save(draw_verdicts(counts(every)), (folder / PICTURE).with_suffix(""))


def _as_json(
    folder: Path, done: Sequence[tuple[Part, float]], claims: Sequence[Claim]
) -> dict[str, object]:
    from dataclasses import asdict

    return {
        "folder": str(folder),
        "claims": [asdict(claim) for claim in claims],
        "seconds": {part.name: seconds for part, seconds in done},
        "cores": os.cpu_count(),
    }


def _print(folder: Path, done: Sequence[tuple[Part, float]], claims: Sequence[Claim]) -> None:
    from covey.paper.claims import summary

    out = console()
    rows = table("verdict", "the paper says", "covey finds", align="l")
    rows.columns[1].ratio, rows.columns[2].ratio = 1, 1
    for claim in claims:
        rows.add_row(claim.verdict, claim.says, claim.finds, end_section=True)
    out.print(rows)
    out.print(f"\n{summary(claims)}; {folder / 'claims.md'} says why")
    times = ", ".join(f"{part.name} {seconds:.0f} s" for part, seconds in done)
    total = sum(seconds for _, seconds in done)
    out.print(f"time on {os.cpu_count()} cores: {times}; {total:.0f} s in all")
