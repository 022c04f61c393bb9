"""Best-of-several timing and Markdown tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from multiprocessing import get_context


def best_of(times: int, job: Callable[[], object]) -> float:
    """The shortest of several runs, in seconds: the least disturbed one."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def least_cpu(times: int, job: Callable[[], object]) -> float:
    """The least CPU time of several runs, of all threads together: what a busy machine leaves."""
    seconds = []
    for _ in range(times):
        before = time.process_time()
        job()
        seconds.append(time.process_time() - before)
    return min(seconds)


def within(seconds: float, job: Callable[[], object]) -> bool:
    """Runs a job in a process of its own, and ends it after a time; whether it was done."""
    process = get_context("fork").Process(target=job)
    process.start()
    process.join(seconds)
    done = not process.is_alive()
    process.kill()
    process.join()
    return done


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
