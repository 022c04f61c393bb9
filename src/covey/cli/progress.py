"""Progress of long work, on standard error: a bar on a terminal, a line now and then in a file.

Nothing when quiet.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from covey.cli.printing import console
from covey.cli.streams import tell

_AFTER = 1.0  # seconds: shorter work needs no bar
_LINE_EACH = 10.0  # seconds, in a file or a pipe

Show = Callable[[float, float, str], None]


def progress_lines(clock: Callable[[], float] = time.monotonic) -> Show:
    """A function progress(done, total, text) that says it in a line, once in ten seconds."""
    began = said = clock()

    def show(done: float, total: float, text: str) -> None:
        nonlocal said
        now = clock()
        if now - said < _LINE_EACH:
            return
        said = now
        share = f"{min(done / total, 1.0):.0%}, " if total > 0 else ""
        tell(f"covey: after {now - began:.0f} s: {share}{text}")

    return show


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Show | None]:
    """A function progress(done, total, text) that shows it once the work takes longer."""
    if quiet:
        yield None
        return
    if not sys.stderr.isatty():
        yield progress_lines()
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
