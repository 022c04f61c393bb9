"""Progress of long work, on a terminal's standard error; nothing in a pipe, nothing when quiet."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from covey.cli.printing import console

_AFTER = 1.0  # seconds: shorter work needs no bar


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Callable[[float, float, str], None] | None]:
    """A function progress(done, total, text) that draws a bar once the work takes longer."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
    )
    bar = Progress(*columns, console=console(stderr=True), transient=True)
    task = bar.add_task("", total=None)
    began = time.monotonic()

    def show(done: float, total: float, text: str) -> None:
        if time.monotonic() - began < _AFTER:
            return
        bar.start()
        bar.update(task, completed=done, total=total, description=text)

    try:
        yield show
    finally:
        bar.stop()
