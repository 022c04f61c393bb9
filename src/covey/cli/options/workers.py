"""Who computes, as `--workers` and `--cluster` say."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from covey.cli.streams import tell


@contextmanager
def hired(workers: int | None, address: str | None) -> Iterator[tuple[Executor | None, int | None]]:
    """The executor of a cluster, if one is named, and how many workers there are to be."""
    if address is None:
        yield None, workers
        return
    from covey.executors import cluster

    with cluster(address, lambda word: tell(f"covey: {word}")) as (executor, size):
        yield executor, workers or size
