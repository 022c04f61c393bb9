"""A worker process of `LocalPool`: tasks on standard input, answers on standard output.

They are pickled, as `multiprocessing` does it: both ends are one program, and nothing is kept.
`connected` is what any worker starts with; those of `covey app` speak JSON through it.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
from collections.abc import Callable
from typing import IO, Any, TypeVar

T = TypeVar("T")
_NO_MEMORY = pickle.dumps((False, MemoryError()))  # while there is some
Task = tuple[Any, tuple[Any, ...], dict[str, Any]]


def main() -> None:
    """Answers tasks until the process that gives them has no more, or is gone."""
    task: Task
    tasks, answers = connected(pickle.load)
    while True:
        task = tasks.get()
        try:
            answers.write(_answer(*task))
            answers.flush()
        except BrokenPipeError:
            return


def connected(read: Callable[[IO[bytes]], T]) -> tuple[queue.SimpleQueue[T], IO[bytes]]:
    """What `read` takes from standard input, as it comes, and where to write the answers.

    This process ends in the middle of its work when nobody will write to it any more.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started this
    tasks: queue.SimpleQueue[T] = queue.SimpleQueue()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    try:
        reader = threading.Thread(target=_read, args=(read, sys.stdin.buffer, tasks), daemon=True)
        reader.start()
    except RuntimeError:  # no room for a thread: to whoever listens, the worker has ended
        os._exit(0)
    return tasks, answers


def _read(read: Callable[[IO[bytes]], T], stream: IO[bytes], tasks: queue.SimpleQueue[T]) -> None:
    """Runs beside the work, so that a worker nobody listens to ends in the middle of it."""
    try:
        while True:
            tasks.put(read(stream))
    finally:
        os._exit(0)


def _answer(function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> bytes:
    try:
        return pickle.dumps((True, function(*args, **options)))
    except MemoryError:
        return _NO_MEMORY
    except Exception as error:
        try:
            pickled = pickle.dumps((False, error))
            pickle.loads(pickled)
        except Exception:  # one that does not survive the way
            return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
        return pickled
