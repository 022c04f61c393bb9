"""Results as CSV files that other programs open; written whole or not at all."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from covey.errors import InputError


def save_csv(path: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Writes a table next to where it belongs, then moves it there: no half files are left."""
    target = Path(path)
    if target.suffix != ".csv":
        raise InputError(f'the ending is "{target.suffix}": .csv is expected', file=path)
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with partial.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(header)
            writer.writerows(rows)
        partial.replace(target)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from None
    finally:
        partial.unlink(missing_ok=True)
