"""The paper that covey is built on, part by part: the data of every figure, and every claim.

A. Prorok and V. Kumar, A Macroscopic Model for Differential Privacy in Dynamic Robotic Networks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from covey.errors import InputError
from covey.executors import workers_for
from covey.paper.case_studies import collaboration, groups, tasks, trees
from covey.paper.rules import rules
from covey.paper.theory import motivating, theory
from covey.paper.workspace import Part, Progress, Workspace

PARTS: dict[str, Callable[[Workspace], Part]] = {
    "theory": theory.run,
    "motivating": motivating.run,
    "collaboration": collaboration.run,
    "trees": trees.run,
    "groups": groups.run,
    "tasks": tasks.run,
    "rules": rules.run,
}

_ONE_THREAD = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",  # covey's own: `dynamics.cores`
)


def run_part(name: str, workspace: Workspace) -> Part:
    """One part of the paper, computed or read from the workspace's folder."""
    return PARTS[name](workspace)


@contextmanager
def open_workspace(
    folder: Path, *, full: bool = False, workers: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Workspace]:  # fmt: skip
    """A workspace in a folder, which is made where it is missing, with one worker on each core."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder cannot be made: {error.strerror}", file=str(folder)) from None
    count = workers or os.cpu_count() or 1
    alone = _one_thread_each() if count > 1 else nullcontext()
    with alone, workers_for(None, count, tasks=count) as hired:
        yield Workspace(folder, full, hired.executor, progress, hired.ahead)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Workers that are started meanwhile do not share their core with threads of their own."""
    missing = [name for name in _ONE_THREAD if name not in os.environ]
    os.environ.update(dict.fromkeys(missing, "1"))
    try:
        yield
    finally:
        for name in missing:
            os.environ.pop(name, None)
