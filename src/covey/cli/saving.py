"""Results as files that other programs open; written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from covey.errors import InputError
from covey.files.atomic_file import whole_file
from covey.files.csv_cells import write_csv
from covey.showing import Drawing


def save_csv(path: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Writes a table."""
    if Path(path).suffix != ".csv":
        raise InputError(f'the ending is "{Path(path).suffix}": .csv is expected', file=path)
    with whole_file(path) as file, file.open("w", newline="", encoding="utf-8") as stream:
        write_csv(stream, header, rows, line_end="\r\n")


def save_picture(found: Drawing, path: str | None, **options: Any) -> None:
    """Draws a result, where a picture was asked for."""
    if path is not None:
        from covey.report.figure_file import save_figure

        save_figure(found.plot(**options), path)
